import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { Currency } from '#lib/money/money.ts'
import { formatAmount, withPercent } from '#lib/text/format.ts'

/** The total of both lists in one currency, in hundredths as text. */
type ListTotal = { currency: Currency; beforeMinor: string; afterMinor: string }

/** How a list differs from the one that it repeats. `source` is null for the first list of a group, to which everybody is new. */
export type ListDifferenceDto = {
  source: { batchId: string; name: string } | null
  groupName: string | null
  people: number
  newPeople: number
  leftOut: number
  changedNames: number
  changedNumbers: number
  changedAmounts: number
  totals: readonly ListTotal[]
}

/** The differences of a list in one sentence: `3 new people, 2 changed numbers, +4 %`. */
export function differenceText(t: Translate, locale: Locale, difference: ListDifferenceDto): string {
  const { source, groupName, people } = difference
  if (source === null) return t('repeat.first', { group: groupName ?? '', count: people })
  const parts = [
    ...(['newPeople', 'leftOut', 'changedNames', 'changedNumbers', 'changedAmounts'] as const).flatMap((kind) =>
      difference[kind] === 0 ? [] : [t(`repeat.${kind}`, { count: difference[kind] })],
    ),
    ...difference.totals.flatMap((total) => totalText(t, locale, total, difference.totals.length > 1) ?? []),
  ]
  const name = source.name
  return parts.length === 0 ? t('repeat.same', { name }) : t('repeat.differs', { name, differences: parts.join(', ') })
}

function totalText(t: Translate, locale: Locale, { currency, beforeMinor, afterMinor }: ListTotal, isNamed: boolean): string | null {
  const [before, after] = [BigInt(beforeMinor), BigInt(afterMinor)]
  if (before === after) return null
  if (before === 0n) return t('repeat.newCurrency', { currency })
  const percent = signedPercent(before, after, locale)
  return isNamed ? t('repeat.totalIn', { percent, currency }) : t('repeat.total', { percent })
}

/** Tenths of a percent, rounded half away from zero; a change that rounds to nothing is shown as less than a tenth. */
export function signedPercent(before: bigint, after: bigint, locale: Locale): string {
  const sign = after > before ? '+' : '−'
  const change = after > before ? after - before : before - after
  const tenths = (change * 2_000n + before) / (before * 2n)
  const isTiny = tenths === 0n
  const shown = isTiny ? 1n : tenths
  const whole = formatAmount(String(shown / 10n), locale)
  const decimal = shown % 10n === 0n ? whole : `${whole}${locale === 'fr' ? ',' : '.'}${shown % 10n}`
  return `${isTiny ? '< ' : ''}${sign}${withPercent(decimal, locale)}`
}
