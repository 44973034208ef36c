import { AMOUNT_MINOR_MAX, type Currency } from '#lib/money.ts'
import { type BatchCell, cellKind, cellText } from './batch-cell.ts'
import type { ProblemKind, RowRepair } from './batch-fields.ts'
import { readExponent, readStoredNumber } from './exponent.ts'
import { looksLikeDate } from './looks-like-date.ts'

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
