'use client'

import { useT } from '#components/ui/translations.tsx'
import type { TotalsQuery } from '#lib/finance-address.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'

/** The directions of money that a filter shows, with their names: what succeeded was collected or paid out. */
export function useDirections({ status, type }: Pick<TotalsQuery, 'status' | 'type'>) {
  const t = useT()
  const names =
    status === 'SUCCESS'
      ? { COLLECT: t('totals.collected'), DEPOSIT: t('totals.paidOut') }
      : { COLLECT: t('totals.collects'), DEPOSIT: t('totals.deposits') }
  return TRANSACTION_TYPES.filter((each) => type === null || each === type).map((each) => ({ type: each, name: names[each] }))
}
