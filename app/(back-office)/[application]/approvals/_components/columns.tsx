'use client'

import { ApprovalReason, decisionText } from '#components/domain/approval-reason.tsx'
import { DecisionButtons, obstacleText } from '#components/domain/decision-controls.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PhoneText } from '#components/domain/phone-text.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { dataColumns } from '#components/table/features.ts'
import { NotAllowed } from '#components/ui/button.tsx'
import { useNow, useT, useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow } from '#lib/approvals.ts'
import { formatDuration } from '#lib/format-time.ts'
import { DAY_MS } from '#lib/time.ts'
import { useBoard } from './board-context.ts'

/** Six columns beside the panel: closer together than elsewhere. */
const NEAR = '@min-[640px]/table:px-2!'
const SECOND = '@max-[640px]/table:hidden'

function AmountCell({ row }: { row: ApprovalRow }) {
  return (
    <>
      <Money amount={row.amount} currency={row.currency} size="amount" className="block" />
      <span className={`block ${SECOND}`}>
        <OperatorMark code={row.operator} />
      </span>
    </>
  )
}

function BeneficiaryCell({ row }: { row: ApprovalRow }) {
  return (
    <span className="block min-w-0">
      <span className="block max-w-40 truncate font-strong @max-[640px]/table:max-w-none">{row.customerName}</span>
      <PhoneText phoneNumber={row.phoneNumber} className={`block text-second text-quiet ${SECOND}`} />
    </span>
  )
}

function MakerCell({ row }: { row: ApprovalRow }) {
  const t = useT()
  return (
    <>
      <span className={`block max-w-32 truncate text-ink-2 ${SECOND}`}>{row.maker?.name ?? t('approvals.api')}</span>
      <span className="block text-second whitespace-nowrap text-quiet">
        <RelativeTime at={row.createdAt} isCoarse />
        {row.status === 'PENDING_APPROVAL' && <Left until={row.expiresAt} />}
      </span>
    </>
  )
}

/** How long it may still wait; amber on its last day. */
function Left({ until }: { until: string }) {
  const { t } = useTranslations()
  const leftMs = new Date(until).getTime() - useNow().getTime()
  return (
    <>
      {' · '}
      <time dateTime={until} className={leftMs < DAY_MS ? 'text-wait' : ''}>
        {t('approvals.left', { duration: formatDuration(t, leftMs, true) })}
      </time>
    </>
  )
}

function ActionsCell({ row }: { row: ApprovalRow }) {
  const { application, ask } = useBoard()
  return (
    <DecisionButtons
      application={application}
      row={row}
      size="small"
      className="flex-nowrap! justify-end"
      onAsk={(question) => ask(row, question)}
    />
  )
}

function EndCell({ row }: { row: ApprovalRow }) {
  const t = useT()
  const last = row.decisions.at(-1)
  return (
    <>
      <span className="block max-w-44 truncate">
        <NotAllowed
          reason={
            row.end
              ? t(`approvals.endedShort.${row.end.event}`, { name: row.end.by ?? '' })
              : last
                ? decisionText(t, last)
                : obstacleText(t, row)
          }
        />
      </span>
      {(row.end?.reason ?? last?.note) && (
        <span className={`block max-w-44 truncate text-second text-quiet ${SECOND}`}>{row.end?.reason ?? last?.note}</span>
      )}
    </>
  )
}

const column = dataColumns<ApprovalRow>()

const COMMON = [
  column.display({
    id: 'amount',
    cell: ({ row }) => <AmountCell row={row.original} />,
    meta: { label: 'approvals.column.amount', align: 'end', narrow: 'end', className: NEAR },
  }),
  column.display({
    id: 'beneficiary',
    cell: ({ row }) => <BeneficiaryCell row={row.original} />,
    meta: { label: 'approvals.column.beneficiary', narrow: 'lead', className: NEAR },
  }),
  column.display({
    id: 'why',
    cell: ({ row }) => <ApprovalReason row={row.original} secondClass={SECOND} />,
    meta: { label: 'approvals.column.why', narrow: 'lead-second', className: NEAR },
  }),
  column.display({
    id: 'maker',
    cell: ({ row }) => <MakerCell row={row.original} />,
    meta: { label: 'approvals.column.maker', narrow: 'end-second', className: NEAR },
  }),
]

/** Columns of what waits: at the end what may be done, or why not. */
export const WAITING_COLUMNS = [
  ...COMMON,
  column.display({
    id: 'actions',
    cell: ({ row }) => <ActionsCell row={row.original} />,
    meta: { label: 'approvals.column.decide', align: 'end', narrow: 'hidden', className: NEAR },
  }),
]
/** Columns of what was decided: at the end by whom, and with which words. */
export const DECIDED_COLUMNS = [
  ...COMMON,
  column.display({
    id: 'end',
    cell: ({ row }) => <EndCell row={row.original} />,
    meta: { label: 'approvals.column.decided', narrow: 'hidden', className: NEAR },
  }),
]

export const WAITING_SETTINGS = { order: ['amount', 'beneficiary', 'why', 'maker', 'actions'], hidden: [] }
export const DECIDED_SETTINGS = { order: ['amount', 'beneficiary', 'why', 'maker', 'end'], hidden: [] }
