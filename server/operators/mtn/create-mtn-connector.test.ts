import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Connector } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connector-context.ts'
import { createMtnConnector } from './create-mtn-connector.ts'
import { anMtnSubmission, mtnSettings } from './mtn-testing.ts'
import { mtnReference } from './reference.ts'

const submission = anMtnSubmission()
const externalId = `${submission.reference}.${submission.applicationId}`
let server: Server
let connector: Connector
let tokens = 0
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()

before(async () => {
  server = createServer((request, response) => {
    if (request.url?.endsWith('/token/')) return say(response, 200, { access_token: `token ${++tokens}`, expires_in: '3600' })
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  connector = createMtnConnector(aConnectorContext(), mtnSettings(`http://127.0.0.1:${port}`))
})
after(async () => {
  await connector.close()
  server.closeAllConnections()
  server.close()
})

function say(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
}

for (const [status, body, kind] of [
  [202, undefined, 'accepted'],
  [409, { code: 'RESOURCE_ALREADY_EXIST', message: 'Duplicated reference id' }, 'accepted'],
  [400, undefined, 'failed'],
  [400, { code: 'BAD_REQUEST', message: 'x' }, 'failed'],
  [400, { statusCode: 400, message: 'the gateway refuses' }, 'unknown'],
  [403, { statusCode: 403, message: 'FORBIDDEN IP' }, 'unknown'],
  [500, { code: 'NOT_ALLOWED_TARGET_ENVIRONMENT', message: 'x' }, 'unknown'],
  [500, { code: 'INVALID_CURRENCY', message: 'x' }, 'unknown'],
  [503, { code: 'SERVICE_UNAVAILABLE', message: 'x' }, 'unknown'],
  [200, { status: 'SUCCESSFUL', externalId }, 'unknown'],
] as const) {
  test(`${kind} for a submission that is answered with HTTP ${status} ${body ? JSON.stringify(body).slice(0, 40) : 'and no body'}`, async () => {
    answer = (_, response) => say(response, status, body)
    assert.equal((await connector.submit(submission, keepNothing)).kind, kind)
  })
}

test('Numéro invalide for a refusal that names the number', async () => {
  answer = (_, response) => say(response, 400, { code: 'BAD_REQUEST', message: 'partyId is not a valid MSISDN' })
  const outcome = await connector.submit(submission, keepNothing)
  assert.deepEqual(outcome.kind === 'failed' && [outcome.reason, outcome.operatorCode], ['Numéro invalide', 'BAD_REQUEST'])
})

for (const [body, expected] of [
  [{ status: 'PENDING' }, 'pending'],
  [{ status: 'CREATED' }, 'pending'],
  [{ status: 'SUCCESSFUL', financialTransactionId: '23503452' }, 'succeeded 23503452'],
  [{ status: 'SUCCESSFUL', financialTransactionId: 23503452 }, 'succeeded 23503452'],
  [{ status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' }, 'failed Solde insuffisant NOT_ENOUGH_FUNDS'],
  [{ status: 'FAILED', reason: { code: 'APPROVAL_REJECTED', message: 'x' } }, 'failed Transaction annulée par le client APPROVAL_REJECTED'],
  [{ status: 'FAILED', reason: 'COULD_NOT_PERFORM_TRANSACTION' }, 'failed Timeout opérateur COULD_NOT_PERFORM_TRANSACTION'],
  [{ status: 'FAILED', reason: 'PAYEE_NOT_FOUND' }, 'failed Compte non inscrit PAYEE_NOT_FOUND'],
  [{ status: 'FAILED', reason: 'PAYER_LIMIT_REACHED' }, 'failed Transaction refusée PAYER_LIMIT_REACHED'],
  [{ status: 'FAILED' }, 'failed Transaction refusée'],
] as const) {
  test(`${expected} for a status query that is answered with ${JSON.stringify(body)}`, async () => {
    answer = (_, response) => say(response, 200, { amount: '5000', currency: 'XAF', externalId, ...body })
    const outcome = await connector.query(submission)
    const { kind } = outcome
    const facts = [
      kind,
      kind === 'succeeded' && outcome.operatorReference,
      kind === 'failed' && outcome.reason,
      kind === 'failed' && outcome.operatorCode,
    ]
    assert.equal(facts.filter(Boolean).join(' '), expected)
  })
}

test("not_found only for MTN's own 404", async () => {
  answer = (_, response) => say(response, 404, { code: 'RESOURCE_NOT_FOUND', message: 'x' })
  assert.equal((await connector.query(submission)).kind, 'not_found')
  answer = (_, response) => say(response, 404, { statusCode: 404, message: 'Resource not found' })
  assert.equal((await connector.query(submission)).kind, 'unknown')
})

test('one more try with a new token, under the same reference, after HTTP 401', async () => {
  const references: unknown[] = []
  answer = (request, response) => {
    references.push(request.headers['x-reference-id'])
    if (references.length === 1) return say(response, 401, { statusCode: 401, message: 'expired' })
    say(response, 202)
  }
  const before = tokens
  assert.equal((await connector.submit(submission, keepNothing)).kind, 'accepted')
  assert.deepEqual([references, tokens - before], [[mtnReference(submission.reference), mtnReference(submission.reference)], 1])
})

test('unknown, after two tries and no more, for credentials that MTN refuses', async () => {
  let calls = 0
  answer = (_, response) => {
    calls++
    say(response, 401, { statusCode: 401, message: 'no' })
  }
  assert.equal((await connector.submit(submission, keepNothing)).kind, 'unknown')
  assert.equal(calls, 2)
})

test('both balances from their own accounts; unknown if one of them cannot be read', async () => {
  answer = (request, response) =>
    say(response, 200, { availableBalance: request.url?.startsWith('/collection') ? '1500.5' : '0', currency: 'XAF' })
  const outcome = await connector.balance()
  assert.deepEqual(outcome.kind === 'balance' && [outcome.collectMinor, outcome.depositMinor, outcome.isOneAccount], [150_050n, 0n, false])
  answer = (request, response) =>
    request.url?.startsWith('/collection') ? say(response, 200, { availableBalance: '1', currency: 'XAF' }) : say(response, 500)
  assert.equal((await connector.balance()).kind, 'unknown')
})

test('a callback is a hint that names the transaction, with a reason as text or as an object; anything else is malformed', () => {
  const parse = (body: unknown) => connector.parseCallback({}, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
  const { applicationId, reference } = submission
  const hint = { kind: 'callback', applicationId, reference, isVerified: false }
  assert.deepEqual(parse({ status: 'SUCCESSFUL', externalId, financialTransactionId: '1' }), { ...hint, claim: 'succeeded' })
  assert.deepEqual(parse({ status: 'FAILED', externalId, reason: { code: 'EXPIRED' } }), { ...hint, claim: 'failed' })
  assert.deepEqual(parse({ status: 'PENDING', externalId }), { ...hint, claim: 'pending' })
  for (const body of ['', '{', '[]', { status: 'SUCCESSFUL' }, { status: 'SUCCESSFUL', externalId: 'order 7' }])
    assert.equal(parse(body).kind, 'malformed')
})
