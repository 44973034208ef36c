import { useT } from '#components/ui/translations.tsx'
import type { TotalsQuery } from '#lib/finance/finance-address.ts'
import type { CurrencyMoney } from '#lib/finance/finance-dto.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { formatTime } from '#lib/time/format-time.ts'
import type { OpenRange } from '#lib/time/time.ts'

/** Writes days, periods of a chart and ranges of days in the reader's language. */
export function useDays() {
  const t = useT()
  const instant = (day: string) => new Date(`${day}T00:00:00Z`)
  const day = (text: string) => formatTime(t, 'UTC', instant(text), 'day-year')
  const month = (text: string) => formatTime(t, 'UTC', instant(`${text}-01`), 'day-year').replace(/^\d+ /, '')
  return {
    day,
    /** `2026-11-03`, `2026-11` or `2026`, short. */
    period: (text: string) => (text.length === 4 ? text : text.length === 7 ? month(text) : formatTime(t, 'UTC', instant(text), 'day')),
    /** `1 Nov 2026 to 30 Nov 2026` */
    range({ from, to }: OpenRange): string {
      if (from === null && to === null) return t('totals.range.always')
      if (from === null) return t('totals.range.until', { to: day(to ?? '') })
      if (to === null) return t('totals.range.since', { from: day(from) })
      return from === to ? t('totals.range.day', { day: day(from) }) : t('totals.range.days', { from: day(from), to: day(to) })
    },
  }
}

/** The directions of money that a filter shows, with their names: what succeeded was collected or paid out. */
export function useDirections({ status, type }: Pick<TotalsQuery, 'status' | 'type'>) {
  const t = useT()
  const names =
    status === 'SUCCESS'
      ? { COLLECT: t('totals.collected'), DEPOSIT: t('totals.paidOut') }
      : { COLLECT: t('totals.collects'), DEPOSIT: t('totals.deposits') }
  return TRANSACTION_TYPES.filter((each) => type === null || each === type).map((each) => ({ type: each, name: names[each] }))
}

/** A figure that links to its list, tall enough for a pointer. The faint line says so without a pointer; paper has none. */
export const FIGURE_LINK =
  'inline-block py-0.5 underline decoration-line-2 decoration-1 underline-offset-4 hover:decoration-current print:no-underline'

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
export const REFRESH_MS = 60_000
/** While fees are being summed, of which no live update tells. */
export const SUMMING_MS = 3_000

/** How long the figures of a page may be shown before they are read again. */
export function refreshInterval(money: readonly CurrencyMoney[] | undefined): number {
  return money?.some(({ now, before }) => now.fees === null || before?.fees === null) ? SUMMING_MS : REFRESH_MS
}
