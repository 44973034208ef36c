import { useState, useTransition } from 'react'
import { useToday } from '#components/domain/time-text.tsx'
import { AmountRangeForm } from '#components/form/amount-range-form.tsx'
import { ChoiceFilter } from '#components/form/choice-filter.tsx'
import { DaysForm } from '#components/form/filter-form.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { CHIP, FilterChip, Popover } from '#components/ui/overlay/popover.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths, toQuery } from '#lib/pages/paths.ts'
import {
  isFiltered,
  NO_WEBHOOK,
  type TransactionQuery,
  toAddressValues,
  withFilters,
  withoutFilters,
} from '#lib/payments/transactions/transaction-list.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type { SavedView } from '#lib/people/saved-views.ts'
import { formatAmount, formatPhone, shortenId } from '#lib/text/format.ts'
import { formatTime, zoneWords } from '#lib/time/format-time.ts'
import { LIST_PRESETS, presetOfDays, presetRange } from '#lib/time/time.ts'
import { SaveViewButton, ViewMenu } from '../../../_components/views/view-menu.tsx'
import type { FilterProps, Person } from '../use-transaction-list.ts'

const MORE_FILTERS = definePart(() => import('./more-filters.tsx'))

type Props = {
  application: string
  query: TransactionQuery
  views: readonly SavedView[]
  makers: readonly Person[]
}

/** Every filter as a chip with its current value. A change is a new address. */
export default function FilterBar({ application, query, views, makers }: Props) {
  const words = useTranslations()
  const { t } = words
  const router = useRouter()
  // Only this bar is rendered for it, and the list below dims by a style: so the click is answered at once, however long the list is.
  const [isGoing, startGoing] = useTransition()
  const [wantsMore, setWantsMore] = useState(false)
  const hrefOf = (other: TransactionQuery) => paths.transactions(application, toAddressValues(other))
  const onChange = (change: Partial<TransactionQuery>) =>
    startGoing(() => router.push(hrefOf(withFilters(query, change)), { scroll: false }))
  const list = { application, list: 'transactions', query: viewQueryOf(query), monthly: null } as const
  const operatorName = (code: OperatorCode) => `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`
  return (
    <div
      aria-busy={isGoing || undefined}
      className="peer no-print relative -mx-4 mt-3 flex items-center gap-2 overflow-x-auto px-4 py-1 sm:mx-0 sm:flex-wrap sm:overflow-visible sm:px-0 sm:py-0"
    >
      <ViewMenu {...list} path={paths.transactions(application)} usual={useUsualViews(query)} views={views} />
      <ChoiceFilter
        id="filter-status"
        name={t('transactions.status')}
        all={t('transactions.all')}
        choices={TRANSACTION_STATUSES}
        chosen={query.status}
        labelOf={(status) => t(`status.${status}`)}
        onChange={(status) => onChange({ status })}
      />
      <ChoiceFilter
        id="filter-type"
        name={t('transactions.type')}
        all={t('transactions.all')}
        choices={TRANSACTION_TYPES}
        chosen={query.type}
        labelOf={(type) => t(`type.${type}`)}
        onChange={(type) => onChange({ type })}
      />
      <ChoiceFilter
        id="filter-operator"
        name={t('transactions.operator')}
        all={t('transactions.allOperators', { count: OPERATOR_CODES.length })}
        choices={OPERATOR_CODES}
        chosen={query.operator}
        labelOf={operatorName}
        onChange={(operator) => onChange({ operator })}
      />
      <DateFilter query={query} onChange={onChange} />
      <AmountFilter query={query} onChange={onChange} />
      <Popover
        id="filter-more"
        triggerClass={`${CHIP} border-dashed`}
        trigger={t('transactions.moreFilters')}
        panelClass="w-72"
        onOpen={() => setWantsMore(true)}
      >
        {wantsMore && <LazyPart part={MORE_FILTERS} props={{ query, makers, onChange }} fallback={<div className="h-[420px]" />} />}
      </Popover>
      {appliedOf(query, makers, words).map(({ words, without }) => (
        <Link key={words} href={hrefOf(withFilters(query, without))} scroll={false} className={`${CHIP} border-accent`}>
          <span className="font-strong text-ink">{words}</span>
          <span className="sr-only">{t('transactions.removeFilter')}</span>
          <Icon name="close" className="-mr-1 size-3.5 text-ink-3" />
        </Link>
      ))}
      {isFiltered(query) && (
        <Link
          href={hrefOf(withoutFilters(query))}
          scroll={false}
          className="px-1 text-second whitespace-nowrap text-accent hover:underline"
        >
          {t('transactions.clearFilters')}
        </Link>
      )}
      <span className="ml-auto whitespace-nowrap">{isFiltered(query) && <SaveViewButton {...list} />}</span>
    </div>
  )
}

/** Returns the filters of a list without its page, as stored in a view. */
function viewQueryOf(query: TransactionQuery): string {
  return toQuery(toAddressValues({ ...query, page: 0 })).replace(/^\?/, '')
}

/** The views that everybody has, with the present size of a page. */
function useUsualViews(query: TransactionQuery) {
  const { t } = useTranslations()
  const today = useToday()
  const base = withoutFilters({ ...query, sort: 'newest' })
  return [
    { label: t('transactions.views.all'), query: viewQueryOf(base) },
    { label: t('transactions.views.today'), query: viewQueryOf({ ...base, ...presetRange('today', today) }) },
    { label: t('transactions.views.failedToday'), query: viewQueryOf({ ...base, status: ['FAILED'], ...presetRange('today', today) }) },
    { label: t('transactions.views.waiting'), query: viewQueryOf({ ...base, status: ['PENDING_APPROVAL'] }) },
    { label: t('transactions.views.unconfirmed'), query: viewQueryOf({ ...base, unconfirmed: '1' }) },
  ]
}

/** Returns the set filters without a permanent chip, and the address without each. */
function appliedOf(
  query: TransactionQuery,
  makers: readonly Person[],
  { t, timeZone }: ReturnType<typeof useTranslations>,
): { words: string; without: Partial<TransactionQuery> }[] {
  const time = (at: string) => formatTime(t, timeZone, new Date(at), 'day-time')
  const makerName = (id: string) =>
    id === 'api' ? t('transactions.madeByApi') : (makers.find((each) => each.personId === id)?.name ?? shortenId(id))
  return [
    ...query.country.map((country) => ({
      words: t(`country.${country}`),
      without: { country: query.country.filter((each) => each !== country) },
    })),
    ...query.currency.map((currency) => ({ words: currency, without: { currency: query.currency.filter((each) => each !== currency) } })),
    ...(query.phone ? [{ words: `${t('transactions.phone')} ${formatPhone(query.phone)}`, without: { phone: '' } }] : []),
    ...(query.name ? [{ words: `${t('transactions.name')} ${query.name}`, without: { name: '' } }] : []),
    ...(query.batch ? [{ words: `${t('transactions.batch')} ${shortenId(query.batch)}`, without: { batch: null } }] : []),
    ...(query.maker ? [{ words: `${t('transactions.maker')} ${makerName(query.maker)}`, without: { maker: null } }] : []),
    ...query.reason.map((reason) => ({
      words: t(`transactions.reason.${reason}`),
      without: { reason: query.reason.filter((each) => each !== reason) },
    })),
    ...(query.ended ? [{ words: t(`batch.place.${query.ended}`), without: { ended: null } }] : []),
    ...(query.refund ? [{ words: t(`transactions.refund.${query.refund}`), without: { refund: null } }] : []),
    ...(query.unconfirmed
      ? [{ words: t('transactions.unconfirmed'), without: { unconfirmed: null, unconfirmedAfter: null, unconfirmedBefore: null } }]
      : []),
    ...(query.webhook
      ? [
          {
            words: [
              t(`transactions.webhook.${query.webhook}`),
              query.webhookTarget,
              [query.webhookAfter, query.webhookBefore].map((at) => at && time(at)).join(' – '),
            ]
              .filter((part) => part && part !== ' – ')
              .join(' · '),
            without: NO_WEBHOOK,
          },
        ]
      : []),
  ]
}

/** From and up to an amount. */
function AmountFilter({ query: { min, max }, onChange }: FilterProps) {
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

/** A filter of business days: a preset, or a custom range with one or both ends. */
function DateFilter({ query: { from, to }, onChange }: FilterProps) {
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
          : t('transactions.dates.any')
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
