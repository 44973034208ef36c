import { formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { ReportedMovement, StatusQuery } from './connector.ts'

type OurMovement = Pick<StatusQuery, 'operator' | 'amountMinor' | 'currency' | 'phoneNumber'>

/**
 * Compares what an operator reports of a success with our movement: amount, currency and number, as far as it reports them. Returns a
 * sentence about the first difference, without the number; undefined if there is none.
 */
export function differenceOf(ours: OurMovement, { amountMinor, currency, phoneNumber }: ReportedMovement): string | undefined {
  if (amountMinor !== undefined && amountMinor !== ours.amountMinor)
    return `The operator reports another amount: ${formatMinor(amountMinor)} instead of ${formatMinor(ours.amountMinor)}`
  if (currency !== undefined && currency !== ours.currency)
    return `The operator reports another currency: ${currency.slice(0, 10)} instead of ${ours.currency}`
  if (phoneNumber !== undefined && !isSameNumber(ours, phoneNumber)) return 'The operator reports another phone number'
  return undefined
}

/** Operators write a number with the dial code, without it, or with zeros before either. */
function isSameNumber({ operator, phoneNumber }: OurMovement, reported: string): boolean {
  const { dialCode } = OPERATORS[operator].country
  const ours = phoneNumber.startsWith(dialCode) ? phoneNumber.slice(dialCode.length) : phoneNumber
  const theirs = reported.replaceAll(/[\s+.-]/g, '')
  return [ours, ...formerNumbers(dialCode, ours)].some((national) =>
    [national, dialCode + national].some((form) => withoutZeros(form) === withoutZeros(theirs)),
  )
}

/** Benin put 01 before every number in November 2024; operators may still write the eight digits that follow it. */
function formerNumbers(dialCode: string, national: string): string[] {
  return dialCode === '229' && national.length === 10 && national.startsWith('01') ? [national.slice(2)] : []
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+/, '')
}
