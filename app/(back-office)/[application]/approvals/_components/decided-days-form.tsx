'use client'

import { FilterForm } from '#components/form/filter-form.tsx'
import { closePopover } from '#components/ui/close-popover.ts'
import { TextField } from '#components/ui/field.tsx'
import { MENU_ITEM } from '#components/ui/popover.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useToday } from '#components/ui/use-today.ts'
import { zoneWords } from '#lib/business-days.ts'
import { presetOfDays, presetRange } from '#lib/time.ts'

const PRESETS = ['today', 'yesterday', 'last7', 'last30'] as const

/** A day or a range of days, both ends included; each end may stay open. */
export type Days = { from: string | null; to: string | null }

/** The inside of the filter by day: usual ranges at one press, or two days of one's own. */
export default function DecidedDaysForm({ from, to, onChange }: Days & { onChange: (days: Days) => void }) {
  const { t, businessZone } = useTranslations()
  const today = useToday()
  const current = presetOfDays(from, to, today)
  return (
    <>
      <div className="grid grid-cols-2">
        {PRESETS.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={preset === current}
            className={MENU_ITEM}
            onClick={(event) => {
              closePopover(event)
              onChange(presetRange(preset, today))
            }}
          >
            {t(`approvals.filter.${preset}`)}
          </button>
        ))}
      </div>
      <FilterForm
        key={`${from} ${to}`}
        onApply={(fields) => onChange({ from: dayOf(fields.get('from')), to: dayOf(fields.get('to')) })}
        onClear={() => onChange({ from: null, to: null })}
      >
        <div className="grid grid-cols-2 gap-2">
          <TextField id="filter-from" name="from" type="date" label={t('approvals.filter.from')} defaultValue={from ?? ''} />
          <TextField id="filter-to" name="to" type="date" label={t('approvals.filter.to')} defaultValue={to ?? ''} />
        </div>
        <p className="text-second text-quiet">{t('time.daysIncluded', { zone: zoneWords(t, businessZone) })}</p>
      </FilterForm>
    </>
  )
}

function dayOf(value: FormDataEntryValue | null): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
