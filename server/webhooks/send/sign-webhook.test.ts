import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { signWebhook, verifyWebhook, webhookPayload } from './sign-webhook.ts'

const NOW = new Date('2026-11-20T12:00:00.900Z')
const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const BODY = '{"status":"SUCCESS"}'

test('the signature is HMAC-SHA256 over id, timestamp and body with the decoded secret', () => {
  const headers = signWebhook('msg_1', BODY, [{ secret: NEW, expiresAt: null }], NOW)
  const seconds = Math.floor(NOW.getTime() / 1000)
  const expected = createHmac('sha256', Buffer.alloc(32, 2)).update(`msg_1.${seconds}.${BODY}`).digest('base64')
  assert.deepEqual(headers, { 'webhook-id': 'msg_1', 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${expected}` })
})

test('true for either secret during a rotation, and for the new one only afterwards', () => {
  const secrets = [
    { secret: NEW, expiresAt: null },
    { secret: OLD, expiresAt: new Date('2026-11-21T00:00:00Z') },
  ]
  const during = signWebhook('msg_1', BODY, secrets, NOW)
  assert.equal(verifyWebhook(during, BODY, OLD, NOW), true)
  assert.equal(verifyWebhook(during, BODY, NEW, NOW), true)
  assert.equal(during['webhook-signature']?.split(' ').length, 2)
  const later = new Date('2026-11-21T00:00:00Z')
  const afterwards = signWebhook('msg_1', BODY, secrets, later)
  assert.equal(verifyWebhook(afterwards, BODY, OLD, later), false)
  assert.equal(verifyWebhook(afterwards, BODY, NEW, later), true)
})

test('false for a changed body, id, time or secret, and for a stale timestamp', () => {
  const headers = signWebhook('msg_1', BODY, [{ secret: NEW, expiresAt: null }], NOW)
  assert.equal(verifyWebhook(headers, `${BODY} `, NEW, NOW), false)
  assert.equal(verifyWebhook({ ...headers, 'webhook-id': 'msg_2' }, BODY, NEW, NOW), false)
  assert.equal(verifyWebhook({ ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, BODY, NEW, NOW), false)
  assert.equal(verifyWebhook(headers, BODY, OLD, NOW), false)
  assert.equal(verifyWebhook(headers, BODY, NEW, new Date(NOW.getTime() + 301_000)), false)
  assert.equal(verifyWebhook({}, BODY, NEW, NOW), false)
})

test('no signature header without a secret', () => {
  assert.deepEqual(Object.keys(signWebhook('msg_1', BODY, [], NOW)), ['webhook-id', 'webhook-timestamp'])
})

const RESULT = {
  externalId: '8d1f…',
  transactionId: '7c2e…',
  status: 'FAILED',
  amountMinor: 999_999_999_999n,
  phoneNumber: '237670000001',
  operator: 'MOMOCM',
  message: 'Solde "insuffisant"\n',
  finalAt: '2026-11-20T12:00:00.123Z',
}

test('the body has the eight fields in order, the amount digit for digit', () => {
  const body = webhookPayload(RESULT, false)
  assert.deepEqual(Object.keys(JSON.parse(body)), [
    'externalId',
    'transactionId',
    'status',
    'amount',
    'phoneNumber',
    'transferMethod',
    'message',
    'timestamp',
  ])
  assert.match(body, /"amount":9999999999\.99,/)
  assert.equal(JSON.parse(body).message, RESULT.message)
})

test('transactionStatus is in the body only for an application that requires it', () => {
  assert.equal(JSON.parse(webhookPayload(RESULT, true)).transactionStatus, 'FAILED')
  assert.equal('transactionStatus' in JSON.parse(webhookPayload(RESULT, false)), false)
})

test('a default message is in the body of a result without one', () => {
  assert.equal(
    JSON.parse(webhookPayload({ ...RESULT, status: 'SUCCESS', message: null }, false)).message,
    'Transaction effectuée avec succès',
  )
})

test('true until five minutes before and after the time of the signature, false beyond them and for a time that is no number', () => {
  const at = new Date('2026-11-20T12:00:00Z')
  const headers = signWebhook('msg_1', BODY, [{ secret: NEW, expiresAt: null }], at)
  const verify = (seconds: number, changes = {}) =>
    verifyWebhook({ ...headers, ...changes }, BODY, NEW, new Date(at.getTime() + seconds * 1_000))
  assert.deepEqual(
    [-301, -300, 300, 301].map((seconds) => verify(seconds)),
    [false, true, true, false],
  )
  for (const timestamp of ['', 'now', `${headers['webhook-timestamp']}x`, `-${headers['webhook-timestamp']}`, '1e9'])
    assert.equal(verify(0, { 'webhook-timestamp': timestamp }), false, timestamp)
})

test('false for a signature of another version, another length or none, and true for the right one among them', () => {
  const headers = signWebhook('msg_1', BODY, [{ secret: NEW, expiresAt: null }], NOW)
  const right = headers['webhook-signature'] ?? ''
  const verify = (signature: string) => verifyWebhook({ ...headers, 'webhook-signature': signature }, BODY, NEW, NOW)
  const wrong = [right.replace('v1,', 'v2,'), right.replace('v1,', ''), right.slice(0, -8), `${right.slice(0, -1)}AAAA`, 'v1', 'v1,', '']
  for (const signature of wrong) assert.equal(verify(signature), false, signature)
  const { 'webhook-signature': _, ...unsigned } = headers
  assert.equal(verifyWebhook(unsigned, BODY, NEW, NOW), false)
  assert.equal(verify([...wrong, right].join(' ')), true)
})

test('a secret signs the same with its prefix and without it', () => {
  const secret = { secret: NEW.replace('whsec_', ''), expiresAt: null }
  assert.deepEqual(signWebhook('msg_1', BODY, [secret], NOW), signWebhook('msg_1', BODY, [{ ...secret, secret: NEW }], NOW))
})
