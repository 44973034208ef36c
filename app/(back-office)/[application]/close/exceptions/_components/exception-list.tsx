'use client'

import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useRowKeys } from '#components/frame/use-row-keys.ts'
import { DataTable } from '#components/table/data-table.tsx'
import { dataColumns } from '#components/table/table-state.ts'
import { Button } from '#components/ui/button.tsx'
import { Link } from '#components/ui/link.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { paths, type QueryValues } from '#lib/pages/paths.ts'
import type { RowSelection } from '#lib/pages/table-state.ts'
import type { ExceptionAdjustment, ExceptionClass, ExceptionDto } from '#lib/reconciliation/exceptions.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { formatPhone, moneyText } from '#lib/text/format.ts'
import { ExceptionMark, OverdueMark } from './exception-marks.tsx'
import { KeyHints } from './key-hints.tsx'
import { useTake } from './use-take.ts'

const NoteDialog = onDemand(async () => (await import('./exception-dialogs.tsx')).NoteDialog)
const AdjustTogetherDialog = onDemand(async () => (await import('./adjust-together.tsx')).AdjustTogetherDialog)
const PAGES = definePart(async () => ({ default: (await import('#components/table/pagination-bar.tsx')).PaginationBar }))

const SECOND = 'block text-second text-quiet'

/** The adjustment that makes our books agree with what the operator says; none for the other classes. */
const ADJUSTMENT_OF: Readonly<Partial<Record<ExceptionClass, ExceptionAdjustment>>> = {
  paid_failed_here: 'adjustment.late',
  contradicted: 'adjustment.late',
  success_failed_there: 'adjustment.reverse',
  success_absent_there: 'adjustment.reverse',
}

function ClassCell({ row }: { row: ExceptionRow }) {
  const t = useT()
  return (
    <>
      <Link href={row.href} className="font-strong hover:underline">
        {t(`close.class.${row.class}`)}
      </Link>
      <span className={`${SECOND} wrap-anywhere narrow:hidden`}>
        {[row.reference, row.phone && formatPhone(row.phone), row.application].filter(Boolean).join(' · ')}
      </span>
    </>
  )
}

function WalletCell({ row: { wallet, day } }: { row: ExceptionRow }) {
  const t = useT()
  return (
    <>
      <span className="narrow:text-second narrow:text-quiet">{walletText(t, wallet)}</span>
      {day !== null && <span className={`${SECOND} narrow:hidden`}>{dayText(t, day)}</span>}
    </>
  )
}

function AgeCell({ row }: { row: ExceptionRow }) {
  const t = useT()
  return (
    <>
      <RelativeTime at={row.openedAt} isCoarse className="narrow:text-second" />
      <span className="block narrow:inline">
        <OverdueMark t={t} isOverdue={row.isOverdue} />
      </span>
    </>
  )
}

function OwnerCell({ row }: { row: ExceptionRow }) {
  const t = useT()
  return (
    <>
      <ExceptionMark t={t} exception={row} />
      {row.owner && <bdi className={`${SECOND} truncate`}>{row.owner.name}</bdi>}
    </>
  )
}

type ExceptionRow = ExceptionDto & { href: string }
const column = dataColumns<ExceptionRow>()
const COLUMNS = [
  column.display({
    id: 'class',
    cell: ({ row }) => <ClassCell row={row.original} />,
    meta: { label: 'exceptions.class', narrow: 'lead', className: 'roomy:w-full' },
  }),
  column.display({
    id: 'wallet',
    cell: ({ row }) => <WalletCell row={row.original} />,
    meta: { label: 'close.wallet', narrow: 'lead-second', className: 'roomy:whitespace-nowrap' },
  }),
  column.display({
    id: 'amount',
    cell: ({ row: { original } }) => (
      <Money amount={original.amount} currency={CURRENCIES.find((each) => each === original.currency) ?? 'XAF'} />
    ),
    meta: { label: 'exceptions.amount', align: 'end', narrow: 'end' },
  }),
  column.display({
    id: 'age',
    cell: ({ row }) => <AgeCell row={row.original} />,
    meta: { label: 'exceptions.age', narrow: 'end-second' },
  }),
  column.display({
    id: 'owner',
    cell: ({ row }) => <OwnerCell row={row.original} />,
    meta: { label: 'exceptions.owner', narrow: 'hidden' },
  }),
]
const SETTINGS = { order: ['class', 'wallet', 'amount', 'age', 'owner'], hidden: [] }

type Props = {
  application: string
  rows: readonly ExceptionDto[]
  total: number
  page: number
  size: number
  /** The filter, as its address has it. */
  query: QueryValues
  mayWork: boolean
  /** Several can be selected, and adjusted together. */
  mayAdjust: boolean
}

/** A page of exceptions. J and K move, Enter opens, O takes and N adds a note. */
export function ExceptionList({ application, rows, total, page, size, query, mayWork, mayAdjust }: Props) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const take = useTake(application)
  const [noted, setNoted] = useState<string | null>(null)
  const [selection, setSelection] = useState<RowSelection>({})
  const shown = rows.map((row) => ({ ...row, href: paths.exception(application, row.exceptionId) }))
  const open = ({ href }: ExceptionRow) => router.push(href)
  const labelOf = (row: ExceptionRow) => `${t(`close.class.${row.class}`)}, ${walletText(t, row.wallet)}, ${moneyText(row, locale)}`
  const keys = useRowKeys({
    rows: shown,
    idOf,
    labelOf,
    openId: null,
    onOpen: open,
    onClose: () => undefined,
    onKey(key, { exceptionId, state }) {
      if (!mayWork || state === 'closed') return
      if (key === 'o' && state === 'open') take.run({ exceptionId })
      if (key === 'n') setNoted(exceptionId)
    },
  })
  const hints = [
    { words: t('exceptions.hint.move'), keys: ['J', 'K'] },
    { words: t('exceptions.hint.open'), keys: ['Enter'] },
    ...(mayWork
      ? [
          { words: t('exceptions.take'), keys: ['O'] },
          { words: t('exceptions.note'), keys: ['N'] },
        ]
      : []),
  ]
  return (
    <div className="relative mt-4 [&_tr:focus-visible]:-outline-offset-2 [&_tr]:scroll-mt-12">
      <div className="mb-2">
        <KeyHints hints={hints} />
      </div>
      {take.error && <ErrorNotice error={take.error} />}
      {mayAdjust && (
        <SelectionBar
          application={application}
          rows={shown.filter(({ exceptionId }) => selection[exceptionId])}
          onDone={() => setSelection({})}
        />
      )}
      <DataTable
        caption={t('close.exceptions')}
        columns={COLUMNS}
        settings={SETTINGS}
        rows={shown}
        getRowId={idOf}
        {...(mayAdjust && { selection, onSelectionChange: setSelection })}
        rowLabel={labelOf}
        currentRowId={keys.currentId}
        onRowOpen={open}
        rowHref={({ href }) => href}
      />
      {total > size && (
        <LazyPart
          part={PAGES}
          props={{
            page,
            size,
            total,
            sizes: [size],
            hrefFor: (next: number) => paths.exceptions(application, { ...query, page: next === 0 ? null : next + 1 }),
          }}
        />
      )}
      {noted !== null && <NoteDialog application={application} about={{ exceptionId: noted }} onClose={() => setNoted(null)} />}
    </div>
  )
}

type BarProps = { application: string; rows: readonly ExceptionDto[]; onDone: () => void }

/** Adjusts the selected exceptions together, if the same adjustment fits all. */
function SelectionBar({ application, rows, onDone }: BarProps) {
  const t = useT()
  const [adjusted, setAdjusted] = useState<ExceptionAdjustment | null>(null)
  if (rows.length === 0) return null
  const kinds = new Set(rows.map((row) => ADJUSTMENT_OF[row.class]))
  const [kind] = kinds.size === 1 ? kinds : []
  return (
    <div className="mb-2 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-sunken px-4 py-2">
      <span className="font-strong">{t('table.selected', { count: rows.length })}</span>
      {kind ? (
        <Button variant="primary" size="small" onClick={() => setAdjusted(kind)}>
          {t('exceptions.adjustTogether', { count: rows.length })}
        </Button>
      ) : (
        <span className="text-quiet">{t('exceptions.notTogether')}</span>
      )}
      {adjusted && (
        <AdjustTogetherDialog
          application={application}
          kind={adjusted}
          rows={rows}
          onDone={() => {
            setAdjusted(null)
            onDone()
          }}
          onClose={() => setAdjusted(null)}
        />
      )}
    </div>
  )
}

function idOf({ exceptionId }: ExceptionDto): string {
  return exceptionId
}
