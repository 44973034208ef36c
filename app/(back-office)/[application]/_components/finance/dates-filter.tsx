import { useToday } from '#components/domain/time-text.tsx'
import { FilterForm } from '#components/form/filter-form.tsx'
import { TextField } from '#components/ui/field.tsx'
import { closePopover, FilterChip } from '#components/ui/overlay/popover.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DatesQuery } from '#lib/finance/finance-address.ts'
import { zoneWords } from '#lib/time/format-time.ts'
import { resolveDateRange, TOTAL_PRESETS } from '#lib/time/time.ts'
import { useDays } from './finance-figures.ts'

const PRESET = 'rounded-sm px-2 py-1 text-left hover:bg-sunken aria-pressed:bg-accent-soft aria-pressed:font-medium touch-target'

/** A filter of business days: a preset or a custom range. */
export function DatesFilter({ query, onChange }: { query: DatesQuery; onChange: (change: DatesQuery) => void }) {
  const { t, businessZone } = useTranslations()
  const days = useDays()
  const today = useToday()
  const isOwn = query.from !== null || query.to !== null
  const range = resolveDateRange(query, today)
  const value = !isOwn
    ? t(`totals.dates.${query.dates}`)
    : `${range.from ? days.day(range.from) : '…'} – ${range.to ? days.day(range.to) : '…'}`
  return (
    <FilterChip id="filter-dates" name={t('totals.dates')} value={value} isSet={isOwn || query.dates !== 'thisMonth'}>
      <div className="grid grid-cols-2 gap-0.5 p-1.5">
        {TOTAL_PRESETS.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={!isOwn && preset === query.dates}
            className={PRESET}
            onClick={(event) => {
              closePopover(event)
              onChange({ dates: preset, from: null, to: null })
            }}
          >
            {t(`totals.dates.${preset}`)}
          </button>
        ))}
      </div>
      <FilterForm
        key={`${query.dates} ${query.from} ${query.to}`}
        onApply={(fields) => onChange({ dates: 'thisMonth', from: dayOf(fields.get('from')), to: dayOf(fields.get('to')) })}
        onClear={() => onChange({ dates: 'thisMonth', from: null, to: null })}
      >
        <div className="grid grid-cols-2 gap-2">
          <TextField id="filter-from" name="from" type="date" label={t('totals.from')} defaultValue={range.from ?? ''} />
          <TextField id="filter-to" name="to" type="date" label={t('totals.to')} defaultValue={range.to ?? ''} />
        </div>
        <p className="text-second text-quiet">{t('time.daysIncluded', { zone: zoneWords(t, businessZone) })}</p>
      </FilterForm>
    </FilterChip>
  )
}

function dayOf(value: FormDataEntryValue | null): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
