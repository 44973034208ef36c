'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { APPROVAL_SORTS, type ApprovalPage } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import { isOperatorCode, OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import { paths, type QueryValues } from '#lib/paths.ts'
import { ChoiceChip } from './choice-chip.tsx'

const DECIDED = definePart(() => import('./decided-filters.tsx'))
export const AMOUNT_FORM = definePart(async () => ({ default: (await import('#components/form/amount-range-form.tsx')).AmountRangeForm }))

type Props = { application: string; query: QueryValues; page: ApprovalPage }

/** What the list can be narrowed to and how it is ordered; each choice is an address. */
export function ApprovalFilters({ application, query, page }: Props) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const [isAmountAsked, setIsAmountAsked] = useState(false)
  const hrefWith = (values: QueryValues) => paths.approvals(application, { ...query, page: null, ...values })
  const text = (key: string) => (typeof query[key] === 'string' && query[key] !== '' ? query[key] : null)
  const operator = text('operator')
  const operatorName = (code: string) =>
    isOperatorCode(code) ? `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}` : code
  const [min, max] = [text('min'), text('max')]
  const range =
    min || max
      ? [min ? `≥ ${formatAmount(min, locale)}` : '', max ? `≤ ${formatAmount(max, locale)}` : ''].filter(Boolean).join(' ')
      : t('approvals.filter.any')
  const makers = [
    { value: 'api', label: t('approvals.api') },
    ...page.makers.map((maker) => ({ value: maker.personId, label: maker.name })),
  ]
  return (
    <div className="flex flex-wrap gap-2 max-md:flex-nowrap">
      <ChoiceChip
        id="filter-operator"
        name={t('approvals.filter.operator')}
        all={t('approvals.filter.all')}
        choices={OPERATOR_CODES.map((code) => ({ value: code, label: operatorName(code) }))}
        chosen={operator}
        hrefFor={(value) => hrefWith({ operator: value })}
      />
      <FilterChip
        id="filter-amount"
        name={t('approvals.filter.amount')}
        value={range}
        isSet={min !== null || max !== null}
        onOpen={() => setIsAmountAsked(true)}
      >
        {isAmountAsked && (
          <LazyPart
            part={AMOUNT_FORM}
            props={{ min, max, onChange: (range) => router.push(hrefWith({ ...range }), { scroll: false }) }}
            fallback={<div className="h-44 w-56" />}
          />
        )}
      </FilterChip>
      <ChoiceChip
        id="filter-maker"
        name={t('approvals.filter.maker')}
        all={t('approvals.filter.anyone')}
        choices={makers}
        chosen={text('maker')}
        hrefFor={(value) => hrefWith({ maker: value })}
      />
      <ChoiceChip
        id="filter-rule"
        name={t('approvals.filter.rule')}
        all={t('approvals.filter.allRules')}
        choices={page.rules.map((rule) => ({ value: rule, label: rule }))}
        chosen={text('rule')}
        hrefFor={(value) => hrefWith({ rule: value })}
      />
      {query['queue'] === 'decided' ? (
        <LazyPart part={DECIDED} props={{ query, page, hrefWith }} />
      ) : (
        <ChoiceChip
          id="filter-sort"
          name={t('approvals.filter.sort')}
          all={t('approvals.sort.oldest')}
          choices={APPROVAL_SORTS.filter((sort) => sort !== 'oldest').map((sort) => ({ value: sort, label: t(`approvals.sort.${sort}`) }))}
          chosen={text('sort')}
          hrefFor={(value) => hrefWith({ sort: value })}
        />
      )}
    </div>
  )
}
