import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Connector } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { mtnReference } from './messages.ts'
import { createMtnConnector } from './mtn-connector.ts'
import { anMtnSubmission, mtnSettings } from './testing.ts'

const submission = anMtnSubmission()
const externalId = `${submission.reference}.${submission.applicationId}`
let server: Server
let url = ''
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
  url = `http://127.0.0.1:${port}`
  connector = createMtnConnector(aConnectorContext(), mtnSettings(url))
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
  [409, undefined, 'unknown'],
  [400, undefined, 'unknown'],
  [400, { code: 'BAD_REQUEST', message: 'x' }, 'failed'],
  [400, { code: 'A_NEW_CODE', message: 'x' }, 'unknown'],
  [400, { statusCode: 400, message: 'the gateway refuses' }, 'unknown'],
  [403, { statusCode: 403, message: 'FORBIDDEN IP' }, 'unknown'],
  [500, { code: 'PAYER_NOT_FOUND', message: 'x' }, 'failed'],
  [500, { code: 'PAYEE_NOT_ALLOWED_TO_RECEIVE', message: 'x' }, 'failed'],
  [500, { code: 'NOT_ENOUGH_FUNDS', message: 'x' }, 'failed'],
  [500, { code: 'NOT_ALLOWED', message: 'x' }, 'not_sent'],
  [500, { code: 'NOT_ALLOWED_TARGET_ENVIRONMENT', message: 'x' }, 'not_sent'],
  [500, { code: 'INVALID_CALLBACK_URL_HOST', message: 'x' }, 'not_sent'],
  [500, { code: 'INVALID_CURRENCY', message: 'x' }, 'not_sent'],
  [500, { code: 'APPROVAL_REJECTED', message: 'x' }, 'unknown'],
  [500, { code: 'INTERNAL_PROCESSING_ERROR', message: 'x' }, 'unknown'],
  [503, { code: 'SERVICE_UNAVAILABLE', message: 'x' }, 'unknown'],
  // A status with which MTN's core does not refuse.
  [503, { code: 'NOT_ENOUGH_FUNDS', message: 'x' }, 'unknown'],
  [200, { status: 'SUCCESSFUL', externalId }, 'unknown'],
] as const) {
  test(`${kind} for a submission that is answered with HTTP ${status} ${body ? JSON.stringify(body).slice(0, 40) : 'and no body'}`, async () => {
    answer = (_, response) => say(response, status, body)
    const outcome = await connector.submit(submission, keepNothing)
    assert.equal(outcome.kind, kind)
    assert.equal(outcome.kind === 'not_sent' && outcome.closesDirection !== undefined, kind === 'not_sent')
  })
}

const aRefund = { ...submission, reversalReference: submission.reference, isRepeated: true }
for (const [status, body, expected] of [
  [200, { externalId: submission.reference, status: 'SUCCESSFUL', amount: '5000' }, 'succeeded'],
  [200, { externalId, status: 'SUCCESSFUL', amount: '5000' }, 'unknown'],
  [200, { externalId: submission.reference, status: 'PENDING', amount: '5000' }, 'accepted'],
  [200, { externalId: submission.reference, status: 'FAILED', amount: '5000' }, 'failed'],
  [404, { code: 'NOT_FOUND' }, 'unknown'],
  [503, { code: 'SERVICE_UNAVAILABLE' }, 'unknown'],
] as const)
  test(`${expected}, and no second refund, for a repeated one whose query is answered with HTTP ${status} ${JSON.stringify(body)}`, async () => {
    const methods: (string | undefined)[] = []
    answer = (request, response) => {
      methods.push(request.method)
      say(response, status, body)
    }
    assert.equal((await connector.reversals?.reverse(aRefund))?.kind, expected)
    assert.deepEqual(methods, ['GET'])
  })

test('accepted for a repeated refund that MTN does not know, which is sent again under its reference', async () => {
  const calls: unknown[] = []
  answer = (request, response) => {
    calls.push([request.method, request.headers['x-reference-id']])
    if (request.method === 'GET') say(response, 404, { code: 'RESOURCE_NOT_FOUND' })
    else say(response, 202)
  }
  assert.equal((await connector.reversals?.reverse(aRefund))?.kind, 'accepted')
  assert.deepEqual(calls, [
    ['GET', undefined],
    ['POST', submission.reference],
  ])
})

test('Compte non inscrit for HTTP 500 with PAYER_NOT_FOUND', async () => {
  answer = (_, response) => say(response, 500, { code: 'PAYER_NOT_FOUND', message: 'x' })
  const outcome = await connector.submit(submission, keepNothing)
  assert.deepEqual(outcome.kind === 'failed' && [outcome.reason, outcome.operatorCode], ['Compte non inscrit', 'PAYER_NOT_FOUND'])
})

test('payerMessage has the name of the merchant without the signs that MTN refuses, and the reference where there is no name', async () => {
  const messages: string[] = []
  answer = async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    messages.push(JSON.parse(body).payerMessage)
    say(response, 202)
  }
  for (const merchantName of [submission.merchantName, undefined, "'()'", 'x'.repeat(200)])
    await connector.submit({ ...submission, merchantName }, keepNothing)
  const { reference } = submission
  assert.deepEqual(messages, ['Epicerie d Akwa 1', `Transaction ${reference}`, `Transaction ${reference}`, 'x'.repeat(160)])
})

test('failed without a call for an amount with decimals, unless the settings say that MTN takes them', async () => {
  answer = (_, response) => say(response, 202)
  const fraction = { ...submission, amountMinor: 100_050n }
  const outcome = await connector.submit(fraction, keepNothing)
  assert.deepEqual(outcome.kind === 'failed' && [outcome.operatorCode, outcome.exchange.httpStatus], ['DECIMALS', null])
  const taking = createMtnConnector(aConnectorContext(), mtnSettings(url, { takesDecimals: true }))
  assert.equal((await taking.submit(fraction, keepNothing)).kind, 'accepted')
  await taking.close()
})

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
  [{ status: 'SUCCESSFUL', financialTransactionId: null, reason: null }, 'succeeded'],
  [{ status: 'PENDING', financialTransactionId: null }, 'pending'],
  [{ status: 'SUCCESSFUL', amount: 'five thousand' }, 'unknown'],
  [{ status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' }, 'failed Solde insuffisant NOT_ENOUGH_FUNDS'],
  [{ status: 'FAILED', reason: { code: 'APPROVAL_REJECTED', message: 'x' } }, 'failed Transaction annulée par le client APPROVAL_REJECTED'],
  [{ status: 'FAILED', reason: 'COULD_NOT_PERFORM_TRANSACTION' }, 'failed Timeout opérateur COULD_NOT_PERFORM_TRANSACTION'],
  [{ status: 'FAILED', reason: 'PAYEE_NOT_FOUND' }, 'failed Compte non inscrit PAYEE_NOT_FOUND'],
  [{ status: 'FAILED', reason: 'PAYER_LIMIT_REACHED' }, 'failed Transaction refusée PAYER_LIMIT_REACHED'],
  [{ status: 'FAILED' }, 'failed Transaction refusée'],
] as const) {
  test(`${expected} for a status enquiry that is answered with ${JSON.stringify(body)}`, async () => {
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

test('a success reports the amount, the currency and the number that MTN names; in its sandbox not the currency, which is another one', async () => {
  const payer = { partyIdType: 'MSISDN', partyId: '237677209342' }
  answer = (_, response) => say(response, 200, { status: 'SUCCESSFUL', externalId, amount: '1.0', currency: 'EUR', payer })
  const inSandbox = createMtnConnector(aConnectorContext(), mtnSettings(url, { sandboxCurrency: 'EUR' }))
  const reported = []
  for (const one of [connector, inSandbox]) {
    const outcome = await one.query(submission)
    reported.push(outcome.kind === 'succeeded' && outcome.reported)
  }
  await inSandbox.close()
  const movement = { amountMinor: 100n, phoneNumber: '237677209342' }
  assert.deepEqual(reported, [
    { ...movement, currency: 'EUR' },
    { ...movement, currency: undefined },
  ])
})

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
