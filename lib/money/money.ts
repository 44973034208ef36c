import type { Locale } from '#lib/i18n/locale.ts'

/**
 * Money is a whole number of hundredths of the currency's unit, as a bigint. No float touches it.
 * Hundredths for every currency, also those without decimals: partners do send 100.50 XAF.
 */
export const CURRENCIES = ['XAF', 'XOF', 'UGX'] as const
export type Currency = (typeof CURRENCIES)[number]

/** 9,999,999,999.99 in hundredths: the largest amount of one transaction. */
export const AMOUNT_MINOR_MAX = 999_999_999_999n

/** How many decimals each currency has in everyday use; fees are rounded to it. */
const DECIMALS: Record<Currency, 0 | 2> = { XAF: 0, XOF: 0, UGX: 0 }

const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * Reads the source text of a JSON number as an amount in hundredths, exactly.
 * Undefined unless it is strictly positive, has at most two decimals and is at most 9,999,999,999.99.
 */
export function parseAmountMinor(text: string): bigint | undefined {
  const match = JSON_NUMBER.exec(text)
  if (!match || match[1] === '-' || text.length > 64) return undefined
  const [, , whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '')
  // value = digits × 10^shift hundredths
  const shift = Number(exponent) - fraction.length + 2
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return undefined
  const scale = shift + digits.length - significant.length
  if (scale < 0 || significant.length + scale > 12) return undefined
  const amountMinor = BigInt(significant) * 10n ** BigInt(scale)
  return amountMinor <= AMOUNT_MINOR_MAX ? amountMinor : undefined
}

/** Returns the shortest exact decimal: 5000, 100.5, -0.25. For JSON at any size, also beyond 2^53. */
export function formatMinor(amountMinor: bigint): string {
  const sign = amountMinor < 0n ? '-' : ''
  const absolute = amountMinor < 0n ? -amountMinor : amountMinor
  const whole = absolute / 100n
  const cents = absolute % 100n
  if (cents === 0n) return `${sign}${whole}`
  return `${sign}${whole}.${cents % 10n === 0n ? cents / 10n : cents.toString().padStart(2, '0')}`
}

/** Returns an exact decimal with the decimals of the currency in everyday use, or with two if it has hundredths: 5000, 100.50. */
export function formatInFull(amountMinor: bigint, currency: Currency): string {
  const [whole = '0', fraction = ''] = formatMinor(amountMinor).split('.')
  return fraction === '' && DECIMALS[currency] === 0 ? whole : `${whole}.${fraction.padEnd(2, '0')}`
}

/** Reads a decimal as formatMinor writes it (`5000`, `100.5`, `-0.25`) back into hundredths. The text has at most two decimals. */
export function parseMinor(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const amountMinor = BigInt(whole + fraction.padEnd(2, '0'))
  return decimal.startsWith('-') ? -amountMinor : amountMinor
}

/** Adds two decimals as formatMinor writes them, exactly: for sums of what a page shows. */
export function addDecimals(left: string, right: string): string {
  return formatMinor(parseMinor(left) + parseMinor(right))
}

/** Returns a negative number, zero or a positive number if the first decimal is less than, equal to or greater than the second. */
export function compareDecimals(left: string, right: string): number {
  const difference = parseMinor(left) - parseMinor(right)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/**
 * Reads an amount as a person types it, `1,250,000` or `1 250 000,50`, and returns the plain decimal for an address: `1250000`,
 * `1250000.50`. Undefined for anything that is not a positive number with at most two decimals and ten digits before them.
 */
export function parseTypedAmount(typed: string, locale: Locale): string | undefined {
  const text = typed.replace(/[\s\u00a0\u202f'’]/g, '')
  // A comma is a decimal sign in French and separates groups in English; a point is a decimal sign in both.
  const plain = locale === 'fr' ? text.replace(',', '.') : text.replace(/,(?=\d{3}(\D|$))/g, '')
  return /^\d{1,10}(\.\d{1,2})?$/.test(plain) ? plain : undefined
}

/** Rounds half up to the decimals that the currency has in everyday use. Parameter and result are hundredths, never negative. */
export function roundHalfUp(numeratorMinor: bigint, denominator: bigint, currency: Currency): bigint {
  const unit = DECIMALS[currency] === 0 ? 100n : 1n
  return ((numeratorMinor * 2n + denominator * unit) / (denominator * unit * 2n)) * unit
}
