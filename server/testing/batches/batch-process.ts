// One command about a batch in a process of its own, for tests that kill it: node batch-process.ts <json of BatchProcessPlan>.
import { decideBatch } from '#server/approvals/decide-batch.ts'
import { carryOutNext } from '#server/approvals/intended/carry-out.ts'
import { createPool } from '#server/database/pool.ts'
import { stopBatch } from '#server/operators/batch-run/control-batch.ts'
import { decisionDeps } from '#server/testing/factories.ts'

export type BatchProcessPlan = {
  databaseUrl: string
  /** `carry out`: what somebody validated before and is due. */
  what: 'decide' | 'stop' | 'carry out'
  applicationId: string
  batchId: string
  checkerId: string
  hash: string
  shownAt: string
}

/** By this name the connections of the process are found in the database. */
const BATCH_PROCESS_NAME = 'batch-process'

const plan: BatchProcessPlan = JSON.parse(process.argv[2] ?? '{}')
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 2, applicationName: BATCH_PROCESS_NAME })
const { applicationId, batchId, checkerId, hash, shownAt } = plan
await pool.query('select 1')
process.stdout.write('started\n')
if (plan.what === 'carry out') await carryOutNext(decisionDeps(pool))
else await act(plan.what)
process.stdout.write('done\n')
await pool.end()

async function act(what: 'decide' | 'stop'): Promise<void> {
  const done =
    what === 'decide'
      ? await decideBatch(decisionDeps(pool), {
          checker: { applicationId, id: checkerId, hasSecondFactor: false },
          batchId,
          decision: 'validated',
          note: 'Seen',
          excluded: [],
          hash,
          shownAt: new Date(shownAt),
        })
      : await stopBatch(decisionDeps(pool), {
          applicationId,
          batchId,
          person: { kind: 'person', id: checkerId, applicationId, roles: ['checker'] },
          reason: 'Wrong file',
        })
  if (!done.ok) throw new Error(`Refused: ${JSON.stringify(done.error)}`)
}
