import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { readEvidence } from './evidence.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 10_000_000n)
  const add = async (amount: bigint, hoursAgo: number, end?: 'succeeded' | 'failed', overrides: Partial<IntakeItem> = {}) => {
    const item = anIntakeItem(applicationId, { amountMinor: amount * 100n, feeSystemMinor: 0n, feeAppMinor: 0n, ...overrides })
    await takeIn(pool, [item])
    if (end)
      await transition(pool, [{ applicationId, transactionId: item.transactionId, event: end, actor: { kind: 'operator', id: null } }])
    await pool.query("update transactions set created_at = now() - $2::float8 * interval '1 hour' where transaction_id = $1", [
      item.transactionId,
      hoursAgo,
    ])
    return item.transactionId
  }
  return {
    applicationId,
    add,
    waiting: (amount: bigint, overrides: Partial<IntakeItem> = {}) =>
      add(amount, 0, undefined, { source: 'person', bands: [aBand()], ...overrides }),
  }
}

test('isFirst for a number that was never paid, also after failed attempts', async () => {
  const { applicationId, add, waiting } = await scene()
  await add(500n, 48, 'failed')
  const evidence = await readEvidence(database.pool, applicationId, await waiting(500n))
  assert.deepEqual([evidence?.isFirst, evidence?.failedBefore, evidence?.history, evidence?.nearEqual], [true, 1, null, []])
})

test('count, middle and largest amount, near-equal amounts, other name and balance of a known history', async () => {
  const { applicationId, add, waiting } = await scene()
  for (const [n, amount] of [100n, 200n, 300n, 400n, 500n].entries()) await add(amount, 1_000 - n, 'succeeded')
  await add(1_485n, 30, 'succeeded')
  const near = await add(1_490n, 4, 'succeeded', { customerName: 'Jean Fotso' })
  await add(1_500n, 3, 'failed')
  await waiting(2_000n, { phoneNumber: '237677000001' })
  const id = await waiting(1_500n)
  const evidence = await readEvidence(database.pool, applicationId, id)
  assert.ok(evidence?.history)
  const { since, lastAt, ...history } = evidence.history
  assert.ok(Date.parse(since) < Date.parse(lastAt))
  assert.deepEqual(history, { count: 7, isMore: false, median: '400', largest: '1490', timesMedian: 3.8, lastAmount: '1490' })
  assert.deepEqual(
    evidence.nearEqual.map((one) => [one.transactionId, one.amount, one.status, one.isSameName]),
    [[near, '1490', 'SUCCESS', false]],
  )
  assert.deepEqual([evidence.nameBefore?.name, evidence.nameBefore?.isOtherSpelling], ['Jean Fotso', false])
  assert.deepEqual([evidence.isFirst, evidence.failedBefore, evidence.operatorBefore], [false, 1, null])
  // 100,000 minus 2,990 + 1,485 paid; what waits takes nothing yet.
  assert.deepEqual(evidence.balance, { now: '95525', afterThis: '94025', afterAllWaiting: '92025', waitingCount: 2 })
})

test('isOtherSpelling for other accents, case or word order', async () => {
  const { applicationId, add, waiting } = await scene()
  await add(1_010n, 23, 'succeeded', { customerName: 'mbarga CLARISSÉ' })
  const evidence = await readEvidence(database.pool, applicationId, await waiting(1_000n))
  assert.equal(evidence?.nameBefore?.isOtherSpelling, true)
})

test('near-equal with the same name up to 1 % and 24 hours', async () => {
  const { applicationId, add, waiting } = await scene()
  const bound = await add(1_010n, 23, 'succeeded', { customerName: 'mbarga CLARISSÉ' })
  await add(1_011n, 23, 'succeeded', { customerName: 'mbarga CLARISSÉ' })
  await add(1_000n, 25, 'succeeded', { customerName: 'mbarga CLARISSÉ' })
  const evidence = await readEvidence(database.pool, applicationId, await waiting(1_000n))
  assert.deepEqual(
    evidence?.nearEqual.map((one) => [one.transactionId, one.isSameName]),
    [[bound, true]],
  )
})

test('operatorBefore for a number that changed its operator', async () => {
  const { applicationId, add, waiting } = await scene()
  await add(700n, 40, 'succeeded', { type: 'COLLECT', operator: 'OMCM', phoneNumber: '237677209341' })
  const evidence = await readEvidence(database.pool, applicationId, await waiting(700n, { type: 'COLLECT' }))
  assert.deepEqual([evidence?.operatorBefore, evidence?.isFirst], ['OMCM', false])
})

test('no balance for a collect', async () => {
  const { applicationId, waiting } = await scene()
  const evidence = await readEvidence(database.pool, applicationId, await waiting(700n, { type: 'COLLECT' }))
  assert.equal(evidence?.balance, null)
})

test('undefined for a transaction of another application', async () => {
  const id = await (await scene()).waiting(700n)
  assert.equal(await readEvidence(database.pool, (await scene()).applicationId, id), undefined)
})

test('history includes the earlier form of the same number and no neighbouring number', async () => {
  const { applicationId, add, waiting } = await scene()
  await fund(database.pool, applicationId, 'BJMTN', 10_000_000n)
  const benin = (phoneNumber: string) => ({ operator: 'BJMTN' as const, phoneNumber })
  await add(300n, 48, 'succeeded', benin('22997123456'))
  await add(300n, 40, 'succeeded', benin('22997123457'))
  const evidence = await readEvidence(database.pool, applicationId, await waiting(300n, benin('2290197123456')))
  assert.deepEqual([evidence?.isFirst, evidence?.history?.count], [false, 1])
})

test('refund with the collect and its other refunds, without those that failed', async () => {
  const { applicationId, add, waiting } = await scene()
  const collectId = await add(5_000n, 24, 'succeeded', { type: 'COLLECT' })
  const part = (amount: bigint) => ({ refund: { collectId, refundedMinor: amount * 100n } })
  await add(1_000n, 3, 'failed', part(1_000n))
  await add(1_500n, 2, 'succeeded', part(1_500n))
  await waiting(700n, part(700n))
  const transactionId = await waiting(300n, part(300n))
  const evidence = await readEvidence(database.pool, applicationId, transactionId)
  assert.ok(evidence?.refund)
  const { at: _, ...refund } = evidence.refund
  assert.deepEqual(refund, { collectId, collected: '5000', otherCount: 2, others: '2200' })
  const other = await readEvidence(database.pool, applicationId, await waiting(300n))
  assert.equal(other?.refund, null)
})
