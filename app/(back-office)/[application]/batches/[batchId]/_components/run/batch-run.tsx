import { PageMessages } from '#components/ui/translations.tsx'
import { pickMessages } from '#lib/i18n/translate.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readLocale } from '#server/back-office/preferences.ts'
import { MESSAGES } from '#server/messages.ts'
import { readBatchRun } from '#server/reports/batches/read-batch-run.ts'
import { RunBoard } from './run-board.tsx'

/** A batch after its submission: how far it is, who decided, and what this person may do with it. Nothing before it has rows. */
export async function BatchRun({ application, batchId }: { application: string; batchId: string }) {
  const actor = await requireActor(application, 'transaction:read')
  const [locale, run] = await Promise.all([readLocale(), readBatchRun(backOfficeRuntime().pool, actor, batchId)])
  if (!run) return null
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['batch.', 'batches.openTransactions'])}>
      <RunBoard application={application} first={run} />
    </PageMessages>
  )
}
