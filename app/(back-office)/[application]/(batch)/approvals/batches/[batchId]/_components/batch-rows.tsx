import { useState } from 'react'
import { Evidence } from '#components/decision/approval-evidence.tsx'
import { PaymentLine } from '#components/domain/payment.tsx'
import { ReasonForm } from '#components/form/reason-form.tsx'
import { Button } from '#components/ui/button.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow } from '#lib/approvals/approvals.ts'
import { BATCH_ROW_FILTERS, BATCH_ROWS_PAGE_SIZE, type BatchApproval, type BatchRowFilter } from '#lib/approvals/batch-approval.ts'
import { formatCount } from '#lib/text/format.ts'
import { type Exclusions, useBatchRows } from './use-batch.ts'

/** The rows of a batch, those to look at with one press, each with its evidence and the way to leave it out. */
export function BatchRows({ application, batch, exclusions }: { application: string; batch: BatchApproval; exclusions: Exclusions }) {
  const { t, locale } = useTranslations()
  const [filter, setFilter] = useState<BatchRowFilter>('all')
  const [page, setPage] = useState(0)
  // Suggested for the next row, because one reason often applies to several.
  const [lastReason, setLastReason] = useState('')
  const { rows, total, isLoading } = useBatchRows(application, batch.batchId, filter, page)
  const pages = Math.max(1, Math.ceil(total / BATCH_ROWS_PAGE_SIZE))
  const countOf = (each: BatchRowFilter) => (each === 'all' ? batch.count : batch.flags[each])
  return (
    <section aria-label={t('batch.rowsTitle')} className="grid min-w-0 gap-3">
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">{t('batch.filter.title')}</legend>
        {BATCH_ROW_FILTERS.map((each) => (
          <Button
            key={each}
            size="small"
            aria-pressed={each === filter}
            className={each === filter ? 'border-accent! text-accent!' : ''}
            onClick={() => {
              setFilter(each)
              setPage(0)
            }}
          >
            {t(`batch.filter.${each}`)} <span className="tabular">{formatCount(countOf(each), locale)}</span>
          </Button>
        ))}
      </fieldset>
      <ul aria-busy={isLoading} className="@container/rows rounded-lg border border-line bg-surface">
        {rows.map((row) => (
          <BatchRow
            key={row.transactionId}
            application={application}
            row={row}
            canExclude={batch.canReject === true}
            exclusions={exclusions}
            lastReason={lastReason}
            onReason={setLastReason}
          />
        ))}
        {rows.length === 0 && !isLoading && <li className="px-3 py-6 text-quiet">{t('batch.noRows')}</li>}
      </ul>
      {pages > 1 && (
        <nav aria-label={t('table.pages')} className="flex items-center gap-2">
          <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
            {t('table.previous')}
          </Button>
          <span className="text-ink-2 tabular">
            {t('table.page', { page: formatCount(page + 1, locale), pages: formatCount(pages, locale) })}
          </span>
          <Button disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
            {t('table.next')}
          </Button>
        </nav>
      )}
    </section>
  )
}

type Props = {
  application: string
  row: ApprovalRow
  canExclude: boolean
  exclusions: Exclusions
  lastReason: string
  onReason: (reason: string) => void
}

function BatchRow({ application, row, canExclude, exclusions, lastReason, onReason }: Props) {
  const { t } = useTranslations()
  const [isAsking, setIsAsking] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const { transactionId, customerName } = row
  const exclusion = exclusions.excluded.get(transactionId)
  const name = <span className="sr-only"> {customerName}</span>
  return (
    <li className={`grid min-w-0 gap-2 border-b border-line px-3 py-2 last:border-b-0 ${exclusion ? 'bg-sunken' : ''}`}>
      <div className="grid min-w-0 gap-x-6 gap-y-2 @min-[560px]/rows:grid-cols-[minmax(0,1fr)_12rem] @min-[560px]/rows:items-center">
        <PaymentLine payment={row} />
        <div className="flex flex-wrap items-center gap-2 @min-[560px]/rows:justify-end">
          <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {t('batch.evidence')}
            {name}
          </Button>
          {canExclude && !exclusion && !isAsking && (
            <Button size="small" variant="danger" onClick={() => setIsAsking(true)}>
              {t('batch.exclude')}
              {name}
            </Button>
          )}
          {exclusion && (
            <Button size="small" onClick={() => exclusions.include(transactionId)}>
              {t('batch.include')}
              {name}
            </Button>
          )}
        </div>
      </div>
      {exclusion && (
        <p className="text-second text-bad">
          {t('batch.excludedBecause')} <bdi>{exclusion.reason}</bdi>
        </p>
      )}
      {isAsking && (
        <ReasonForm
          id={`reason-${transactionId}`}
          label={t('batch.excludeReason')}
          submitLabel={t('batch.excludeSubmit')}
          isDanger
          suggestion={lastReason}
          onTyped={(reason) =>
            exclusions.noteTyped({ transactionId, customerName, reason, currency: row.currency, amount: row.amount }, transactionId)
          }
          onCancel={() => {
            exclusions.noteTyped(null, transactionId)
            setIsAsking(false)
          }}
          onReason={(reason) => {
            exclusions.exclude({ transactionId, customerName, reason, currency: row.currency, amount: row.amount })
            onReason(reason)
            setIsAsking(false)
          }}
        />
      )}
      {isOpen && <Evidence application={application} transactionId={transactionId} payment={row} />}
    </li>
  )
}
