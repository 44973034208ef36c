import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Money } from '#components/domain/money.tsx'
import { AdjustedNote } from '#components/domain/payment.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { PaginationBar } from '#components/table/pagination-bar.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { CHIP } from '#components/ui/overlay/popover.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { type StatementQuery, statementAddress } from '#lib/finance/finance-address.ts'
import type { LineFilter, StatementLine, StatementLinesDto } from '#lib/finance/finance-dto.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
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
  const { t, locale } = useTranslations()
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
  const zero = <span className="text-quiet">0</span>
  const signed = (value: string) => (value === '0' ? zero : `${value.startsWith('-') ? '' : '+'}${formatAmount(value, locale)}`)
  const figure = (head: MessageKey, cell: Column<StatementLine>['cell']): Column<StatementLine> => ({
    head: t(head),
    align: 'end',
    className: WIDE,
    cell,
  })
  return (
    <>
      {filter}
      <RefreshNotice isFailed={isError} onRetry={() => void refetch()} />
      <ListTable
        label={t('statement.lines')}
        className="mt-3"
        rows={data.lines}
        keyOf={({ id }) => id}
        rowClass="whitespace-nowrap"
        columns={[
          { head: t('statement.time'), className: WIDE, cell: ({ at }) => <TimeText at={at} style="day-time" /> },
          { head: t('statement.movement'), className: WIDE, cell: ({ kind }) => t(`statement.kind.${kind}`) },
          {
            head: t('statement.transaction'),
            cellClass: 'min-w-48 whitespace-normal',
            cell: (line) => <LineOf application={application} line={line} />,
          },
          figure('totals.amount', ({ amount }) => amount !== null && formatAmount(amount, locale)),
          figure('statement.account.collect', ({ collect }) => signed(collect)),
          figure('statement.account.deposit', ({ deposit }) => signed(deposit)),
          figure('statement.account.held', ({ held }) => signed(held)),
          figure('statement.fees', ({ fees }) => (fees === '0' ? zero : formatAmount(fees, locale))),
          {
            head: t('totals.amount'),
            align: 'end',
            className: NARROW,
            cell: ({ collect, deposit, held, balance }) => (
              <>
                {signed([collect, deposit, held].find((each) => each !== '0') ?? '0')}
                {balance !== null && (
                  <span className="block text-second text-quiet">
                    <span className="sr-only">{t('statement.balance')} </span>
                    {formatAmount(balance, locale)}
                  </span>
                )}
              </>
            ),
          },
          query.kind === null && {
            ...figure('statement.balance', ({ balance }) => balance !== null && formatAmount(balance, locale)),
            cellClass: 'font-medium',
          },
        ]}
      />
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

/** The transaction of a posting, or why there is none; on a phone what moved and when below it. */
function LineOf({ application, line }: { application: string; line: StatementLine }) {
  const { t } = useTranslations()
  return (
    <>
      {line.transactionId === null ? (
        <span className="text-ink-2">{line.reason}</span>
      ) : (
        <Link href={paths.transaction(application, line.transactionId)} className="hover:underline">
          <bdi>{line.customerName}</bdi> <span className="text-second text-quiet">{shortenId(line.transactionId)}</span>
        </Link>
      )}
      {line.phoneNumber !== null && <Names line={line} />}
      <span className="block empty:hidden">
        <AdjustedNote adjustments={line.adjustments} />
      </span>
      <span className="block text-second text-quiet sm:hidden print:hidden">
        {t(`statement.kind.${line.kind}`)} · <TimeText at={line.at} style="day-time" />
      </span>
    </>
  )
}

/** The transaction's other names: the number at its operator, the partner's id, the operator's reference. */
function Names({ line: { phoneNumber, externalId, operatorReference } }: { line: StatementLine }) {
  const t = useT()
  const names = [
    { name: t('statement.phoneNumber'), text: phoneNumber },
    { name: t('statement.externalId'), text: externalId },
    { name: t('statement.operatorReference'), text: operatorReference },
  ]
  return (
    <span className="block text-second text-quiet">
      {names
        .filter(({ text }) => text !== null)
        .map(({ name, text }, place) => (
          <span key={name} className="wrap-anywhere">
            {place > 0 && ' · '}
            <span className="sr-only">{name} </span>
            <bdi title={name}>{text}</bdi>
          </span>
        ))}
    </span>
  )
}
