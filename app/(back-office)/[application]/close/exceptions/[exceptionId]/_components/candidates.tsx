'use client'

import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { useRowKeys } from '#components/frame/use-row-keys.ts'
import { DataTable } from '#components/table/data-table.tsx'
import { dataColumns } from '#components/table/table-state.ts'
import { Button } from '#components/ui/button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import type { ExceptionDetailDto, MatchCandidateDto } from '#lib/reconciliation/exceptions.ts'
import { formatPhone, moneyText } from '#lib/text/format.ts'
import { MatchButtons } from '../../../_components/match-buttons.tsx'
import { KeyHints } from '../../_components/key-hints.tsx'

const MatchDialog = onDemand(async () => (await import('../../../_components/match-dialog.tsx')).MatchDialog)

type Row = MatchCandidateDto & { currency: string; onMatch: (() => void) | null }

/** Marks a figure that is not the one of the exception. */
function Differs({ isMarked }: { isMarked: boolean }) {
  const t = useT()
  return isMarked && <Badge tone="wait">{t('exceptions.differs')}</Badge>
}

function SubjectCell({ row: { application, transactionId, reference, status, differs } }: { row: Row }) {
  const t = useT()
  const isLine = application === null
  const more = isLine ? [status] : [application, t(`status.${status}` as MessageKey), reference]
  return (
    <>
      <span className="font-strong wrap-anywhere">{isLine ? (reference ?? t('close.noReference')) : transactionId}</span>
      <span className="block text-second wrap-anywhere text-quiet">
        {more.filter(Boolean).join(' · ')} <Differs isMarked={differs.reference} />
      </span>
    </>
  )
}

function PhoneCell({ row: { phone, differs } }: { row: Row }) {
  return (
    <>
      {phone === null ? '–' : formatPhone(phone)} <Differs isMarked={differs.phone} />
    </>
  )
}

function AmountCell({ row: { amount, currency, differs } }: { row: Row }) {
  return (
    <>
      <Money amount={amount} currency={CURRENCIES.find((each) => each === currency) ?? 'XAF'} />
      <span className="block empty:hidden">
        <Differs isMarked={differs.amount} />
      </span>
    </>
  )
}

function MatchCell({ onMatch }: { onMatch: () => void }) {
  const t = useT()
  return (
    <Button size="small" onClick={onMatch}>
      {t('close.match')}
    </Button>
  )
}

const column = dataColumns<Row>()
const COLUMNS = [
  column.display({
    id: 'subject',
    cell: ({ row }) => <SubjectCell row={row.original} />,
    meta: { label: 'exceptions.candidate', narrow: 'lead', className: 'roomy:w-full' },
  }),
  column.display({
    id: 'phone',
    cell: ({ row }) => <PhoneCell row={row.original} />,
    meta: { label: 'exceptions.phone', narrow: 'lead-second', className: 'roomy:whitespace-nowrap' },
  }),
  column.display({
    id: 'time',
    cell: ({ row }) => <TimeText at={row.original.at} style="full" />,
    meta: { label: 'exceptions.time', narrow: 'end-second', className: 'roomy:whitespace-nowrap' },
  }),
  column.display({
    id: 'amount',
    cell: ({ row }) => <AmountCell row={row.original} />,
    meta: { label: 'exceptions.amount', align: 'end', narrow: 'end' },
  }),
  column.display({
    id: 'match',
    cell: ({ row: { original } }) => original.onMatch && <MatchCell onMatch={original.onMatch} />,
    meta: { label: 'close.actions', align: 'end', narrow: 'hidden' },
  }),
]
const SETTINGS = { order: ['subject', 'phone', 'time', 'amount', 'match'], hidden: [] }

type Props = { application: string; exception: ExceptionDetailDto; mayMatch: boolean }

/**
 * The transactions that a line without one may belong to, or the lines of a transaction without one, the likeliest first. J and K move, Enter or M
 * matches. Nothing for an exception that has both sides.
 */
export function Candidates({ application, exception, mayMatch }: Props) {
  const { t, locale } = useTranslations()
  const { candidates, isMatched, line, currency, class: name } = exception
  const [chosen, setChosen] = useState<MatchCandidateDto | null>(null)
  const choose = mayMatch ? setChosen : null
  const rows = candidates.map((each) => ({ ...each, currency, onMatch: choose && (() => choose(each)) }))
  const keys = useRowKeys<Row>({
    rows,
    idOf,
    labelOf: (row) => `${row.reference ?? row.transactionId}, ${moneyText(row, locale)}`,
    openId: null,
    onOpen: (row) => row.onMatch?.(),
    onClose: () => undefined,
    onKey: (key, row) => key === 'm' && row.onMatch?.(),
  })
  if (isMatched) return <Notice tone="ok">{t('exceptions.isMatched')}</Notice>
  const isOfLine = name === 'unknown_payment'
  if (!isOfLine && name !== 'success_absent_there') return null
  const heading = t(isOfLine ? 'exceptions.candidates.ofLine' : 'exceptions.candidates.ofTransaction')
  return (
    <section aria-labelledby="candidates">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="candidates">{heading}</h2>
        {mayMatch && rows.length > 0 && (
          <KeyHints
            hints={[
              { words: t('exceptions.hint.move'), keys: ['J', 'K'] },
              { words: t('close.match'), keys: ['M'] },
            ]}
          />
        )}
      </div>
      <div className="[&_tr:focus-visible]:-outline-offset-2 [&_tr]:scroll-mt-12">
        {rows.length === 0 ? (
          <p className="text-quiet">{t(isOfLine ? 'exceptions.noCandidates.ofLine' : 'exceptions.noCandidates.ofTransaction')}</p>
        ) : (
          <DataTable
            caption={heading}
            columns={COLUMNS}
            settings={SETTINGS}
            rows={rows}
            getRowId={idOf}
            currentRowId={keys.currentId}
            {...(mayMatch && { onRowOpen: (row: Row) => row.onMatch?.() })}
          />
        )}
      </div>
      {mayMatch && isOfLine && line !== null && (
        <div className="mt-2">
          <MatchButtons application={application} lineId={line.lineId} isMatched={false} label={t('exceptions.matchOther')} />
        </div>
      )}
      {chosen !== null && (
        <MatchDialog
          application={application}
          lineId={chosen.lineId}
          transactionId={chosen.transactionId}
          isMatched={false}
          onClose={() => setChosen(null)}
        />
      )}
    </section>
  )
}

function idOf({ lineId, transactionId }: MatchCandidateDto): string {
  return `${lineId}-${transactionId}`
}
