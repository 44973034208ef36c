import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { can } from '#lib/permissions.ts'
import { batchPageSchema } from '#lib/schemas/batch-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listDisturbed } from '#server/operators/availability/list-disturbed.ts'
import { readBatch, readBatchRows } from '#server/reports/batches/read-batch.ts'
import { readLeftOut } from '#server/reports/batches/read-batch-run.ts'
import { BatchHead } from './_components/batch-head.tsx'
import { ColumnsForm } from './_components/columns-form.tsx'
import { DryRun } from './_components/dry-run.tsx'
import { LeftOutNotice } from './_components/left-out-notice.tsx'
import { BatchRun } from './_components/run/batch-run.tsx'
import { Submitting } from './_components/submitting.tsx'

type Props = {
  params: Promise<{ application: string; batchId: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('batches.title') }
}

/** One batch: its columns, its dry run, its submission, and what became of it after that. */
export default async function BatchPage({ params, searchParams }: Props) {
  const { application, batchId } = await params
  const actor = await requireActor(application, 'batch:read')
  const runtime = backOfficeRuntime()
  const snapshot = runtime.directory.find(actor.applicationId)
  if (!snapshot || !z.uuid().safeParse(batchId).success) notFound()
  const address = readAddress(batchPageSchema, await searchParams)
  const { show, page } = address.ok ? address.value : batchPageSchema.parse({})
  const [t, locale, batch, leftOut, disturbed] = await Promise.all([
    getT(),
    readLocale(),
    readBatch(runtime.pool, snapshot, batchId),
    readLeftOut(runtime.pool, actor.applicationId, batchId),
    listDisturbed(runtime.pool, actor.applicationId),
  ])
  if (!batch) notFound()
  const mayChange = can(actor.roles, 'transaction:create')
  const rows =
    batch.state === 'draft' ? await readBatchRows(runtime.pool, { ...batch, applicationId: actor.applicationId }, { show, page }) : []
  const words = { t, locale, timeZone: actor.timeZone ?? 'UTC' }
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['batches.', 'batch.leftOut', 'availability.'])}>
      <BatchHead application={application} batch={batch} mayChange={mayChange} words={words} />
      <div className="mt-4 grid grid-cols-1 gap-5">
        <LeftOutNotice application={application} leftOut={leftOut} />
        {batch.state === 'checking' && <ColumnsForm application={application} batch={batch} mayChange={mayChange} />}
        {batch.state === 'draft' && (
          <DryRun
            application={application}
            batch={batch}
            rows={rows}
            show={show}
            page={page}
            mayChange={mayChange}
            words={words}
            disturbed={disturbed}
          />
        )}
        {batch.state === 'submitting' && <Submitting application={application} started={batch.startedCount} total={batch.readyCount} />}
        {batch.state === 'submitted' && <BatchRun application={application} batchId={batch.batchId} />}
        {batch.state === 'discarded' && <p className="text-ink-2">{t('batches.discardedText')}</p>}
      </div>
    </PageMessages>
  )
}
