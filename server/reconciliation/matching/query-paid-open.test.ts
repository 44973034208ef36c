import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Connectors, QueryOutcome } from '#server/operators/connector.ts'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, ORANGE_BF_HEADER } from '../testing/statements.ts'
import { queryPaidOpen } from './query-paid-open.ts'

const exchange = { httpStatus: 200, answer: '{}' }
const PENDING: QueryOutcome = { kind: 'pending', exchange }
const SUCCEEDED: QueryOutcome = { kind: 'succeeded', exchange }

type Answer = { now: QueryOutcome; queries: number }

let harness: OperatorHarness
let desk: Desk
before(async () => {
  harness = await OperatorHarness.open()
  desk = await createDesk(harness.database.pool)
})
after(() => harness.close())

const statement = (item: IntakeItem, status = 'SUCCESS') => {
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ')
  const amount = String(item.amountMinor / 100n)
  return csv([
    ORANGE_BF_HEADER,
    [
      time,
      status,
      `L${item.transactionId.slice(-8)}`,
      '',
      '70123456',
      item.transactionId,
      'MERCHPAY',
      amount,
      '',
      amount,
      '',
      '',
      '',
      '',
      '',
    ],
  ])
}

/** An operator that has accepted a deposit, and answers queries with what `answer` is. */
async function openDeposit(answer: Answer) {
  const query = async () => {
    answer.queries++
    return answer.now
  }
  const one = connectorsWith(harness, { submit: async () => ({ kind: 'accepted', exchange }), query })
  const connectors: Connectors = { ...one, operators: () => ['BFOM'] }
  const dispatcher = harness.startDispatcher({ connectors })
  const item = await harness.make({ operator: 'BFOM', type: 'DEPOSIT', amountMinor: 250_000n, phoneNumber: '22670123456' })
  await waitUntil('it is submitted', async () => {
    const work = await harness.workOf(item)
    return work?.['state'] === 'submitted' && work['is_claimed'] === false
  })
  // The schedule of a deposit that nobody has confirmed yet, hours later.
  await harness.database.pool.query(`update operator_work set next_at = now() + interval '1 hour' where transaction_id = $1`, [
    item.transactionId,
  ])
  return { item, dispatcher }
}

test('ended by a query that the statement forces: a transaction that is open here and paid there; no line ends it alone', async () => {
  const answer: Answer = { now: PENDING, queries: 0 }
  const { item, dispatcher } = await openDeposit(answer)
  const before = answer.queries
  assert.equal(await queryPaidOpen(harness.database.pool), 0)
  // The operator still says that it is open: nothing is booked, and it is not asked about this line again.
  await desk.bring('BFOM', statement(item))
  dispatcher.wake()
  await waitUntil('it is queried', () => answer.queries === before + 1)
  await waitUntil('it is stored', async () => (await harness.workOf(item))?.['is_claimed'] === false)
  assert.equal((await harness.read(item)).status, 'PENDING')
  await harness.database.pool.query(`update operator_work set next_at = now() + interval '1 hour'`)
  assert.equal(await queryPaidOpen(harness.database.pool), 0)

  answer.now = SUCCEEDED
  const { item: other, dispatcher: second } = await openDeposit(answer)
  await desk.bring('BFOM', statement(other))
  second.wake()
  assert.equal((await harness.untilFinal(other)).status, 'SUCCESS')
  await Promise.all([dispatcher.drain(), second.drain()])
})

test('bounded, left to the next minute, and only for lines that show a payment', async () => {
  const answer: Answer = { now: PENDING, queries: 0 }
  const { pool } = harness.database
  const opened = [await openDeposit(answer), await openDeposit(answer), await openDeposit(answer)]
  await Promise.all(opened.map(({ dispatcher }) => dispatcher.drain()))
  const [one, two, failed] = opened.map(({ item }) => item)
  assert.ok(one && two && failed)
  await desk.bring('BFOM', statement(failed, 'FAILED'))
  const dueOf = async (item: IntakeItem) => {
    const work = await harness.workOf(item)
    return work?.['next_at'] instanceof Date && work['next_at'].getTime() <= Date.now() + 1_000
  }
  assert.equal(await dueOf(failed), false)
  await desk.bring('BFOM', statement(one))
  await desk.bring('BFOM', statement(two))
  assert.deepEqual([await dueOf(one), await dueOf(two)], [true, true])
  await pool.query(`update operator_work set next_at = now() + interval '1 hour' where transaction_id = any ($1)`, [
    [one.transactionId, two.transactionId],
  ])
  assert.equal(await queryPaidOpen(pool, 1), 1)
  assert.equal(await queryPaidOpen(pool, 1), 1)
  assert.equal(await queryPaidOpen(pool, 1), 0)
})
