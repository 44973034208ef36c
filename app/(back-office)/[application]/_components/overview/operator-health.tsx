import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Sparkline } from '#components/ui/chart/chart-parts.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { OperatorHealth } from '#lib/finance/finance-dto.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths, toQuery } from '#lib/pages/paths.ts'
import { formatCount, formatShare } from '#lib/text/format.ts'
import { type DayRange, OVERVIEW_DAYS } from '#lib/time/time.ts'
import { FigureLink } from '../finance/figure-link.tsx'

/** Below this share an operator's success rate is marked. */
const SHARE_LOW = 0.8

type Props = { application: string; operators: readonly OperatorHealth[]; range: DayRange }

/** The days that charts and operators look back, as a choice. */
export function DaysBack({ application, days }: { application: string; days: number }) {
  const { t } = useTranslations()
  return (
    <nav aria-label={t('overview.daysBack')} className="no-print flex gap-1">
      {OVERVIEW_DAYS.map((choice) => (
        <Link
          key={choice}
          href={`${paths.overview(application)}${toQuery({ days: choice === 30 ? null : choice })}`}
          scroll={false}
          aria-current={choice === days ? 'true' : undefined}
          className="inline-flex h-[26px] items-center rounded-sm border border-line-2 px-2.5 text-second text-ink-2 hover:bg-sunken touch-target aria-[current=true]:border-accent aria-[current=true]:bg-accent-soft aria-[current=true]:font-strong aria-[current=true]:text-ink"
        >
          {t('overview.lastDays', { days: choice })}
        </Link>
      ))}
    </nav>
  )
}

/** How many of what finished succeeded, per operator, over the days. */
export function HealthTable({ application, operators, range: { from, to } }: Props) {
  const { t, locale } = useTranslations()
  const listOf = (row: OperatorHealth, status: readonly ('SUCCESS' | 'FAILED')[]) =>
    paths.transactions(application, { operator: row.operator, status, from, to })
  const nameOf = ({ operator }: OperatorHealth) => `${OPERATORS[operator].brand} ${t(`country.${OPERATORS[operator].country.name}`)}`
  if (operators.length === 0) return <p className="text-ink-2">{t('overview.noTransactions')}</p>
  const count = (row: OperatorHealth, figure: 'failed' | 'finished', status: readonly ('SUCCESS' | 'FAILED')[]) => (
    <FigureLink href={listOf(row, status)} text={row[figure] === 0 ? null : formatCount(row[figure], locale)} zero="0" />
  )
  return (
    <ListTable
      label={t('overview.operatorHealth')}
      caption={t('overview.operators')}
      rows={operators}
      keyOf={({ operator }) => operator}
      columns={[
        { head: t('totals.operator'), cell: ({ operator }) => <OperatorMark code={operator} /> },
        {
          head: t('totals.success'),
          align: 'end',
          cellClass: 'max-sm:pl-0',
          cell: (row) => (
            <FigureLink
              href={listOf(row, ['SUCCESS', 'FAILED'])}
              text={row.share === null ? null : formatShare(row.share, locale)}
              zero="–"
              className={`whitespace-nowrap ${row.share !== null && row.share < SHARE_LOW ? 'font-strong text-bad' : ''}`}
            />
          ),
        },
        { head: t('overview.failed'), align: 'end', cell: (row) => count(row, 'failed', ['FAILED']) },
        {
          head: t('overview.finished'),
          align: 'end',
          className: 'max-sm:hidden',
          cell: (row) => count(row, 'finished', ['SUCCESS', 'FAILED']),
        },
        {
          head: t('overview.trend'),
          className: 'max-lg:hidden',
          cell: (row) => (
            <Link href={paths.totals(application, { from, to, operator: row.operator })} className="inline-block">
              <Sparkline values={row.counts} label={t('overview.trendOf', { operator: nameOf(row) })} />
            </Link>
          ),
        },
      ]}
    />
  )
}
