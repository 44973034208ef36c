import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Connector } from '#server/operators/connector.ts'
import { createOperatorHttpClient, exchangeOf, notSentOrUnknown } from '#server/operators/operator-http-client.ts'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const LEASE_MS = 1_200
const SUBMIT_TIMEOUT_MS = 300

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

/** Pays each POST, with no key against a second one. The first key of an account is answered when the test says so. */
async function startSlowOperator() {
  const paid: string[] = []
  let slow: ServerResponse | undefined
  let keysRead = 0
  const server = createServer((request, response) => {
    if (request.url === '/key') {
      keysRead++
      if (keysRead === 1) slow = response
      else response.end('{}')
    } else if (request.method === 'POST') {
      paid.push(request.url ?? '')
      response.end('{}')
    } else response.writeHead(paid.includes(request.url ?? '') ? 200 : 404).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    paid,
    answerSlowKey: () => slow?.end('{}'),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('one payout at an operator without idempotency keys whose key call outlasts the lease, with two workers', async () => {
  const operator = await startSlowOperator()
  const http = createOperatorHttpClient(operator.url, 4, {})
  let late: Promise<unknown> | undefined
  const submit: Connector['submit'] = ({ reference, writeBeforeMs }) => {
    const submission = (async () => {
      await http.call({ method: 'GET', path: '/key', headers: {}, timeoutMs: 20_000 })
      const paid = await http.call({ method: 'POST', path: `/${reference}`, headers: {}, timeoutMs: SUBMIT_TIMEOUT_MS, writeBeforeMs })
      return paid.kind === 'answered' ? { kind: 'succeeded' as const, exchange: exchangeOf(paid) } : notSentOrUnknown(paid)
    })()
    late ??= submission
    return submission
  }
  const query: Connector['query'] = async ({ reference }) => {
    const found = await http.call({ method: 'GET', path: `/${reference}`, headers: {}, timeoutMs: 5_000 })
    const isFound = found.kind === 'answered' && found.httpStatus === 200
    return { kind: isFound ? 'succeeded' : 'not_found', exchange: exchangeOf(found) }
  }
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const connectors = connectorsWith(harness, { submit, query, terms: { ...terms, submitTimeoutMs: SUBMIT_TIMEOUT_MS } })
  const workers = [harness.startDispatcher({ connectors, leaseMs: LEASE_MS }), harness.startDispatcher({ connectors, leaseMs: LEASE_MS })]
  const item = await harness.make({ operator: 'OMCM' })
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  assert.ok((await harness.attemptsOf(item)).includes('query not_found'), 'no worker took the slow submission over')
  operator.answerSlowKey()
  await late
  await Promise.all(workers.map((worker) => worker.drain()))
  assert.deepEqual(operator.paid, [`/${item.transactionId}`])
  await http.close()
  operator.close()
})

test('a lease of 70 s, so no second worker, where an operator may take 60 s to answer', async () => {
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  let queries = 0
  const answered = Promise.withResolvers<void>()
  const connectors = connectorsWith(harness, {
    terms: { ...terms, submitTimeoutMs: 60_000 },
    submit: async ({ writeBeforeMs }) => {
      assert.ok(writeBeforeMs !== undefined && writeBeforeMs > performance.now())
      await answered.promise
      return { kind: 'succeeded', exchange: { httpStatus: 200, answer: '{}' } }
    },
    query: async () => {
      queries++
      return { kind: 'not_found', exchange: { httpStatus: 404, answer: '{}' } }
    },
  })
  const workers = [0, 1].map(() => harness.startDispatcher({ connectors, leaseMs: undefined }))
  const item = await harness.make({ operator: 'OMCM' })
  const lease = await waitUntil('it is claimed', async () => {
    const { rows } = await harness.database.pool.query<{ ms: number }>(
      'select extract(epoch from claimed_until - claimed_at)::float8 * 1000 as ms from operator_work where transaction_id = $1 and is_claimed',
      [item.transactionId],
    )
    return rows[0]
  })
  assert.equal(lease.ms, 70_000)
  answered.resolve()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await Promise.all(workers.map((worker) => worker.drain()))
  assert.equal(queries, 0)
})

test('no call is written later than an answer that takes its whole time would still come within the lease', async () => {
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const leftMs: number[] = []
  const connectors = connectorsWith(harness, {
    terms: { ...terms, submitTimeoutMs: 60_000 },
    submit: async ({ writeBeforeMs = Number.POSITIVE_INFINITY }) => {
      leftMs.push(writeBeforeMs - performance.now())
      return { kind: 'succeeded', exchange: { httpStatus: 200, answer: '{}' } }
    },
  })
  const worker = harness.startDispatcher({ connectors, leaseMs: 70_000 })
  await harness.untilFinal(await harness.make({ operator: 'OMCM' }))
  await worker.drain()
  assert.ok(leftMs.length === 1 && leftMs.every((ms) => ms < 10_000), `written up to ${leftMs.join()} ms after the claim`)
})

test('not sent, and no call of the connector, by a process that was stopped after its claim for as long as the lease', async () => {
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const connectors = connectorsWith(harness, {
    terms: { ...terms, submitTimeoutMs: 60_000 },
    submit: async () => assert.fail('called'),
    query: async () => assert.fail('queried'),
  })
  // No time for a call is left when the claim returns.
  const worker = harness.startDispatcher({ connectors, leaseMs: 60_000 })
  const item = await harness.make({ operator: 'OMCM' })
  await waitUntil('it is recorded', async () => (await harness.attemptsOf(item)).length > 0)
  await worker.drain()
  const attempts = new Set(await harness.attemptsOf(item))
  assert.deepEqual([attempts, (await harness.workOf(item))?.['state']], [new Set(['submit not_sent']), 'queued'])
  await harness.database.pool.query('delete from operator_work where transaction_id = $1', [item.transactionId])
})

test('not queried by a process that was stopped after its claim for as long as the lease: another one does', async () => {
  const connectors = connectorsWith(harness, { query: async () => assert.fail('queried') })
  const item = await harness.make({ operator: 'OMCM' })
  await harness.database.pool.query(
    "update operator_work set state = 'submitted', accepted_at = now(), submissions = 1, next_at = now() where transaction_id = $1",
    [item.transactionId],
  )
  // The lease is over when the claim returns.
  const worker = harness.startDispatcher({ connectors, leaseMs: 0 })
  await waitUntil('it is claimed three times', async () => Number((await harness.workOf(item))?.['attempts']) >= 3)
  await worker.drain()
  assert.deepEqual(await harness.attemptsOf(item), [])
  await harness.database.pool.query('delete from operator_work where transaction_id = $1', [item.transactionId])
})

test('queried, and ended by the answer, after a submission at an operator that may take 60 s to answer', async () => {
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const exchange = { httpStatus: 200, answer: '{}' }
  const connectors = connectorsWith(harness, {
    terms: { ...terms, submitTimeoutMs: 60_000 },
    submit: async () => ({ kind: 'accepted', exchange }),
    query: async () => ({ kind: 'succeeded', exchange }),
  })
  const worker = harness.startDispatcher({ connectors, leaseMs: undefined })
  const item = await harness.make({ operator: 'OMCM' })
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await worker.drain()
})
