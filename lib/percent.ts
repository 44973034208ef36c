import type { Locale } from './i18n/locale.ts'

/** Reads a percentage as a person types it, `0.5` or `0,5`, as millionths; undefined for anything else or above 100. */
export function parsePercent(typed: string): number | undefined {
  const match = /^(\d{1,3})(?:[.,](\d{1,4}))?$/.exec(typed.trim().replace(/\s*%$/, ''))
  if (!match) return undefined
  const ppm = Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'))
  return ppm <= 1_000_000 ? ppm : undefined
}

/** Writes millionths as a percentage without its sign, with as many decimals as needed: `0.5`, `0,5`. */
export function writePercent(ppm: number, locale: Locale): string {
  const text = String(ppm / 10_000)
  return locale === 'fr' ? text.replace('.', ',') : text
}
