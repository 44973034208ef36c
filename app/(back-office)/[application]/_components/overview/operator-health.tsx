import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Sparkline } from '#components/ui/chart/chart-parts.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { OperatorHealth } from '#lib/finance/finance-dto.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths, toQuery } from '#lib/pages/paths.ts'
import { formatCount, formatShare } from '#lib/text/format.ts'
import { type DayRange, OVERVIEW_DAYS } from '#lib/time/time.ts'
import { FIGURE_LINK } from '../finance/finance-figures.ts'

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
  return (
    <TableCard label={t('overview.operatorHealth')}>
      <Table
        caption={t('overview.operators')}
        head={
          <>
            <Th>{t('totals.operator')}</Th>
            <Th align="end">{t('totals.success')}</Th>
            <Th align="end">{t('overview.failed')}</Th>
            <Th align="end" className="max-sm:hidden">
              {t('overview.finished')}
            </Th>
            <Th className="max-lg:hidden">{t('overview.trend')}</Th>
          </>
        }
      >
        {operators.map((row) => (
          <Tr key={row.operator}>
            <Td>
              <OperatorMark code={row.operator} />
            </Td>
            <Td align="end" className="max-sm:pl-0">
              {row.share === null ? (
                <span className="text-quiet">–</span>
              ) : (
                <Link
                  href={listOf(row, ['SUCCESS', 'FAILED'])}
                  className={`${FIGURE_LINK} whitespace-nowrap ${row.share < SHARE_LOW ? 'font-strong text-bad' : ''}`}
                >
                  {formatShare(row.share, locale)}
                </Link>
              )}
            </Td>
            <Td align="end">
              {row.failed === 0 ? (
                <span className="text-quiet">0</span>
              ) : (
                <Link href={listOf(row, ['FAILED'])} className={FIGURE_LINK}>
                  {formatCount(row.failed, locale)}
                </Link>
              )}
            </Td>
            <Td align="end" className="max-sm:hidden">
              {row.finished === 0 ? (
                <span className="text-quiet">0</span>
              ) : (
                <Link href={listOf(row, ['SUCCESS', 'FAILED'])} className={FIGURE_LINK}>
                  {formatCount(row.finished, locale)}
                </Link>
              )}
            </Td>
            <Td className="max-lg:hidden">
              <Link href={paths.totals(application, { from, to, operator: row.operator })} className="inline-block">
                <Sparkline values={row.counts} label={t('overview.trendOf', { operator: nameOf(row) })} />
              </Link>
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}
