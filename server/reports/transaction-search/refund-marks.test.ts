import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type TransactionFilter, transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readTransactionList } from './search-transactions.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
})
after(async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
  await database.drop()
})

/** A collect of 5,000 that succeeded, with refunds of these amounts. */
async function aCollect(...refundsMinor: bigint[]): Promise<{ collectId: string; refundIds: string[] }> {
  const collect = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [collect])
  await transition(database.pool, [{ ...collect, event: 'succeeded', actor: SYSTEM_ACTOR }])
  const refunds = refundsMinor.map((amountMinor) =>
    anIntakeItem(applicationId, { amountMinor, refund: { collectId: collect.transactionId, refundedMinor: amountMinor } }),
  )
  for (const refund of refunds) await takeIn(database.pool, [refund])
  return { collectId: collect.transactionId, refundIds: refunds.map(({ transactionId }) => transactionId) }
}

async function marks(filter: Partial<TransactionFilter> = {}): Promise<Map<string, string | null>> {
  const found = await readTransactionList(database.pool, inUtc(applicationId), { ...transactionFilterSchema.parse({}), ...filter })
  assert.equal(found.total, found.rows.length)
  return new Map(found.rows.map(({ transactionId, refund }) => [transactionId, refund]))
}

test('marked in the list and found by the filter: refunds, and collects that are refunded whole or in part; nothing once the refund failed', async () => {
  const [whole, part, failed, none] = [
    await aCollect(300_000n, 200_000n),
    await aCollect(1_000n),
    await aCollect(500_000n),
    await aCollect(),
  ]
  await transition(database.pool, [{ applicationId, transactionId: failed.refundIds[0] ?? '', event: 'failed', actor: SYSTEM_ACTOR }])
  const all = await marks()
  assert.deepEqual(
    [whole, part, failed, none].map(({ collectId }) => all.get(collectId)),
    ['refunded', 'partly_refunded', null, null],
  )
  const refunds = [whole, part, failed].flatMap(({ refundIds }) => refundIds)
  assert.deepEqual(new Set(refunds.map((id) => all.get(id))), new Set(['refund']))
  assert.deepEqual(new Set((await marks({ refund: 'refund' })).keys()), new Set(refunds))
  assert.deepEqual(new Set((await marks({ refund: 'refunded' })).keys()), new Set([whole.collectId, part.collectId]))
  assert.deepEqual((await marks({ refund: 'refunded', status: ['FAILED'] })).size, 0)
})
