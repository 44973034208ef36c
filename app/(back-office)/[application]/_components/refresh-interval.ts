import type { CurrencyMoney } from '#lib/finance-dto.ts'

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
const REFRESH_MS = 60_000
/** While fees are being summed, of which no live update tells. */
const SUMMING_MS = 3_000

/** How long the figures of a page may be shown before they are read again. */
export function refreshInterval(money: readonly CurrencyMoney[] | undefined): number {
  return money?.some(({ now, before }) => now.fees === null || before?.fees === null) ? SUMMING_MS : REFRESH_MS
}
