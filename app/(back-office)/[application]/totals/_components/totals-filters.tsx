'use client'

import { closePopover } from '#components/ui/close-popover.ts'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { Link } from '#components/ui/link.tsx'
import { MENU_ITEM } from '#components/ui/popover.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { type TotalsQuery, totalsAddress } from '#lib/finance-address.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { DatesFilter } from '../../_components/dates-filter.tsx'
import { ChoiceFilter } from '../../transactions/_components/choice-filter.tsx'

/** The filters of the totals as chips with their current value. A change is a new address. */
export function TotalsFilters({ application, query }: { application: string; query: TotalsQuery }) {
  const t = useT()
  const router = useRouter()
  const hrefOf = (change: Partial<TotalsQuery>) => paths.totals(application, totalsAddress({ ...query, ...change }))
  const onChange = (change: Partial<TotalsQuery>) => router.push(hrefOf(change), { scroll: false })
  const statuses = [
    'SUCCESS',
    'FAILED',
    ...TRANSACTION_STATUSES.filter((status) => status !== 'SUCCESS' && status !== 'FAILED'),
    'ALL',
  ] as const
  const statusWord = (status: (typeof statuses)[number]) => (status === 'ALL' ? t('totals.allStatuses') : t(`status.${status}`))
  const typeWord = (type: TotalsQuery['type']) => (type === null ? t('totals.bothTypes') : t(`type.${type}`))
  return (
    <div className="no-print -mx-4 mt-3 flex items-center gap-2 overflow-x-auto px-4 py-1 sm:mx-0 sm:flex-wrap sm:overflow-visible sm:px-0 sm:py-0">
      <DatesFilter query={query} onChange={onChange} />
      <FilterChip id="filter-status" name={t('totals.status')} value={statusWord(query.status)} isSet={query.status !== 'SUCCESS'}>
        {statuses.map((status) => (
          <Choice key={status} href={hrefOf({ status })} isCurrent={status === query.status} label={statusWord(status)} />
        ))}
      </FilterChip>
      <FilterChip id="filter-type" name={t('totals.type')} value={typeWord(query.type)} isSet={query.type !== null}>
        {[null, ...TRANSACTION_TYPES].map((type) => (
          <Choice key={type} href={hrefOf({ type })} isCurrent={type === query.type} label={typeWord(type)} />
        ))}
      </FilterChip>
      <ChoiceFilter
        id="filter-operator"
        name={t('totals.operator')}
        all={t('totals.allOperators')}
        choices={OPERATOR_CODES}
        chosen={query.operator}
        labelOf={(code) => `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`}
        onChange={(operator) => onChange({ operator })}
      />
    </div>
  )
}

function Choice({ href, isCurrent, label }: { href: string; isCurrent: boolean; label: string }) {
  return (
    <Link href={href} scroll={false} aria-current={isCurrent || undefined} className={MENU_ITEM} onClick={closePopover}>
      {label}
    </Link>
  )
}
