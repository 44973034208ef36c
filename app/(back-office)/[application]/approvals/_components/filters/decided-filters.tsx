import { useState } from 'react'
import { useToday } from '#components/domain/time-text.tsx'
import { ChoiceChip } from '#components/form/choice-filter.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { FilterChip } from '#components/ui/overlay/popover.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { ApprovalPage } from '#lib/approvals/approvals.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { presetOfDays } from '#lib/time/time.ts'

const DAYS_FORM = definePart(() => import('./decided-days-form.tsx'))

type Props = { query: QueryValues; page: ApprovalPage; hrefWith: (values: QueryValues) => string }

/** Decisions by the person who made them, and by day. */
export default function DecidedFilters({ query, page, hrefWith }: Props) {
  const t = useT()
  const router = useRouter()
  const today = useToday()
  const [isAsked, setIsAsked] = useState(false)
  const text = (key: string) => (typeof query[key] === 'string' && query[key] !== '' ? query[key] : null)
  const [from, to] = [text('from'), text('to')]
  const preset = presetOfDays(from, to, today)
  const write = (day: string | null) => (day ? formatTime(t, 'UTC', new Date(`${day}T00:00:00Z`), 'day-year') : '…')
  const isNamed = preset === 'today' || preset === 'yesterday' || preset === 'last7' || preset === 'last30'
  const value = isNamed ? t(`approvals.filter.${preset}`) : from || to ? `${write(from)} – ${write(to)}` : t('transactions.dates.any')
  return (
    <>
      <ChoiceChip
        id="filter-checker"
        name={t('approvals.filter.checker')}
        all={t('approvals.filter.anyone')}
        choices={page.checkers.map((person) => ({ value: person.personId, label: person.name }))}
        chosen={text('checker')}
        hrefFor={(checker) => hrefWith({ checker })}
      />
      <FilterChip
        id="filter-day"
        name={t('approvals.filter.day')}
        value={value}
        isSet={from !== null || to !== null}
        onOpen={() => setIsAsked(true)}
      >
        {isAsked && (
          <LazyPart
            part={DAYS_FORM}
            props={{ from, to, onChange: (days) => router.push(hrefWith(days), { scroll: false }) }}
            fallback={<div className="h-44 w-56" />}
          />
        )}
      </FilterChip>
    </>
  )
}
