import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FAILED_ENDS, type TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { searchTransactions } from './search-transactions.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('exactly what ended in that way is in the list, with its sum; what succeeded or is open is in none', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const [makerId, checkerId] = [await makePerson(pool, applicationId, ['maker']), await makePerson(pool, applicationId, ['checker'])]
  const events: TransitionEvent[] = ['failed', 'rejected', 'recalled', 'expired', 'stopped', 'succeeded']
  const byEvent = new Map<TransitionEvent, string>()
  for (const event of events) {
    const isWaiting = event === 'rejected' || event === 'recalled' || event === 'expired'
    const made = { type: 'COLLECT', source: 'person', makerId, ...(isWaiting ? { bands: [aBand()] } : {}) } as const
    const item = anIntakeItem(applicationId, made)
    await takeIn(pool, [item])
    const actor = event === 'rejected' ? ({ kind: 'person', id: checkerId } as const) : SYSTEM_ACTOR
    const [moved] = await transition(pool, [{ ...item, event, message: 'x', actor, ...(event === 'rejected' ? { checkerId } : {}) }])
    assert.equal(moved?.isMoved, true, event)
    byEvent.set(event, item.transactionId)
  }
  await takeIn(pool, [anIntakeItem(applicationId, { type: 'COLLECT' })])
  for (const ended of FAILED_ENDS) {
    const filter = transactionFilterSchema.parse({ ended })
    const found = await searchTransactions(pool, { applicationId, businessZone: 'UTC' }, filter)
    assert.deepEqual(
      found.rows.map((row) => row.transactionId),
      [byEvent.get(ended)],
      ended,
    )
    assert.deepEqual([found.total, found.sums.map((sum) => sum.count)], [1n, [1n]], ended)
  }
})
