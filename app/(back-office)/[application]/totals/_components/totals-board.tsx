'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { buttonClass } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { drillDownQuery, listBehindPeriod, type TotalsQuery, totalsAddress } from '#lib/finance-address.ts'
import type { TotalsDto } from '#lib/finance-dto.ts'
import { formatAmount, formatCount, formatShare } from '#lib/format.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { CurrencyChart } from '../../_components/currency-chart.tsx'
import { useDays } from '../../_components/use-days.ts'
import { TotalsFilters } from './totals-filters.tsx'

/** Changes refresh the page through live updates; this interval is for figures that only time changes. */
const REFRESH_MS = 60_000

/** A figure that links to its list, tall enough for a pointer. */
const FIGURE = 'inline-block py-0.5 hover:underline'

/** Sums per currency, by day and per operator, for the filters in the address. Every figure opens the list that adds up to it. */
export function TotalsBoard({ application, query, canExport }: { application: string; query: TotalsQuery; canExport: boolean }) {
  const { t } = useTranslations()
  const days = useDays()
  const address = totalsAddress(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    queryKey: queryKeys.totals(application, address),
    queryFn: ({ signal }) => fetchData<TotalsDto>(paths.data(application, 'totals', address), signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const isEmpty = data?.operators.length === 0
  return (
    <>
      <PageHeader
        title={t('frame.totals')}
        lead={data && days.range(data)}
        actions={
          canExport &&
          !isEmpty && (
            <a href={paths.data(application, 'totals/export', address)} download className={buttonClass()}>
              {t('totals.export')}
            </a>
          )
        }
      />
      <TotalsFilters application={application} query={query} />
      <div className={`mt-3 grid grid-cols-1 gap-3 ${isPlaceholderData ? 'opacity-60' : ''}`} aria-busy={isPlaceholderData}>
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {data && isEmpty && <EmptyState icon="sum" title={t('totals.none')} />}
        {data && !isEmpty && <Figures application={application} query={query} data={data} />}
      </div>
    </>
  )
}

function Figures({ application, query, data }: { application: string; query: TotalsQuery; data: TotalsDto }) {
  const { t, locale } = useTranslations()
  return (
    <>
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] gap-3">
        {data.cards.map((card) => (
          <li key={card.currency}>
            <Link
              href={paths.transactions(application, drillDownQuery(query, data, { currency: card.currency }))}
              className="block rounded-lg border border-line bg-surface p-4 hover:border-line-2 hover:bg-sunken"
            >
              <span className="block text-second text-quiet">{card.currency}</span>
              <span className="block text-figure font-strong tracking-[-0.01em] tabular">{formatAmount(card.amount, locale)}</span>
              <span className="block text-ink-2 tabular">{t('totals.count', { count: card.count })}</span>
            </Link>
          </li>
        ))}
      </ul>
      {data.apiTotal !== null && (
        <p className="text-second text-quiet">
          {t('totals.apiNote')}{' '}
          <Link href={paths.transactions(application, drillDownQuery(query, data))} className="tabular text-ink-2 underline">
            {formatAmount(data.apiTotal, locale)}
          </Link>
        </p>
      )}
      <CurrencyChart
        charts={data.charts}
        step={data.step}
        ariaLabel={t('totals.currency')}
        hrefOf={(part) => paths.transactions(application, listBehindPeriod(query, data, part))}
      />
      <OperatorTable application={application} query={query} data={data} />
    </>
  )
}

function OperatorTable({ application, query, data }: { application: string; query: TotalsQuery; data: TotalsDto }) {
  const { t, locale } = useTranslations()
  const hrefOf = (operator: OperatorCode) => paths.transactions(application, drillDownQuery(query, data, { operator }))
  return (
    <TableCard label={t('totals.perOperator')}>
      <Table
        caption={t('totals.perOperator')}
        head={
          <>
            <Th>{t('totals.operator')}</Th>
            <Th align="end" className="max-sm:hidden">
              {t('totals.transactions')}
            </Th>
            <Th align="end">{t('totals.amount')}</Th>
            <Th align="end" className="max-sm:hidden">
              {t('totals.success')}
            </Th>
          </>
        }
      >
        {data.operators.map((row) => (
          <Tr key={row.operator}>
            <Td>
              <OperatorMark code={row.operator} />
            </Td>
            <Td align="end" className="max-sm:hidden">
              <Link href={hrefOf(row.operator)} className={FIGURE}>
                {formatCount(row.count, locale)}
              </Link>
            </Td>
            <Td align="end">
              <Link href={hrefOf(row.operator)} className={FIGURE}>
                <Money amount={row.amount} currency={row.currency} size="amount" />
              </Link>
              <span className="block text-second text-quiet sm:hidden">
                {formatCount(row.count, locale)}
                {row.share !== null && ` · ${formatShare(row.share, locale)}`}
              </span>
            </Td>
            <Td align="end" className="max-sm:hidden">
              {row.share === null ? (
                <span className="text-quiet">–</span>
              ) : (
                <Link
                  href={paths.transactions(application, {
                    ...drillDownQuery(query, data, { operator: row.operator }),
                    status: ['SUCCESS', 'FAILED'],
                  })}
                  className={`text-ink-2 ${FIGURE}`}
                >
                  {formatShare(row.share, locale)}
                </Link>
              )}
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}
