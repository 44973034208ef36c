'use client'

import { type Days, DaysForm } from '#components/form/days-form.tsx'
import { useNow, useT } from '#components/ui/translations.tsx'
import { presetOfDays, presetRange } from '#lib/time.ts'

const PRESETS = ['today', 'yesterday', 'last7', 'last30'] as const

/** The inside of the filter by day of a decision. */
export default function DecidedDaysForm({ from, to, onChange }: Days & { onChange: (days: Days) => void }) {
  const t = useT()
  const now = useNow()
  const current = presetOfDays(from, to, now)
  return (
    <DaysForm
      from={from}
      to={to}
      presets={PRESETS.map((each) => ({
        label: t(`approvals.filter.${each}`),
        days: presetRange(each, now),
        isCurrent: each === current,
      }))}
      labels={{ from: t('approvals.filter.from'), to: t('approvals.filter.to') }}
      onChange={onChange}
    />
  )
}
