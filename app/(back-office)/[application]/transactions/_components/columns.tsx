'use client'

import type { MouseEvent } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PhoneText } from '#components/domain/phone-text.tsx'
import { StatusBadge } from '#components/domain/status-badge.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { TypeWord } from '#components/domain/type-word.tsx'
import { dataColumns } from '#components/table/features.ts'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { shortenId } from '#lib/format.ts'
import { formatTime } from '#lib/format-time.ts'
import type { TransactionNote, TransactionRow } from '#lib/transaction-row.ts'
import { useOpenRow } from './open-row.tsx'

const NARROW_HIDDEN = '@max-[640px]/table:hidden'

/** The clock time above, the day below; in one line where there is little room. */
function TimeCell({ at }: { at: string }) {
  return (
    <>
      <span className={`block ${NARROW_HIDDEN}`}>
        <TimeText at={at} style="time-seconds" />
      </span>
      <span className={`block text-second text-quiet ${NARROW_HIDDEN}`}>
        <TimeText at={at} style="day" />
      </span>
      <span className="hidden @max-[640px]/table:block">
        <TimeText at={at} style="day-time" />
      </span>
    </>
  )
}

/** The name opens the panel; with a modifier key it is an ordinary link to the transaction's own page. */
function CustomerCell({ row }: { row: TransactionRow }) {
  const { hrefOf, open } = useOpenRow()
  function onClick(event: MouseEvent<HTMLAnchorElement>) {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open(row.transactionId)
  }
  return (
    <span className="block min-w-0">
      <a
        href={hrefOf(row.transactionId)}
        onClick={onClick}
        dir="auto"
        className="block max-w-56 truncate text-left font-strong hover:underline @max-[640px]/table:max-w-none"
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
        <span lang="fr" title={note.text} className="line-clamp-2 max-w-44 text-second">
          {note.text}
        </span>
      )
    case 'unconfirmed':
      return (
        <span className="block max-w-44 text-second">
          {t('transactions.unconfirmedSince', { time: formatTime(t, timeZone, new Date(note.since), 'day-time') })}
        </span>
      )
    case 'approvals':
      return <span className="block max-w-44 text-second">{t('transactions.approvals', { done: note.done, needed: note.needed })}</span>
  }
}

function FeesCell({ row }: { row: TransactionRow }) {
  return <Money amount={row.fees} currency={row.currency} />
}

function MakerCell({ name }: { name: string | null }) {
  const t = useT()
  return (
    <span dir="auto" className="whitespace-nowrap">
      {name ?? t('transactions.madeByApi')}
    </span>
  )
}

const column = dataColumns<TransactionRow>()

/** The columns of the transaction list in their usual order. */
export const COLUMNS = [
  column.display({
    id: 'time',
    meta: { label: 'transactions.time', narrow: 'lead-second', sortKey: 'time' },
    cell: ({ row }) => <TimeCell at={row.original.createdAt} />,
  }),
  column.display({ id: 'type', meta: { label: 'transactions.type' }, cell: ({ row }) => <TypeWord type={row.original.type} /> }),
  column.display({
    id: 'status',
    meta: { label: 'transactions.status', narrow: 'end-second' },
    cell: ({ row }) => <StatusBadge status={row.original.status} />,
  }),
  column.display({
    id: 'amount',
    meta: { label: 'transactions.amount', align: 'end', narrow: 'end', sortKey: 'amount' },
    cell: ({ row }) => <Money amount={row.original.amount} currency={row.original.currency} size="amount" />,
  }),
  column.display({
    id: 'customer',
    meta: { label: 'transactions.customer', narrow: 'lead' },
    cell: ({ row }) => <CustomerCell row={row.original} />,
  }),
  column.display({
    id: 'operator',
    meta: { label: 'transactions.operator' },
    cell: ({ row }) => <OperatorMark code={row.original.operator} />,
  }),
  column.display({ id: 'note', meta: { label: 'transactions.note' }, cell: ({ row }) => <NoteCell note={row.original.note} /> }),
  column.display({ id: 'id', meta: { label: 'transactions.id' }, cell: ({ row }) => <IdCell id={row.original.transactionId} /> }),
  column.display({
    id: 'externalId',
    meta: { label: 'transactions.externalId' },
    cell: ({ row }) => <IdCell id={row.original.externalId} />,
  }),
  column.display({ id: 'payToken', meta: { label: 'transactions.payToken' }, cell: ({ row }) => <IdCell id={row.original.payToken} /> }),
  column.display({ id: 'fees', meta: { label: 'transactions.fees', align: 'end' }, cell: ({ row }) => <FeesCell row={row.original} /> }),
  column.display({ id: 'maker', meta: { label: 'transactions.maker' }, cell: ({ row }) => <MakerCell name={row.original.makerName} /> }),
  column.display({
    id: 'finished',
    meta: { label: 'transactions.finished' },
    cell: ({ row }) => row.original.finalAt && <TimeText at={row.original.finalAt} style="day-time" />,
  }),
]

/** Columns that are hidden by default. */
export const HIDDEN_AT_FIRST = ['externalId', 'payToken', 'fees', 'maker', 'finished']

function IdCell({ id }: { id: string }) {
  return (
    <span title={id} className="text-second whitespace-nowrap text-quiet tabular">
      {shortenId(id)}
    </span>
  )
}
