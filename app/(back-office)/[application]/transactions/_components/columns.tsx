import { createContext, type MouseEvent, useContext } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PhoneText, StatusBadge, TypeWord } from '#components/domain/payment.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { dataColumns } from '#components/table/table-state.ts'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { isPlainClick } from '#components/ui/link.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { OTHER_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import type { TransactionNote, TransactionRow } from '#lib/payments/transactions/transaction-list.ts'
import { formatTime } from '#lib/time/format-time.ts'

const NARROW_HIDDEN = 'narrow:hidden'

/** The clock time; the day is above the rows of that day, or below the time where the rows are in another order. */
function TimeCell({ at }: { at: string }) {
  const { isByDay } = useOpenRow()
  return (
    <>
      <TimeText at={at} style="time-seconds" className={isByDay ? '' : NARROW_HIDDEN} />
      {!isByDay && (
        <>
          <TimeText at={at} style="day" className={`block text-second text-quiet ${NARROW_HIDDEN}`} />
          <TimeText at={at} style="day-time" className="hidden narrow:block" />
        </>
      )}
    </>
  )
}

/** The name opens the panel; with a modifier key it is an ordinary link to the transaction's own page. */
function CustomerCell({ row }: { row: TransactionRow }) {
  const { hrefOf, open } = useOpenRow()
  function onClick(event: MouseEvent<HTMLAnchorElement>) {
    if (!isPlainClick(event)) return
    event.preventDefault()
    open(row.transactionId)
  }
  return (
    <span className="block min-w-0">
      <a
        href={hrefOf(row.transactionId)}
        onClick={onClick}
        dir="auto"
        title={row.customerName}
        className="block truncate text-left font-strong hover:underline"
      >
        {row.customerName}
      </a>
      <PhoneText phoneNumber={row.phoneNumber} className={`block text-second text-quiet ${NARROW_HIDDEN}`} />
    </span>
  )
}

/** A note beyond the status; the operator's own message is unchanged. */
function NoteCell({ note }: { note: TransactionNote | null }) {
  const { t, timeZone } = useTranslations()
  if (note === null) return null
  switch (note.kind) {
    case 'message':
      return (
        <span lang="fr" title={note.text} className="line-clamp-2 text-second">
          {note.text}
        </span>
      )
    case 'unconfirmed':
      return (
        <span className="block text-second">
          {t('transactions.unconfirmedSince', { time: formatTime(t, timeZone, new Date(note.since), 'day-time') })}
        </span>
      )
    case 'approvals':
      return <span className="block text-second">{t('transactions.approvals', { done: note.done, needed: note.needed })}</span>
  }
}

function FeesCell({ row }: { row: TransactionRow }) {
  return <Money amount={row.fees} currency={row.currency} />
}

function MakerCell({ name }: { name: string | null }) {
  const t = useT()
  return (
    <span dir="auto" title={name ?? undefined} className="block truncate">
      {name ?? t('transactions.madeByApi')}
    </span>
  )
}

const column = dataColumns<TransactionRow>()

/** The columns of the transaction list in their usual order. */
export const COLUMNS = [
  column.display({
    id: 'time',
    meta: { label: 'transactions.time', width: 84, narrow: 'lead-second', sortKey: 'time' },
    cell: ({ row }) => <TimeCell at={row.original.createdAt} />,
  }),
  column.display({
    id: 'type',
    meta: { label: 'transactions.type', width: 108 },
    cell: ({ row }) => <TypeWord type={row.original.type} />,
  }),
  column.display({
    id: 'status',
    meta: { label: 'transactions.status', width: 168, narrow: 'end-second' },
    cell: ({ row }) => <StatusBadge status={row.original.status} adjustments={row.original.adjustments} refund={row.original.refund} />,
  }),
  column.display({
    id: 'amount',
    meta: { label: 'transactions.amount', width: 136, align: 'end', narrow: 'end', sortKey: 'amount' },
    cell: ({ row }) => <Money amount={row.original.amount} currency={row.original.currency} size="amount" />,
  }),
  column.display({
    id: 'customerName',
    meta: { label: 'transactions.customerName', width: 180, narrow: 'lead' },
    cell: ({ row }) => <CustomerCell row={row.original} />,
  }),
  ...OTHER_TEXT_NAMES.map((name) =>
    column.display({
      id: name,
      meta: { label: `transactions.${name}`, width: 160 },
      cell: ({ row }) => (
        <span dir="auto" title={row.original[name]} className="block truncate">
          {row.original[name]}
        </span>
      ),
    }),
  ),
  column.display({
    id: 'operator',
    meta: { label: 'transactions.operator', width: 160 },
    cell: ({ row }) => <OperatorMark code={row.original.operator} />,
  }),
  column.display({
    id: 'note',
    meta: { label: 'transactions.note', width: 150 },
    cell: ({ row }) => <NoteCell note={row.original.note} />,
  }),
  column.display({
    id: 'id',
    meta: { label: 'transactions.id', width: 132 },
    cell: ({ row }) => <IdCell id={row.original.transactionId} name="transactions.id" />,
  }),
  column.display({
    id: 'externalId',
    meta: { label: 'transactions.externalId', width: 132 },
    cell: ({ row }) => <IdCell id={row.original.externalId} name="transactions.externalId" />,
  }),
  column.display({
    id: 'payToken',
    meta: { label: 'transactions.payToken', width: 132 },
    cell: ({ row }) => <IdCell id={row.original.payToken} name="transactions.payToken" />,
  }),
  column.display({
    id: 'fees',
    meta: { label: 'transactions.fees', width: 110, align: 'end' },
    cell: ({ row }) => <FeesCell row={row.original} />,
  }),
  column.display({
    id: 'maker',
    meta: { label: 'transactions.maker', width: 140 },
    cell: ({ row }) => <MakerCell name={row.original.makerName} />,
  }),
  column.display({
    id: 'finished',
    meta: { label: 'transactions.finished', width: 120 },
    cell: ({ row }) => row.original.finalAt && <TimeText at={row.original.finalAt} style="day-time" />,
  }),
]

/** Columns that are hidden by default. */
export const HIDDEN_AT_FIRST = [...OTHER_TEXT_NAMES, 'externalId', 'payToken', 'fees', 'maker', 'finished']

/** Characters at the end: ids of one day begin alike. */
const ID_TAIL = 8

/** The end of an id, the whole of it on hover, and a button that copies it. */
function IdCell({ id, name }: { id: string; name: MessageKey }) {
  const t = useT()
  return (
    <span className="flex items-center gap-0.5">
      <span title={id} className="truncate text-second text-quiet tabular">
        {id.length > ID_TAIL + 4 ? `\u2026${id.slice(-ID_TAIL)}` : id}
      </span>
      <span className="shrink-0 opacity-0 group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100">
        <CopyButton text={id} label={`${t(name)} ${id}`} />
      </span>
    </span>
  )
}

type OpenRow = {
  hrefOf: (transactionId: string) => string
  open: (transactionId: string) => void
  /** The rows of a day are below its heading. */
  isByDay: boolean
}

export const OpenRowContext = createContext<OpenRow | null>(null)

/** How a row is opened (its own address, and the panel beside the list) and how the list is grouped. Throws outside the list: that is a bug. */
function useOpenRow(): OpenRow {
  const value = useContext(OpenRowContext)
  if (!value) throw new Error('useOpenRow needs the list around it')
  return value
}
