import type { Locale } from '#lib/i18n/locale.ts'

/** The space between groups of digits in French. The narrow one (U+202F) is hardly visible in small text. */
const NO_BREAK_SPACE = '\u00a0'

/**
 * Formats a decimal that formatMinor wrote (`1250000`, `100.5`, `-3`): `1,250,000`, `100.50`, `1 250 000,50`.
 * Works on the text, so a total beyond 2^53 keeps every digit. Two decimals, or none if there are no hundredths.
 */
export function formatAmount(amount: string, locale: Locale): string {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, locale === 'fr' ? NO_BREAK_SPACE : ',')
  const sign = amount.startsWith('-') ? '\u2212' : ''
  if (/^0*$/.test(fraction)) return sign + grouped
  return `${sign}${grouped}${locale === 'fr' ? ',' : '.'}${fraction.padEnd(2, '0')}`
}

/** Formats an amount with its currency, never broken over two lines: `250,000 XAF`. */
export function moneyText({ amount, currency }: { amount: string; currency: string }, locale: Locale): string {
  return `${formatAmount(amount, locale)}\u00a0${currency}`
}

/** Formats a whole number with the groups of the language. */
export function formatCount(count: number | bigint, locale: Locale): string {
  return formatAmount(String(count), locale)
}

/** Formats a share (0.971) as a percentage with one decimal: `97.1%`, `97,1 %`. */
export function formatShare(share: number, locale: Locale): string {
  const text = (share * 100).toFixed(1)
  return withPercent(locale === 'fr' ? text.replace('.', ',') : text, locale)
}

/** Adds the percent sign, after a no-break space in French. */
export function withPercent(formatted: string, locale: Locale): string {
  return `${formatted}${locale === 'fr' ? '\u00a0' : ''}%`
}

/** How the national part of a number is grouped in each country of lib/operators/operators.ts, by dial code and length. */
const PHONE_GROUPS: Readonly<Record<string, readonly number[]>> = {
  '237-9': [1, 2, 2, 2, 2],
  '225-10': [2, 2, 2, 2, 2],
  '225-8': [2, 2, 2, 2],
  '221-9': [2, 3, 2, 2],
  '226-8': [2, 2, 2, 2],
  '223-8': [2, 2, 2, 2],
  '229-10': [2, 2, 2, 2, 2],
  '229-8': [2, 2, 2, 2],
  '256-9': [3, 3, 3],
}

/** Formats an international number without plus (`237690441208`) in its country's groups: `237 6 90 44 12 08`. */
export function formatPhone(phoneNumber: string): string {
  const dialCode = phoneNumber.slice(0, 3)
  const national = phoneNumber.slice(3)
  const groups = PHONE_GROUPS[`${dialCode}-${national.length}`]
  if (!groups || !/^\d+$/.test(phoneNumber)) return phoneNumber
  const parts = [dialCode]
  let at = 0
  for (const size of groups) {
    parts.push(national.slice(at, at + size))
    at += size
  }
  return parts.join(' ')
}

/** Returns the first and last characters of a long id: `3fa8…6afa6`. A shorter id is returned unchanged. */
export function shortenId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 4)}\u2026${id.slice(-5)}` : id
}

/** Returns the initials of a person: `AD` for Amadou Diallo. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const first = words[0] ?? ''
  const last = words.length > 1 ? (words.at(-1) ?? '') : ''
  return ((Array.from(first)[0] ?? '?') + (Array.from(last)[0] ?? '')).toUpperCase()
}
