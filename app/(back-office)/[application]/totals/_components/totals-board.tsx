'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { DaysNote } from '#components/domain/days-note.tsx'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { drillDownQuery, listBehindPeriod, type TotalsQuery, totalsAddress } from '#lib/finance-address.ts'
import type { OperatorTotal, TotalsDto } from '#lib/finance-dto.ts'
import { formatAmount, formatCount, formatShare } from '#lib/format.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { fetchData, hasParts } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { CurrencyChart } from '../../_components/currency-chart.tsx'
import { FIGURE_LINK } from '../../_components/figure-link.ts'
import { MoneyCards } from '../../_components/money-figures.tsx'
import { refreshInterval } from '../../_components/refresh-interval.ts'
import { useDays } from '../../_components/use-days.ts'
import { useDirections } from '../../_components/use-directions.ts'
import { TotalsFilters } from './totals-filters.tsx'

const WIDE = 'max-sm:hidden'

/** Money by direction per currency, by day and per operator, for the filters in the address. Every figure opens the list that adds up to it. */
export function TotalsBoard({ application, query, canExport }: { application: string; query: TotalsQuery; canExport: boolean }) {
  const { t } = useTranslations()
  const days = useDays()
  const address = totalsAddress(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    queryKey: queryKeys.totals(application, address),
    queryFn: ({ signal }) => fetchData(paths.data(application, 'totals', address), hasParts<TotalsDto>('zone', 'money'), signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshInterval(state.data?.money),
  })
  const isEmpty = data?.operators.length === 0 && data.money.length === 0
  return (
    <>
      <PageHeader
        title={t('frame.totals')}
        lead={
          data && (
            <>
              {days.range(data)} · <DaysNote zone={data.zone} />
              {data.before && <span className="block">{t('totals.comparedWith', { days: days.range(data.before) })}</span>}
            </>
          )
        }
        actions={
          canExport && !isEmpty && <ExportLinks application={application} rest="totals/export" query={address} label={t('totals.export')} />
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
      <MoneyCards money={data.money} filter={query} hrefOf={(part) => paths.transactions(application, drillDownQuery(query, data, part))} />
      <CurrencyChart
        charts={data.charts}
        step={data.step}
        filter={query}
        hrefOf={(part) => paths.transactions(application, listBehindPeriod(query, data, part))}
      />
      {data.operators.length > 0 && <OperatorTable application={application} query={query} data={data} />}
      {data.apiTotal !== null && (
        <p className="text-second text-quiet">
          {t('totals.apiNote')}{' '}
          {data.isApiOfSameDays ? (
            <Link href={paths.transactions(application, drillDownQuery(query, data))} className="tabular text-ink-2 underline">
              {formatAmount(data.apiTotal, locale)}
            </Link>
          ) : (
            <>
              <span className="tabular text-ink-2">{formatAmount(data.apiTotal, locale)}</span>. {t('totals.apiDays')}
            </>
          )}
        </p>
      )}
    </>
  )
}

function OperatorTable({ application, query, data }: { application: string; query: TotalsQuery; data: TotalsDto }) {
  const { t, locale } = useTranslations()
  const directions = useDirections(query)
  const listOf = (operator: OperatorCode, type?: TransactionType) => drillDownQuery(query, data, type ? { operator, type } : { operator })
  return (
    <TableCard label={t('totals.perOperator')}>
      <Table
        caption={t('totals.perOperator')}
        head={
          <>
            <Th>{t('totals.operator')}</Th>
            {directions.map(({ type, name }) => (
              <Th key={type} align="end" className={WIDE}>
                {name}
              </Th>
            ))}
            <Th align="end" className="sm:hidden">
              {t('totals.amount')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('totals.transactions')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('totals.success')}
            </Th>
          </>
        }
      >
        {data.operators.map((row) => (
          <Tr key={row.operator}>
            <Td className="max-sm:whitespace-normal">
              <OperatorMark code={row.operator} />
              <span className="block text-second text-quiet sm:hidden">
                {formatCount(row.count, locale)}
                {row.share !== null && ` · ${formatShare(row.share, locale)}`}
              </span>
            </Td>
            {directions.map(({ type, name }) => (
              <Td key={type} align="end" className={WIDE}>
                <Amount row={row} type={type} href={paths.transactions(application, listOf(row.operator, type))}>
                  <span className="sr-only">, {name}</span>
                </Amount>
              </Td>
            ))}
            <Td align="end" className="sm:hidden">
              {directions.map(({ type, name }) => (
                <span key={type} className="block">
                  <span className="block text-second text-quiet">{name}</span>
                  <Amount row={row} type={type} href={paths.transactions(application, listOf(row.operator, type))} />
                </span>
              ))}
            </Td>
            <Td align="end" className={WIDE}>
              {row.count === 0 ? (
                <span className="text-quiet">0</span>
              ) : (
                <Link href={paths.transactions(application, listOf(row.operator))} className={FIGURE_LINK}>
                  {formatCount(row.count, locale)}
                </Link>
              )}
            </Td>
            <Td align="end" className={WIDE}>
              {row.share === null ? (
                <span className="text-quiet">–</span>
              ) : (
                <Link
                  href={paths.transactions(application, { ...listOf(row.operator), status: ['SUCCESS', 'FAILED'] })}
                  className={FIGURE_LINK}
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

type AmountProps = { row: OperatorTotal; type: TransactionType; href: string; children?: ReactNode }

/** What an operator collected or paid out, with its list. */
function Amount({ row, type, href, children }: AmountProps) {
  const amount = type === 'COLLECT' ? row.collects : row.deposits
  const money = <Money amount={amount} currency={row.currency} />
  if (amount === '0') return <span className="text-quiet">{money}</span>
  return (
    <Link href={href} className={FIGURE_LINK}>
      {money}
      {children}
    </Link>
  )
}
