'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { DaysNote } from '#components/domain/time-text.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { FilterChip } from '#components/ui/overlay/popover.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import {
  daysOfPeriod,
  drillDownQuery,
  listBehindPeriod,
  statementAddress,
  type TotalsQuery,
  totalsAddress,
} from '#lib/finance/finance-address.ts'
import { type OperatorTotal, TOTAL_BASES, type TotalsDto } from '#lib/finance/finance-dto.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import { addDecimals } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { paths, type QueryValues } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { formatAmount, formatCount, formatShare } from '#lib/text/format.ts'
import { CurrencyChart } from '../../_components/finance/currency-chart.tsx'
import { FigureLink } from '../../_components/finance/figure-link.tsx'
import { FIGURE_LINK, refreshInterval, useDays, useDirections } from '../../_components/finance/finance-figures.ts'
import { MoneyCards } from '../../_components/finance/money-figures.tsx'
import { CHIPS_ROW, Choice, TotalsFilters } from './totals-filters.tsx'
import { TotalsTabs } from './totals-tabs.tsx'

const WIDE = 'max-sm:hidden'

/** Money by direction per currency, by day and per operator, for the filters in the address. Every figure opens the list that adds up to it. */
export function TotalsBoard({
  application,
  query,
  canExport,
  canReadStatement,
}: {
  application: string
  query: TotalsQuery
  canExport: boolean
  canReadStatement: boolean
}) {
  const { t, locale } = useTranslations()
  const days = useDays()
  const address = totalsAddress(query)
  const hrefOf = (change: Partial<TotalsQuery>) => paths.totals(application, totalsAddress({ ...query, ...change }))
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    ...queries.totals(application, address),
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
              <span className="block">{t(`totals.basisNote.${data.basis}`)}</span>
              {data.before && (
                <span className="block">{t('totals.comparedWith', { days: withinSentence(days.range(data.before), locale) })}</span>
              )}
            </>
          )
        }
        actions={
          canExport && !isEmpty && <ExportLinks application={application} rest="totals/export" query={address} label={t('totals.export')} />
        }
      />
      <TotalsTabs application={application} current="overview" query={query} />
      <div className={CHIPS_ROW}>
        <FilterChip id="filter-basis" name={t('totals.basis')} value={t(`totals.basis.${query.basis}`)} isSet={query.basis !== 'created'}>
          {TOTAL_BASES.map((basis) => (
            <Choice key={basis} href={hrefOf({ basis })} isCurrent={basis === query.basis} label={t(`totals.basis.${basis}`)} />
          ))}
        </FilterChip>
        <TotalsFilters query={query} hrefOf={hrefOf} isOfSuccess={query.basis === 'completed'} />
      </div>
      <div className={`mt-3 grid grid-cols-1 gap-3 ${isPlaceholderData ? 'opacity-60' : ''}`} aria-busy={isPlaceholderData}>
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {data && isEmpty && <EmptyState icon="sum" title={t('totals.none')} />}
        {data && !isEmpty && <Figures application={application} query={query} data={data} canReadStatement={canReadStatement} />}
      </div>
    </>
  )
}

/** « Du 1 oct. … » begins with a capital letter at the start of a line. */
function withinSentence(days: string, locale: Locale): string {
  return locale === 'fr' ? days.charAt(0).toLowerCase() + days.slice(1) : days
}

function Figures({ application, query, data, canReadStatement }: FiguresProps) {
  const { t, locale } = useTranslations()
  const isCompleted = data.basis === 'completed'
  const shown = isCompleted ? { ...query, status: 'SUCCESS' as const } : query
  return (
    <>
      <MoneyCards
        money={data.money}
        filter={shown}
        // No list is by the day of completion: the statements of the operators are.
        hrefOf={(part) => (isCompleted ? null : paths.transactions(application, drillDownQuery(query, data, part)))}
      />
      <CurrencyChart
        charts={data.charts}
        step={data.step}
        filter={shown}
        hrefOf={(part) =>
          isCompleted
            ? paths.totals(application, totalsAddress({ ...query, ...daysOfPeriod(data, part.period) }))
            : paths.transactions(application, listBehindPeriod(query, data, part))
        }
      />
      {data.operators.length > 0 && (
        <OperatorTable application={application} query={shown} data={data} canReadStatement={canReadStatement} />
      )}
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

function OperatorTable({ application, query, data, canReadStatement }: FiguresProps) {
  const { t, locale } = useTranslations()
  const directions = useDirections(query)
  const listOf = (operator: OperatorCode, type?: TransactionType) => drillDownQuery(query, data, type ? { operator, type } : { operator })
  const isCompleted = data.basis === 'completed'
  const hrefOf = ({ operator }: OperatorTotal, type?: TransactionType) => {
    if (!isCompleted) return paths.transactions(application, listOf(operator, type))
    return canReadStatement ? paths.statement(application, operator, linesBehind(query, type)) : null
  }
  return (
    <ListTable
      label={t('totals.perOperator')}
      rows={data.operators}
      keyOf={({ operator }) => operator}
      columns={[
        {
          head: t('totals.operator'),
          cellClass: 'max-sm:whitespace-normal',
          cell: ({ operator, count, share }) => (
            <>
              <OperatorMark code={operator} />
              <span className="block text-second text-quiet sm:hidden">
                {formatCount(count, locale)}
                {share !== null && ` · ${formatShare(share, locale)}`}
              </span>
            </>
          ),
        },
        ...directions.map(
          ({ type, name }): Column<OperatorTotal> => ({
            head: name,
            align: 'end',
            className: WIDE,
            cell: (row) => (
              <Amount row={row} type={type} href={hrefOf(row, type)}>
                <span className="sr-only">, {name}</span>
              </Amount>
            ),
          }),
        ),
        {
          head: t('totals.amount'),
          align: 'end',
          className: 'sm:hidden',
          cell: (row) =>
            directions.map(({ type, name }) => (
              <span key={type} className="block">
                <span className="block text-second text-quiet">{name}</span>
                <Amount row={row} type={type} href={hrefOf(row, type)} />
              </span>
            )),
        },
        query.status === 'SUCCESS' && {
          head: t('totals.fees'),
          align: 'end',
          className: WIDE,
          cell: ({ fees, currency }) =>
            fees && (
              <span title={t('totals.feesOf', { system: formatAmount(fees.system, locale), app: formatAmount(fees.app, locale) })}>
                <Money amount={addDecimals(fees.system, fees.app)} currency={currency} />
              </span>
            ),
        },
        {
          head: t('totals.transactions'),
          align: 'end',
          className: WIDE,
          cell: (row) => <FigureLink href={hrefOf(row)} text={row.count === 0 ? null : formatCount(row.count, locale)} zero="0" />,
        },
        !isCompleted && {
          head: t('totals.success'),
          align: 'end',
          className: WIDE,
          cell: ({ operator, share }) => (
            <FigureLink
              href={paths.transactions(application, { ...listOf(operator), status: ['SUCCESS', 'FAILED'] })}
              text={share === null ? null : formatShare(share, locale)}
              zero="–"
            />
          ),
        },
      ]}
    />
  )
}

/** The lines of a statement behind a figure by the day of success. */
function linesBehind({ dates, from, to }: TotalsQuery, type: TransactionType | undefined): QueryValues {
  const kind = type === undefined ? null : type === 'COLLECT' ? 'collect' : 'pay'
  return statementAddress({ dates, from, to, view: 'lines', kind, page: 0 })
}

type FiguresProps = { application: string; query: TotalsQuery; data: TotalsDto; canReadStatement: boolean }
type Props = { row: OperatorTotal; type: TransactionType; href: string | null; children?: ReactNode }

/** The amount collected or paid out at an operator, with a link to its transactions. */
function Amount({ row, type, href, children }: Props) {
  const amount = type === 'COLLECT' ? row.collects : row.deposits
  const money = <Money amount={amount} currency={row.currency} />
  if (amount === '0') return <span className="text-quiet">{money}</span>
  if (href === null) return money
  return (
    <Link href={href} className={FIGURE_LINK}>
      {money}
      {children}
    </Link>
  )
}
