import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_STATUSES } from '#lib/payments/transactions/transaction-status.ts'
import { formatTime } from '#lib/time/format-time.ts'
import type { PivotDimension, PivotTable } from './pivot.ts'

/** Returns the words of the groups of a dimension, by their keys. */
export function groupWords(t: Translate, dimension: PivotDimension): (group: string) => string {
  switch (dimension) {
    case 'operator':
      return operatorWords(t)
    case 'direction':
      return (group) => t(group === 'COLLECT' ? 'totals.collects' : 'totals.deposits')
    case 'status':
      return statusWords(t)
    case 'day':
      return (day) => dayWords(t, day)
    case 'month':
      return (month) => dayWords(t, `${month}-01`).replace(/^\d+ /, '')
    case 'brand':
    case 'currency':
      return (group) => group
  }
}

/** Returns what a table has apart from others: `XAF · Collects`; empty where nothing is. */
export function apartWords(t: Translate, { currency, direction }: Pick<PivotTable, 'currency' | 'direction'>): string {
  return [currency, direction && groupWords(t, 'direction')(direction)].filter(Boolean).join(' · ')
}

function operatorWords(t: Translate): (group: string) => string {
  const names = new Map<string, string>(
    Object.values(OPERATORS).map(({ code, brand, country }) => [code, `${brand} ${t(`country.${country.name}`)}`]),
  )
  return (group) => names.get(group) ?? group
}

function statusWords(t: Translate): (group: string) => string {
  const names = new Map<string, string>(TRANSACTION_STATUSES.map((status) => [status, t(`status.${status}`)]))
  return (group) => names.get(group) ?? group
}

function dayWords(t: Translate, day: string): string {
  return formatTime(t, 'UTC', new Date(`${day}T00:00:00Z`), 'day-year')
}
