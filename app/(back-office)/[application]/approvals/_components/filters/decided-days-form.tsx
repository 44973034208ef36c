import { useToday } from '#components/domain/time-text.tsx'
import { type Days, DaysForm } from '#components/form/filter-form.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { zoneWords } from '#lib/time/format-time.ts'
import { presetOfDays, presetRange } from '#lib/time/time.ts'

const PRESETS = ['today', 'yesterday', 'last7', 'last30'] as const

/** The inside of the filter by day of a decision. */
export default function DecidedDaysForm({ from, to, onChange }: Days & { onChange: (days: Days) => void }) {
  const { t, businessZone } = useTranslations()
  const today = useToday()
  const current = presetOfDays(from, to, today)
  return (
    <DaysForm
      from={from}
      to={to}
      presets={PRESETS.map((each) => ({
        label: t(`approvals.filter.${each}`),
        days: presetRange(each, today),
        isCurrent: each === current,
      }))}
      labels={{ from: t('approvals.filter.from'), to: t('approvals.filter.to') }}
      note={t('time.daysIncluded', { zone: zoneWords(t, businessZone) })}
      onChange={onChange}
    />
  )
}
