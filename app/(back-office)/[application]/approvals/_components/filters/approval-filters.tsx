import { useState } from 'react'
import { ChoiceChip } from '#components/form/choice-filter.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { FilterChip } from '#components/ui/overlay/popover.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { APPROVAL_SORTS, type ApprovalPage } from '#lib/approvals/approvals.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths, type QueryValues } from '#lib/pages/paths.ts'
import { formatAmount } from '#lib/text/format.ts'
import { AMOUNT_FORM } from '../board-panel.tsx'

const DECIDED = definePart(() => import('./decided-filters.tsx'))

type Props = { application: string; query: QueryValues; page: ApprovalPage }

/** Filters and order of the list; each choice is a URL of its own. */
export default function ApprovalFilters({ application, query, page }: Props) {
  const { t } = useTranslations()
  const hrefWith = (values: QueryValues) => paths.approvals(application, { ...query, page: null, ...values })
  const text = (key: string) => (typeof query[key] === 'string' && query[key] !== '' ? query[key] : null)
  const people = page.makers.map((maker) => ({ value: maker.personId, label: maker.name }))
  return (
    <div className="flex flex-wrap gap-2 max-xl:flex-nowrap">
      <ChoiceChip
        id="filter-operator"
        name={t('approvals.filter.operator')}
        all={t('approvals.filter.all')}
        choices={OPERATOR_CODES.map((code) => ({ value: code, label: operatorName(t, code) }))}
        chosen={text('operator')}
        hrefFor={(value) => hrefWith({ operator: value })}
      />
      <AmountFilter min={text('min')} max={text('max')} hrefWith={hrefWith} />
      <ChoiceChip
        id="filter-maker"
        name={t('approvals.filter.maker')}
        all={t('approvals.filter.anyone')}
        choices={[{ value: 'api', label: t('approvals.api') }, ...people]}
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

function operatorName(t: Translate, code: OperatorCode): string {
  return `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`
}

type AmountFilterProps = { min: string | null; max: string | null; hrefWith: (values: QueryValues) => string }

function AmountFilter({ min, max, hrefWith }: AmountFilterProps) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const [isAsked, setIsAsked] = useState(false)
  const ends = [min && `≥ ${formatAmount(min, locale)}`, max && `≤ ${formatAmount(max, locale)}`].filter(Boolean)
  return (
    <FilterChip
      id="filter-amount"
      name={t('approvals.filter.amount')}
      value={ends.join(' ') || t('approvals.filter.any')}
      isSet={ends.length > 0}
      onOpen={() => setIsAsked(true)}
    >
      {isAsked && (
        <LazyPart
          part={AMOUNT_FORM}
          props={{ min, max, onChange: (range) => router.push(hrefWith({ ...range }), { scroll: false }) }}
          fallback={<div className="h-44 w-56" />}
        />
      )}
    </FilterChip>
  )
}
