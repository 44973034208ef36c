import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createTokens, type Tokens } from './access-token.ts'
import { resetApiUserPassword } from './api-users.ts'
import { authenticateCaller } from './authenticate-caller.ts'
import { exchangeRefreshToken, issueTokens, type TokenDeps } from './tokens.ts'

const SECRET = 'a secret for tests that is long enough'
let database: TestDatabase
let directories: Directory[]
let tokens: Tokens
let deps: TokenDeps
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }

before(async () => {
  database = await createTestDatabase()
  // Two, as in two processes: the second one learns of every change from the database alone.
  directories = [await createDirectory({ pool: database.pool }), await createDirectory({ pool: database.pool })]
  tokens = createTokens({ clock, secret: SECRET })
  const [directory = assert.fail()] = directories
  deps = {
    pool: database.pool,
    tokens,
    directory,
    throttle: createSignInThrottle({ pool: database.pool, clock, secret: 'a secret for tests' }),
  }
})
after(async () => {
  for (const directory of directories) await directory.close()
  await database.drop()
})

function signIn(partner: TestPartner): ReturnType<typeof issueTokens> {
  return issueTokens(deps, { username: partner.username, password: partner.password, peerAddress: '198.51.100.7' })
}

/** Whether each process accepts the token now. */
async function acceptance(partner: TestPartner, accessToken: string): Promise<boolean[]> {
  const answers = await Promise.all(
    directories.map((directory) =>
      authenticateCaller(directory, tokens, { apiKey: partner.apiKey, apiId: partner.apiId, authorization: `Bearer ${accessToken}` }),
    ),
  )
  return answers.map((answer) => answer.ok)
}

/** Asks until both processes agree. Fails when that takes longer than a second. */
async function untilBoth(partner: TestPartner, accessToken: string, isAccepted: boolean): Promise<void> {
  const startedMs = performance.now()
  for (;;) {
    const sentMs = performance.now()
    if ((await acceptance(partner, accessToken)).every((one) => one === isAccepted)) return
    assert.ok(sentMs - startedMs < 1_000, `not ${isAccepted ? 'accepted' : 'refused'} in both processes after a second`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Signed with the right secret and everything right but for `claims`. */
function signed(claims: Record<string, unknown>, subject: string): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(subject)
    .setIssuer('countersign')
    .setAudience('countersign:api')
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRET))
}

test('unauthenticated: access tokens issued before a password reset, in both processes within a second; those issued after work immediately', async () => {
  const partner = await createTestPartner(database.pool)
  const old = must(await signIn(partner))
  await untilBoth(partner, old.accessToken, true)
  const { applicationId, apiUserId } = partner
  const { password } = must(await resetApiUserPassword(database.pool, { applicationId, apiUserId, actor: SYSTEM_ACTOR }))
  const renewed = must(await signIn({ ...partner, password }))
  assert.equal((await acceptance(partner, renewed.accessToken))[0], true, 'the process that issued it accepts it immediately')
  await untilBoth(partner, old.accessToken, false)
  await untilBoth(partner, renewed.accessToken, true)
  assert.deepEqual(await exchangeRefreshToken(deps, old), { ok: false, error: 'invalid_token' })
})

test('unauthenticated: access tokens of a user whose refresh token was reused late; the end of its tokens is in the audit record', async () => {
  const partner = await createTestPartner(database.pool)
  const stolen = must(await signIn(partner))
  const current = must(await exchangeRefreshToken(deps, stolen))
  nowMs += 31_000
  assert.deepEqual(await exchangeRefreshToken(deps, stolen), { ok: false, error: 'invalid_token' })
  await untilBoth(partner, current.accessToken, false)
  const record = await listAudit(database.pool, partner.applicationId, { size: 50 })
  assert.deepEqual(
    record.filter((entry) => entry.action === 'api_user.tokens_ended').map((entry) => [entry.subject, entry.details]),
    [[partner.apiUserId, { reason: 'refresh_token_reused' }]],
  )
  await untilBoth(partner, must(await signIn(partner)).accessToken, true)
})

test('unauthenticated: correctly signed tokens with an unknown or empty sub, the sub of another application, or a bad epoch', async () => {
  const [partner, other] = [await createTestPartner(database.pool), await createTestPartner(database.pool)]
  for (const directory of directories) await directory.refresh()
  const app = partner.applicationId
  for (const [claims, subject] of [
    [{ app }, crypto.randomUUID()],
    [{ app }, ''],
    [{ app }, other.apiUserId],
    [{ app }, '__proto__'],
    [{ app: other.applicationId }, partner.apiUserId],
    [{ app, epoch: 0 }, partner.apiUserId],
    [{ app, epoch: '1' }, partner.apiUserId],
    [{ app, epoch: null }, partner.apiUserId],
  ] as const)
    assert.deepEqual(await acceptance(partner, await signed(claims, subject)), [false, false], JSON.stringify({ claims, subject }))
  assert.deepEqual(await acceptance(partner, await signed({ app, epoch: 1 }, partner.apiUserId)), [true, true])
})

test('unauthenticated: a token without an epoch', async () => {
  const partner = await createTestPartner(database.pool)
  await untilBoth(partner, await signed({ app: partner.applicationId }, partner.apiUserId), false)
})

test('wrong_credentials: a password that is reset while a sign-in with it is in progress', async () => {
  const partner = await createTestPartner(database.pool)
  const { applicationId, apiUserId, username, password } = partner
  const throttle: TokenDeps['throttle'] = {
    ...deps.throttle,
    async check(attempt) {
      const checked = await deps.throttle.check(attempt)
      must(await resetApiUserPassword(database.pool, { applicationId, apiUserId, actor: SYSTEM_ACTOR }))
      return checked
    },
  }
  assert.deepEqual(await issueTokens({ ...deps, throttle }, { username, password, peerAddress: '198.51.100.8' }), {
    ok: false,
    error: { kind: 'wrong_credentials' },
  })
})

test('0 live refresh tokens after a reset at the same time as twenty refreshes', async () => {
  for (let round = 0; round < 5; round++) {
    const partner = await createTestPartner(database.pool)
    const { applicationId, apiUserId } = partner
    const pairs = await Promise.all(Array.from({ length: 10 }, async () => must(await signIn(partner))))
    await Promise.all([
      ...pairs.map((pair) => exchangeRefreshToken(deps, pair)),
      resetApiUserPassword(database.pool, { applicationId, apiUserId, actor: SYSTEM_ACTOR }),
      ...pairs.map((pair) => exchangeRefreshToken(deps, pair)),
    ])
    const { rows } = await database.pool.query('select 1 from refresh_tokens where api_user_id = $1 and revoked_at is null', [apiUserId])
    assert.equal(rows.length, 0)
  }
})
