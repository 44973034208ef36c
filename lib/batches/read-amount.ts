import { AMOUNT_MINOR_MAX, type Currency } from '#lib/money/money.ts'
import { type BatchCell, cellKind, cellText, type ProblemKind, type RowRepair } from './batch-fields.ts'

const EXPONENT = /^([+-]?)(\d+)(?:[.,](\d+))?[eE]\+?(\d{1,2})$/

/**
 * Reads a number that a spreadsheet wrote with an exponent. `2.37677209341E+11` has all its digits and returns `237677209341`.
 * `2.37E+11` has lost nine of its twelve digits and returns `lost`. Undefined for any other text.
 */
export function readExponent(text: string): { digits: string } | 'lost' | undefined {
  const match = EXPONENT.exec(text.trim())
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const places = Number(exponent)
  // With as many digits after the point as the exponent says, nothing was rounded to zeros.
  if (fraction.length < places || sign === '-') return 'lost'
  const digits = whole + fraction
  const after = digits.slice(whole.length + places)
  return { digits: digits.slice(0, whole.length + places) + (after === '' ? '' : `.${after}`) }
}

/**
 * Reads a number as a workbook stores it, which has all digits also with an exponent: `2.37677209341E11` returns `237677209341`.
 * Undefined unless it is a plain number.
 */
export function readStoredNumber(text: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (Math.abs(point) > 60) return undefined
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = point <= 0 ? 1 : point
  const rest = padded.slice(at).replace(/0+$/, '')
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  return `${sign}${integer}${rest === '' ? '' : `.${rest}`}`
}

const MONTHS =
  'jan|janv|january|janvier|feb|fev|fevr|february|fevrier|mar|mars|march|apr|avr|april|avril|may|mai|jun|june|juin|jul|juil|july|juillet|aug|aou|aout|august|sep|sept|september|septembre|oct|october|octobre|nov|november|novembre|dec|december|decembre'
const WITH_NAME = new RegExp(
  `^(?:\\d{1,2}[\\s./-]+)?(?:${MONTHS})\\.?[\\s./-]+\\d{1,4}$|^\\d{1,2}[\\s./-]*(?:${MONTHS})\\.?(?:[\\s./-]+\\d{2,4})?$`,
)
const WITH_FIGURES =
  /^(?:\d{1,2}([/-])\d{1,2}\1\d{2,4}|\d{4}([/-])\d{1,2}\2\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}\/\d{1,2})(?:[ t]\d{1,2}:\d{2}(?::\d{2})?)?$/

/** Whether a text is a date as spreadsheets write it: `05/01/2026`, `2026-01-05`, `5-janv.`, `Jan-26`. */
export function looksLikeDate(text: string): boolean {
  const folded = text
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .trim()
  return WITH_FIGURES.test(folded) || WITH_NAME.test(folded)
}

type AmountContext = {
  /** Of the operator; undefined while the operator is not known. */
  currency: Currency | undefined
  /** How many decimals the operator accepts. */
  decimals: 0 | 2
  isAccepted(kind: RowRepair['kind']): boolean
}

type AmountReading = { amountMinor?: bigint; problem?: ProblemKind; repair?: RowRepair }

const SPACES = /[\s\u00a0\u202f\u2009]/g
const CURRENCY_WORDS: readonly (readonly [RegExp, readonly Currency[]])[] = [
  [/^(?:XAF)|(?:XAF)$/i, ['XAF']],
  [/^(?:XOF)|(?:XOF)$/i, ['XOF']],
  [/^(?:UGX|USHS?)|(?:UGX|USHS?)$/i, ['UGX']],
  [/^(?:F\.?CFA|CFA|FRS?|F)|(?:F\.?CFA|CFA|FRS?|F)$/i, ['XAF', 'XOF']],
]
/** Groups of three digits with one and the same sign between them. */
const GROUPED = /^\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*$/

/**
 * Reads an amount in hundredths. Groups and decimals in both languages: `1 234,50`, `1,234.50`, `1.234.567`, `1'234`. A text with one
 * sign and three digits behind it (`1.234`) can only mean a thousand, because no amount has three decimals; it is a repair that a
 * person accepts, because a wrong guess would be wrong a thousandfold.
 */
export function readAmount(cell: BatchCell | undefined, context: AmountContext): AmountReading {
  const shown = cellText(cell).trim()
  const kind = cellKind(cell)
  if (kind === 'error') return { problem: 'amount_error' }
  if (shown === '') return { problem: 'amount_missing' }
  if (kind === 'date' || (kind === 'text' && looksLikeDate(shown))) return { problem: 'amount_date' }
  if (kind === 'number') return fromPlain(withoutNoise(readStoredNumber(shown)), context)
  const stripped = stripCurrency(shown.replace(SPACES, ''), context.currency)
  if (stripped === 'other') return { problem: 'amount_currency' }
  const exponent = readExponent(stripped)
  if (exponent === 'lost') return { problem: 'amount_digits_lost' }
  if (exponent) return repaired(exponent.digits, { kind: 'exponent', before: shown, after: exponent.digits }, 'amount_digits_lost', context)
  return fromText(stripped, shown, context)
}

function fromText(text: string, shown: string, context: AmountContext): AmountReading {
  if (/^[-−(]/.test(text)) return { problem: 'amount_not_positive' }
  const grouped = GROUPED.exec(text)
  if (grouped) {
    const plain = text.replace(/[.,'’]/g, '')
    const isSingle = text.length - plain.length === 1 && (grouped[1] === '.' || grouped[1] === ',')
    if (!isSingle) return fromPlain(plain, context)
    return repaired(plain, { kind: 'thousands', before: shown, after: plain }, 'amount_thousands', context)
  }
  const last = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'))
  const decimals = last < 0 ? '' : text.slice(last + 1)
  const whole = last < 0 ? text : text.slice(0, last)
  const sign = last < 0 ? '' : (text[last] ?? '')
  // The other sign, or an apostrophe, may separate groups; the decimal sign occurs once.
  const isWhole = /^\d+$/.test(whole) || (GROUPED.test(whole) && !whole.includes(sign || '\0'))
  if (!isWhole || (last >= 0 && !/^\d+$/.test(decimals))) return { problem: 'amount_characters' }
  return fromPlain(`${whole.replace(/[.,'’]/g, '')}${last < 0 ? '' : `.${decimals}`}`, context)
}

function repaired(plain: string, repair: Omit<RowRepair, 'field'>, otherwise: ProblemKind, context: AmountContext): AmountReading {
  const reading = fromPlain(plain, context)
  if (reading.problem) return reading
  const proposed: RowRepair = { field: 'amount', ...repair }
  return context.isAccepted(repair.kind) ? { ...reading, repair: proposed } : { problem: otherwise, repair: proposed }
}

/** From digits with at most one point. */
function fromPlain(plain: string | undefined, { decimals }: AmountContext): AmountReading {
  const match = plain === undefined ? null : /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain)
  if (!match) return { problem: 'amount_characters' }
  const [, sign = '', whole = '', fractionWithZeros = ''] = match
  const fraction = fractionWithZeros.replace(/0+$/, '')
  if (sign === '-' || /^0*$/.test(whole + fraction)) return { problem: 'amount_not_positive' }
  if (fraction.length > decimals) return { problem: 'amount_decimals' }
  if (whole.replace(/^0+/, '').length > 10) return { problem: 'amount_too_large' }
  const amountMinor = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
  return amountMinor > AMOUNT_MINOR_MAX ? { problem: 'amount_too_large' } : { amountMinor }
}

/**
 * A spreadsheet computes in binary fractions: 1234.56 may be stored as 1234.5599999999999. Four noughts or nines behind the hundredths
 * are such noise; other digits are the maker's and stay. Computed in whole hundredths, never in binary fractions.
 */
function withoutNoise(plain: string | undefined): string | undefined {
  const match = plain === undefined ? null : /^(-?)(\d+)\.(\d{2})(0000|9999)\d*$/.exec(plain)
  if (!match) return plain
  const [, sign = '', whole = '', hundredths = '', noise = ''] = match
  const minor = (BigInt(whole + hundredths) + (noise === '9999' ? 1n : 0n)).toString().padStart(3, '0')
  return `${sign}${minor.slice(0, -2)}.${minor.slice(-2)}`
}

function stripCurrency(text: string, currency: Currency | undefined): string {
  for (const [pattern, currencies] of CURRENCY_WORDS) {
    if (!pattern.test(text)) continue
    if (currency !== undefined && !currencies.includes(currency)) return 'other'
    return text.replace(pattern, '')
  }
  return text
}
