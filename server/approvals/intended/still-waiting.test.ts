import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { decisionDeps } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { findApprovals } from '../queue/queue.ts'
import { carryOutNext } from './carry-out.ts'
import { makeIntentionsDue, openScene } from './testing/open-scene.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
  await database.drop()
})

test('said before and after it takes effect: how many payments wait for another approval, so that none is called sent', async () => {
  const { applicationId, ada, ben, make, validate, statuses, intended } = await openScene(database.pool)
  const [single] = await make(1)
  const [double] = await make(1, { steps: [2] })
  if (!single || !double) assert.fail('nothing was made')
  const results = must(await validate(ada, [single, double]))
  assert.deepEqual(
    results.map((result) => result.kind === 'intended' && [result.given, result.needed]),
    [
      [1, 1],
      [1, 2],
    ],
  )
  assert.equal((await intended(ada)).stillWaiting, 1)
  await makeIntentionsDue(database.pool, applicationId, 0)
  assert.equal(await carryOutNext(decisionDeps(database.pool)), true)
  assert.deepEqual(await statuses([single, double]), ['PENDING', 'PENDING_APPROVAL'])
  assert.deepEqual([(await intended(ada)).state, (await intended(ada)).stillWaiting], ['carried_out', 1])
  const last = must(await validate(ben, await contentOf(ben, double)))
  assert.deepEqual(
    last.map((result) => result.kind === 'intended' && [result.given, result.needed]),
    [[2, 2]],
  )
  assert.equal((await intended(ben)).stillWaiting, 0)
  await makeIntentionsDue(database.pool, applicationId, 0)
  assert.equal(await carryOutNext(decisionDeps(database.pool)), true)
  assert.deepEqual(await statuses([double]), ['PENDING'])
  assert.equal((await intended(ben)).stillWaiting, 0)
})

async function contentOf(checker: Parameters<typeof findApprovals>[1], { transactionId }: { transactionId: string }) {
  return (await findApprovals(database.pool, checker, [transactionId])).map(({ contentHash }) => ({ transactionId, contentHash }))
}
