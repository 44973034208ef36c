import assert from 'node:assert/strict'
import type { Role } from '#lib/people/permissions.ts'
import type { Pool } from '#server/database/pool.ts'
import type { FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { findApprovals } from '../../queue/queue.ts'
import { decideOrIntendMany } from '../intend.ts'
import { listIntended, undoIntended } from '../undo.ts'

/** An application in which people can undo for a minute: what is due is made due by the test. */
export async function openScene(pool: Pool) {
  const applicationId = await makeApplication(pool)
  await pool.query('update applications set undo_seconds = 60 where application_id = $1', [applicationId])
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const person = async (roles: Role[]) => ({
    applicationId,
    id: await makePerson(pool, applicationId, roles),
    roles,
    hasSecondFactor: true,
  })
  const [ada, ben] = [await person(['checker']), await person(['checker'])]
  const makerId = await makePerson(pool, applicationId, ['maker'])

  return {
    applicationId,
    ada,
    ben,
    makerId,
    async make(count: number, band: Parameters<typeof aBand>[0] = {}) {
      const items = Array.from({ length: count }, () => anIntakeItem(applicationId, { source: 'person', makerId, bands: [aBand(band)] }))
      await takeIn(pool, items)
      const ids = items.map((item) => item.transactionId)
      const rows = await findApprovals(pool, ada, ids)
      return ids.map((id) => ({ transactionId: id, contentHash: rows.find((row) => row.transactionId === id)?.contentHash ?? '' }))
    },
    validate: (checker: typeof ada, items: readonly { transactionId: string; contentHash: string }[], proof?: FreshProof) =>
      decideOrIntendMany(decisionDeps(pool), { checker, decision: 'validated', note: 'Invoices seen', items, proof }),
    statuses: async (items: readonly { transactionId: string }[]) =>
      (
        await pool.query<{ status: string }>('select status from transactions where transaction_id = any ($1::uuid[]) order by status', [
          items.map((item) => item.transactionId),
        ])
      ).rows.map((row) => row.status),
    intended: async (checker: typeof ada) => (await listIntended(pool, checker))[0] ?? assert.fail('nothing is intended'),
    undo: (checker: typeof ada, intentionId: string) => undoIntended(pool, { applicationId, personId: checker.id, intentionId }),
    audit: async () =>
      (
        await pool.query<{ action: string }>('select action from audit_entries where application_id = $1 order by sequence', [
          applicationId,
        ])
      ).rows.map((row) => row.action),
  }
}

/** Everything intended is due `ago` seconds ago. */
export async function makeIntentionsDue(pool: Pool, applicationId: string, ago: number): Promise<void> {
  await pool.query("update intended_decisions set due_at = clock_timestamp() - $2 * interval '1 second' where application_id = $1", [
    applicationId,
    ago,
  ])
}
