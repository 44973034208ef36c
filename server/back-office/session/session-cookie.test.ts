import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVisitorReader, newSession, SESSION_S, sealSession } from './session-token.ts'

const SECRET = 'a session secret for tests, long enough'
const PERSON = crypto.randomUUID()
let now = new Date()
const clock = { now: () => now }
const sealed = (kind: 'session' | 'pendingSecondFactor', secret = SECRET) =>
  sealSession(newSession({ personId: PERSON, epoch: 1 }, kind, now), kind, secret, now)

test('the person of a session that was sealed here, until it ends, among other cookies', async () => {
  const read = createVisitorReader({ publicUrl: 'https://office.example', sessionSecret: SECRET, clock })
  const cookies = `a=b; __Host-countersign.session=${await sealed('session')}; c=d`
  assert.deepEqual([await read(cookies), await read(cookies)], [PERSON, PERSON])
  now = new Date(now.getTime() + SESSION_S * 1_000)
  assert.equal(await read(cookies), undefined)
})

test('undefined for a made-up token, another secret, a session without its second step, and a cookie that another site may set', async () => {
  const read = createVisitorReader({ publicUrl: 'https://office.example', sessionSecret: SECRET, clock })
  const [whole, half, foreign] = [await sealed('session'), await sealed('pendingSecondFactor'), await sealed('session', `${SECRET}?`)]
  for (const cookies of [
    undefined,
    '',
    '__Host-countersign.session=',
    '__Host-countersign.session=made-up',
    `__Host-countersign.session=${whole.slice(0, -2)}`,
    `__Host-countersign.session=${half}`,
    `__Host-countersign.session=${foreign}`,
    `countersign.session=${whole}`,
  ])
    assert.equal(await read(cookies), undefined, String(cookies))
})
