import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { REFUND_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { contradict } from '#server/testing/contradiction.ts'
import { makePerson } from '#server/testing/factories.ts'
import { reverseCollect } from '#server/testing/reversal.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { OperatorHarness } from '../testing/operator-harness.ts'
import { endUnsentDeposits } from './end-unsent-deposits.ts'

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
afterEach(async () => {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
})
after(async () => {
  assert.deepEqual(await verifyBooks(harness.database.pool), [])
  await harness.close()
})

const end = () => endUnsentDeposits({ pool: harness.database.pool, wake: { webhooks: () => undefined } })

/** A collect of 5,000 that succeeded, and its refund, which is approved and not sent yet. */
async function aRefund(): Promise<{ collect: IntakeItem; refund: IntakeItem }> {
  const collect = await harness.make({ type: 'COLLECT' })
  await transition(harness.database.pool, [{ ...collect, event: 'succeeded', actor: SYSTEM_ACTOR }])
  const refund = await harness.make({ refund: { collectId: collect.transactionId, refundedMinor: 500_000n } })
  return { collect, refund }
}

const nextAtOf = async (item: IntakeItem) => Number((await harness.workOf(item))?.['next_at'])

async function untilPostponed(refund: IntakeItem): Promise<void> {
  await waitUntil('the refund is postponed', async () => (await nextAtOf(refund)) > Date.now() + 30_000)
}

test('not sent while the operator contradicts the collect since the approval, and sent once it confirms it; other deposits go on', async () => {
  const { collect, refund } = await aRefund()
  await contradict(harness.database.pool, collect, 'SUCCESS')
  harness.startDispatcher()
  await untilPostponed(refund)
  const other = await harness.make()
  assert.equal((await harness.untilFinal(other)).status, 'SUCCESS')
  assert.deepEqual([await harness.attemptsOf(refund), await end()], [[], 0])
  const detail = await readTransactionDetail(harness.database.pool, refund.applicationId, refund.transactionId)
  assert.deepEqual([detail?.status, detail?.refundOf?.isDoubted], ['PENDING', true])
  await contradict(harness.database.pool, collect, 'SUCCESS', ['succeeded'])
  await harness.database.pool.query('update operator_work set next_at = now() where transaction_id = $1', [refund.transactionId])
  assert.equal((await harness.untilFinal(refund)).status, 'SUCCESS')
})

test('FAILED and unsent, with its hold released: a refund whose collect was reversed in the books after the approval', async () => {
  const { pool } = harness.database
  const { collect, refund } = await aRefund()
  await reverseCollect(pool, collect, await makePerson(pool, collect.applicationId, ['finance']))
  harness.startDispatcher()
  await untilPostponed(refund)
  assert.equal(await end(), 1)
  const ended = await harness.read(refund)
  assert.deepEqual([ended.status, ended.message, ended.heldMinor, await harness.attemptsOf(refund)], ['FAILED', REFUND_MESSAGE, 0n, []])
  assert.equal((await harness.books()).get(refund.transactionId), undefined)
})

test('not ended, and sent again under its reference: a refund that the operator may have from before the collect was reversed', async () => {
  const { pool } = harness.database
  const { collect, refund } = await aRefund()
  await pool.query('update operator_work set submissions = 1 where transaction_id = $1', [refund.transactionId])
  await reverseCollect(pool, collect, await makePerson(pool, collect.applicationId, ['finance']))
  assert.equal(await end(), 0)
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(refund)).status, 'SUCCESS')
})
