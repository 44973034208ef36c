import { AvailabilityNote } from '#components/domain/availability-note.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Tabs } from '#components/ui/display/page.tsx'
import { PageLinks } from '#components/ui/display/page-links.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { KeepFocus } from '#components/ui/keep-focus.tsx'
import {
  BATCH_PAGE_SIZE,
  type BatchDto,
  type BatchNamesDto,
  type BatchWords,
  type CheckedBatchRow,
  type ProblemPages,
  ROW_FILTERS,
  type RowFilter,
} from '#lib/batches/batches.ts'
import type { FileReading } from '#lib/batches/file-problem.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatAmount, formatCount, moneyText } from '#lib/text/format.ts'
import { ColumnsForm, Repairs } from './corrections.tsx'
import { NamesPanel } from './names-panel.tsx'
import { RowTable } from './row-table.tsx'
import { SubmitPanel } from './submit-panel.tsx'

type Props = {
  application: string
  batch: BatchDto
  rows: readonly CheckedBatchRow[]
  names: BatchNamesDto | null
  show: RowFilter
  page: number
  pages: ProblemPages
  mayChange: boolean
  words: BatchWords
  disturbed: readonly DisturbedDirection[]
}

/** The outcome if the batch were submitted now. No money has moved. */
export function DryRun({ application, batch, rows, names, show, page, pages, mayChange, words, disturbed }: Props) {
  const { t, locale } = words
  const counts: Record<RowFilter, number> = {
    all: batch.rowCount,
    problems: batch.problemCount,
    warnings: batch.warningCount,
    repairs: batch.repairCount,
    excluded: batch.excludedCount,
  }
  const addressOf = (filter: RowFilter, number = 0) => paths.batch(application, batch.batchId, { show: filter, page: number || null })
  const rowsFirst = show === 'problems' && batch.problemCount > 0
  const rowList = (
    // The key keeps what was typed in the rows when they change places with the sums.
    <section key="rows" aria-label={t('batches.rows')} className="grid grid-cols-1 gap-3">
      <Tabs
        label={t('batches.rows')}
        tabs={ROW_FILTERS.map((filter) => ({
          href: addressOf(filter),
          label: t(`batches.show.${filter}`),
          count: formatCount(counts[filter], locale),
          isCurrent: filter === show,
        }))}
      />
      <RowTable
        application={application}
        batchId={batch.batchId}
        version={batch.version}
        rows={rows}
        mayChange={mayChange}
        show={show}
        page={page}
        pages={pages}
      />
      <PageLinks
        t={t}
        locale={locale}
        page={page}
        size={BATCH_PAGE_SIZE}
        total={counts[show]}
        hrefFor={(number) => addressOf(show, number)}
      />
    </section>
  )
  const facts = (
    <div key="facts" className="grid grid-cols-1 gap-5">
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
          <NamesPanel application={application} batchId={batch.batchId} version={batch.version} names={names} mayChange={mayChange} />
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
    </div>
  )
  return <KeepFocus className="grid grid-cols-1 gap-5">{rowsFirst ? [rowList, facts] : [facts, rowList]}</KeepFocus>
}

/** How many checkers the rules require, and who they can be. */
function ApprovalNeeds({ batch, t }: { batch: BatchDto; t: Translate }) {
  return (
    <div className="grid gap-1">
      {batch.approvals.map((need) => (
        <p key={`${need.rules.join()}${need.currencies.join()}`}>
          {t('batches.approvals', { count: need.steps.reduce((sum, step) => sum + step, 0) })}
          {need.needsCode && ` ${t('batches.approvalsCode')}`}{' '}
          <span className="text-quiet">
            {batch.approvals.length > 1 && `${need.currencies.join(', ')} · `}
            {need.rules.join(' · ')}
          </span>
        </p>
      ))}
      <p className={batch.checkers.length === 0 ? 'text-bad' : 'text-second text-quiet'}>
        {batch.checkers.length === 0 ? t('batches.noCheckers') : t('batches.checkers', { names: batch.checkers.join(', ') })}
      </p>
    </div>
  )
}

const ENCODINGS = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16', 'windows-1252': 'Windows-1252' } as const

/** How the file was read, and what of it was not. */
function ReadingNotes({ reading, t }: { reading: FileReading; t: Translate }) {
  const notes = [
    reading.sheet !== null && t('batches.reading.sheet', { sheet: reading.sheet }),
    reading.otherSheets.length > 0 && t('batches.reading.otherSheets', { sheets: reading.otherSheets.join(', ') }),
    reading.encoding !== null &&
      t('batches.reading.text', {
        encoding: ENCODINGS[reading.encoding],
        separator: reading.separator === '\t' ? t('batches.reading.tab') : (reading.separator ?? ''),
      }),
    reading.hiddenRows > 0 && t('batches.reading.hiddenRows', { count: reading.hiddenRows }),
    reading.rowsAbove > 0 && t('batches.reading.rowsAbove', { count: reading.rowsAbove }),
  ].filter((note) => note !== false)
  return <p className="text-second text-quiet">{notes.join(' ')}</p>
}

type OperatorSum = BatchDto['operators'][number]

/** A head of two lines where its figures need less than its words. */
const WRAPPED = 'w-28 py-1 whitespace-normal! leading-4'

/** Sums and fees per operator, and the balance after this file and after everything that waits. */
function OperatorSums({ batch, words: { t, locale } }: { batch: BatchDto; words: BatchWords }) {
  const isDeposit = batch.type === 'DEPOSIT'
  const balance = (head: string, amountOf: (sum: OperatorSum) => string | null): Column<OperatorSum> => ({
    head,
    align: 'end',
    isLabelled: true,
    headClass: WRAPPED,
    cellClass: '@max-[560px]/card:basis-full',
    cell: (sum) => {
      const amount = amountOf(sum)
      const text = amount === null ? '–' : formatAmount(amount, locale)
      return <span className={`whitespace-nowrap ${amount?.startsWith('-') ? 'text-bad' : ''}`}>{text}</span>
    },
  })
  return (
    <div className="grid grid-cols-1 gap-2">
      <ListTable
        isBare
        isList
        label={t('batches.effect')}
        rows={batch.operators}
        keyOf={({ operator }) => operator}
        columns={[
          { head: t('payment.field.operator'), cell: ({ operator }) => <OperatorMark code={operator} /> },
          { head: t('batches.rows'), align: 'end', isLabelled: true, cell: ({ count }) => formatCount(count, locale) },
          {
            head: t('batches.sum'),
            align: 'end',
            cellClass: 'whitespace-nowrap',
            cell: (sum) => (
              <>
                {moneyText(sum, locale)}
                <span className="block text-second text-quiet">{t('batches.withFees', { fees: formatAmount(sum.fees, locale) })}</span>
              </>
            ),
          },
          isDeposit && balance(t('batches.balanceAfter'), (sum) => sum.balanceAfter),
          isDeposit && balance(t('batches.balanceAfterWaiting'), (sum) => sum.balanceAfterWaiting),
        ]}
      />
      <p className="text-ink-2">
        {t('batches.total')}{' '}
        {batch.sums.map((sum) => (
          <strong key={sum.currency} className="mr-3 whitespace-nowrap tabular">
            {moneyText(sum, locale)}
          </strong>
        ))}
      </p>
      {batch.operators.some((sum) => sum.balanceAfter?.startsWith('-')) && <p className="text-bad">{t('batches.short')}</p>}
    </div>
  )
}
