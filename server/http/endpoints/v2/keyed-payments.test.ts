import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  codedErrorSchema,
  keyedInitiationSchema as initiationSchema,
  initiationSchema as initiationSchemaV1,
  pageSchema,
  recordSchema,
} from '#lib/schemas/api/responses.ts'
import { transactionListSchema } from '#lib/schemas/api/transaction-responses.ts'
import { createFrontDoor } from '#server/http/door/front-door.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { fund } from '#server/testing/factories.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { COLLECTS_PATH, DEPOSITS_PATH, REPLAYED_HEADER } from './keyed-payments.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
  await fund(harness.database.pool, harness.partner.applicationId, 'OMCM', 100_000_000n)
})
after(() => harness.close())

type Sent = { key?: string; path?: string; baseUrl?: string; body?: Record<string, unknown> }

function aPayment(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const { externalId: _, ...payment } = aCollect()
  return { ...payment, ...overrides }
}

function send({ key, path = COLLECTS_PATH, baseUrl = harness.baseUrl, body = aPayment() }: Sent): Promise<Response> {
  const headers = { ...harness.headers, ...(key !== undefined && { 'idempotency-key': key }) }
  return fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function codeOf(response: Response): Promise<string> {
  const { status, code } = codedErrorSchema.parse(await response.json())
  return `${status} ${code}`
}

async function countOf(key: string): Promise<number> {
  const { rows } = await harness.database.pool.query('select 1 from transactions where external_id = $1', [key])
  return rows.length
}

test('200 with the same transaction for the same key and content, also with quotes, in capitals and with the fields in another order', async () => {
  const key = randomUUID()
  const body = aPayment()
  const first = await send({ key, body })
  assert.deepEqual([first.status, first.headers.get(REPLAYED_HEADER)], [200, null])
  const started = initiationSchema.parse(await first.json())
  assert.equal(started.externalId, key)
  const reversed = Object.fromEntries(Object.entries(body).reverse())
  for (const again of [{ key }, { key: `"${key.toUpperCase()}"` }, { key, body: { ...body, externalId: key } }, { key, body: reversed }]) {
    const repeated = await send({ body, ...again })
    assert.deepEqual([repeated.status, repeated.headers.get(REPLAYED_HEADER)], [200, 'true'])
    assert.equal(initiationSchema.parse(await repeated.json()).transactionId, started.transactionId)
  }
  assert.equal(await countOf(key), 1)
})

test('200 for a key in capitals with the same externalId in small letters, which the answer has', async () => {
  const key = randomUUID()
  const answer = await send({ key: key.toUpperCase(), body: aPayment({ externalId: key }) })
  assert.equal(answer.status, 200)
  assert.equal(initiationSchema.parse(await answer.json()).externalId, key)
})

test('422 for the same key with another amount, in the other direction, and with the content of another key', async () => {
  const key = randomUUID()
  const body = aPayment()
  assert.equal((await send({ key, body })).status, 200)
  assert.equal(await codeOf(await send({ key, body: { ...body, amount: 5001 } })), '422 idempotency_key_reused')
  assert.equal(await codeOf(await send({ key, body, path: DEPOSITS_PATH })), '422 idempotency_key_reused')
  assert.equal(await countOf(key), 1)
})

test('one payment for thirty equal requests at once to two processes, and one answer', async () => {
  const { runtime } = harness
  const intake = createIntake({ pool: runtime.pool })
  const second = createFrontDoor({ runtime: { ...runtime, intake }, fallback: (_, outgoing) => outgoing.end() })
  const baseUrl = `http://127.0.0.1:${await second.listen({ host: '127.0.0.1', port: 0 })}`
  const key = randomUUID()
  const body = aPayment()
  const sent = { key, body, path: DEPOSITS_PATH }
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => send(index % 2 ? sent : { ...sent, baseUrl })))
  const ids = new Set<string>()
  for (const answer of answers) ids.add(initiationSchema.parse(await answer.json()).transactionId)
  assert.deepEqual([ids.size, await countOf(key)], [1, 1])
  assert.equal(answers.filter(({ headers }) => headers.get(REPLAYED_HEADER) === null).length, 1)
  await second.drain(100)
  await intake.drain()
})

test('a transaction that version 1 started, for its externalId as the key', async () => {
  const { externalId, ...body } = aCollect()
  const init = { method: 'POST', headers: harness.headers, body: JSON.stringify({ ...body, externalId }) }
  const first = await (await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, init)).json()
  const second = await (await send({ key: String(externalId), body })).json()
  assert.equal(initiationSchema.parse(second).transactionId, initiationSchemaV1.parse(first).transactionId)
})

test('400 without a key, for a wrong or repeated one and for another externalId in the body; the key stays free', async () => {
  const key = randomUUID()
  assert.equal(await codeOf(await send({})), '400 idempotency_key_missing')
  for (const wrong of ['', '1001', `"${key}`, 'b7f0e6a2-5d1c-7f3b-9a8e-1c2d3e4f5a6b', `${key}, ${randomUUID()}`])
    assert.equal(await codeOf(await send({ key: wrong })), '400 idempotency_key_invalid', wrong)
  assert.equal(await codeOf(await send({ key, body: aPayment({ externalId: randomUUID() }) })), '400 fields_invalid')
  assert.equal(await codeOf(await send({ key, body: aPayment({ amount: '5' }) })), '400 fields_invalid')
  assert.equal(await countOf(key), 0)
  assert.equal((await send({ key })).status, 200)
})

test('401 without credentials, before the key is read', async () => {
  const response = await fetch(harness.baseUrl + COLLECTS_PATH, { method: 'POST' })
  assert.equal(await codeOf(response), '401 unauthenticated')
})

const read = async (path: string, method = 'GET') => (await fetch(harness.baseUrl + path, { method, headers: harness.headers })).json()
const LIST_PATH = '/api/v1/transaction/getByApplicationProductAndPhoneReceiver?page=0&size=5&phoneNumber='

test('200 with the purpose as it was sent, also in the list of version 2; no answer of version 1 names it', async () => {
  const phoneNumber = '237699000444'
  const [key, purpose] = [randomUUID(), 'Facture n\u00ba 12, \u201caoût\u201d']
  const body = aPayment({ purpose, phoneNumber })
  const started = await (await send({ key, body })).json()
  assert.equal(started.purpose, purpose)
  const { transactionId } = initiationSchema.parse(started)
  assert.deepEqual(await (await send({ key, body })).json(), started)
  for (const other of [{ ...body, purpose: 'Facture 13' }, aPayment({ phoneNumber })])
    assert.equal(await codeOf(await send({ key, body: other })), '422 idempotency_key_reused')
  const list = transactionListSchema.parse(await read(`/api/v2/transactions?externalId=${key}`))
  assert.deepEqual(
    list.transactions.map((each) => [each.transactionId, each.purpose]),
    [[transactionId, purpose]],
  )
  recordSchema.parse(await read(`/api/v1/transaction/transaction-status?id=${transactionId}`, 'POST'))
  assert.equal(pageSchema.parse(await read(LIST_PATH + phoneNumber)).totalElements, 1)
})

test('200 with an empty purpose for a payment without one, and for one that version 1 started, which ignores the field', async () => {
  assert.equal((await (await send({ key: randomUUID(), body: aPayment() })).json()).purpose, '')
  const body = aCollect({ purpose: 'Facture 14' })
  const init = { method: 'POST', headers: harness.headers, body: JSON.stringify(body) }
  initiationSchemaV1.parse(await (await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, init)).json())
  const list = transactionListSchema.parse(await read(`/api/v2/transactions?externalId=${body['externalId']}`))
  assert.deepEqual(
    list.transactions.map(({ purpose }) => purpose),
    [''],
  )
})

test('400 for a purpose of more than 140 characters, with a null character, or that is no text; the key stays free', async () => {
  const key = randomUUID()
  for (const purpose of ['x'.repeat(141), 'a\u0000b', 12, null])
    assert.equal(await codeOf(await send({ key, body: aPayment({ purpose }) })), '400 fields_invalid', JSON.stringify(purpose))
  assert.equal((await send({ key, body: aPayment({ purpose: '\u{1f600}'.repeat(140) }) })).status, 200)
})
