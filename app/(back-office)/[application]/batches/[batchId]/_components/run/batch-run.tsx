import { PageMessages } from '#components/ui/translations.tsx'
import { pickMessages } from '#lib/i18n/translate.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readLocale } from '#server/back-office/preferences.ts'
import { MESSAGES } from '#server/messages.ts'
import { readBatchRun } from '#server/reports/batches/read-batch-run.ts'
import { RunBoard } from './run-board.tsx'

type Props = {
  application: string
  batchId: string
  /** Whether it says who rejected or recalled rows, where nothing above it does. */
  namesEnds?: boolean
}

/** A batch after its submission: how far it is, who decided, and what this person may do with it. Nothing before it has rows. */
export async function BatchRun({ application, batchId, namesEnds = false }: Props) {
  const actor = await requireActor(application, 'transaction:read')
  const [locale, run] = await Promise.all([readLocale(), readBatchRun(backOfficeRuntime().pool, actor, batchId)])
  if (!run) return null
  return (
    <PageMessages
      messages={pickMessages(MESSAGES[locale], [
        'batch.',
        'batches.stage',
        'batches.openTransactions',
        'batches.excludedBecause',
        'batches.problem',
        'approvals.ended',
        'approvals.quoted',
        'approvals.refused.not_waiting',
        'approvals.recall.not',
        'approvals.byProgram',
      ])}
    >
      <RunBoard application={application} first={run} namesEnds={namesEnds} />
    </PageMessages>
  )
}
