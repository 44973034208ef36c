'use client'

import { FilterForm } from '#components/form/filter-form.tsx'
import { closePopover } from '#components/ui/close-popover.ts'
import { TextField } from '#components/ui/field.tsx'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useToday } from '#components/ui/use-today.ts'
import { zoneWords } from '#lib/business-days.ts'
import { formatTime } from '#lib/format-time.ts'
import { LIST_PRESETS, presetOfDays, presetRange } from '#lib/time.ts'
import type { FilterProps } from './filter-types.ts'

const PRESET = 'rounded-sm px-2 py-1 text-left hover:bg-sunken aria-pressed:bg-accent-soft aria-pressed:font-medium touch-target'

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
      <div className="grid grid-cols-2 gap-0.5 p-1.5">
        {LIST_PRESETS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === preset}
            className={PRESET}
            onClick={(event) => {
              closePopover(event)
              onChange(presetRange(each, today))
            }}
          >
            {t(`transactions.dates.${each}`)}
          </button>
        ))}
      </div>
      <FilterForm
        key={`${from} ${to}`}
        onApply={(fields) => onChange({ from: dayOf(fields.get('from')), to: dayOf(fields.get('to')) })}
        onClear={() => onChange({ from: null, to: null })}
      >
        <div className="grid grid-cols-2 gap-2">
          <TextField id="filter-from" name="from" type="date" label={t('transactions.dates.from')} defaultValue={from ?? ''} />
          <TextField id="filter-to" name="to" type="date" label={t('transactions.dates.to')} defaultValue={to ?? ''} />
        </div>
        <p className="text-second text-quiet">{t('time.daysIncluded', { zone: zoneWords(t, businessZone) })}</p>
      </FilterForm>
    </FilterChip>
  )
}

function dayOf(value: FormDataEntryValue | null): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
