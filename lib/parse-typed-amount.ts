import type { Locale } from '#lib/i18n/locale.ts'

/**
 * Reads an amount as a person types it, `1,250,000`, `1 250 000,50`, and gives the plain decimal for an address: `1250000`, `1250000.50`.
 * Undefined for anything that is not a positive number with at most two decimals and ten digits before them.
 */
export function parseTypedAmount(typed: string, locale: Locale): string | undefined {
  const text = typed.replace(/[\s\u00a0\u202f'’]/g, '')
  // A comma is a decimal sign in French and a group in English; a point is a decimal sign in both.
  const plain = locale === 'fr' ? text.replace(',', '.') : text.replace(/,(?=\d{3}(\D|$))/g, '')
  return /^\d{1,10}(\.\d{1,2})?$/.test(plain) ? plain : undefined
}
