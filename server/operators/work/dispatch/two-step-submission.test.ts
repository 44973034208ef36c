import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Connector, Connectors, Submission } from '#server/operators/connector.ts'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { claimAll, readWork } from '#server/operators/testing/read-work.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { keepIdentifiers } from '../operator-work-store.ts'

const EXCHANGE = { httpStatus: 200, answer: '{}' }
const NOTHING = { kind: 'not_sent', detail: 'taken over', exchange: EXCHANGE } as const

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

async function run(connectors: Connectors, work: (item: IntakeItem) => Promise<void>): Promise<void> {
  const dispatcher = harness.startDispatcher({ connectors })
  await work(await harness.make({ operator: 'OMCM' }))
  await dispatcher.drain()
}

test('the token of the first step is committed before the second one, and a repeated submission receives it', async () => {
  const seen: (string | undefined)[] = []
  let stored: unknown
  const submit: Connector['submit'] = async (submission: Submission, keep) => {
    seen.push(submission.operatorToken)
    if (seen.length > 1) return { kind: 'succeeded', exchange: EXCHANGE }
    assert.equal(await keep({ operatorToken: 'MP22120771FEB7B21FD2381C3786' }), true)
    stored = (await readWork(harness.database.pool, { ...submission, transactionId: submission.reference }))?.['operator_token']
    return { ...NOTHING, detail: 'no connection for the second step' }
  }
  await run(connectorsWith(harness, { submit }), async (item) => {
    assert.equal((await harness.untilFinal(item)).payToken, 'MP22120771FEB7B21FD2381C3786')
  })
  assert.deepEqual([stored, seen], ['MP22120771FEB7B21FD2381C3786', [undefined, 'MP22120771FEB7B21FD2381C3786']])
})

test('the name of the application in each submission, for operators that show it to the customer', async () => {
  const seen: (string | undefined)[] = []
  const submit: Connector['submit'] = async ({ merchantName }) => {
    seen.push(merchantName)
    return { kind: 'succeeded', exchange: EXCHANGE }
  }
  await run(connectorsWith(harness, { submit }), async (item) => void (await harness.untilFinal(item)))
  assert.deepEqual(seen, ['Test application'])
})

test('FAILED without asking the customer for a code if no code could make the amount payable', async () => {
  const submit: Connector['submit'] = async ({ customerCode }) =>
    customerCode === undefined
      ? { kind: 'failed', reason: 'Montant avec décimales', exchange: EXCHANGE }
      : assert.fail('a code was asked for')
  const connectors = connectorsWith(harness, { submit, customerStep: { dial: () => '*144#' } })
  const dispatcher = harness.startDispatcher({ connectors })
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  const transaction = await harness.untilFinal(item)
  await dispatcher.drain()
  assert.deepEqual([transaction.status, transaction.message], ['FAILED', 'Montant avec décimales'])
  assert.deepEqual(await harness.attemptsOf(item), ['submit failed'])
})

test('a customer is asked for a code only once the submission without one has sent nothing', async () => {
  const dispatcher = harness.startDispatcher({
    connectors: connectorsWith(harness, { submit: async () => NOTHING, customerStep: { dial: () => '*144#' } }),
  })
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await waitUntil('the code is awaited', async () => (await harness.workOf(item))?.['state'] === 'awaiting_code')
  await dispatcher.drain()
})

test('false, so that no money moves, once the lease of the submission is over, and once the row is in a later one', async () => {
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const takenOver = Promise.withResolvers<void>()
  const submittedAgain = Promise.withResolvers<void>()
  const kept = Promise.withResolvers<void>()
  const answers: boolean[] = []
  let submissions = 0
  const submit: Connector['submit'] = async (_submission, keep) => {
    if (++submissions > 1) {
      submittedAgain.resolve()
      await kept.promise
      answers.push(await keep({ operatorToken: 'in time' }))
      return { kind: 'succeeded', exchange: EXCHANGE }
    }
    await takenOver.promise
    answers.push(await keep({ operatorToken: 'late' }))
    await submittedAgain.promise
    answers.push(await keep({ operatorToken: 'very late' }))
    kept.resolve()
    return NOTHING
  }
  const query: Connector['query'] = async () => {
    takenOver.resolve()
    await waitUntil('the first answer', () => answers.length > 0)
    return { kind: 'not_found', exchange: EXCHANGE }
  }
  const connectors = connectorsWith(harness, { terms: { ...terms, submitTimeoutMs: 100 }, submit, query })
  const dispatcher = harness.startDispatcher({ connectors, leaseMs: 900 })
  const item = await harness.make({ operator: 'OMCM' })
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await dispatcher.drain()
  assert.deepEqual(answers, [false, false, true])
})

test('false, so that no money moves, after the end of the lease although no other process has claimed the row yet', async () => {
  const { pool } = harness.database
  const item = await harness.make({ operator: 'OMCM' })
  const [work] = await claimAll(pool, 'OMCM', 5, 60_000)
  assert.ok(work)
  assert.equal(await keepIdentifiers(pool, work, { operatorToken: 'in time' }), true)
  await pool.query("update operator_work set claimed_until = clock_timestamp() - interval '1 millisecond' where transaction_id = $1", [
    item.transactionId,
  ])
  assert.equal(await keepIdentifiers(pool, work, { operatorToken: 'late' }), false)
  assert.equal((await harness.workOf(item))?.['operator_token'], 'in time')
  await pool.query('delete from operator_work where transaction_id = $1', [item.transactionId])
})

test('one submission although another environment of the operator does not know the transfer', async () => {
  let submissions = 0
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const routed = (route: string, overrides: Partial<Connector>) =>
    connectorsWith(harness, { ...overrides, terms: { ...terms, routes: new Map([['DEPOSIT', route]]) } })
  const lost: Connector['submit'] = async () => {
    submissions++
    return { kind: 'unknown', detail: 'lost', exchange: EXCHANGE }
  }
  const denied: Connector['query'] = async () => ({ kind: 'not_found', exchange: EXCHANGE })
  const first = harness.startDispatcher({
    connectors: routed('first', { submit: lost, query: async () => ({ kind: 'unknown', detail: 'x', exchange: EXCHANGE }) }),
  })
  const item = await harness.make({ operator: 'OMCM' })
  await waitUntil('it is unconfirmed', async () => (await harness.workOf(item))?.['state'] === 'unconfirmed')
  await first.drain()
  const second = harness.startDispatcher({ connectors: routed('second', { submit: lost, query: denied }) })
  const queries = async () => (await harness.attemptsOf(item)).filter((attempt) => attempt.startsWith('query')).length
  const before = await queries()
  await waitUntil('four more queries', async () => (await queries()) >= before + 4)
  await second.drain()
  assert.deepEqual([submissions, (await harness.workOf(item))?.['state']], [1, 'unconfirmed'])
  // On its own route the same denials are believed.
  const again = harness.startDispatcher({ connectors: routed('first', { submit: lost, query: denied }) })
  await waitUntil('it is sent again', async () => submissions === 2)
  await again.drain()
})
