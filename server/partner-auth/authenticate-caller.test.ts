import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import { createApiKey, revokeApiKey } from '#server/applications/access/api-keys.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createTokens, type Tokens } from './access-token.ts'
import { admitCaller, authenticateCaller, type Caller, type Credentials } from './authenticate-caller.ts'
import { issueTokens } from './tokens.ts'

const SECRET = 'a secret for tests that is long enough'
let database: TestDatabase
let directory: Directory
let tokens: Tokens
let kora: TestPartner
let lomé: TestPartner
let bearer: string
let nowMs = Date.now()

before(async () => {
  database = await createTestDatabase()
  kora = await createTestPartner(database.pool)
  lomé = await createTestPartner(database.pool)
  directory = await createDirectory({ pool: database.pool })
  tokens = createTokens({ clock: { now: () => new Date(nowMs) }, secret: SECRET })
  const throttle = createSignInThrottle({ pool: database.pool, clock: systemClock, secret: 'a secret for tests' })
  bearer = must(await issueTokens({ pool: database.pool, tokens, directory, throttle }, { ...kora, peerAddress: '127.0.0.1' })).accessToken
})
after(async () => {
  await directory.close()
  await database.drop()
})

function call(changes: Partial<Credentials> = {}): ReturnType<typeof authenticateCaller> {
  return authenticateCaller(directory, tokens, { apiKey: kora.apiKey, apiId: kora.apiId, authorization: `Bearer ${bearer}`, ...changes })
}

async function callerOf(): Promise<Caller> {
  await directory.refresh()
  return must(await call())
}

test('the application and the user for three correct credentials, also from the cache', async () => {
  for (const _ of [1, 2]) {
    const caller = must(await call())
    assert.equal(caller.application.applicationId, kora.applicationId)
    assert.equal(caller.apiUserId, kora.apiUserId)
  }
  assert.ok((await call({ authorization: `bearer  ${bearer} ` })).ok)
})

test('unauthenticated for each of the three credentials that is missing or wrong', async () => {
  const koraToken = await tokens.sign(kora.apiUserId, kora.applicationId)
  const foreign = await createTokens({ clock: systemClock, secret: 'some other secret, also long enough' }).sign(
    kora.apiUserId,
    kora.applicationId,
  )
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${koraToken.split('.')[1]}.`
  const withoutApplication = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(kora.apiUserId)
    .setIssuer('countersign')
    .setAudience('countersign:api')
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRET))
  const wrong: Partial<Credentials>[] = [
    { apiKey: undefined },
    { apiKey: '' },
    { apiKey: `${kora.apiKey}x` },
    { apiKey: lomé.apiKey },
    { apiId: undefined },
    { apiId: '' },
    { apiId: crypto.randomUUID() },
    { apiId: lomé.apiId },
    { authorization: undefined },
    { authorization: 'Bearer ' },
    { authorization: bearer },
    { authorization: `Basic ${bearer}` },
    { authorization: `Bearer ${bearer.slice(0, -2)}AA` },
    { authorization: `Bearer ${foreign}` },
    { authorization: `Bearer ${unsigned}` },
    { authorization: `Bearer ${withoutApplication}` },
    { authorization: `Bearer ${'a'.repeat(100_000)}` },
    { authorization: `Bearer ${await tokens.sign(lomé.apiUserId, lomé.applicationId)}` },
  ]
  for (const change of wrong)
    assert.deepEqual(await call(change), { ok: false, error: 'unauthenticated' }, JSON.stringify(change).slice(0, 80))
})

test('unauthenticated for an expired token, even if it was verified before', async () => {
  assert.ok((await call()).ok)
  nowMs += 3_601_000
  try {
    assert.deepEqual(await call(), { ok: false, error: 'unauthenticated' })
    assert.deepEqual(await call(), { ok: false, error: 'unauthenticated' })
  } finally {
    nowMs -= 3_601_000
  }
  assert.ok((await call()).ok)
})

test('unauthenticated for a revoked or expired key; a rotated key is accepted until its overlap ends', async () => {
  const second = must(await createApiKey(database.pool, { applicationId: kora.applicationId, name: 'second', actor: SYSTEM_ACTOR }))
  await directory.refresh()
  assert.ok((await call({ apiKey: second.apiKey })).ok)
  must(await revokeApiKey(database.pool, { applicationId: kora.applicationId, apiKeyId: second.apiKeyId, actor: SYSTEM_ACTOR }))
  await directory.refresh()
  assert.ok(!(await call({ apiKey: second.apiKey })).ok)
  assert.deepEqual(
    await revokeApiKey(database.pool, { applicationId: kora.applicationId, apiKeyId: second.apiKeyId, actor: SYSTEM_ACTOR }),
    { ok: false, error: 'unknown_key' },
  )

  const overlapEnds = new Date(nowMs + 600_000)
  const third = must(
    await createApiKey(database.pool, {
      applicationId: kora.applicationId,
      name: 'third',
      actor: SYSTEM_ACTOR,
      othersExpireAt: overlapEnds,
    }),
  )
  await directory.refresh()
  assert.ok((await call()).ok)
  assert.ok((await call({ apiKey: third.apiKey })).ok)
  nowMs += 601_000
  try {
    assert.ok(!(await call()).ok)
    assert.ok((await call({ apiKey: third.apiKey })).ok)
  } finally {
    nowMs -= 601_000
  }
})

test('address_not_allowed, user_blocked and application_disabled, in this order', async () => {
  assert.deepEqual(admitCaller(await callerOf(), '127.0.0.1'), { ok: true, value: undefined })
  assert.deepEqual(admitCaller(await callerOf(), '::ffff:127.0.0.1'), { ok: true, value: undefined })
  await database.pool.query('update applications set is_enabled = false where application_id = $1', [kora.applicationId])
  assert.deepEqual(admitCaller(await callerOf(), '127.0.0.1'), { ok: false, error: 'application_disabled' })
  await database.pool.query('update api_users set is_blocked = true where api_user_id = $1', [kora.apiUserId])
  assert.deepEqual(admitCaller(await callerOf(), '127.0.0.1'), { ok: false, error: 'user_blocked' })
  assert.deepEqual(admitCaller(await callerOf(), '192.0.2.1'), { ok: false, error: 'address_not_allowed' })
  await database.pool.query('delete from ip_allow_entries where application_id = $1', [kora.applicationId])
  assert.deepEqual(admitCaller(await callerOf(), '127.0.0.1'), { ok: false, error: 'address_not_allowed' })
})

test('unauthenticated from the instant at which a key ends, and not a millisecond earlier', async () => {
  const expiresAt = new Date(nowMs + 60_000)
  const { apiKey } = must(
    await createApiKey(database.pool, { applicationId: kora.applicationId, name: 'ends', expiresAt, actor: SYSTEM_ACTOR }),
  )
  await directory.refresh()
  const startMs = nowMs
  try {
    for (const [ms, isIn] of [
      [expiresAt.getTime() - 1, true],
      [expiresAt.getTime(), false],
    ] as const) {
      nowMs = ms
      assert.equal((await call({ apiKey })).ok, isIn)
    }
  } finally {
    nowMs = startMs
  }
})
