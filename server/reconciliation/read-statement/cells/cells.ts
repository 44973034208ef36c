import type { RowProblemKind } from '#lib/reconciliation/statement-problem.ts'

/** Thrown inside the reader for a row that cannot be read; the other rows of the file are. */
export class BadRow extends Error {
  readonly kind: RowProblemKind
  constructor(kind: RowProblemKind) {
    super(kind)
    this.name = 'BadRow'
    this.kind = kind
  }
}

const CURRENCY = /\s*(XAF|XOF|UGX|FCFA|F\s?CFA|CFA|USH)\.?\s*/i

/**
 * Reads an amount as operators print it, in hundredths: `1,053.00`, `1 053,50`, `-500`, `(500)`, `+500`, `500 FCFA`. Null for an empty cell. A
 * sign that groups digits is known by the three digits behind it. Throws BadRow for anything else: an amount is never guessed.
 */
export function readAmount(text: string, isNumber = false): bigint | null {
  let plain = text.replace(CURRENCY, '').replace(/[\s\u00a0\u202f'’_]/g, '')
  if (plain === '' || plain === '-' || plain === '–') return null
  const isBracketed = /^\(.*\)$/.test(plain)
  if (isBracketed) plain = plain.slice(1, -1)
  const sign = /^[-−–]/.test(plain) || /[-−]$/.test(plain) ? -1n : 1n
  plain = plain.replace(/^[-−–+]/, '').replace(/[-−+]$/, '')
  const minor = isNumber ? readBinary(plain) : readDecimal(plain)
  if (minor === undefined) throw new BadRow('amount')
  return isBracketed ? -minor : sign * minor
}

const DECIMAL = /^(\d+)(?:[.,](\d{1,2}))?$/
const GROUPED = /^(\d{1,3})((?:,\d{3})+|(?:\.\d{3})+)(?:[.,](\d{1,2}))?$/

function readDecimal(text: string): bigint | undefined {
  const grouped = GROUPED.exec(text)
  if (grouped) {
    const [, first = '', groups = '', fraction = ''] = grouped
    // The sign of the decimals differs from that of the groups.
    const end = text.slice(first.length + groups.length)
    if (end !== '' && end[0] === groups[0]) return undefined
    // `1.053`: decimals have two digits, so this is a thousand and more; the spreadsheets of these countries write it so.
    return toMinor(first + groups.replace(/[.,]/g, ''), fraction)
  }
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  return whole === undefined ? undefined : toMinor(whole, fraction)
}

/** A number of a workbook is binary: `1053.1` can be stored as 1053.0999999999999. More than fifteen digits are lost. */
function readBinary(text: string): bigint | undefined {
  const value = Number(text)
  const minor = Math.round(value * 100)
  const isExact = text !== '' && Number.isSafeInteger(minor) && Math.abs(value * 100 - minor) < 1e-4
  return isExact ? BigInt(minor) : undefined
}

function toMinor(whole: string, fraction: string): bigint | undefined {
  return whole.length > 13 ? undefined : BigInt(whole + fraction.padEnd(2, '0'))
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Our transaction in a field that we filled with `transactionId.applicationId` or with the id alone; the field may be cut after the first id. */
export function readOurId(text: string): { ourId: string | null; ourApplicationId: string | null } {
  const [first, second] = [text.slice(0, 36), text.slice(37, 73)]
  if (!UUID.test(first)) return { ourId: null, ourApplicationId: null }
  return { ourId: first.toLowerCase(), ourApplicationId: UUID.test(second) ? second.toLowerCase() : null }
}

/** The digits of a phone number with the dial code; null for none, and for one that is partly hidden (`2547****678`). */
export function readPhone(text: string, dialCode: string): string | null {
  if (text.includes('*')) return null
  const digits = text.replace(/\D/g, '').replace(/^00/, '')
  if (digits.length < 8 || digits.length > 15) return null
  if (digits.startsWith(dialCode) && digits.length >= dialCode.length + 8) return digits
  // Ugandan numbers are written with a leading 0 inside the country; in Ivory Coast and Benin a leading 0 is part of the number.
  return dialCode + (dialCode === '256' ? digits.replace(/^0/, '') : digits)
}
