'use client'

import { DaysForm } from '#components/form/days-form.tsx'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useToday } from '#components/ui/use-today.ts'
import { zoneWords } from '#lib/business-days.ts'
import { formatTime } from '#lib/format-time.ts'
import { LIST_PRESETS, presetOfDays, presetRange } from '#lib/time.ts'
import type { FilterProps } from './filter-types.ts'

/** A filter of business days: a preset, or a custom range with one or both ends. */
export function DateFilter({ query: { from, to }, onChange }: FilterProps) {
  const { t, businessZone } = useTranslations()
  const today = useToday()
  const preset = presetOfDays(from, to, today)
  const write = (day: string) => formatTime(t, 'UTC', new Date(`${day}T00:00:00Z`), 'day-year')
  const value = preset
    ? t(`transactions.dates.${preset}`)
    : from && to
      ? `${write(from)} – ${write(to)}`
      : from
        ? t('transactions.dates.since', { day: write(from) })
        : to
          ? t('transactions.dates.until', { day: write(to) })
          : t('transactions.any')
  return (
    <FilterChip id="filter-dates" name={t('transactions.dates')} value={value} isSet={from !== null || to !== null}>
      <DaysForm
        from={from}
        to={to}
        presets={LIST_PRESETS.map((each) => ({
          label: t(`transactions.dates.${each}`),
          days: presetRange(each, today),
          isCurrent: each === preset,
        }))}
        labels={{ from: t('transactions.dates.from'), to: t('transactions.dates.to') }}
        note={t('time.daysIncluded', { zone: zoneWords(t, businessZone) })}
        onChange={onChange}
      />
    </FilterChip>
  )
}
