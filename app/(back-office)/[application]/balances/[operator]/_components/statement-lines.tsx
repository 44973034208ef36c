import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { PaginationBar } from '#components/table/pagination-bar.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { CHIP } from '#components/ui/overlay/popover.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { type StatementQuery, statementAddress } from '#lib/finance/finance-address.ts'
import type { LineFilter, StatementLine, StatementLinesDto } from '#lib/finance/finance-dto.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import { formatAmount, shortenId } from '#lib/text/format.ts'

/** On a phone a line takes two rows with one amount; on paper it has all columns. */
const WIDE = 'max-sm:hidden print:table-cell'
const NARROW = 'sm:hidden print:hidden'

type Props = { application: string; operator: OperatorCode; query: StatementQuery; hrefFor: (page: number) => string; allHref: string }

/** Every posting of the range, oldest first, or those of one figure with their sum. Each links to its transaction. */
export function StatementLines({ application, operator, query, hrefFor, allHref }: Props) {
  const { t } = useTranslations()
  const address = statementAddress(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    ...queries.statementLines(application, operator, address),
    placeholderData: keepPreviousData,
  })
  if (!data) return null
  // The sum belongs to these lines only once they are loaded.
  const filter = query.kind !== null && (
    <KindChip operator={operator} kind={query.kind} lines={isPlaceholderData ? null : data} allHref={allHref} />
  )
  if (data.total === 0)
    return (
      <>
        {filter}
        <EmptyState icon="wallet" title={t('statement.none')} />
      </>
    )
  return (
    <>
      {filter}
      <RefreshNotice isFailed={isError} onRetry={() => void refetch()} />
      <TableCard label={t('statement.lines')} className="mt-3">
        <Table
          caption={t('statement.lines')}
          head={
            <>
              <Th className={WIDE}>{t('statement.time')}</Th>
              <Th className={WIDE}>{t('statement.movement')}</Th>
              <Th>{t('statement.transaction')}</Th>
              <Th align="end" className={WIDE}>
                {t('statement.account.collect')}
              </Th>
              <Th align="end" className={WIDE}>
                {t('statement.account.deposit')}
              </Th>
              <Th align="end" className={WIDE}>
                {t('statement.account.held')}
              </Th>
              <Th align="end" className={WIDE}>
                {t('statement.fees')}
              </Th>
              <Th align="end" className={NARROW}>
                {t('totals.amount')}
              </Th>
              {query.kind === null && (
                <Th align="end" className={WIDE}>
                  {t('statement.balance')}
                </Th>
              )}
            </>
          }
        >
          {data.lines.map((line) => (
            <Line key={line.id} application={application} line={line} />
          ))}
        </Table>
      </TableCard>
      <PaginationBar page={data.page} size={data.size} total={data.total} sizes={[data.size]} hrefFor={hrefFor} />
    </>
  )
}

type KindChipProps = { operator: OperatorCode; kind: LineFilter; lines: StatementLinesDto | null; allHref: string }

/** The figure that these lines belong to, their sum, and a link to all lines. */
function KindChip({ operator, kind, lines, allHref }: KindChipProps) {
  const { t } = useTranslations()
  return (
    <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link href={allHref} scroll={false} className={`${CHIP} border-accent`}>
        <span className="font-strong text-ink">{kind === 'fees' ? t('statement.fees') : t(`statement.kind.${kind}`)}</span>
        <span className="sr-only">{t('statement.allLines')}</span>
        <Icon name="close" className="-mr-1 size-3.5 text-ink-3" />
      </Link>
      {lines?.sum != null && (
        <span className="tabular">
          {t('statement.lineCount', { count: lines.total })} <Money amount={lines.sum} currency={OPERATORS[operator].country.currency} />
        </span>
      )}
    </p>
  )
}

function Line({ application, line }: { application: string; line: StatementLine }) {
  const { t, locale } = useTranslations()
  const amount = (value: string) => {
    if (value === '0') return <span className="text-quiet">0</span>
    return `${value.startsWith('-') ? '' : '+'}${formatAmount(value, locale)}`
  }
  return (
    <Tr className="whitespace-nowrap">
      <Td className={WIDE}>
        <TimeText at={line.at} style="day-time" />
      </Td>
      <Td className={WIDE}>{t(`statement.kind.${line.kind}`)}</Td>
      <Td>
        {line.transactionId === null ? (
          <span className="text-ink-2">{line.reason}</span>
        ) : (
          <Link href={paths.transaction(application, line.transactionId)} className="hover:underline">
            <bdi>{line.customerName}</bdi> <span className="text-second text-quiet">{shortenId(line.transactionId)}</span>
          </Link>
        )}
        <span className="block text-second text-quiet sm:hidden print:hidden">
          {t(`statement.kind.${line.kind}`)} · <TimeText at={line.at} style="day-time" />
        </span>
      </Td>
      <Td align="end" className={WIDE}>
        {amount(line.collect)}
      </Td>
      <Td align="end" className={WIDE}>
        {amount(line.deposit)}
      </Td>
      <Td align="end" className={WIDE}>
        {amount(line.held)}
      </Td>
      <Td align="end" className={WIDE}>
        {line.fees === '0' ? <span className="text-quiet">0</span> : formatAmount(line.fees, locale)}
      </Td>
      <Td align="end" className={NARROW}>
        {amount([line.collect, line.deposit, line.held].find((each) => each !== '0') ?? '0')}
        {line.balance !== null && (
          <span className="block text-second text-quiet">
            <span className="sr-only">{t('statement.balance')} </span>
            {formatAmount(line.balance, locale)}
          </span>
        )}
      </Td>
      {line.balance !== null && (
        <Td align="end" className={`font-medium ${WIDE}`}>
          {formatAmount(line.balance, locale)}
        </Td>
      )}
    </Tr>
  )
}
