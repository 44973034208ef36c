import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { readContradictions } from '#server/operators/testing/recorded-contradictions.ts'
import { type ScriptedOperator, sayNotFound, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { transition } from '#server/transactions/transition.ts'
import { createForcedEnquiries } from '../forced-enquiries.ts'
import { type FailedPayment, queryFailures } from '../second-looks.ts'

let operator: ScriptedOperator
let harness: OperatorHarness
before(async () => {
  operator = await startScriptedOperator({ submit: () => undefined, query: (asked) => sayTransfer(asked, 'FAILED', { message: 'x' }) })
  harness = await OperatorHarness.open({ elsewhere: { OMCM: operator.url } })
})
after(async () => {
  await harness.close()
  await operator.close()
})

async function failed(count: number): Promise<FailedPayment[]> {
  const items = await Promise.all(Array.from({ length: count }, () => harness.make({ operator: 'OMCM', type: 'COLLECT' })))
  const actor = { kind: 'operator' as const, id: null }
  await transition(
    harness.database.pool,
    items.map((item) => ({ ...item, event: 'failed' as const, message: 'x', actor })),
  )
  return items.map((item) => ({ ...item, currency: 'XAF', operatorReference: null, operatorToken: null }))
}

test('only what the operator confirms as failed or does not know may be paid again, and a success is recorded', async () => {
  const payments = await failed(5)
  const [confirmed, unknownToIt, paid, open, silent] = payments.map((payment) => payment.transactionId)
  assert.ok(confirmed && unknownToIt && paid && open && silent)
  operator.script.query = (asked) => {
    if (asked.reference === confirmed) return sayTransfer(asked, 'FAILED', { message: 'x' })
    if (asked.reference === unknownToIt) return sayNotFound(asked)
    if (asked.reference === paid) return sayTransfer(asked, 'SUCCESS')
    if (asked.reference === open) return sayTransfer(asked, 'PENDING')
    asked.response.destroy()
  }
  assert.deepEqual(await queryFailures(harness.forcedEnquiries, payments), new Set([confirmed, unknownToIt]))
  const recorded = await Promise.all(payments.map((payment) => readContradictions(harness.database.pool, payment)))
  assert.deepEqual(recorded, [[], [], ['1 query succeeded FAILED'], [], []])
})

test('at most eight queries at once, each payment once', async () => {
  const payments = await failed(40)
  const before = operator.queried.length
  let inProgress = 0
  let most = 0
  operator.script.query = (asked) => {
    most = Math.max(most, ++inProgress)
    setImmediate(() => {
      inProgress--
      sayTransfer(asked, 'FAILED', { message: 'x' })
    })
  }
  assert.equal((await queryFailures(harness.forcedEnquiries, payments)).size, 40)
  assert.equal(operator.queried.length - before, 40)
  assert.ok(most <= 8, `${most} at once`)
})

test('a transaction not reached within the time limit counts as not confirmed', async () => {
  const payments = await failed(20)
  operator.script.query = (asked) => sayTransfer(asked, 'FAILED', { message: 'x' })
  let calls = 0
  // Each look at the clock is two seconds later.
  const confirmed = await queryFailures(harness.forcedEnquiries, payments, () => calls++ * 2_000)
  assert.equal(confirmed.size, 9)
})

test('at an operator that answers no queries about collects, a collect may be paid again without one, and a deposit only once it is confirmed', async () => {
  const [collect, deposit] = await failed(2)
  assert.ok(collect && deposit)
  const queried: string[] = []
  const connectors = connectorsWith(harness, {
    hasNoQueries: true,
    query: async ({ reference }) => {
      queried.push(reference)
      return { kind: 'unknown', detail: 'x', exchange: { httpStatus: 200, answer: '{}' } }
    },
  })
  const confirmed = await queryFailures({ ...harness.forcedEnquiries, connectors }, [collect, { ...deposit, type: 'DEPOSIT' }])
  assert.deepEqual([confirmed, queried], [new Set([collect.transactionId]), [deposit.transactionId]])
})

test('what finds no free slot at the operator counts as not confirmed', async () => {
  const payments = await failed(2)
  const { pool, settler, logger } = harness.forcedEnquiries
  const busy = createForcedEnquiries({ pool, settler, logger, connectors: harness.connectors, limits: { callsMax: 1, waitMsMax: 5 } })
  const held = Promise.withResolvers<void>()
  const holding = busy.runOne('OMCM', 'another application', () => held.promise)
  assert.deepEqual(await queryFailures(busy, payments), new Set())
  held.resolve()
  await holding
})
