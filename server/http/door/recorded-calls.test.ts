import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiCallFilterSchema } from '#lib/schemas/page-address.ts'
import { findCall, listCalls } from '#server/partner-auth/recent-calls-store.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '../testing/http-harness.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness({ config: { isSandbox: true } })
})
after(() => harness.close())

/** Sends a call and returns its status and what the application's engineer sees of it. */
async function call(path: string, init: RequestInit = {}, applicationId = harness.partner.applicationId) {
  const response = await fetch(`${harness.baseUrl}${path}`, init)
  await response.text()
  await harness.runtime.recentCalls?.close()
  const filter = apiCallFilterSchema.parse({})
  const { rows } = await listCalls(harness.database.pool, { applicationId, filter, zone: 'UTC', pageSize: 1 })
  const found = rows[0] && (await findCall(harness.database.pool, applicationId, rows[0].requestId))
  await harness.database.pool.query('delete from api_requests')
  return { status: response.status, found }
}

const COLLECT = '/api/v1/transaction/collect'
const post = (body: unknown, headers: Record<string, string> = harness.headers): RequestInit => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

test('200 recorded with request, answer and payment, and without its credentials', async () => {
  const body = aCollect()
  const { status, found } = await call(`${COLLECT}?trace=1`, post(body))
  assert.equal(status, 200)
  const { method, path, query, request, answer, transactions, keyPrefix, message, cause } = found ?? assert.fail('nothing was recorded')
  assert.deepEqual([method, path, query, found?.status, message, cause], ['POST', COLLECT, 'trace=1', 200, null, null])
  assert.deepEqual(JSON.parse(request.body), body)
  assert.equal(JSON.parse(answer.body).transactionId, transactions[0]?.transactionId)
  assert.equal(transactions[0]?.externalId, body['externalId'])
  assert.ok(keyPrefix !== null && harness.partner.apiKey.startsWith(keyPrefix))
  assert.ok(request.headers.includes(`apikey: ${keyPrefix}…`) && request.headers.includes('authorization: Bearer ***'), request.headers)
  const all = JSON.stringify(found)
  const token = harness.headers['authorization']?.split(' ')[1] ?? ''
  assert.ok(!all.includes(harness.partner.apiKey) && !all.includes(token.slice(0, 30)))
})

test('400 recorded with its reason', async () => {
  const { found } = await call(COLLECT, post({ ...aCollect(), amount: 'five' }))
  assert.equal(found?.status, 400)
  assert.match(found.message ?? '', /^amount must be /)
})

test('401 recorded with the credential that was wrong, for the owner of the key', async () => {
  const { status, found } = await call(COLLECT, post(aCollect(), { ...harness.headers, authorization: 'Bearer eyJx.y.z' }))
  assert.deepEqual([status, found?.status, found?.cause, found?.request.body], [401, 401, 'token_unreadable', ''])
})

test('403 recorded for an address that is not allowed', async () => {
  const partner = await createTestPartner(harness.database.pool, { networks: ['192.0.2.0/24'] })
  await harness.directory.refresh()
  const token = await harness.runtime.tokens.sign(partner.apiUserId, partner.applicationId)
  const headers = { ...harness.headers, apiKey: partner.apiKey, apiId: partner.apiId, authorization: `Bearer ${token}` }
  const { found } = await call(COLLECT, post(aCollect(), headers), partner.applicationId)
  assert.deepEqual([found?.status, found?.cause], [403, 'address_not_allowed'])
})

for (const [expected, path, method] of [
  [404, '/api/v1/transaction/colect', 'GET'],
  [404, '/api/v1', 'GET'],
  [405, COLLECT, 'GET'],
  [405, '/public/access_token', 'GET'],
] as const) {
  test(`${expected} recorded for ${method} ${path} with the credentials of an application`, async () => {
    const { status, found } = await call(path, { method, headers: harness.headers })
    assert.deepEqual([status, found?.status, found?.path, found?.cause], [expected, expected, path, null])
    assert.ok(found?.message)
  })
}

test('404 recorded for nobody without credentials', async () => {
  const { status, found } = await call('/api/v1/transaction/colect')
  assert.deepEqual([status, found], [404, undefined])
})

test('200 and 401 of a token recorded for the application of the user name, without password and token', async () => {
  const { username, password } = harness.partner
  const json = { 'content-type': 'application/json' }
  const right = await call('/public/access_token', post({ username, password }, json))
  assert.deepEqual([right.status, right.found?.path, right.found?.cause], [200, '/public/access_token', null])
  assert.deepEqual(JSON.parse(right.found?.request.body ?? ''), { username, password: '***' })
  const { access_token, refresh_token, token_type } = JSON.parse(right.found?.answer.body ?? '')
  assert.deepEqual([access_token, refresh_token, token_type], ['***', '***', 'Bearer'])
  const wrong = await call('/public/access_token', post({ username, password: 'a wrong password' }, json))
  assert.deepEqual([wrong.status, wrong.found?.cause], [401, 'wrong_password'])
  assert.ok(!JSON.stringify(wrong.found).includes('a wrong password'))
  const unknown = await call('/public/access_token', post({ username: 'nobody@example.com', password: 'a wrong password' }, json))
  assert.deepEqual([unknown.status, unknown.found], [401, undefined])
})

test('200 and 401 of a refresh token recorded for the application that it names', async () => {
  const { username, password, applicationId } = harness.partner
  const json = { 'content-type': 'application/json' }
  const tokens = await (await fetch(`${harness.baseUrl}/public/access_token`, post({ username, password }, json))).json()
  const right = await call('/public/refresh_token', post({ refreshToken: tokens.refresh_token }, json))
  assert.deepEqual([right.status, right.found?.request.body], [200, '{"refreshToken":"***"}'])
  const forged = Buffer.concat([Buffer.from(applicationId.replaceAll('-', ''), 'hex'), Buffer.alloc(32)]).toString('base64url')
  const wrong = await call('/public/refresh_token', post({ refreshToken: forged }, json))
  assert.deepEqual([wrong.status, wrong.found?.status], [401, 401])
})

test('nothing recorded of health, metrics and the documents', async () => {
  for (const path of ['/health', '/metrics', '/api/v1/openapi.json', '/pay/nothing']) {
    const { found } = await call(path, { headers: harness.headers })
    assert.equal(found, undefined, path)
  }
})
