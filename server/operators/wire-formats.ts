import { z } from 'zod'
import { formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { Exchange, FinalOutcome, ReportedMovement, Submission, UnknownOutcome } from './connector.ts'

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

/** A balance as an operator writes it, in hundredths: `1500`, `37,600.00`. Undefined if it is not such a number. */
export function balanceMinorOf(text: string): bigint | undefined {
  const match = /^(\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.(\d{1,6}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  return BigInt(whole.replaceAll(',', '') + fraction.padEnd(2, '0').slice(0, 2))
}

/** An operator's identifier, text or a number. `null` and an empty text are absent: they never become a text. */
export const identifierSchema = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === null || value === undefined || value === '' ? undefined : String(value)))

/**
 * An amount that an operator reports, in hundredths. An answer whose amount cannot be read is not an answer: the moved amount would stay
 * unchecked.
 */
export const reportedAmountSchema = identifierSchema.transform((text, context) => {
  const amountMinor = text === undefined ? undefined : parseAmountMinor(text)
  if (text !== undefined && amountMinor === undefined) context.addIssue({ code: 'custom', message: 'is not an amount' })
  return amountMinor
})

/** The number in an operator's answer, in digits. */
export function reportedNumber(text: string | undefined): string | undefined {
  return text?.replaceAll(/\D/g, '') || undefined
}

/**
 * The movement of all payments that an operator reports for one reference. Of several it is their sum, which is not the requested amount;
 * undefined if an amount is missing, so that the sum is not known.
 */
export function reportedTogether(payments: readonly ReportedMovement[]): ReportedMovement | undefined {
  const [first] = payments
  if (payments.length < 2) return first
  const amounts = payments.flatMap(({ amountMinor }) => amountMinor ?? [])
  return amounts.length < payments.length ? undefined : { ...first, amountMinor: amounts.reduce((sum, amount) => sum + amount) }
}

/** The outcome for several payments of one reference whose sum is not known. */
export function unknownPayments(count: number, exchange: Exchange): UnknownOutcome {
  return { kind: 'unknown', detail: `The operator reports ${count} payments of this reference`, exchange }
}

/**
 * The refusal of an amount with decimals, which an operator could round: what moves would not be what is in the books. Undefined if the
 * amount can be sent. Nothing was sent for this reference before: an earlier submission would have ended here too.
 */
export function refuseDecimals({ amountMinor }: Submission, takesDecimals: boolean | undefined): FinalOutcome | undefined {
  if (takesDecimals || amountMinor % 100n === 0n) return undefined
  const answer = `Not sent: ${formatMinor(amountMinor)} has decimals, which the operator does not take`
  return notSendable('Montant avec décimales non accepté par cet opérateur', 'DECIMALS', answer)
}

/** The refusal of an amount that is less than the operator takes. Undefined if the amount can be sent. */
export function refuseBelow({ amountMinor }: Submission, minimumMinor: bigint): FinalOutcome | undefined {
  if (amountMinor >= minimumMinor) return undefined
  const minimum = formatMinor(minimumMinor)
  const answer = `Not sent: ${formatMinor(amountMinor)} is less than the operator's minimum of ${minimum}`
  return notSendable(`Montant inférieur au minimum de cet opérateur (${minimum})`, 'MINIMUM', answer)
}

function notSendable(reason: string, operatorCode: string, answer: string): FinalOutcome {
  return { kind: 'failed', reason, operatorCode, exchange: { httpStatus: null, answer } }
}

/** The refusal of a reversal, for people: in the operator's own words where it has any, with its code. */
export function refusedReversal(code: string | undefined, message: string | null | undefined, exchange: Exchange): FinalOutcome {
  const [reason = REFUSED_MESSAGE, other] = [message, code].filter((text): text is string => Boolean(text))
  return { kind: 'failed', reason: other === undefined ? reason : `${reason} (${other})`, operatorCode: code, exchange }
}

const ANSWER_BYTES_MAX = 2_048
const REASON_LENGTH_MAX = 300
const IDENTIFIER_LENGTH_MAX = 200

/** The message of a failed transaction if the operator sent no reason that its partner can read. */
export const REFUSED_MESSAGE = 'Transaction refusée'

/** C0, DEL and C1. As code points, because a pattern with control characters in it is unreadable. */
const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0)

/** Returns an answer as PostgreSQL can store it: at most 2 KB, without NUL and without lone surrogates. */
export function storableAnswer(text: string): string {
  const short = text.slice(0, ANSWER_BYTES_MAX).toWellFormed().replaceAll('\0', '')
  const bytes = Buffer.from(short)
  if (bytes.length <= ANSWER_BYTES_MAX) return short
  let end = ANSWER_BYTES_MAX
  // Not within a character: its later bytes all begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** Returns the operator's sentence as one line of at most 300 characters; empty if nothing readable is left. */
export function cleanReason(text: string): string {
  const line = Array.from(text.slice(0, REASON_LENGTH_MAX).toWellFormed(), (character) =>
    isControl(character.codePointAt(0) ?? 0) ? ' ' : character,
  ).join('')
  return line.trim()
}

/** Returns an identifier unchanged, or undefined if it cannot be one: a part of it would name something else. */
export function cleanIdentifier(text: string | undefined): string | undefined {
  if (text === undefined || text.length === 0 || text.length > IDENTIFIER_LENGTH_MAX || !text.isWellFormed()) return undefined
  for (let place = 0; place < text.length; place++) if (isControl(text.charCodeAt(place))) return undefined
  return text
}
