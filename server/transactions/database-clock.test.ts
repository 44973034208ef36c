import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ok } from '#lib/result.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from './intake.ts'
import { SYSTEM_ACTOR, transition } from './transition.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
})
after(() => database.drop())

test("the database's clock in every row, in a sandbox too, when an item carries another time and the session sets one", async () => {
  const applicationId = await makeApplication(database.pool)
  const past = { at: new Date('2026-07-01T08:00:00.000Z') }
  const item = { ...anIntakeItem(applicationId, { type: 'COLLECT' }), ...past }
  const move = { applicationId, transactionId: item.transactionId, event: 'succeeded', actor: SYSTEM_ACTOR, ...past } as const
  await withTransaction(database.pool, async (trx) => {
    await trx.query("select set_config('countersign.simulated_time', $1, true)", [past.at.toISOString()])
    await takeIn(trx, [item])
    await transition(trx, [move])
    return ok(null)
  })
  const { rows } = await database.pool.query(
    `with written (at) as (
       select created_at from transactions union all select final_at from transactions union all select at from all_transaction_events
       union all select at from ledger_postings union all select created_at from webhook_deliveries)
     select count(*)::integer as rows, count(*) filter (where at between now() - interval '5 minutes' and clock_timestamp())::integer as present from written`,
  )
  assert.deepEqual(rows, [{ rows: 6, present: 6 }])
})
