'use client'

import { useState, useTransition } from 'react'
import { CHIP } from '#components/ui/filter-chip.tsx'
import { Icon } from '#components/ui/icon.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { Link } from '#components/ui/link.tsx'
import { Popover } from '#components/ui/popover.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { isFiltered, type TransactionQuery, toAddressValues, withFilters, withoutFilters } from '#lib/transaction-query.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { AmountFilter } from './amount-filter.tsx'
import { appliedOf } from './applied-filters.ts'
import { ChoiceFilter } from './choice-filter.tsx'
import { DateFilter } from './date-filter.tsx'
import type { Person, View } from './filter-types.ts'
import { SaveViewButton, ViewMenu } from './view-menu.tsx'

const MORE_FILTERS = definePart(() => import('./more-filters.tsx'))

type FilterBarProps = {
  application: string
  query: TransactionQuery
  views: readonly View[]
  makers: readonly Person[]
}

/** Every filter as a chip with its current value. A change is a new address. */
export default function FilterBar({ application, query, views, makers }: FilterBarProps) {
  const words = useTranslations()
  const { t } = words
  const router = useRouter()
  // Only this bar is rendered for it, and the list below dims by a style: so the click is answered at once, however long the list is.
  const [isGoing, startGoing] = useTransition()
  const [wantsMore, setWantsMore] = useState(false)
  const hrefOf = (other: TransactionQuery) => paths.transactions(application, toAddressValues(other))
  const onChange = (change: Partial<TransactionQuery>) =>
    startGoing(() => router.push(hrefOf(withFilters(query, change)), { scroll: false }))
  const operatorName = (code: OperatorCode) => `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`
  return (
    <div
      aria-busy={isGoing || undefined}
      className="peer no-print relative -mx-4 mt-3 flex items-center gap-2 overflow-x-auto px-4 py-1 sm:mx-0 sm:flex-wrap sm:overflow-visible sm:px-0 sm:py-0"
    >
      <ViewMenu application={application} query={query} views={views} />
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
      <span className="ml-auto whitespace-nowrap">
        <SaveViewButton application={application} query={query} />
      </span>
    </div>
  )
}
