import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { systemClock } from '#server/clock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { listWebhookTests, sendTestWebhook } from './resend-webhook.ts'
import { createGuardedSenders } from './send/send-webhook.ts'
import { verifyWebhook } from './send/sign-webhook.ts'
import { personOf } from './testing/resends.ts'
import { closeAtEnd, closeEverything, startReceiver } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
afterEach(() => closeEverything())
after(() => database.drop())

const SECRETS = ['whsec_b2xkIHNlY3JldCBvZiB0aGUgdGVzdA==', 'whsec_bmV3IHNlY3JldCBvZiB0aGUgdGVzdA=='].map((secret) => ({
  secret,
  expiresAt: null,
}))

async function send(
  applicationId: string,
  url: string,
  { isSandbox = true, actor = personOf(applicationId, ['engineer']), status = 'FAILED' as 'SUCCESS' | 'FAILED' } = {},
) {
  const sender = createGuardedSenders({ allowsPrivateTargets: isSandbox, idleConnectionsMax: 0 }).to([])
  closeAtEnd(sender)
  const deps = { pool: database.pool, clock: systemClock, sender }
  return sendTestWebhook(deps, { applicationId, url, status, actor, secrets: SECRETS, copiesStatus: false })
}

test('marked as a test and signed with every valid secret; the answer is listed', async () => {
  const applicationId = await makeApplication(database.pool)
  const receiver = await startReceiver((response) => response.writeHead(201).end('created \u0007<b>'))
  assert.ok((await send(applicationId, `${receiver.url}?token=0123456789abcdef0123456789`)).ok)
  const [request] = receiver.received
  assert.ok(request)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  assert.match(headers['webhook-id'] ?? '', /^msg_test_/)
  const body = JSON.parse(request.body)
  assert.match(body.transactionId, /^test_/)
  assert.deepEqual([body.status, body.message.startsWith('TEST')], ['FAILED', true])
  for (const { secret } of SECRETS) assert.ok(verifyWebhook(headers, request.body, secret, new Date()))
  const [listed] = await listWebhookTests(database.pool, applicationId)
  assert.equal(listed?.url, `${receiver.url}?token=***`)
  assert.deepEqual(
    [listed?.result?.outcome, listed?.result?.httpStatus, listed?.result?.responseStart],
    ['bad_status', 201, 'created \uFFFD<b>'],
  )
})

test('SUCCESS where it is wanted, with the same marks and an externalId that names no transaction', async () => {
  const applicationId = await makeApplication(database.pool)
  const receiver = await startReceiver((response) => response.writeHead(200).end())
  assert.ok((await send(applicationId, receiver.url, { status: 'SUCCESS' })).ok)
  const { status, transactionId, externalId, message } = JSON.parse(receiver.received[0]?.body ?? '{}')
  assert.equal(status, 'SUCCESS')
  assert.match(transactionId, /^test_/)
  assert.match(message, /^TEST/)
  const { rowCount } = await database.pool.query('select 1 from transactions where external_id = $1', [externalId])
  assert.equal(rowCount, 0)
})

test('refused_target for a private address outside the sandbox, without a connection', async () => {
  const applicationId = await makeApplication(database.pool)
  const receiver = await startReceiver((response) => response.writeHead(200).end())
  assert.ok((await send(applicationId, receiver.url, { isSandbox: false })).ok)
  assert.equal((await listWebhookTests(database.pool, applicationId))[0]?.result?.outcome, 'refused_target')
  assert.equal(receiver.received.length, 0)
})

test('throttled after twenty in an hour, also at the same moment; not_permitted for other roles and applications; invalid_url', async () => {
  const applicationId = await makeApplication(database.pool)
  const receiver = await startReceiver((response) => response.writeHead(200).end())
  assert.deepEqual(await send(applicationId, receiver.url, { actor: personOf(applicationId, ['maker']) }), {
    ok: false,
    error: 'not_permitted',
  })
  const elsewhere = await makeApplication(database.pool)
  assert.deepEqual(await send(applicationId, receiver.url, { actor: personOf(elsewhere, ['engineer']) }), {
    ok: false,
    error: 'not_permitted',
  })
  for (const url of ['ftp://a.example', 'nonsense', 'javascript:alert(1)'])
    assert.deepEqual(await send(applicationId, url), { ok: false, error: 'invalid_url' })
  const answers = await Promise.all(Array.from({ length: 25 }, () => send(applicationId, receiver.url)))
  assert.equal(answers.filter(({ ok }) => ok).length, 20)
  assert.equal(receiver.received.length, 20)
})
