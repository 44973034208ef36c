import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { CodeRefusal, Connector, QueryOutcome, Submission, SubmitOutcome } from '#server/operators/connector.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import { aWaveSubmission, WAVE_SIGNING_SECRET, waveSettings } from './testing.ts'
import { createWaveConnector } from './wave-connector.ts'

const submission = aWaveSubmission()
const payout = aWaveSubmission({ type: 'DEPOSIT' })
const NOW = new Date('2026-03-01T10:00:00Z')
const link = 'https://pay.wave.com/c/cos-1'
const session = {
  id: 'cos-1',
  client_reference: `${submission.reference}.${submission.applicationId}`,
  checkout_status: 'open',
  payment_status: 'processing',
  when_expires: '2026-03-01T09:55:00Z',
  transaction_id: null,
  wave_launch_url: link,
  last_payment_error: null,
}
const sent = { id: 'pt-1', client_reference: `${payout.reference}.${payout.applicationId}`, status: 'succeeded' }

let server: Server
let connector: Connector
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()

before(async () => {
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  connector = createWaveConnector(
    aConnectorContext({ operator: 'SNWAVE', clock: { now: () => NOW } }),
    waveSettings(`http://127.0.0.1:${port}`),
  )
})
after(async () => {
  await connector.close()
  server.closeAllConnections()
  server.close()
})

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The outcome in one line, without what is undefined. */
function lineOf(outcome: SubmitOutcome | QueryOutcome | CodeRefusal): string {
  const facts: unknown[] = [outcome.kind]
  if (outcome.kind === 'failed') facts.push(outcome.reason, outcome.operatorCode)
  if (outcome.kind === 'succeeded') facts.push(outcome.operatorReference, outcome.operatorReferenceOther)
  if (outcome.kind === 'accepted' || outcome.kind === 'pending') facts.push(outcome.operatorReference, outcome.customerLink)
  return facts.filter(Boolean).join(' ')
}

for (const [status, body, expected] of [
  [200, session, `accepted cos-1 ${link}`],
  [200, { ...session, client_reference: 'order 7' }, 'unknown'],
  [
    400,
    { code: 'request-validation-error', details: [{ loc: ['restrict_payer_mobile'] }] },
    'failed Numéro invalide request-validation-error',
  ],
  [422, { code: 'request-validation-error', message: 'x' }, 'failed Transaction refusée request-validation-error'],
  [400, { error: 'the gateway refuses' }, 'unknown'],
  [400, { code: 'a-new-code' }, 'unknown'],
  [400, { code: 'payment-failure' }, 'unknown'],
  [401, { code: 'no-matching-api-key' }, 'not_sent'],
  [403, { code: 'disabled-wallet' }, 'not_sent'],
  [401, { message: 'the gateway refuses' }, 'unknown'],
  [429, { code: 'too-many-requests' }, 'unknown'],
  [503, { code: 'service-unavailable' }, 'unknown'],
] as const) {
  test(`${expected} for a checkout that is answered with HTTP ${status} ${JSON.stringify(body).slice(0, 60)}`, async () => {
    answer = (_, response) => say(response, status, body)
    const outcome = await connector.submit(submission, keepNothing)
    assert.equal(lineOf(outcome), expected)
    assert.equal(outcome.kind === 'not_sent' && outcome.closesDirection !== undefined, expected === 'not_sent')
  })
}

for (const [status, body, expected] of [
  [200, sent, 'succeeded pt-1'],
  [200, { ...sent, transaction_id: 'TDH6' }, 'succeeded pt-1 TDH6'],
  [200, { ...sent, status: 'processing' }, 'accepted pt-1'],
  [200, { ...sent, status: 'failed', payout_error: { error_code: 'insufficient-funds' } }, 'failed Solde insuffisant insufficient-funds'],
  [200, { ...sent, status: 'reversed' }, 'failed Transaction refusée reversed'],
  [400, { code: 'recipient-account-inactive' }, 'failed Compte non inscrit recipient-account-inactive'],
  [409, { code: 'idempotency-mismatch' }, 'unknown'],
  [422, { code: 'idempotency-mismatch' }, 'unknown'],
  [400, { code: 'a-new-code' }, 'unknown'],
  [401, { code: 'api-key-revoked' }, 'not_sent'],
  [500, { code: 'internal-server-error' }, 'unknown'],
] as const) {
  test(`${expected} for a payout that is answered with HTTP ${status} ${JSON.stringify(body).slice(-60)}`, async () => {
    const keys: unknown[] = []
    answer = (request, response) => {
      keys.push(request.headers['idempotency-key'])
      say(response, status, body)
    }
    assert.equal(lineOf(await connector.submit(payout, keepNothing)), expected)
    assert.deepEqual(keys, [payout.reference])
  })
}

for (const [sessions, expected] of [
  [[], 'not_found'],
  [[session], `pending cos-1 ${link}`],
  // A payment that failed: the customer may try again.
  [[{ ...session, last_payment_error: { code: 'insufficient-funds' } }], `pending cos-1 ${link}`],
  [[{ ...session, checkout_status: 'complete' }], `pending cos-1 ${link}`],
  [[{ ...session, checkout_status: 'complete', payment_status: 'succeeded', transaction_id: 'TDH5' }], 'succeeded TDH5 cos-1'],
  [[{ ...session, checkout_status: 'expired' }], 'failed Timeout opérateur expired'],
  [[{ ...session, payment_status: 'cancelled' }], 'failed Transaction annulée par le client cancelled'],
  [
    [{ ...session, checkout_status: 'expired', last_payment_error: { code: 'blocked-account' } }],
    'failed Transaction refusée blocked-account',
  ],
  // A payment that was started at the last moment: for five minutes the end is not believed, nor without its time.
  [[{ ...session, checkout_status: 'expired', when_expires: '2026-03-01T09:55:01Z' }], `pending cos-1 ${link}`],
  [[{ ...session, checkout_status: 'expired', when_expires: null }], `pending cos-1 ${link}`],
  // Two payments, whose amounts are not known.
  [
    [
      { ...session, payment_status: 'succeeded' },
      { ...session, id: 'cos-2', payment_status: 'succeeded' },
    ],
    'unknown',
  ],
  // Of two sessions the paid one decides, and an open one is waited for.
  [
    [
      { ...session, checkout_status: 'expired' },
      { ...session, id: 'cos-2', payment_status: 'succeeded' },
    ],
    'succeeded cos-2',
  ],
  [
    [
      { ...session, checkout_status: 'expired' },
      { ...session, id: 'cos-2' },
    ],
    `pending cos-2 ${link}`,
  ],
  [[{ ...session, client_reference: null }], 'unknown'],
] as const) {
  test(`${expected} for a search that finds ${JSON.stringify(sessions).slice(0, 160)}`, async () => {
    answer = (_, response) => say(response, 200, { result: sessions })
    assert.equal(lineOf(await connector.query(submission)), expected)
  })
}

test('pending for two payouts of which one failed and the other may still be carried out, in either order', async () => {
  const [failed, open] = [
    { ...sent, status: 'failed' },
    { ...sent, id: 'pt-2', status: 'processing' },
  ]
  for (const result of [
    [failed, open],
    [open, failed],
    [{ ...failed, status: 'reversed' }, open],
  ]) {
    answer = (_, response) => say(response, 200, { result })
    assert.equal(lineOf(await connector.query(payout)), 'pending pt-2')
  }
})

test('a success reports the amount, the currency and the number; of two sessions or payouts the sum', async () => {
  const paid = { ...session, payment_status: 'succeeded', amount: '5000', currency: 'XOF', restrict_payer_mobile: '+221772093342' }
  const report = async (body: object, query: Submission) => {
    answer = (_, response) => say(response, 200, body)
    const outcome = await connector.query(query)
    return outcome.kind === 'succeeded' && outcome.reported
  }
  const movement = { amountMinor: 500_000n, currency: 'XOF', phoneNumber: '221772093342' }
  assert.deepEqual(await report({ result: [paid] }, submission), movement)
  assert.deepEqual(await report({ result: [paid, { ...paid, id: 'cos-2' }] }, submission), { ...movement, amountMinor: 1_000_000n })
  const payment = { ...sent, receive_amount: '5000', currency: 'XOF', mobile: '+221772093342' }
  assert.deepEqual(await report({ result: [payment] }, payout), movement)
  assert.deepEqual(await report({ result: [payment, { ...payment, id: 'pt-2' }] }, payout), { ...movement, amountMinor: 1_000_000n })
})

for (const [of, isRepeated, status, expected] of [
  ['COLLECT', false, undefined, 'failed'],
  ['COLLECT', true, undefined, 'unknown'],
  ['DEPOSIT', false, undefined, 'failed'],
  ['DEPOSIT', true, 'reversed', 'succeeded'],
  ['DEPOSIT', true, 'succeeded', 'failed'],
  ['DEPOSIT', true, 'processing', 'unknown'],
] as const)
  test(`${expected} for the ${isRepeated ? 'repeated' : 'first'} reversal of a ${of} that is refused, and which is then ${status ?? 'not queried'}`, async () => {
    answer = (request, response) => {
      if (request.method === 'GET') say(response, 200, { ...sent, status })
      else say(response, 400, { code: 'insufficient-funds', message: 'x' })
    }
    const [payment, operatorReference] = of === 'COLLECT' ? [submission, 'cos-1'] : [payout, 'pt-1']
    const reversal = { ...payment, operatorReference, reversalReference: payment.reference, isRepeated }
    assert.equal((await connector.reversals?.reverse(reversal))?.kind, expected)
  })

test('a repeated checkout uses the session that an earlier one opened, and opens none before it could look', async () => {
  const paths: unknown[] = []
  const record = (body: object, status = 200) => {
    paths.length = 0
    answer = (request, response) => {
      paths.push(request.method)
      say(response, status, body)
    }
  }
  const repeated = { ...submission, isRepeated: true }
  record({ result: [session] })
  assert.equal(lineOf(await connector.submit(repeated, keepNothing)), `accepted cos-1 ${link}`)
  assert.deepEqual(paths, ['GET'])
  record({}, 500)
  assert.equal((await connector.submit(repeated, keepNothing)).kind, 'not_sent')
  assert.deepEqual(paths, ['GET'])
  record({ result: [] })
  assert.equal((await connector.submit(repeated, keepNothing)).kind, 'unknown')
  assert.deepEqual(paths, ['GET', 'POST'])
})

test('one figure for both directions as the balance of one wallet; unknown in another currency', async () => {
  answer = (_, response) => say(response, 200, { amount: '1500', currency: 'XOF' })
  const outcome = await connector.balance()
  assert.deepEqual(outcome.kind === 'balance' && [outcome.collectMinor, outcome.depositMinor, outcome.isOneAccount], [
    150_000n,
    150_000n,
    true,
  ])
  answer = (_, response) => say(response, 200, { amount: '1500', currency: 'EUR' })
  assert.equal((await connector.balance()).kind, 'unknown')
})

function signed(event: unknown, { secret = WAVE_SIGNING_SECRET, at = NOW, altered = '' } = {}) {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const time = String(Math.floor(at.getTime() / 1_000))
  const hex = createHmac('sha256', secret)
    .update(time + body)
    .digest('hex')
  return connector.parseCallback({ 'wave-signature': `t=${time},v1=${'0'.repeat(64)},v1=${hex}` }, Buffer.from(body + altered))
}

test('a signed event is a verified callback; one of a failed payment is not the end', () => {
  const { applicationId, reference } = submission
  const event = { id: 'EV_1', type: 'checkout.session.completed', data: { ...session, payment_status: 'succeeded' } }
  const callback = { kind: 'callback', applicationId, reference, isVerified: true }
  assert.deepEqual(signed(event), { ...callback, claim: 'succeeded' })
  assert.deepEqual(signed({ id: 'EV_2', type: 'checkout.session.payment_failed', data: session }), { ...callback, claim: 'pending' })
})

test('unverified for another secret, altered bytes, an age of more than five minutes and no signature', () => {
  const event = { id: 'EV_1', type: 'checkout.session.completed', data: session }
  const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000)
  for (const outcome of [
    signed(event, { secret: 'another' }),
    signed(event, { altered: ' ' }),
    signed(event, { at: minutes(-6) }),
    signed(event, { at: minutes(6) }),
    connector.parseCallback({}, Buffer.from(JSON.stringify(event))),
    connector.parseCallback({ 'wave-signature': `t=,v1=${'0'.repeat(64)}` }, Buffer.from('')),
  ])
    assert.equal(outcome.kind, 'unverified')
})

test('irrelevant for events about payments of others; malformed for anything that is not an event', () => {
  for (const event of [
    { id: 'AE_1', type: 'merchant.payment_received', data: {} },
    { id: 'EV_1', type: 'test.test_event', data: { test_key: 'x' } },
    { id: 'EV_2', type: 'checkout.session.completed', data: { ...session, client_reference: null } },
  ])
    assert.equal(signed(event).kind, 'irrelevant')
  for (const event of ['', '[]', { type: 'checkout.session.completed', data: 7 }]) assert.equal(signed(event).kind, 'malformed')
})
