import type { Currency } from '#lib/money/money.ts'
import { err, ok, type Result } from '#lib/result.ts'

type BankNumberForm = 'iban' | 'rib' | 'account'
/** Without spaces, in capital letters. */
export type BankNumber = { form: BankNumberForm; number: string }

/** The length of an IBAN in the countries of the two francs CFA and in France. Other countries' have 15 to 34 characters. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  ...{ BJ: 28, BF: 28, CI: 28, GW: 25, ML: 28, NE: 28, SN: 28, TG: 28 },
  ...{ CM: 27, CF: 27, TD: 27, CG: 27, GQ: 27, GA: 27, FR: 27 },
}

/** The letters of a RIB as digits: A, J are 1; B, K, S are 2; and so on. */
const RIB_DIGITS = new Map(
  ['', 'AJ', 'BKS', 'CLT', 'DMU', 'ENV', 'FOW', 'GPX', 'HQY', 'IRZ'].flatMap((letters, digit) =>
    [...letters].map((letter) => [letter, digit]),
  ),
)

/**
 * Reads the number of a bank account as people write it, with spaces, dots or hyphens. Countries of the franc CFA: an IBAN, or the RIB with its key;
 * elsewhere also a plain account number, which has no check digits. `wrong_form`: it is none of these; `wrong_check`: a digit is wrong.
 */
export function readBankNumber(text: string, currency: Currency): Result<BankNumber, 'wrong_form' | 'wrong_check'> {
  const number = text.replaceAll(/[\s.-]/g, '').toUpperCase()
  if (/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(number)) {
    const length = IBAN_LENGTHS[number.slice(0, 2)]
    // A RIB of the West African union begins with letters too, and has 24 characters.
    if (length === number.length || (length === undefined && number.length !== 24)) return checked('iban', number, hasIbanCheck(number))
    if (number.length !== 24) return err('wrong_form')
  }
  if (/^(\d{23}|[A-Z]{1,2}\d{22,23})$/.test(number) && (number.length === 24 || /^\d/.test(number)))
    return checked('rib', number, hasRibKey(number))
  if (currency === 'UGX' && /^\d{8,20}$/.test(number)) return ok({ form: 'account', number })
  return err('wrong_form')
}

function checked(form: BankNumberForm, number: string, isRight: boolean): Result<BankNumber, 'wrong_check'> {
  return isRight ? ok({ form, number }) : err('wrong_check')
}

function hasIbanCheck(number: string): boolean {
  const moved = number.slice(4) + number.slice(0, 4)
  return BigInt([...moved].map((character) => Number.parseInt(character, 36)).join('')) % 97n === 1n
}

function hasRibKey(number: string): boolean {
  return BigInt([...number].map((character) => RIB_DIGITS.get(character) ?? character).join('')) % 97n === 0n
}

/** The number as lists show it: its last four characters. */
export function maskBankNumber(number: string): string {
  return `•••• ${number.replaceAll(' ', '').slice(-4)}`
}

/** The number in groups of four, as it is printed and compared. */
export function groupBankNumber(number: string): string {
  return number.replaceAll(/(.{4})(?=.)/g, '$1 ')
}
