import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import {
  type SumDto,
  type TransactionListDto,
  type TransactionQuery,
  toAddressValues,
  withoutFilters,
} from '#lib/payments/transaction-list.ts'
import { formatAmount } from '#lib/text/format.ts'

const ORDER_WORDS = {
  newest: 'transactions.order.newest',
  oldest: 'transactions.order.oldest',
  'amount-desc': 'transactions.order.amountDesc',
  'amount-asc': 'transactions.order.amountAsc',
} as const

/** Count, order and sums: "17,535 transactions. Newest first." */
export function Lead({ data, sort }: { data: TransactionListDto; sort: TransactionQuery['sort'] }) {
  const { t } = useTranslations()
  return (
    <span className="tabular">
      {t('transactions.match', { count: data.total })}
      {data.total > 1 && ` ${t(ORDER_WORDS[data.isSortedAsAsked ? sort : 'newest'])}`}
      {data.sums.length > 0 && (
        <>
          {' '}
          <Sums sums={data.sums} />
        </>
      )}
    </span>
  )
}

/** One sum per currency. Sums of different currencies are not added. */
export function Sums({ sums }: { sums: readonly SumDto[] }) {
  const { locale } = useTranslations()
  return (
    <span className="inline-flex flex-wrap gap-x-1">
      {sums.map((sum, place) => (
        <span key={sum.currency} className="whitespace-nowrap">
          {formatAmount(sum.amount, locale)} {sum.currency}
          {place < sums.length - 1 && <span aria-hidden="true">{' ·'}</span>}
        </span>
      ))}
    </span>
  )
}

type Props = { application: string; query: TransactionQuery; isFiltered: boolean; total: number }

/** The empty list: no match, a page past the end, or no transactions yet. */
export function EmptyList({ application, query, isFiltered, total }: Props) {
  const { t } = useTranslations()
  const hrefOf = (other: TransactionQuery) => paths.transactions(application, toAddressValues(other))
  if (total > 0)
    return (
      <EmptyState
        title={t('transactions.pastEnd')}
        action={<ButtonLink href={hrefOf({ ...query, page: 0 })}>{t('transactions.firstPage')}</ButtonLink>}
      />
    )
  if (isFiltered) {
    return (
      <EmptyState
        icon="filter"
        title={t('transactions.noneMatch')}
        action={<ButtonLink href={hrefOf(withoutFilters(query))}>{t('transactions.clearFilters')}</ButtonLink>}
      />
    )
  }
  return <EmptyState title={t('transactions.noneYet')} text={t('transactions.noneYetText')} />
}
