import { notFound } from 'next/navigation'
import { z } from 'zod'
import { BatchStageBadge } from '#components/domain/batch-stage.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink, buttonClass } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { BatchDto, BatchWords } from '#lib/batches/batches.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { batchPageSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listDisturbed } from '#server/operators/availability/disturbed.ts'
import { readBatch, readBatchRows } from '#server/reports/batches/read-batch.ts'
import { readLeftOut } from '#server/reports/batches/read-batch-run.ts'
import { readProblemPages } from '#server/reports/batches/read-cells.ts'
import { readNames } from '#server/reports/batches/read-names.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { ScheduleButton } from '../../beneficiaries/_components/schedule-buttons.tsx'
import { ListDifference } from '../_components/list-difference.tsx'
import { ColumnsForm } from './_components/corrections.tsx'
import { DryRun } from './_components/dry-run.tsx'
import { RepeatButton } from './_components/repeat-button.tsx'
import { BatchRun } from './_components/run/batch-run.tsx'
import { LeftOutNotice } from './_components/run/run-board.tsx'
import { DiscardButton, Submitting } from './_components/submit-panel.tsx'

export const generateMetadata = titled('batches.title')

/** One batch: its columns, its dry run, its submission, and what became of it after that. */
export default async function BatchPage({ params, searchParams }: PageProps<'batchId'>) {
  const { application, batchId } = await params
  const actor = await requireActor(application, 'batch:read')
  const runtime = backOfficeRuntime()
  const snapshot = runtime.directory.find(actor.applicationId)
  if (!snapshot || !z.uuid().safeParse(batchId).success) notFound()
  const address = readAddress(batchPageSchema, await searchParams)
  const { show: asked, page } = address.ok ? address.value : batchPageSchema.parse({})
  const [t, locale, batch, leftOut, disturbed] = await Promise.all([
    getT(),
    readLocale(),
    readBatch(runtime.pool, snapshot, batchId),
    readLeftOut(runtime.pool, actor.applicationId, batchId),
    listDisturbed(runtime.pool, actor.applicationId),
  ])
  if (!batch) notFound()
  const show = asked ?? (batch.problemCount > 0 ? 'problems' : 'all')
  const mayChange = can(actor.roles, 'transaction:create')
  const list = { show, page }
  const place = { ...batch, applicationId: actor.applicationId }
  const [rows, pages, names] =
    batch.state === 'draft'
      ? await Promise.all([
          readBatchRows(runtime.pool, place, list),
          readProblemPages(runtime.pool, place, list),
          readNames(runtime.pool, place),
        ])
      : [[], { previous: null, next: null }, null]
  const words = { t, locale, timeZone: actor.timeZone ?? 'UTC' }
  return (
    <PageContent
      words={[
        'batches.',
        'batch.leftOut',
        'repeat.',
        'plan.',
        'treasury.weekdays',
        'batch.unsubmitted',
        'batch.release.',
        'batch.refused.wrong_time',
        'availability.',
        'transaction.failure.',
        'payment.account.',
      ]}
    >
      <BatchHead application={application} batch={batch} mayChange={mayChange} words={words} zone={actor.businessZone} />
      <div className="mt-4 grid grid-cols-1 gap-5">
        <LeftOutNotice application={application} leftOut={leftOut} />
        {batch.state !== 'discarded' && <ListDifference application={application} applicationId={actor.applicationId} batchId={batchId} />}
        {batch.state === 'checking' && <ColumnsForm application={application} batch={batch} mayChange={mayChange} />}
        {batch.state === 'draft' && (
          <DryRun
            application={application}
            batch={batch}
            rows={rows}
            names={names}
            show={show}
            page={page}
            pages={pages}
            mayChange={mayChange}
            words={words}
            disturbed={disturbed}
          />
        )}
        {batch.state === 'submitting' && <Submitting application={application} started={batch.startedCount} total={batch.readyCount} />}
        {batch.state === 'submitted' && <BatchRun application={application} batchId={batch.batchId} namesEnds />}
        {batch.state === 'discarded' && <p className="text-ink-2">{t('batches.discardedText')}</p>}
      </div>
    </PageContent>
  )
}

type BatchHeadProps = { application: string; batch: BatchDto; mayChange: boolean; words: BatchWords; zone: string }

/** The name of a batch, where it comes from, and what can be done with the whole of it. */
function BatchHead({ application, batch, mayChange, words: { t }, zone }: BatchHeadProps) {
  const isOpen = batch.state === 'checking' || batch.state === 'draft'
  return (
    <PageHeader
      title={batch.name}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {batch.state !== 'submitted' && <BatchStageBadge t={t} batch={{ type: batch.type, stage: batch.state, places: {} }} />}
          <span>{t(`type.${batch.type}`)}</span>
          <span>{t('batches.rowCount', { count: batch.rowCount })}</span>
          {batch.fileName === null ? <span>{t('batches.byProgram')}</span> : <bdi className="wrap-anywhere">{batch.fileName}</bdi>}
          <span>
            {t('batches.changedBy', { name: batch.makerName })} <TimeText at={batch.changedAt} style="full" />
          </span>
          <span className="inline-flex items-center gap-1">
            <code className="text-second text-quiet">{batch.batchId}</code>
            <CopyButton text={batch.batchId} label={t('batches.id')} />
          </span>
        </span>
      }
      actions={
        <>
          <ButtonLink href={paths.batches(application)}>{t('batches.toList')}</ButtonLink>
          {batch.state !== 'discarded' && batch.state !== 'checking' && (
            <a href={paths.data(application, `batches/${batch.batchId}/rows`)} download className={buttonClass()}>
              {t('batches.download')}
            </a>
          )}
          {batch.state === 'submitted' && batch.type === 'DEPOSIT' && mayChange && (
            <>
              <RepeatButton application={application} batchId={batch.batchId} name={batch.name} />
              <ScheduleButton application={application} zone={zone} of={{ batchId: batch.batchId, name: batch.name }} />
            </>
          )}
          {isOpen && mayChange && <DiscardButton application={application} batchId={batch.batchId} version={batch.version} />}
        </>
      }
    />
  )
}
