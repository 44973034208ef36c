import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { readWork } from '#server/operators/testing/read-work.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import type { Connector, Connectors, GuardedConnector, Submission } from './connector.ts'
import { guardConnector } from './guard-connector.ts'

const EXCHANGE = { httpStatus: 200, answer: '{}' }
const NOTHING = { kind: 'not_sent', detail: 'taken over', exchange: EXCHANGE } as const

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

/** An operator with another first step, and nothing else. */
function connectorsWith(overrides: Partial<Connector>): Connectors {
  const plain = harness.connectors.get('OMCM') ?? assert.fail()
  const connector: GuardedConnector = guardConnector('OMCM', { ...plain, ...overrides }, createLogger('silent'))
  return { get: () => connector, has: () => true, operators: () => ['OMCM'] }
}

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
  await run(connectorsWith({ submit }), async (item) => {
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
  await run(connectorsWith({ submit }), async (item) => void (await harness.untilFinal(item)))
  assert.deepEqual(seen, ['Test application'])
})

test('FAILED without asking the customer for a code if no code could make the amount payable', async () => {
  const submit: Connector['submit'] = async ({ customerCode }) =>
    customerCode === undefined
      ? { kind: 'failed', reason: 'Montant avec décimales', exchange: EXCHANGE }
      : assert.fail('a code was asked for')
  const connectors = connectorsWith({ submit, customerStep: { dial: () => '*144#' } })
  const dispatcher = harness.startDispatcher({ connectors })
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  const transaction = await harness.untilFinal(item)
  await dispatcher.drain()
  assert.deepEqual([transaction.status, transaction.message], ['FAILED', 'Montant avec décimales'])
  assert.deepEqual(await harness.attemptsOf(item), ['submit failed'])
})

test('a customer is asked for a code only once the submission without one has sent nothing', async () => {
  const dispatcher = harness.startDispatcher({
    connectors: connectorsWith({ submit: async () => NOTHING, customerStep: { dial: () => '*144#' } }),
  })
  const item = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await waitUntil('the code is awaited', async () => (await harness.workOf(item))?.['state'] === 'awaiting_code')
  await dispatcher.drain()
})

test('false, so that no money moves, if another process has taken the submission over', async () => {
  const answers: boolean[] = []
  const submit: Connector['submit'] = async (submission, keep) => {
    await harness.database.pool.query("update operator_work set state = 'unconfirmed' where transaction_id = $1", [submission.reference])
    answers.push(await keep({ operatorToken: 'late' }))
    return NOTHING
  }
  await run(connectorsWith({ submit, query: async () => ({ kind: 'pending', exchange: EXCHANGE }) }), async (item) => {
    await waitUntil('it is queried', async () => (await harness.attemptsOf(item)).includes('query pending'))
    assert.equal((await harness.workOf(item))?.['operator_token'], null)
  })
  assert.deepEqual(answers, [false])
})

test('one submission although another environment of the operator does not know the transfer', async () => {
  let submissions = 0
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const routed = (route: string, overrides: Partial<Connector>) =>
    connectorsWith({ ...overrides, terms: { ...terms, routes: new Map([['DEPOSIT', route]]) } })
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
