import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { compareAmounts } from '#lib/finance/finance-comparison.ts'
import { addDecimals } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import {
  type ListSumDto,
  type TransactionListDto,
  type TransactionQuery,
  toAddressValues,
  withoutFilters,
} from '#lib/payments/transactions/transaction-list.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { formatAmount } from '#lib/text/format.ts'

const ORDER_WORDS = {
  newest: 'transactions.order.newest',
  oldest: 'transactions.order.oldest',
  'amount-desc': 'transactions.order.amountDesc',
  'amount-asc': 'transactions.order.amountAsc',
} as const

/** Count, order and sums: "17,535 transactions. Newest first." and a line per currency. */
export function Lead({ data, query: { sort, fees } }: { data: TransactionListDto; query: TransactionQuery }) {
  const { t } = useTranslations()
  return (
    <span className="tabular">
      {t('transactions.match', { count: data.total })}
      {data.total > 1 && ` ${t(ORDER_WORDS[data.isSortedAsAsked ? sort : 'newest'])}`}
      <Sums sums={data.sums} showsFees={fees !== null} />
    </span>
  )
}

const DIRECTION_WORDS = { COLLECT: 'transactions.sum.in', DEPOSIT: 'transactions.sum.out' } as const

/**
 * Per currency the sums of successful collects and deposits and their net, and every other status by itself: neither different currencies nor
 * what succeeded and what did not are added.
 */
export function Sums({ sums, showsFees = false }: { sums: readonly ListSumDto[]; showsFees?: boolean }) {
  const { t, locale } = useTranslations()
  return [...Map.groupBy(sums, (sum) => sum.currency)].map(([currency, own]) => {
    const settled = TRANSACTION_TYPES.flatMap((type) => own.filter((sum) => sum.status === 'SUCCESS' && sum.type === type))
    const others = [
      ...Map.groupBy(
        own.filter((sum) => sum.status !== 'SUCCESS'),
        (sum) => sum.status,
      ),
    ]
    const fees = settled.flatMap((sum) => sum.fees ?? [])
    const [collected, paid] = settled
    const parts = [
      ...settled.map((sum) => t(DIRECTION_WORDS[sum.type], { amount: formatAmount(sum.amount, locale) })),
      ...(collected && paid
        ? [t('transactions.sum.net', { amount: formatAmount(compareAmounts(collected.amount, paid.amount).difference, locale) })]
        : []),
      ...(showsFees && fees.length > 0 ? [t('transactions.sum.fees', { amount: formatAmount(fees.reduce(addDecimals), locale) })] : []),
      ...others.map(([status, some]) =>
        t('transactions.sum.status', {
          status: t(`status.${status}`),
          amount: formatAmount(some.map((sum) => sum.amount).reduce(addDecimals), locale),
        }),
      ),
    ]
    return (
      <span key={currency} className="block">
        <span className="font-medium">{currency}</span>{' '}
        {parts.map((part, place) => (
          <span key={part} className="inline-block whitespace-nowrap">
            {part}
            {place < parts.length - 1 && '\u00a0·\u00a0'}
          </span>
        ))}
      </span>
    )
  })
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
