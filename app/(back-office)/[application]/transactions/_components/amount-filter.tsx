'use client'

import { AmountRangeForm } from '#components/form/amount-range-form.tsx'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { formatAmount } from '#lib/format.ts'
import type { FilterProps } from './filter-types.ts'

/** From and up to an amount. */
export function AmountFilter({ query: { min, max }, onChange }: FilterProps) {
  const { t, locale } = useTranslations()
  const write = (amount: string) => formatAmount(amount, locale)
  const value =
    min && max
      ? `${write(min)} – ${write(max)}`
      : min
        ? t('transactions.amounts.from', { amount: write(min) })
        : max
          ? t('transactions.amounts.upTo', { amount: write(max) })
          : t('transactions.any')
  return (
    <FilterChip id="filter-amount" name={t('transactions.amount')} value={value} isSet={min !== null || max !== null}>
      <AmountRangeForm min={min} max={max} onChange={onChange} />
    </FilterChip>
  )
}
