import { useMemo } from 'react'
import { DecisionButtons, obstacleText } from '#components/decision/decision-buttons.tsx'
import { decisionText, progressText, reasonText } from '#components/decision/decision-text.tsx'
import { PaymentAmount, PaymentParty, RiskBadges, StatusBadge } from '#components/domain/payment.tsx'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { DataTable } from '#components/table/data-table.tsx'
import { NewRows } from '#components/table/refresh-notice.tsx'
import { dataColumns } from '#components/table/table-state.ts'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useNow, useT, useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow } from '#lib/approvals/approvals.ts'
import { endedBy } from '#lib/approvals/evidence.ts'
import { moneyText } from '#lib/text/format.ts'
import { formatDuration } from '#lib/time/format-time.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { useBoardContext } from './use-board.ts'

/** Six columns beside the panel: closer together than elsewhere. */
const NEAR = 'roomy:px-1.5!'
/** The column that takes what the others leave, at least a phone number; a longer name is cut. */
const REST = `${NEAR} roomy:w-full roomy:max-w-0 roomy:min-w-36`
/** Where there is little room the panel says it. */
const ROOMY = `${NEAR} roomy:@max-[820px]/table:hidden`
const SECOND = 'narrow:hidden'

function MakerCell({ row }: { row: ApprovalRow }) {
  const t = useT()
  return (
    <>
      <span className={`block max-w-28 truncate text-ink-2 @min-[960px]/table:max-w-44 ${SECOND}`}>
        {row.maker?.name ?? t('approvals.api')}
      </span>
      <span className="block text-second whitespace-nowrap text-quiet">
        <RelativeTime at={row.createdAt} isCoarse />
        {row.status === 'PENDING_APPROVAL' && <Left until={row.expiresAt} />}
      </span>
    </>
  )
}

/** How long it may still wait; amber on its last day. On a phone the risk flag beside it needs the room until then. */
function Left({ until }: { until: string }) {
  const { t } = useTranslations()
  const leftMs = new Date(until).getTime() - useNow().getTime()
  const isLastDay = leftMs < DAY_MS
  return (
    <time dateTime={until} className={isLastDay ? 'text-wait' : SECOND}>
      {' · '}
      {t('approvals.left', { duration: formatDuration(t, leftMs, true) })}
    </time>
  )
}

function ReasonCell({ row }: { row: ApprovalRow }) {
  const { t, locale } = useTranslations()
  const hasRisks = row.risks.length > 0
  return (
    <span className="block min-w-0">
      <span className="block max-w-48 truncate @min-[960px]/table:max-w-56 narrow:max-w-none">
        {hasRisks ? <RiskBadges payment={row} isOne /> : reasonText(t, locale, row)}
      </span>
      <span className={`block text-second whitespace-nowrap text-quiet ${SECOND}`}>{progressText(t, row, true)}</span>
    </span>
  )
}

function ActionsCell({ row }: { row: ApprovalRow }) {
  const { application, ask } = useBoardContext()
  return (
    <DecisionButtons
      application={application}
      row={row}
      size="small"
      className="flex-nowrap! justify-end"
      onAsk={(intent) => ask(intent, row)}
    />
  )
}

/** The outcome or the decisions so far: full names, times, current status and notes. */
function EndCell({ row }: { row: ApprovalRow }) {
  const t = useT()
  const last = row.decisions.at(-1)
  const at = row.end?.at ?? last?.at
  const words = row.end?.reason ?? last?.note
  return (
    <span className="grid gap-0.5 py-0.5">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className="text-ink">
          {row.end
            ? t(`approvals.endedShort.${row.end.event}`, { name: endedBy(t, row.end) })
            : last
              ? decisionText(t, last)
              : obstacleText(t, row)}
        </span>
        <StatusBadge status={row.status} />
      </span>
      <span className="text-second text-quiet roomy:line-clamp-2" title={words}>
        {at && <TimeText at={at} />}
        {words && <span className={SECOND}> · {t('approvals.quoted', { text: words })}</span>}
      </span>
    </span>
  )
}

const column = dataColumns<ApprovalRow>()

const AMOUNT = column.display({
  id: 'amount',
  cell: ({ row }) => <PaymentAmount payment={row.original} secondClass={SECOND} />,
  meta: { label: 'approvals.column.amount', align: 'end', narrow: 'end', className: NEAR },
})
const MAKER = column.display({
  id: 'maker',
  cell: ({ row }) => <MakerCell row={row.original} />,
  meta: { label: 'approvals.column.maker', narrow: 'end-second', className: ROOMY },
})

/** Columns of what waits: at the end what may be done, or why not. */
const WAITING_COLUMNS = [
  AMOUNT,
  column.display({
    id: 'beneficiary',
    cell: ({ row }) => <PaymentParty payment={row.original} secondClass={SECOND} />,
    meta: { label: 'approvals.column.beneficiary', narrow: 'lead', className: REST },
  }),
  column.display({
    id: 'why',
    cell: ({ row }) => <ReasonCell row={row.original} />,
    meta: { label: 'approvals.column.why', narrow: 'lead-second', className: NEAR },
  }),
  MAKER,
  column.display({
    id: 'actions',
    cell: ({ row }) => <ActionsCell row={row.original} />,
    // A reason in place of the buttons takes three lines at most.
    meta: { label: 'approvals.column.decide', align: 'end', narrow: 'hidden', className: `${NEAR} roomy:min-w-32` },
  }),
]

/** Columns of what was decided: by whom, when, its status, and with which words. */
const DECIDED_COLUMNS = [
  AMOUNT,
  column.display({
    id: 'beneficiary',
    cell: ({ row }) => (
      <span className="block roomy:max-w-44">
        <PaymentParty payment={row.original} secondClass={SECOND} />
      </span>
    ),
    meta: { label: 'approvals.column.beneficiary', narrow: 'lead', className: NEAR },
  }),
  column.display({
    id: 'end',
    cell: ({ row }) => <EndCell row={row.original} />,
    meta: { label: 'approvals.column.decided', narrow: 'lead-second', className: `${NEAR} roomy:w-full` },
  }),
  MAKER,
]

const WAITING_SETTINGS = { order: ['amount', 'beneficiary', 'why', 'maker', 'actions'], hidden: [] }
const DECIDED_SETTINGS = { order: ['amount', 'beneficiary', 'end', 'maker'], hidden: [] }

const EMPTY_QUEUE = definePart(() => import('./empty-queue.tsx'))

/** The list, and what came in since. */
export function ApprovalTable() {
  const { t, locale } = useTranslations()
  const { application, queue, query, list, current, selection, select, open } = useBoardContext()
  const { whole } = selection
  const isDecided = queue === 'decided'
  // A snapshot of the whole filter holds exactly its own items, not what came in since.
  const wholeIds = useMemo(() => whole && Object.fromEntries(whole.items.map((item) => [item.transactionId, true as const])), [whole])
  if (!list.page) return null
  return (
    // The list scrolls sideways where it must, which would cut a ring outside its rows; the margin keeps the selection bar off the focused row.
    <div className="relative min-w-0 [&_tr:focus-visible]:-outline-offset-2 [&_tr]:scroll-mt-4 [&_tr]:scroll-mb-56 md:[&_tr]:scroll-mb-28">
      <NewRows count={list.heldBack} onShow={list.showNew} />
      <DataTable<ApprovalRow>
        caption={t(`approvals.queue.${queue}`)}
        columns={isDecided ? DECIDED_COLUMNS : WAITING_COLUMNS}
        settings={isDecided ? DECIDED_SETTINGS : WAITING_SETTINGS}
        rows={list.rows}
        getRowId={rowId}
        currentRowId={current?.transactionId ?? null}
        onRowOpen={(row) => open(row, 'nothing')}
        isRefreshing={list.isPlaceholderData && list.isFetching}
        {...(queue === 'mine'
          ? {
              selection: wholeIds ?? { ...selection.ids },
              onSelectionChange: (ids) => select(onlyTrue(ids)),
              rowLabel: (row) => `${row.customerName}, ${moneyText(row, locale)}`,
            }
          : {})}
        empty={<LazyPart part={EMPTY_QUEUE} props={{ application, queue, query, page: list.page }} fallback={<div className="h-44" />} />}
      />
    </div>
  )
}

function rowId(row: ApprovalRow): string {
  return row.transactionId
}

function onlyTrue(ids: Readonly<Record<string, boolean>>): Record<string, true> {
  return Object.fromEntries(Object.entries(ids).flatMap(([id, isSelected]) => (isSelected ? [[id, true as const]] : [])))
}
