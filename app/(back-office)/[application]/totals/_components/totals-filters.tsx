import { ChoiceFilter } from '#components/form/choice-filter.tsx'
import { Link } from '#components/ui/link.tsx'
import { closePopover, FilterChip, MENU_ITEM } from '#components/ui/overlay/popover.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { TotalsQuery } from '#lib/finance/finance-address.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { DatesFilter } from '../../_components/finance/dates-filter.tsx'

type Filters = Omit<TotalsQuery, 'basis'>

const STATUSES = [
  'SUCCESS',
  'FAILED',
  ...TRANSACTION_STATUSES.filter((status) => status !== 'SUCCESS' && status !== 'FAILED'),
  'ALL',
] as const

/** The filters of the totals as chips with their current value. A change is a new address; `isOfSuccess`: only what succeeded is counted. */
export function TotalsFilters({
  query,
  hrefOf,
  isOfSuccess,
}: {
  query: Filters
  hrefOf: (change: Partial<Filters>) => string
  isOfSuccess: boolean
}) {
  const t = useT()
  const router = useRouter()
  const onChange = (change: Partial<Filters>) => router.push(hrefOf(change), { scroll: false })
  const statusWord = (status: (typeof STATUSES)[number]) => (status === 'ALL' ? t('totals.allStatuses') : t(`status.${status}`))
  const typeWord = (type: TotalsQuery['type']) => (type === null ? t('totals.bothTypes') : t(`type.${type}`))
  return (
    <>
      <DatesFilter query={query} onChange={onChange} />
      {!isOfSuccess && (
        <FilterChip id="filter-status" name={t('totals.status')} value={statusWord(query.status)} isSet={query.status !== 'SUCCESS'}>
          {STATUSES.map((status) => (
            <Choice key={status} href={hrefOf({ status })} isCurrent={status === query.status} label={statusWord(status)} />
          ))}
        </FilterChip>
      )}
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
    </>
  )
}

/** One choice of a chip, an address. */
export function Choice({ href, isCurrent, label }: { href: string; isCurrent: boolean; label: string }) {
  return (
    <Link href={href} scroll={false} aria-current={isCurrent || undefined} className={MENU_ITEM} onClick={closePopover}>
      {label}
    </Link>
  )
}

/** The row of chips: on a phone it scrolls. */
export const CHIPS_ROW =
  'no-print -mx-4 mt-3 flex items-center gap-2 overflow-x-auto px-4 py-1 sm:mx-0 sm:flex-wrap sm:overflow-visible sm:px-0 sm:py-0'
