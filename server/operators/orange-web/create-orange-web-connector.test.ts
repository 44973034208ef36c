import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Connector } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { idsIn, isOrderId, newOrderId, shortIdsOf } from './messages.ts'
import { createOrangeWebConnector } from './orange-web-connector.ts'
import { anOrangeWebSubmission, orangeWebSettings } from './testing.ts'

const submission = anOrangeWebSubmission()
const orderId = newOrderId(submission.reference)
const known = { ...submission, operatorReference: orderId, operatorToken: 'a pay_token' }
const page = { status: 201, message: 'OK', pay_token: 'p1', payment_url: 'https://webpayment.orange.com/p1', notif_token: 'n1' }

let server: Server
let url = ''
let connector: Connector
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_, response) => response.end()

before(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (request.url === '/oauth/v3/token') return say(response, 200, { access_token: 'token', expires_in: 3600 })
    answer(request, response, body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  const context = aConnectorContext({ operator: 'CIOM', callbackUrl: 'https://pay.example.com/operators/callback/CIOM' })
  connector = createOrangeWebConnector(context, orangeWebSettings(url))
})
after(async () => {
  await connector.close()
  server.closeAllConnections()
  server.close()
})

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

test('order, token and link are kept before the submission counts as accepted', async () => {
  answer = (_, response) => say(response, 201, page)
  const kept: object[] = []
  const outcome = await connector.submit(submission, async (identifiers) => {
    kept.push(identifiers)
    return true
  })
  const [first] = kept
  assert.equal(kept.length, 1)
  assert.deepEqual(outcome.kind === 'accepted' && { ...first }, {
    operatorReference: outcome.kind === 'accepted' && outcome.operatorReference,
    operatorToken: 'p1',
    customerLink: page.payment_url,
  })
})

test('not_sent, so that nobody gets the link, if another process has taken the submission over', async () => {
  answer = (_, response) => say(response, 201, page)
  assert.equal((await connector.submit(submission, async () => false)).kind, 'not_sent')
})

test('another order of at most 30 characters for each submission, that names the transaction in its notification', async () => {
  const orders: string[] = []
  const addresses: string[] = []
  answer = (_, response, body) => {
    const sent = JSON.parse(body)
    orders.push(sent.order_id)
    addresses.push(sent.notif_url)
    say(response, 201, page)
  }
  for (let count = 0; count < 2; count++) await connector.submit(submission, keepNothing)
  assert.notEqual(orders[0], orders[1])
  for (const order of orders) assert.ok(order.length <= 30 && isOrderId(order), order)
  const { reference, applicationId } = submission
  for (const address of addresses) {
    assert.match(address, /^https:\/\/pay\.example\.com\/operators\/callback\/CIOM\?t=[\w-]{43}$/)
    assert.deepEqual(idsIn(address.slice(-43)), { reference, applicationId })
  }
})

test('failed without a call for an amount with decimals, unless the settings say that Orange takes them', async () => {
  const amounts: unknown[] = []
  answer = (_, response, body) => {
    amounts.push(JSON.parse(body).amount)
    say(response, 201, page)
  }
  const fraction = { ...submission, amountMinor: 50_050n }
  const outcome = await connector.submit(fraction, keepNothing)
  assert.equal(outcome.kind === 'failed' && outcome.operatorCode, 'DECIMALS')
  const taking = createOrangeWebConnector(aConnectorContext({ operator: 'CIOM' }), orangeWebSettings(url, { takesDecimals: true }))
  assert.equal((await taking.submit(fraction, keepNothing)).kind, 'accepted')
  await taking.close()
  assert.deepEqual(amounts, [500.5])
})

for (const [status, body] of [
  [400, { code: 23, message: 'Invalid body field', description: 'x' }],
  [403, { code: 53, message: 'Unknown merchant', description: 'x' }],
  [201, { ...page, payment_url: 'not an address' }],
  [200, page],
] as const) {
  test(`unknown for a page that is answered with HTTP ${status} ${JSON.stringify(body).slice(0, 50)}`, async () => {
    answer = (_, response) => say(response, status, body)
    assert.equal((await connector.submit(submission, keepNothing)).kind, 'unknown')
  })
}

for (const [status, expected] of [
  ['INITIATED', 'pending'],
  ['PENDING', 'pending'],
  ['A_NEW_STATUS', 'pending'],
  ['SUCCESS', 'succeeded MP150709.1341.A00073'],
  ['FAILED', 'failed Transaction refusée FAILED'],
  ['EXPIRED', 'failed Timeout opérateur EXPIRED'],
] as const) {
  test(`${expected} for an order with the status ${status}`, async () => {
    answer = (_, response) => say(response, 201, { status, order_id: orderId, txnid: 'MP150709.1341.A00073' })
    const outcome = await connector.query(known)
    const facts: unknown[] = [outcome.kind]
    if (outcome.kind === 'failed') facts.push(outcome.reason, outcome.operatorCode)
    if (outcome.kind === 'succeeded') facts.push(outcome.operatorReference)
    assert.equal(facts.join(' '), expected)
  })
}

test('not_found without a call if no page was opened; unknown if the order is no longer known', async () => {
  answer = () => assert.fail('a call was made')
  assert.equal((await connector.query(submission)).kind, 'not_found')
  assert.equal((await connector.query({ ...submission, operatorToken: 'p1' })).kind, 'unknown')
  assert.equal((await connector.query({ ...known, operatorReference: 'MP150709.1341.A00073' })).kind, 'unknown')
})

test('a notification is a hint about the transaction in its address; anything else is malformed', () => {
  const { reference, applicationId } = submission
  const parse = (body: unknown, search = `t=${shortIdsOf(submission)}`) =>
    connector.parseCallback({}, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), search)
  const hint = { kind: 'callback', applicationId, reference, isVerified: false }
  assert.deepEqual(parse({ status: 'SUCCESS', notif_token: 'n1', txnid: 'MP1' }), { ...hint, claim: 'succeeded' })
  assert.deepEqual(parse({ status: 'FAILED', notif_token: 'n1' }), { ...hint, claim: 'failed' })
  for (const body of ['', '[]', { status: 'SUCCESS' }]) assert.equal(parse(body).kind, 'malformed')
  for (const search of ['', 't=', 't=abc', `transaction=${reference}.${applicationId}`])
    assert.equal(parse({ status: 'SUCCESS', notif_token: 'n1' }, search).kind, 'malformed')
})
