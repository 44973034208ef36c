import { AvailabilityNote } from '#components/domain/availability-note.tsx'
import { Card } from '#components/ui/card.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import type { DisturbedDirection } from '#lib/availability.ts'
import { BATCH_PAGE_SIZE, type BatchDto, type BatchRowDto, ROW_FILTERS, type RowFilter } from '#lib/batch-dto.ts'
import type { BatchWords } from '#lib/batch-text.ts'
import { formatCount } from '#lib/format.ts'
import { paths } from '#lib/paths.ts'
import { PageLinks } from '../../_components/page-links.tsx'
import { ApprovalNeeds } from './approval-needs.tsx'
import { ColumnsForm } from './columns-form.tsx'
import { OperatorSums } from './operator-sums.tsx'
import { ReadingNotes } from './reading-notes.tsx'
import { Repairs } from './repairs.tsx'
import { RowTable } from './row-table.tsx'
import { SubmitPanel } from './submit-panel.tsx'

type Props = {
  application: string
  batch: BatchDto
  rows: readonly BatchRowDto[]
  show: RowFilter
  page: number
  mayChange: boolean
  words: BatchWords
  disturbed: readonly DisturbedDirection[]
}

/** What would happen if the batch was submitted as it is. Nothing has moved. */
export function DryRun({ application, batch, rows, show, page, mayChange, words, disturbed }: Props) {
  const { t, locale } = words
  const counts: Record<RowFilter, number> = {
    all: batch.rowCount,
    problems: batch.problemCount,
    warnings: batch.warningCount,
    repairs: batch.repairCount,
    excluded: batch.excludedCount,
  }
  const addressOf = (filter: RowFilter, number = 0) =>
    paths.batch(application, batch.batchId, { show: filter === 'all' ? null : filter, page: number || null })
  return (
    <>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <Card>
          <h2 className="mb-2">{t('batches.effect')}</h2>
          {batch.operators.length === 0 ? (
            <p className="text-ink-2">{t('batches.nothingReady')}</p>
          ) : (
            <OperatorSums batch={batch} words={words} />
          )}
        </Card>
        <Card className="grid grid-cols-1 gap-3">
          <h2>{t('batches.before')}</h2>
          {disturbed
            .filter(({ operator, type }) => type === batch.type && batch.operators.some((sum) => sum.operator === operator))
            .map((direction) => (
              <AvailabilityNote key={direction.operator} direction={direction} />
            ))}
          <ApprovalNeeds batch={batch} t={t} />
          <ReadingNotes reading={batch.reading} t={t} />
          {batch.twin && <Notice tone="wait">{t('batches.twin', { name: batch.twin.name, maker: batch.twin.makerName })}</Notice>}
          {mayChange ? (
            <SubmitPanel
              application={application}
              batchId={batch.batchId}
              version={batch.version}
              ready={batch.readyCount}
              problems={batch.problemCount}
              twin={batch.twin}
            />
          ) : (
            <p className="text-second text-quiet">{t('batches.onlyMakers')}</p>
          )}
        </Card>
      </div>
      {batch.repairs.length > 0 && <Repairs application={application} batch={batch} mayChange={mayChange} />}
      <details className="rounded-lg border border-line bg-surface p-3">
        <summary className="cursor-pointer font-medium">{t('batches.columns')}</summary>
        <div className="mt-3">
          <ColumnsForm application={application} batch={batch} mayChange={mayChange} />
        </div>
      </details>
      <section aria-label={t('batches.rows')} className="grid grid-cols-1 gap-3">
        <Tabs
          label={t('batches.rows')}
          tabs={ROW_FILTERS.map((filter) => ({
            href: addressOf(filter),
            label: t(`batches.show.${filter}`),
            count: formatCount(counts[filter], locale),
            isCurrent: filter === show,
          }))}
        />
        <RowTable application={application} batchId={batch.batchId} version={batch.version} rows={rows} mayChange={mayChange} />
        <PageLinks
          t={t}
          locale={locale}
          page={page}
          size={BATCH_PAGE_SIZE}
          total={counts[show]}
          hrefFor={(number) => addressOf(show, number)}
        />
      </section>
    </>
  )
}
