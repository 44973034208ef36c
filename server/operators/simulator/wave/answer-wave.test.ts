import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { waveAccountOf } from './wave-messages.ts'

const SECRET = 'secret of the simulator'
const DAY_MS = 86_400_000
const authorization = `Bearer ${waveAccountOf(SECRET, 'SNWAVE').apiKey}`

let folder: string
let simulator: Simulator
let nowMs = Date.parse('2026-03-01T10:00:00Z')
const clock = { now: () => new Date(nowMs) }
const start = () => startSimulator({ port: 0, folder, secret: SECRET, delayMs: 0, clock })
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-wave-'))
  simulator = await start()
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

type Answer = { status: number; body: Record<string, unknown> }

async function call(method: 'GET' | 'POST', place: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(`${simulator.url}/wave${place}`, {
    method,
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

const payout = (overrides: object = {}) => ({
  currency: 'XOF',
  receive_amount: '500',
  mobile: '+221772093341',
  client_reference: 'order',
  ...overrides,
})
const pay = (key: string, body: object = payout()) => call('POST', '/v1/payout', body, { 'idempotency-key': key })

const openCheckout = (overrides: object = {}) =>
  call('POST', '/v1/checkout/sessions', {
    amount: '700',
    currency: 'XOF',
    success_url: 'https://shop.example/done',
    error_url: 'https://shop.example/failed',
    restrict_payer_mobile: '+221772093341',
    ...overrides,
  })

const balance = async () => Number((await call('GET', '/v1/balance')).body['amount'])

function untilPaid(place: string, field: string): Promise<Record<string, unknown>> {
  return waitUntil(`${place} is paid`, async () => {
    const { body } = await call('GET', place)
    return body[field] === 'succeeded' && body
  })
}

async function executionsOf(clientReference: string): Promise<number> {
  const { entries } = (await (await fetch(`${simulator.url}/books`)).json()) as { entries: BookEntry[] }
  return entries.filter(({ context }) => context === clientReference).reduce((sum, { timesExecuted }) => sum + timesExecuted, 0)
}

test('one payout for an Idempotency-Key that comes again with the same body, also after a restart', async () => {
  const body = payout({ client_reference: 'once' })
  const first = await pay('once', body)
  await untilPaid(`/v1/payout/${first.body['id']}`, 'status')
  await simulator.close()
  simulator = await start()
  const { mobile, ...rest } = body
  const again = await pay('once', { ...rest, mobile })
  assert.deepEqual([again.status, again.body['id'], again.body['status']], [200, first.body['id'], 'succeeded'])
  assert.equal(await executionsOf('once'), 1)
})

test('a second payout for another Idempotency-Key, although the client_reference is the same', async () => {
  const body = payout({ client_reference: 'twice' })
  const before = await balance()
  const [first, second] = [await pay('twice-1', body), await pay('twice-2', body)]
  assert.notEqual(first.body['id'], second.body['id'])
  for (const { body: paid } of [first, second]) await untilPaid(`/v1/payout/${paid['id']}`, 'status')
  assert.equal(await executionsOf('twice'), 2)
  assert.equal(await balance(), before - 1_000)
  const { body: found } = await call('GET', '/v1/payouts/search?client_reference=twice')
  assert.equal((found['result'] as unknown[]).length, 2)
})

test('idempotency-mismatch for the same key with another body, and nothing is paid', async () => {
  await pay('mismatch', payout({ client_reference: 'mismatch' }))
  for (const change of [{ receive_amount: '501' }, { mobile: '+221772093342' }, { name: 'Another' }]) {
    const { status, body } = await pay('mismatch', payout({ client_reference: 'mismatch', ...change }))
    assert.deepEqual([status, body['code']], [409, 'idempotency-mismatch'])
  }
  const { body: found } = await call('GET', '/v1/payouts/search?client_reference=mismatch')
  assert.equal((found['result'] as unknown[]).length, 1)
})

test('insufficient-funds for a payout above what the wallet holds after open payouts', async () => {
  const held = await balance()
  const almostAll = await pay('almost-all', payout({ receive_amount: String(held - 100), mobile: '+221772093912' }))
  assert.equal(almostAll.status, 200)
  const { status, body } = await pay('too-much', payout({ receive_amount: '101' }))
  assert.deepEqual([status, body['code']], [400, 'insufficient-funds'])
  assert.equal((await pay('just-enough', payout({ receive_amount: '100', mobile: '+221772093901' }))).status, 200)
})

test('a second session for a second checkout of the same client_reference', async () => {
  const [first, second] = [await openCheckout({ client_reference: 'cart' }), await openCheckout({ client_reference: 'cart' })]
  assert.notEqual(first.body['id'], second.body['id'])
  const { body: found } = await call('GET', '/v1/checkout/sessions/search?client_reference=cart')
  assert.deepEqual(
    (found['result'] as { id: string }[]).map(({ id }) => id),
    [first.body['id'], second.body['id']],
  )
  for (const { body } of [first, second]) await untilPaid(`/v1/checkout/sessions/${body['id']}`, 'payment_status')
  assert.equal(await executionsOf('cart'), 2)
})

test('a session by its transaction_id, and 404 for an unknown one', async () => {
  const { body } = await openCheckout()
  const paid = await untilPaid(`/v1/checkout/sessions/${body['id']}`, 'payment_status')
  const { body: found } = await call('GET', `/v1/checkout/sessions?transaction_id=${paid['transaction_id']}`)
  assert.equal(found['id'], body['id'])
  assert.equal((await call('GET', '/v1/checkout/sessions?transaction_id=T0000000000')).status, 404)
})

test('a refund of a checkout moves the money back once, and checkout-refund-failed answers that of one that is not paid', async () => {
  const before = await balance()
  const { body } = await openCheckout()
  await untilPaid(`/v1/checkout/sessions/${body['id']}`, 'payment_status')
  for (const _ of ['first', 'repeated']) assert.equal((await call('POST', `/v1/checkout/sessions/${body['id']}/refund`)).status, 200)
  assert.equal(await balance(), before)
  const { body: open } = await openCheckout({ restrict_payer_mobile: '+221772093912' })
  const refused = await call('POST', `/v1/checkout/sessions/${open['id']}/refund`)
  assert.deepEqual([refused.status, refused.body['code']], [400, 'checkout-refund-failed'])
})

test('409 for the end of a session that was paid, and 200 for that of an open one', async () => {
  const { body } = await openCheckout()
  await untilPaid(`/v1/checkout/sessions/${body['id']}`, 'payment_status')
  assert.equal((await call('POST', `/v1/checkout/sessions/${body['id']}/expire`)).status, 409)
  assert.equal((await call('GET', `/v1/checkout/sessions/${body['id']}`)).body['checkout_status'], 'complete')
  const { body: open } = await openCheckout({ restrict_payer_mobile: '+221772093912' })
  assert.equal((await call('POST', `/v1/checkout/sessions/${open['id']}/expire`)).status, 200)
  assert.equal((await call('GET', `/v1/checkout/sessions/${open['id']}`)).body['checkout_status'], 'expired')
})

test('a reversal within three days moves the money back once; after them payout-reversal-time-limit-exceeded', async () => {
  const before = await balance()
  const { body } = await pay('reversed', payout({ receive_amount: '50' }))
  await untilPaid(`/v1/payout/${body['id']}`, 'status')
  for (const _ of ['first', 'repeated']) assert.equal((await call('POST', `/v1/payout/${body['id']}/reverse`)).status, 200)
  assert.equal((await call('GET', `/v1/payout/${body['id']}`)).body['status'], 'reversed')
  assert.equal(await balance(), before)
  const { body: late } = await pay('reversed-late', payout({ receive_amount: '50' }))
  await untilPaid(`/v1/payout/${late['id']}`, 'status')
  nowMs += 3 * DAY_MS + 1
  const refused = await call('POST', `/v1/payout/${late['id']}/reverse`)
  assert.deepEqual([refused.status, refused.body['code']], [400, 'payout-reversal-time-limit-exceeded'])
})

test('a batch is paid once for its key, row by row, and read under both of its paths', async () => {
  const payouts = [
    payout({ receive_amount: '10', client_reference: 'batch' }),
    payout({ receive_amount: '10', client_reference: 'batch', mobile: '+221772093901' }),
  ]
  const send = (key: string, rows: object[]) => call('POST', '/v1/payout-batch', { payouts: rows }, { 'idempotency-key': key })
  const [first, again] = [await send('batch', payouts), await send('batch', payouts)]
  assert.match(String(first.body['id']), /^pb-/)
  assert.equal(again.body['id'], first.body['id'])
  assert.equal((await send('batch', payouts.slice(1))).body['code'], 'idempotency-mismatch')
  const ended = await waitUntil('the batch is complete', async () => {
    const { body } = await call('GET', `/v1/payout-batch/${first.body['id']}`)
    return body['status'] === 'complete' && body
  })
  assert.deepEqual(
    (ended['payouts'] as { status: string }[]).map(({ status }) => status),
    ['succeeded', 'failed'],
  )
  assert.deepEqual((await call('GET', `/v1/payouts-batch/${first.body['id']}`)).body, ended)
  assert.equal(await executionsOf('batch'), 1)
})

test('the transactions of a day with the balance after each, in pages', async () => {
  nowMs = Date.parse('2026-04-02T10:00:00Z')
  const before = await balance()
  const { body: session } = await openCheckout({ amount: '900' })
  await untilPaid(`/v1/checkout/sessions/${session['id']}`, 'payment_status')
  nowMs += 1_000
  const { body: paid } = await pay('listed', payout({ receive_amount: '300', client_reference: 'listed' }))
  await untilPaid(`/v1/payout/${paid['id']}`, 'status')
  nowMs += 1_000
  await call('POST', `/v1/checkout/sessions/${session['id']}/refund`)
  const { body } = await call('GET', '/v1/transactions?date=2026-04-02')
  const items = body['items'] as { transaction_type: string; amount: string; balance: string }[]
  assert.deepEqual(
    items.map(({ transaction_type: type, amount, balance: left }) => [type, amount, Number(left) - before]),
    [
      ['api_checkout', '900', 900],
      ['api_payout', '-300', 600],
      ['api_checkout_refund', '-900', -300],
    ],
  )
  assert.deepEqual(body['page_info'], { start_cursor: '0', end_cursor: '3', has_next_page: false })
  assert.deepEqual((await call('GET', '/v1/transactions?date=2026-04-02&after=3')).body['items'], [])
  assert.deepEqual((await call('GET', '/v1/transactions?date=2026-04-03')).body['items'], [])
})
