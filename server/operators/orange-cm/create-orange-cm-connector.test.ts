import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import type { CodeRefusal, Connector, FinalOutcome, KeepIdentifiers, QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { aConnectorContext } from '#server/operators/testing/connectors/connector-context.ts'
import { orderIdOf } from './messages.ts'
import { createOrangeCmConnector } from './orange-cm-connector.ts'
import { anOrangeCmSubmission, orangeCmSettings } from './testing.ts'

type Answer = [status: number, body?: object | 'reset']

const payToken = 'MP22120771FEB7B21FD2381C3786'
const submission = anOrangeCmSubmission()
const begun = { ...submission, operatorToken: payToken }
const CALLBACK_URL = 'https://pay.example.com/operators/callback/OMCM'
let server: Server
let url = ''
let connector: Connector
/** The requests that arrived: the end of the path, and the body. */
let calls: { path: string; body: Record<string, unknown>; headers: IncomingMessage['headers'] }[] = []
let answers: Record<string, Answer> = {}

before(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const path = request.url?.replace('/omcoreapis/1.0.2', '') ?? ''
    if (path === '/token') return say(response, [200, { access_token: 'token', token_type: 'Bearer', expires_in: 2496 }])
    calls.push({ path, body: body === '' ? {} : JSON.parse(body), headers: request.headers })
    const answer = answers[path.split('/').slice(0, 3).join('/')] ?? [404]
    if (answer[1] === 'reset') return request.socket.resetAndDestroy()
    return say(response, answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  connector = createOrangeCmConnector(aConnectorContext({ operator: 'OMCM', callbackUrl: CALLBACK_URL }), orangeCmSettings(url))
})
beforeEach(() => {
  calls = []
  answers = { '/mp/init': [200, { message: 'x', data: { payToken } }], '/mp/pay': [200, paymentWith({})] }
})
after(async () => {
  await connector.close()
  server.closeAllConnections()
  server.close()
})

function say(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
}

function paymentWith(data: object, message = 'x'): object {
  return { message, data: { id: 7, payToken, txnmode: orderIdOf(submission.reference), status: 'PENDING', amount: 5000, ...data } }
}

function factsOf(outcome: CodeRefusal | SubmitOutcome | QueryOutcome): string {
  const final = outcome as Partial<FinalOutcome & { reason: string; operatorCode: string }>
  return [outcome.kind, final.operatorReference, final.reason, final.operatorCode].filter(Boolean).join(' ')
}

const keep: KeepIdentifiers = async () => true

test('the payToken is kept before the payment, which names it, our order and our address', async () => {
  const kept: unknown[] = []
  const outcome = await connector.submit(submission, async (identifiers) => {
    kept.push(
      identifiers,
      calls.map(({ path }) => path),
    )
    return true
  })
  assert.deepEqual([outcome.kind, outcome.kind === 'accepted' && outcome.operatorToken], ['accepted', payToken])
  assert.deepEqual(kept, [{ operatorToken: payToken }, ['/mp/init']])
  const { reference, applicationId } = submission
  const [, { path, body, headers } = assert.fail()] = calls
  assert.deepEqual(
    [path, headers['x-auth-token'], headers.authorization],
    ['/mp/pay', Buffer.from('user:password').toString('base64'), 'Bearer token'],
  )
  assert.deepEqual(body, {
    notifUrl: `${CALLBACK_URL}?transaction=${reference}&application=${applicationId}`,
    channelUserMsisdn: '690000001',
    amount: '5000',
    subscriberMsisdn: '690209341',
    pin: '2222',
    orderId: orderIdOf(reference),
    description: reference,
    payToken,
  })
  assert.match(orderIdOf(reference), /^[0-9a-z]{20}$/)
})

test('no payment, and not_sent, if another process has taken the submission over', async () => {
  const outcome = await connector.submit(submission, async () => false)
  assert.deepEqual([outcome.kind, calls.map(({ path }) => path)], ['not_sent', ['/mp/init']])
})

test('one payToken for a submission that is repeated: no second init', async () => {
  assert.equal((await connector.submit(begun, async () => assert.fail())).kind, 'accepted')
  assert.deepEqual(
    calls.map(({ path, body }) => [path, body['payToken']]),
    [['/mp/pay', payToken]],
  )
})

for (const [what, answer] of [
  ['is reset', [200, 'reset']],
  ['is HTTP 500', [500]],
  ['is an error of the gateway', [401, { fault: { code: 900901, message: 'Invalid Credentials', description: 'x' } }]],
  ['has no payToken', [200, { message: 'x', data: {} }]],
  ['has a payToken that could not be kept as it is', [200, { data: { payToken: 'a\u0000b' } }]],
] as const) {
  test(`not_sent, without a payment, for an init whose answer ${what}`, async () => {
    answers['/mp/init'] = [...answer]
    assert.equal((await connector.submit(submission, async () => assert.fail())).kind, 'not_sent')
    assert.ok(calls.every(({ path }) => path === '/mp/init'))
  })
}

test('not_found without a call for a transaction that has no payToken: no payment was ever started', async () => {
  assert.equal((await connector.query(submission)).kind, 'not_found')
  assert.deepEqual(calls, [])
})

for (const [answer, expected] of [
  [[200, paymentWith({ status: 'SUCCESSFULL', txnid: 'MP221207.2051.B56929' })], 'succeeded MP221207.2051.B56929'],
  [[200, paymentWith({ status: 'INITIATED' })], 'accepted'],
  [[417, paymentWith({ status: 'FAILED', inittxnstatus: '60019', txnid: null }, '60019 :: Le solde')], 'failed Solde insuffisant 60019'],
  [[417, { message: '60019 :: Le solde du compte est insuffisant' }], 'failed Solde insuffisant 60019'],
  [[417, paymentWith({ status: 'FAILED', confirmtxnstatus: '70001' }, '70001 :: x')], 'failed Transaction refusée 70001'],
  [[417, { message: '70001 :: Something new' }], 'unknown'],
  [[417, { message: '00068 :: The transaction is being processed' }], 'unknown'],
  [[417, paymentWith({ status: 'PENDING' }, '60019 :: x')], 'unknown'],
  [[417, paymentWith({ status: 'CANCELLED' })], 'unknown'],
  [[417, { message: '60041 :: The order was already used' }], 'accepted'],
  [[500, { message: '60019 :: Le solde' }], 'unknown'],
  [[500, paymentWith({ status: 'FAILED' }, '60019 :: Le solde')], 'unknown'],
  [[400, { message: '60019 :: Le solde' }], 'unknown'],
  [[417, { message: 'Something without a code' }], 'unknown'],
  [[400, { message: 'subscriberMsisdn is invalid' }], 'failed Numéro invalide HTTP 400 msisdn'],
  [[400, { message: 'amount is invalid' }], 'unknown'],
  [[422, { message: 'orderId: size' }], 'unknown'],
  [[404, { message: 'PayToken not found or expired' }], 'unknown'],
  [[409, { message: 'PayToken already used' }], 'unknown'],
  [[403, { fault: { code: 900908, message: 'Resource forbidden', description: 'x' } }], 'unknown'],
  [[200, paymentWith({ payToken: 'MP1', status: 'SUCCESSFULL' })], 'unknown'],
] as const) {
  test(`${expected} for a payment that is answered with HTTP ${answer[0]} ${JSON.stringify(answer[1]).slice(0, 110)}`, async () => {
    answers['/mp/pay'] = [...answer]
    assert.equal(factsOf(await connector.submit(begun, keep)), expected)
  })
}

for (const answer of [
  [400, { message: 'pin is invalid' }],
  [417, { message: '00042 :: The PIN is wrong' }],
  [401, { message: 'X-AUTH-TOKEN is invalid' }],
] as const) {
  test(`not_sent, and the direction closed, for a payment that is answered with HTTP ${answer[0]} ${answer[1].message}`, async () => {
    answers['/mp/pay'] = [...answer]
    const outcome = await connector.submit(begun, keep)
    assert.ok(outcome.kind === 'not_sent' && outcome.closesDirection)
  })
}

test('a success reports the amount and the number that Orange names', async () => {
  answers['/mp/paymentstatus'] = [200, paymentWith({ status: 'SUCCESSFULL', amount: 100, subscriberMsisdn: '690209342' })]
  const outcome = await connector.query(begun)
  assert.deepEqual(outcome.kind === 'succeeded' && outcome.reported, { amountMinor: 10_000n, phoneNumber: '690209342' })
})

for (const [data, expected] of [
  [{ status: 'INITIATED' }, 'not_found'],
  [{ status: 'PENDING' }, 'pending'],
  [{ status: 'SOMETHING_NEW' }, 'pending'],
  [{ status: 'SUCCESS', txnid: 'MP1' }, 'succeeded MP1'],
  [{ status: 'SUCCESS', txnid: '' }, 'succeeded'],
  [{ status: 'CANCELLED', txnid: 'MP2' }, 'failed MP2 Transaction annulée par le client CANCELLED'],
  [{ status: 'CANCELLED', inittxnstatus: '200' }, 'failed Transaction annulée par le client CANCELLED'],
  [{ status: 'EXPIRED', txnmode: null, amount: null, txnid: null }, 'failed Timeout opérateur EXPIRED'],
  [{ status: 'FAILED', inittxnstatus: '200', confirmtxnstatus: '00042' }, 'failed Transaction refusée 00042'],
  [{ status: 'SUCCESSFULL', txnmode: 'another order' }, 'unknown'],
] as const) {
  test(`${expected} for a status of ${JSON.stringify(data)}`, async () => {
    answers['/mp/paymentstatus'] = [200, paymentWith(data)]
    assert.equal(factsOf(await connector.query(begun)), expected)
  })
}

test('Compte non inscrit only if Orange, asked about the number of a failed payment, says that it has no account', async () => {
  answers['/mp/paymentstatus'] = [200, paymentWith({ status: 'FAILED', subscriberMsisdn: '690209905' })]
  const reasons: unknown[] = []
  for (const answer of [
    [200, { message: 'Not found', data: { firstName: null, lastName: null } }],
    [200, { message: 'x', data: { firstName: null, lastName: null } }],
    [200, { message: 'x', data: { firstName: 'Ève', lastName: null } }],
    [200, { message: 'x', data: {} }],
    [500, { message: 'Not found' }],
  ] as Answer[]) {
    answers['/infos/subscriber'] = answer
    const outcome = await connector.query(begun)
    reasons.push(outcome.kind === 'failed' && outcome.reason)
  }
  assert.deepEqual(reasons, ['Compte non inscrit', 'Compte non inscrit', ...Array<string>(3).fill('Transaction refusée')])
})

test('no balance but checked credentials: unknown if the account of the channel cannot be read', async () => {
  answers['/infos/subscriber'] = [200, { message: 'x', data: { firstName: 'SHOP', lastName: '1' } }]
  const outcome = await connector.balance()
  assert.deepEqual(outcome.kind === 'balance' && [outcome.collectMinor, outcome.depositMinor], [null, null])
  answers['/infos/subscriber'] = [400, { message: 'pin is invalid' }]
  assert.equal((await connector.balance()).kind, 'unknown')
})

test('a notification is a hint that its address connects with the transaction; anything else is malformed', () => {
  const parse = (body: string, search?: string) => connector.parseCallback({}, Buffer.from(body), search)
  const { reference, applicationId } = submission
  const search = `transaction=${reference}&application=${applicationId}`
  const body = JSON.stringify({ payToken, status: 'SUCCESSFULL', message: 'x' })
  assert.deepEqual(parse(body, search), { kind: 'callback', applicationId, reference, claim: 'succeeded', isVerified: false })
  for (const [text, where] of [
    [body, undefined],
    [body, ''],
    [body, `transaction=${reference}`],
    [body, `transaction=${reference}&application=7`],
    ['', search],
    ['{}', search],
  ] as const)
    assert.equal(parse(text, where).kind, 'malformed')
})
