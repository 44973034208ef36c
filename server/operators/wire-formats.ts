import { formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { REFUSED_MESSAGE } from './clean-text.ts'
import type { FinalOutcome, Submission } from './connector.ts'

/** The phone number without its dial code. */
export function nationalNumber({ operator, phoneNumber }: Pick<Submission, 'operator' | 'phoneNumber'>): string {
  const { dialCode } = OPERATORS[operator].country
  return phoneNumber.startsWith(dialCode) ? phoneNumber.slice(dialCode.length) : phoneNumber
}

/** 9,999,999,999,999.99: a float keeps 15 significant decimal digits. One transaction has at most twelve (`AMOUNT_MINOR_MAX`). */
const JSON_AMOUNT_MINOR_MAX = 999_999_999_999_999n

/**
 * An amount for a body in which the operator requires a JSON number. It is a float, but no calculation follows: JSON.stringify writes the
 * shortest decimal that reads back as the same float, and with at most 15 digits, two of them decimals, that is the amount itself. Throws
 * above that.
 */
export function jsonAmount(amountMinor: bigint): number {
  if (amountMinor < 0n || amountMinor > JSON_AMOUNT_MINOR_MAX) throw new RangeError('The amount is not exact as a JSON number')
  return Number(formatMinor(amountMinor))
}

/** A balance as an operator writes it, in hundredths: `1500`, `37,600.00`. Undefined if it is no such number. */
export function balanceMinorOf(text: string): bigint | undefined {
  const match = /^(\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.(\d{1,6}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  return BigInt(whole.replaceAll(',', '') + fraction.padEnd(2, '0').slice(0, 2))
}

/**
 * The refusal of an amount with decimals, which an operator could round: what moves would not be what is in the books. Undefined if the
 * amount can be sent. Nothing was sent for this reference before: an earlier submission would have ended here too.
 */
export function refuseDecimals({ amountMinor }: Submission, takesDecimals: boolean | undefined): FinalOutcome | undefined {
  if (takesDecimals || amountMinor % 100n === 0n) return undefined
  const answer = `Not sent: ${formatMinor(amountMinor)} has decimals, which the operator does not take`
  return { kind: 'failed', reason: REFUSED_MESSAGE, operatorCode: 'DECIMALS', exchange: { httpStatus: null, answer } }
}
