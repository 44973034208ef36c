import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createSignInThrottle, pruneSignInThrottles, type SignInThrottleOptions } from '#server/credentials/sign-in-throttle.ts'
import { cheapHasher } from '#server/credentials/testing.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createTokens } from './access-token.ts'
import { resetApiUserPassword } from './api-users.ts'
import { exchangeRefreshToken, issueTokens, type TokenDeps } from './tokens.ts'

let database: TestDatabase
let directory: Directory
let deps: TokenDeps
let partner: TestPartner
const nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }
const SECRET = 'a secret for tests'
const peerAddress = '198.51.100.7'
const WRONG = { ok: false, error: { kind: 'wrong_credentials' } } as const

before(async () => {
  database = await createTestDatabase()
  partner = await createTestPartner(database.pool)
  directory = await createDirectory({ pool: database.pool })
  const tokens = createTokens({ clock, secret: 'a secret for tests that is long enough' })
  deps = {
    pool: database.pool,
    tokens,
    directory,
    throttle: newThrottle(),
  }
})
after(async () => {
  await directory.close()
  await database.drop()
})

/** A throttle like that of a process that has just started. */
function newThrottle(hasher: SignInThrottleOptions['hasher'] = cheapHasher, spacingMs = { pair: 100, address: 25, account: 100 }) {
  return createSignInThrottle({ pool: database.pool, clock, secret: SECRET, hasher, spacingMs })
}

function signIn(changes: { username?: string; password?: string; peerAddress?: string } = {}): ReturnType<typeof issueTokens> {
  return issueTokens(deps, { username: partner.username, password: partner.password, peerAddress, ...changes })
}

async function refresh(refreshToken: string): ReturnType<typeof exchangeRefreshToken> {
  return exchangeRefreshToken(deps, { refreshToken })
}

test('a JWT for one hour and a refresh token, different for each sign-in', async () => {
  const first = must(await signIn())
  const second = must(await signIn())
  assert.equal(first.expiresInSeconds, 3_600)
  assert.notEqual(first.accessToken, second.accessToken)
  assert.notEqual(first.refreshToken, second.refreshToken)
  const claims = decodeJwt(first.accessToken)
  assert.deepEqual([claims.sub, claims['app'], (claims.exp ?? 0) - (claims.iat ?? 0)], [partner.apiUserId, partner.applicationId, 3_600])
})

test('wrong_credentials for unknown names, wrong passwords and text that cannot be stored', async () => {
  const wrong = [
    { password: 'wrong' },
    { password: '' },
    { password: `${partner.password} ` },
    { username: 'nobody@example.com' },
    { username: '' },
    { username: `${partner.username}\0` },
    { username: '\ud800' },
    { password: 'x'.repeat(100_000) },
  ]
  for (const [place, change] of wrong.entries()) assert.deepEqual(await signIn({ ...change, peerAddress: `203.0.113.${place}` }), WRONG)
})

test('throttled: wrong passwords after ten; the correct one is accepted, and counting starts again', async () => {
  // A process that has never seen this program: nothing is remembered.
  const fresh = { ...deps, throttle: newThrottle() }
  const tryIn = (password: string): ReturnType<typeof issueTokens> =>
    issueTokens(fresh, { username: partner.username, password, peerAddress: '203.0.113.77' })
  for (let count = 0; count < 10; count++) assert.deepEqual(await tryIn('wrong'), WRONG)
  for (let count = 0; count < 2; count++) {
    const answer = await tryIn('wrong')
    assert.ok(!answer.ok && answer.error.kind === 'throttled' && answer.error.retryAfterMs > 0)
  }
  assert.deepEqual(await signIn({ peerAddress: '203.0.113.78', password: 'wrong' }), WRONG)
  assert.ok((await tryIn(partner.password)).ok)
  assert.deepEqual(await tryIn('wrong'), WRONG)
})

test('1 comparison at a time, with the pause of a throttled name in between, for a name and address beyond its limit', async () => {
  const comparedAtMs: number[] = []
  const isPasswordRight: typeof cheapHasher.isPasswordRight = async () => {
    comparedAtMs.push(performance.now())
    return false
  }
  const fresh = { ...deps, throttle: newThrottle({ isPasswordRight }, { pair: 200, address: 0, account: 0 }) }
  const attempt = { username: 'nobody@example.com', password: 'wrong', peerAddress: '203.0.113.55' }
  for (let count = 0; count < 12; count++) await issueTokens(fresh, attempt)
  const [eleventh = 0, twelfth = 0] = comparedAtMs.slice(-2)
  // A timer may fire a millisecond early.
  assert.ok(twelfth - eleventh >= 199, `${twelfth - eleventh} ms`)
})

test('accepted: the correct password among fifty wrong ones that another address sends at the same time', async () => {
  const guesses = Array.from({ length: 50 }, (_, place) => signIn({ password: `guess ${place}`, peerAddress: '203.0.113.99' }))
  assert.ok((await signIn({ peerAddress: '203.0.113.100' })).ok)
  const kinds = (await Promise.all(guesses)).map((answer) => (answer.ok ? 'in' : answer.error.kind))
  assert.ok(!kinds.includes('in'))
  assert.ok(kinds.filter((kind) => kind === 'throttled').length >= 30)
})

test('accepted: a program that signed in before, while its own address sends wrong passwords', async () => {
  assert.ok((await signIn()).ok)
  const guesses = Array.from({ length: 60 }, (_, place) => signIn({ password: `guess ${place}` }))
  assert.ok((await signIn()).ok)
  assert.ok((await Promise.all(guesses)).every((answer) => !answer.ok))
})

test('wrong_credentials for the old password of a program after a reset', async () => {
  const other = await createTestPartner(database.pool)
  assert.ok((await signIn(other)).ok)
  const { password } = must(
    await resetApiUserPassword(database.pool, { applicationId: other.applicationId, apiUserId: other.apiUserId, actor: SYSTEM_ACTOR }),
  )
  assert.deepEqual(await signIn(other), WRONG)
  assert.ok((await signIn({ ...other, password })).ok)
})

test('1 comparison and equally many statements for an unknown name and for a wrong password', async () => {
  const work: string[] = []
  const pool = countingPool(() => work.push('statement'))
  const isPasswordRight: typeof cheapHasher.isPasswordRight = (passwordHash, password) => {
    work.push('comparison')
    return cheapHasher.isPasswordRight(passwordHash, password)
  }
  const observed = { ...deps, pool, throttle: createSignInThrottle({ pool, clock, secret: SECRET, hasher: { isPasswordRight } }) }
  const workFor = async (username: string): Promise<string[]> => {
    work.length = 0
    assert.deepEqual(await issueTokens(observed, { username, password: 'wrong', peerAddress: '192.0.2.1' }), WRONG)
    return [...work]
  }
  const [known, unknown] = [await workFor((await createTestPartner(database.pool)).username), await workFor('nobody@example.com')]
  assert.deepEqual(unknown, known)
  assert.equal(known.filter((step) => step === 'comparison').length, 1)
})

test('removed: counts of failures that are older than the window', async () => {
  await signIn({ password: 'wrong', peerAddress: '203.0.113.5' })
  assert.ok((await pruneSignInThrottles(database.pool, new Date(nowMs + 16 * 60_000))) > 0)
  assert.equal(await pruneSignInThrottles(database.pool, new Date(nowMs + 16 * 60_000)), 0)
})

test('user_blocked and application_disabled only with the correct password', async () => {
  const other = await createTestPartner(database.pool)
  const { refreshToken } = must(await signIn(other))
  await database.pool.query('update api_users set is_blocked = true where api_user_id = $1', [other.apiUserId])
  assert.deepEqual(await signIn({ ...other, password: 'wrong' }), WRONG)
  assert.deepEqual(await signIn(other), { ok: false, error: { kind: 'user_blocked' } })
  assert.deepEqual(await refresh(refreshToken), { ok: false, error: 'user_blocked' })
  await database.pool.query('update api_users set is_blocked = false where api_user_id = $1', [other.apiUserId])
  await database.pool.query('update applications set is_enabled = false where application_id = $1', [other.applicationId])
  await directory.refresh()
  assert.deepEqual(await signIn(other), { ok: false, error: { kind: 'application_disabled' } })
  assert.deepEqual(await refresh(refreshToken), { ok: false, error: 'application_disabled' })
})

/** The pool of the tests, which reports each statement that is sent without a transaction. */
function countingPool(onStatement: () => void): TokenDeps['pool'] {
  return new Proxy(database.pool, {
    get(pool, name) {
      if (name === 'query') onStatement()
      const value: unknown = Reflect.get(pool, name)
      return typeof value === 'function' ? value.bind(pool) : value
    },
  })
}
