import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { digest } from '#server/credentials/secrets.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { cheapHasher } from '#server/credentials/testing.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createTokens } from './access-token.ts'
import { blockApiUser, createApiUser } from './api-users.ts'
import { exchangeRefreshToken, issueTokens, pruneRefreshTokens, REFRESH_TOKEN_MS, type TokenDeps } from './tokens.ts'

let database: TestDatabase
let directory: Directory
let deps: TokenDeps
let partner: TestPartner
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }
const peerAddress = '198.51.100.7'

before(async () => {
  database = await createTestDatabase()
  partner = await createTestPartner(database.pool)
  directory = await createDirectory({ pool: database.pool })
  const tokens = createTokens({ clock, secret: 'a secret for tests that is long enough' })
  deps = {
    pool: database.pool,
    tokens,
    directory,
    throttle: createSignInThrottle({ pool: database.pool, clock, secret: 'a secret for tests', hasher: cheapHasher }),
  }
})
after(async () => {
  await directory.close()
  await database.drop()
})

function signIn(): ReturnType<typeof issueTokens> {
  return issueTokens(deps, { username: partner.username, password: partner.password, peerAddress })
}

async function refresh(refreshToken: string): ReturnType<typeof exchangeRefreshToken> {
  return exchangeRefreshToken(deps, { refreshToken })
}

test('only the digest of a refresh token is stored', async () => {
  const { refreshToken } = must(await signIn())
  const { rows } = await database.pool.query<{ row: string }>('select t::text as row from refresh_tokens t')
  assert.ok(rows.length > 0)
  assert.ok(rows.every(({ row }) => !row.includes(refreshToken) && !row.includes(Buffer.from(refreshToken).toString('hex'))))
})

test('a new pair for a refresh token and again for its successor', async () => {
  const first = must(await signIn())
  const second = must(await refresh(first.refreshToken))
  const third = must(await refresh(second.refreshToken))
  assert.equal(new Set([first, second, third].flatMap((pair) => [pair.accessToken, pair.refreshToken])).size, 6)
  assert.equal(decodeJwt(third.accessToken).sub, partner.apiUserId)
})

test('the same successor for a token that was replaced within 30 s', async () => {
  const { refreshToken } = must(await signIn())
  const lost = must(await refresh(refreshToken))
  nowMs += 29_000
  const again = must(await refresh(refreshToken))
  assert.equal(again.refreshToken, lost.refreshToken)
  assert.ok((await refresh(again.refreshToken)).ok)
})

test('invalid_token for a replaced token whose successor was used, and for its whole family', async () => {
  const { refreshToken } = must(await signIn())
  const second = must(await refresh(refreshToken))
  const third = must(await refresh(second.refreshToken))
  assert.deepEqual(await refresh(refreshToken), { ok: false, error: 'invalid_token' })
  assert.deepEqual(await refresh(third.refreshToken), { ok: false, error: 'invalid_token' })
})

test('invalid_token for a token that was replaced more than 30 s ago, and for its whole family', async () => {
  const stolen = must(await signIn()).refreshToken
  const bystander = must(await signIn()).refreshToken
  const current = must(await refresh(stolen)).refreshToken
  nowMs += 31_000
  assert.deepEqual(await refresh(stolen), { ok: false, error: 'invalid_token' })
  assert.deepEqual(await refresh(current), { ok: false, error: 'invalid_token' })
  assert.ok((await refresh(bystander)).ok)
})

test('user_blocked for the refresh token of a user who was blocked after they signed in', async () => {
  const { applicationId, apiUserId } = partner
  const { refreshToken } = must(await signIn())
  const block = (isBlocked: boolean) => blockApiUser(database.pool, { applicationId, apiUserId, isBlocked, actor: SYSTEM_ACTOR })
  must(await block(true))
  try {
    assert.deepEqual(await refresh(refreshToken), { ok: false, error: 'user_blocked' })
  } finally {
    must(await block(false))
  }
})

test('one successor for twenty exchanges of the same token at once', async () => {
  const { refreshToken } = must(await signIn())
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken)))
  assert.equal(new Set(answers.map((answer) => must(answer).refreshToken)).size, 1)
  const { rows } = await database.pool.query<{ live: bigint }>(
    `select count(*) as live from refresh_tokens where replaced_at is null and revoked_at is null and family_id =
       (select family_id from refresh_tokens where token_hash = sha256($1::bytea))`,
    [Buffer.from(refreshToken)],
  )
  assert.equal(rows[0]?.live, 1n)
})

test('0 live tokens in a family whose reuse is detected during another exchange', async () => {
  for (let round = 0; round < 5; round++) {
    const stolen = must(await signIn()).refreshToken
    const current = must(await refresh(stolen)).refreshToken
    nowMs += 31_000
    await Promise.all([refresh(stolen), refresh(current)])
    const { rows } = await database.pool.query<{ live: bigint }>(
      `select count(*) as live from refresh_tokens where revoked_at is null and family_id in
         (select family_id from refresh_tokens where revoked_at is not null)`,
    )
    assert.equal(rows[0]?.live, 0n)
  }
})

test('invalid_token for a refresh token after 30 days and for text that is not a token', async () => {
  const { refreshToken } = must(await signIn())
  for (const nonsense of ['', 'x', '\0', 'A'.repeat(64), `${refreshToken}A`, refreshToken.slice(1), 'A'.repeat(1_000_000)]) {
    assert.deepEqual(await refresh(nonsense), { ok: false, error: 'invalid_token' })
  }
  nowMs += REFRESH_TOKEN_MS
  assert.deepEqual(await refresh(refreshToken), { ok: false, error: 'invalid_token' })
})

test('50 tokens, the newest, for a program that signs in 55 times', async () => {
  const tokens: string[] = []
  for (let count = 0; count < 55; count++) {
    nowMs += 1
    tokens.push(must(await signIn()).refreshToken)
  }
  const { rows } = await database.pool.query<{ kept: bigint }>('select count(*) as kept from refresh_tokens where api_user_id = $1', [
    partner.apiUserId,
  ])
  assert.equal(rows[0]?.kept, 50n)
  assert.ok(!(await refresh(tokens[0] ?? '')).ok)
  assert.ok((await refresh(tokens[54] ?? '')).ok)
})

test('a new pair for the token of another program of the application, however often one signs in', async () => {
  const username = `other-${partner.applicationId}@example.com`
  const other = must(await createApiUser(database.pool, { applicationId: partner.applicationId, username, actor: SYSTEM_ACTOR }))
  const { refreshToken } = must(await issueTokens(deps, { username, password: other.password, peerAddress }))
  for (let count = 0; count < 51; count++) {
    nowMs += 1
    must(await signIn())
  }
  assert.ok((await refresh(refreshToken)).ok)
})

test('removed a day after their end, and not earlier: refresh tokens', async () => {
  const { refreshToken } = must(await signIn())
  const endMs = nowMs + REFRESH_TOKEN_MS
  const hash = digest(refreshToken)
  const exists = async () => (await database.pool.query('select 1 from refresh_tokens where token_hash = $1', [hash])).rowCount === 1
  await pruneRefreshTokens(database.pool, new Date(endMs + 24 * 3_600_000))
  assert.equal(await exists(), true)
  await pruneRefreshTokens(database.pool, new Date(endMs + 24 * 3_600_000 + 1))
  assert.equal(await exists(), false)
})
