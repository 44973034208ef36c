import type { Locale } from './i18n/locale.ts'

const ROUND = [1, 2, 2.5, 5, 10]
const TICKS_MAX = 4

/** The round values of a chart's axis above zero: three or four of them, the last at or above the highest value. */
export function axisValues(highest: number): number[] {
  if (!(highest > 0)) return []
  const power = 10 ** Math.floor(Math.log10(highest / TICKS_MAX))
  // One digit of tolerance, because 0.1 is no exact number.
  const step = power * (ROUND.find((round) => round * power * TICKS_MAX >= highest * (1 - 1e-12)) ?? 10)
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count }, (_, place) => Number(((place + 1) * step).toPrecision(12)))
}

const UNITS: readonly { from: number; en: string; fr: string }[] = [
  { from: 1e9, en: 'bn', fr: '\u00a0Md' },
  { from: 1e6, en: 'M', fr: '\u00a0M' },
  { from: 1e3, en: 'k', fr: '\u00a0k' },
]

/** Writes a round value short enough for an axis: `250k`, `2.5M`, `2,5 Md`. */
export function formatAxisValue(value: number, locale: Locale): string {
  const unit = UNITS.find(({ from }) => value >= from)
  const text = String(Number((unit ? value / unit.from : value).toPrecision(6)))
  return `${locale === 'fr' ? text.replace('.', ',') : text}${unit?.[locale] ?? ''}`
}
