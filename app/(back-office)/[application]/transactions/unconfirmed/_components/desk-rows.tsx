import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName, PhoneText } from '#components/domain/payment.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useRowKeys } from '#components/frame/use-row-keys.ts'
import { DataTable } from '#components/table/data-table.tsx'
import { dataColumns } from '#components/table/table-state.ts'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useNow, useT, useTranslations } from '#components/ui/translations.tsx'
import type { UnconfirmedRow } from '#lib/finance/unconfirmed.ts'
import { moneyText } from '#lib/text/format.ts'
import { formatDuration } from '#lib/time/format-time.ts'
import { KeyHints } from '../../../close/exceptions/_components/key-hints.tsx'
import { useTake } from '../../../close/exceptions/_components/use-take.ts'
import { actsOn, type DeskProps } from './desk-props.ts'

const RowPanel = onDemand(async () => (await import('./row-panel.tsx')).RowPanel)
const NoteDialog = onDemand(async () => (await import('../../../close/exceptions/_components/exception-dialogs.tsx')).NoteDialog)
const HandOverDialog = onDemand(async () => (await import('../../../close/exceptions/_components/exception-dialogs.tsx')).HandOverDialog)

const SECOND = 'block text-second text-quiet'

function PaymentCell({ row }: { row: UnconfirmedRow }) {
  return (
    <>
      <CustomerName name={row.customerName} className="block truncate font-strong" />
      <PhoneText phoneNumber={row.phoneNumber} className={`${SECOND} narrow:hidden`} />
    </>
  )
}

function OperatorCell({ row }: { row: UnconfirmedRow }) {
  const t = useT()
  return (
    <>
      <OperatorMark code={row.operator} />
      <span className={`${SECOND} narrow:hidden`}>{t(`type.${row.type}`)}</span>
    </>
  )
}

/** How long the outcome has been unknown, beside how long the operator usually takes. */
function AgeCell({ row: { since, usualMs } }: { row: UnconfirmedRow }) {
  const t = useT()
  const now = useNow()
  return (
    <>
      <span className="tabular whitespace-nowrap">{formatDuration(t, now.getTime() - new Date(since).getTime())}</span>
      {usualMs !== null && (
        <span className={`${SECOND} narrow:hidden`}>{t('unconfirmed.usually', { duration: formatDuration(t, usualMs) })}</span>
      )}
    </>
  )
}

function ServiceCell({ row: { kind, lastQuery, nextQueryAt } }: { row: UnconfirmedRow }) {
  const t = useT()
  return (
    <>
      <span className="block">{t(`unconfirmed.kind.${kind}`)}</span>
      <span className={SECOND}>
        {lastQuery ? (
          <>
            {t('unconfirmed.asked')} <RelativeTime at={lastQuery.at} isCoarse />
          </>
        ) : (
          t('unconfirmed.notAsked')
        )}
        {nextQueryAt && (
          <>
            {' · '}
            {t('unconfirmed.next')} <RelativeTime at={nextQueryAt} isCoarse />
          </>
        )}
      </span>
    </>
  )
}

function OwnerCell({ row: { owner, notes } }: { row: UnconfirmedRow }) {
  const t = useT()
  const [newest] = notes
  return (
    <>
      {owner ? <bdi className="block truncate">{owner.name}</bdi> : <span className="text-wait">{t('exceptions.state.open')}</span>}
      {newest && (
        <span dir="auto" title={newest.note} className={`${SECOND} truncate`}>
          {newest.note}
        </span>
      )}
    </>
  )
}

const column = dataColumns<UnconfirmedRow>()
const COLUMNS = [
  column.display({
    id: 'payment',
    cell: ({ row }) => <PaymentCell row={row.original} />,
    meta: { label: 'unconfirmed.payment', narrow: 'lead', width: 190 },
  }),
  column.display({
    id: 'operator',
    cell: ({ row }) => <OperatorCell row={row.original} />,
    meta: { label: 'unconfirmed.operator', narrow: 'lead-second', width: 160 },
  }),
  column.display({
    id: 'amount',
    cell: ({ row: { original } }) => <Money amount={original.amount} currency={original.currency} size="amount" />,
    meta: { label: 'exceptions.amount', align: 'end', narrow: 'end', width: 130 },
  }),
  column.display({
    id: 'age',
    cell: ({ row }) => <AgeCell row={row.original} />,
    meta: { label: 'exceptions.age', narrow: 'end-second', width: 130 },
  }),
  column.display({
    id: 'service',
    cell: ({ row }) => <ServiceCell row={row.original} />,
    meta: { label: 'unconfirmed.service', narrow: 'hidden', width: 220 },
  }),
  column.display({
    id: 'owner',
    cell: ({ row }) => <OwnerCell row={row.original} />,
    meta: { label: 'exceptions.owner', narrow: 'hidden', width: 190 },
  }),
]
const SETTINGS = { order: ['payment', 'operator', 'amount', 'age', 'service', 'owner'], hidden: [] }

type Props = DeskProps & { rows: readonly UnconfirmedRow[]; isRefreshing: boolean }
type Asked = { what: 'panel' | 'note' | 'handOver'; id: string }

/** The rows of the desk. J and K move, Enter opens, O takes, N adds a note and H hands over. */
export function DeskRows({ rows, isRefreshing, ...desk }: Props) {
  const { application } = desk
  const { t, locale } = useTranslations()
  const take = useTake(application, true)
  const [asked, setAsked] = useState<Asked | null>(null)
  const labelOf = (row: UnconfirmedRow) => `${row.customerName}, ${moneyText(row, locale)}, ${t(`unconfirmed.kind.${row.kind}`)}`
  const open = (row: UnconfirmedRow) => setAsked({ what: 'panel', id: row.transactionId })
  const keys = useRowKeys({
    rows,
    idOf,
    labelOf,
    openId: null,
    onOpen: open,
    onClose: () => undefined,
    onKey(key, row) {
      const may = actsOn(row, desk)
      if (key === 'o' && may.take) take.run({ transactionId: row.transactionId })
      if (key === 'n' && may.note) setAsked({ what: 'note', id: row.transactionId })
      if (key === 'h' && may.handOver) setAsked({ what: 'handOver', id: row.transactionId })
    },
  })
  const hints = [
    { words: t('exceptions.hint.move'), keys: ['J', 'K'] },
    { words: t('exceptions.hint.open'), keys: ['Enter'] },
    ...(desk.may.work
      ? [
          { words: t('exceptions.take'), keys: ['O'] },
          { words: t('exceptions.note'), keys: ['N'] },
        ]
      : []),
    ...(desk.may.handOver ? [{ words: t('exceptions.handOver'), keys: ['H'] }] : []),
  ]
  // The row may have left the list: its outcome is known.
  const row = rows.find(({ transactionId }) => transactionId === asked?.id)
  const close = () => setAsked(null)
  const about = asked && { transactionId: asked.id }
  return (
    <div className="[&_tr:focus-visible]:-outline-offset-2 [&_tr]:scroll-mt-12">
      <div className="mb-2">
        <KeyHints hints={hints} />
      </div>
      {take.error && <ErrorNotice error={take.error} />}
      <DataTable
        caption={t('overview.unconfirmed')}
        columns={COLUMNS}
        settings={SETTINGS}
        rows={rows}
        getRowId={idOf}
        rowLabel={labelOf}
        currentRowId={keys.currentId}
        onRowOpen={open}
        isRefreshing={isRefreshing}
      />
      {asked?.what === 'panel' && row && (
        <RowPanel
          {...desk}
          row={row}
          onTake={() => take.run({ transactionId: row.transactionId })}
          isTaking={take.isPending}
          onAsk={(what) => setAsked({ what, id: row.transactionId })}
          onClose={close}
        />
      )}
      {asked?.what === 'note' && about && <NoteDialog application={application} about={about} onClose={close} />}
      {asked?.what === 'handOver' && about && row && (
        <HandOverDialog application={application} about={about} people={actsOn(row, desk).others} onClose={close} />
      )}
    </div>
  )
}

function idOf({ transactionId }: UnconfirmedRow): string {
  return transactionId
}
