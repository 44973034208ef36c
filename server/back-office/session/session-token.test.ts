import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'next-auth/jwt'
import { newSession, openSession, SESSION_S, sealSession } from './session-token.ts'

const SECRET = 'a session secret for tests, long enough'
const now = new Date()
const who = { personId: crypto.randomUUID(), epoch: 3 }
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000)

test('undefined for a session twelve hours after the password, even when it was sealed again', async () => {
  const session = newSession(who, 'session', now)
  const first = await sealSession(session, 'session', SECRET, now)
  const opened = await openSession(first, 'session', SECRET, later(SESSION_S - 60))
  assert.deepEqual([opened?.personId, opened?.epoch, opened?.sessionId], [who.personId, 3, session.sessionId])
  assert.ok(opened)
  const again = await sealSession(opened, 'session', SECRET, later(SESSION_S - 60))
  assert.ok(await openSession(again, 'session', SECRET, later(SESSION_S - 2)))
  for (const token of [first, again]) assert.equal(await openSession(token, 'session', SECRET, later(SESSION_S)), undefined)
})

test('a token says whether its session was started with a passkey', async () => {
  for (const usedPasskey of [true, false]) {
    const token = await sealSession(newSession({ ...who, usedPasskey }, 'session', now), 'session', SECRET, now)
    assert.equal((await openSession(token, 'session', SECRET, now))?.usedPasskey ?? false, usedPasskey)
  }
})

test('two ids for two sessions of one person', () => {
  assert.notEqual(newSession(who, 'session', now).sessionId, newSession(who, 'session', now).sessionId)
})

test('undefined for a pending session in place of a whole one, another secret, and altered, foreign or older tokens', async () => {
  const session = newSession(who, 'session', now)
  const token = await sealSession(session, 'session', SECRET, now)
  const claims = { sub: who.personId, epoch: 3, sid: session.sessionId, ends: Math.floor(later(60).getTime() / 1_000) }
  const of = (changes: Record<string, unknown>) => encode({ token: { ...claims, ...changes }, secret: SECRET, maxAge: 3_600 })
  assert.ok(await openSession(await of({}), 'session', SECRET, now))
  const slowHeader = Buffer.from(JSON.stringify({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', p2c: 10_000, p2s: 'AAAAAAAAAAA' }))
  const bad = [
    await sealSession(newSession(who, 'pendingSecondFactor', now), 'pendingSecondFactor', SECRET, now),
    await sealSession(session, 'session', 'another session secret, also long enough', now),
    `${token.slice(0, -6)}forged`,
    `${slowHeader.toString('base64url')}.${token.split('.').slice(1).join('.')}`,
    '',
    'x',
    '....',
    'a'.repeat(10_000),
    await of({ sid: undefined }),
    await of({ ends: undefined }),
    await of({ ends: 'never' }),
    await of({ epoch: '3' }),
    await of({ sub: '' }),
    await of({ sid: "' or true --" }),
  ]
  for (const [place, one] of bad.entries()) assert.equal(await openSession(one, 'session', SECRET, now), undefined, `number ${place}`)
})
