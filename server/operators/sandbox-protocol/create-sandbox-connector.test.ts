import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Clock } from '#lib/time/time.ts'
import type { Connector, StatusEnquiry, Submission } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { SIGNATURE_HEADER, signCallback } from './messages.ts'
import { createSandboxConnector } from './sandbox-connector.ts'

const SECRET = 'shared'
const NOW = new Date('2026-03-01T12:00:00Z')
const clock: Clock = { now: () => NOW }

type Answer = (request: IncomingMessage, response: ServerResponse) => void
let answer: Answer = (_, response) => response.end()
let server: Server
let connector: Connector
/** Gives up after a quarter of a second. */
let hasty: Connector

before(async () => {
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const options = {
    ...aConnectorContext({ callbackUrl: 'http://127.0.0.1:1/cb', clock }),
    baseUrl: `http://127.0.0.1:${port}/prefix/`,
    secret: SECRET,
  }
  connector = createSandboxConnector(options)
  hasty = createSandboxConnector({ ...options, submitTimeoutMs: 250, queryTimeoutMs: 250 })
})
after(async () => {
  await connector.close()
  await hasty.close()
  server.closeAllConnections()
  server.close()
})

const submission: Submission = {
  reference: randomUUID(),
  applicationId: randomUUID(),
  operator: 'MOMOCM',
  type: 'DEPOSIT',
  amountMinor: 1_050n,
  currency: 'XAF',
  phoneNumber: '237677209341',
  customerName: 'Ève « N’Diaye »',
}
const query: StatusEnquiry = submission

function says(status: number, body: unknown): Answer {
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body))
}

function transfer(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { reference: submission.reference, status: 'PENDING', operatorReference: 'SIM1', context: submission.applicationId, ...overrides }
}

test('not_sent, and no call, for a submission whose lease has ended', async () => {
  let calls = 0
  answer = (request, response) => {
    calls++
    says(202, transfer())(request, response)
  }
  const outcome = await connector.submit({ ...submission, writeBeforeMs: performance.now() - 1 }, keepNothing)
  assert.deepEqual([outcome.kind, calls], ['not_sent', 0])
})

test('a submission contains reference, exact amount, context, callback address and secret', async () => {
  let seen: unknown
  answer = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    seen = [request.method, request.url, request.headers.authorization, JSON.parse(Buffer.concat(chunks).toString())]
    says(202, transfer({ token: 'T1' }))(request, response)
  }
  const outcome = await connector.submit(submission, keepNothing)
  assert.deepEqual(seen, [
    'POST',
    '/prefix/v1/MOMOCM/transfers',
    'Bearer shared',
    {
      reference: submission.reference,
      direction: 'DEPOSIT',
      amount: '10.5',
      currency: 'XAF',
      phoneNumber: '237677209341',
      customerName: 'Ève « N’Diaye »',
      context: submission.applicationId,
      callbackUrl: 'http://127.0.0.1:1/cb',
    },
  ])
  assert.equal(outcome.kind, 'accepted')
  assert.deepEqual(outcome.kind === 'accepted' && [outcome.operatorReference, outcome.operatorToken], ['SIM1', 'T1'])
})

test("failed with the operator's sentence, unchanged", async () => {
  answer = says(200, transfer({ status: 'FAILED', message: 'Numéro invalide' }))
  const outcome = await connector.query(query)
  assert.deepEqual(outcome.kind === 'failed' && outcome.reason, 'Numéro invalide')
  assert.equal((await connector.submit(submission, keepNothing)).kind, 'failed')
})

const UNKNOWN: [string, Answer][] = [
  ['HTTP 500', says(500, { code: 'INTERNAL', message: 'x' })],
  ['HTTP 503 with a transfer in it', says(503, transfer({ status: 'FAILED' }))],
  ['HTTP 401', says(401, { code: 'UNAUTHORISED', message: 'x' })],
  ['HTTP 429', says(429, '')],
  ['a redirect, which is not followed', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['a page of HTML', says(200, '<html>Welcome</html>')],
  ['an empty answer', says(200, '')],
  ['a status that does not exist', says(200, transfer({ status: 'DONE' }))],
  ['the transfer of another reference', says(200, transfer({ reference: randomUUID(), status: 'SUCCESS' }))],
  ['an answer beyond 64 KB', says(200, transfer({ message: 'x'.repeat(70_000) }))],
  ['a connection that is cut', (request) => request.socket.destroy()],
  [
    'half an answer',
    (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write('{"refer')
      setImmediate(() => response.destroy())
    },
  ],
  ['silence', () => undefined],
  [
    'an answer that never ends',
    (_, response) => {
      response.writeHead(200)
      response.write('{')
    },
  ],
]
for (const [name, behaviour] of UNKNOWN) {
  test(`unknown for ${name}, never failed`, async () => {
    answer = behaviour
    const startedAtMs = performance.now()
    assert.equal((await hasty.submit(submission, keepNothing)).kind, 'unknown')
    assert.equal((await hasty.query(query)).kind, 'unknown')
    assert.ok(performance.now() - startedAtMs < 5_000, 'each call has its deadline')
  })
}

test('not_sent for a submission, and unknown for a query, if nothing listens at the address', async () => {
  const nobody = createSandboxConnector({ ...aConnectorContext({ clock }), baseUrl: 'http://127.0.0.1:1', secret: SECRET })
  const outcome = await nobody.submit(submission, keepNothing)
  assert.equal(outcome.kind, 'not_sent')
  assert.match(outcome.kind === 'not_sent' ? outcome.detail : '', /ECONNREFUSED/)
  assert.equal((await nobody.query(query)).kind, 'unknown')
  await nobody.close()
})

test('a success reports the amount, the currency and the number as far as the operator names them; unknown for an amount that cannot be read', async () => {
  const report = async (more: object) => {
    answer = says(200, transfer({ status: 'SUCCESS', ...more }))
    const outcome = await connector.query(query)
    return outcome.kind === 'succeeded' ? outcome.reported : outcome.kind
  }
  assert.deepEqual(await report({ amount: '1', currency: 'XOF', phoneNumber: '+237 677209342' }), {
    amountMinor: 100n,
    currency: 'XOF',
    phoneNumber: '237677209342',
  })
  assert.deepEqual(await report({ amount: null }), { amountMinor: undefined, currency: undefined, phoneNumber: undefined })
  assert.equal(await report({ amount: 'ten' }), 'unknown')
})

test("not_found only for the operator's own answer, not for any other 404", async () => {
  answer = says(404, { code: 'UNKNOWN_REFERENCE', message: 'x' })
  assert.equal((await connector.query(query)).kind, 'not_found')
  assert.equal((await connector.submit(submission, keepNothing)).kind, 'unknown')
  answer = says(404, '<html>404 from some proxy</html>')
  assert.equal((await connector.query(query)).kind, 'unknown')
})

test('exact balances, zero included', async () => {
  answer = says(200, { collect: '0', deposit: '1234567.5', currency: 'XAF' })
  const outcome = await connector.balance()
  assert.deepEqual(outcome.kind === 'balance' && [outcome.collectMinor, outcome.depositMinor], [0n, 123_456_750n])
  answer = says(500, '')
  assert.equal((await connector.balance()).kind, 'unknown')
})

test('unverified for a callback without a fresh signature of exactly its bytes', () => {
  const body = JSON.stringify(transfer({ status: 'SUCCESS' }))
  const parse = (text: string, signature?: string) => connector.parseCallback({ [SIGNATURE_HEADER]: signature }, Buffer.from(text)).kind
  assert.equal(parse(body, signCallback(SECRET, body, NOW)), 'callback')
  assert.equal(parse(body), 'unverified')
  assert.equal(parse(body, 'nonsense'), 'unverified')
  assert.equal(parse(`${body} `, signCallback(SECRET, body, NOW)), 'unverified')
  assert.equal(parse(body, signCallback('other', body, NOW)), 'unverified')
  assert.equal(parse(body, signCallback(SECRET, body, new Date(NOW.getTime() - 301_000))), 'unverified')
  assert.equal(parse('{}', signCallback(SECRET, '{}', NOW)), 'malformed')
  assert.equal(parse('{', signCallback(SECRET, '{', NOW)), 'malformed')
})
