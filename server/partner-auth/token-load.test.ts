import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { systemClock } from '#server/clock.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { createTokens } from './access-token.ts'
import { exchangeRefreshToken, formatRefreshToken, issueTokens, type TokenDeps } from './tokens.ts'

let database: TestDatabase
let pool: Pool
let directory: Directory
let deps: TokenDeps
let partner: TestPartner

before(async () => {
  database = await createTestDatabase()
  pool = createPool({ databaseUrl: database.url, connectionsMax: 16, applicationName: 'token load' })
  partner = await createTestPartner(database.pool)
  directory = await createDirectory({ pool: database.pool })
  const tokens = createTokens({ clock: systemClock, secret: 'a secret for tests that is long enough' })
  deps = { pool, tokens, directory, throttle: createSignInThrottle({ pool, clock: systemClock, secret: 'a secret for tests' }) }
})
after(async () => {
  await directory.close()
  await pool.end()
  await database.drop()
})

function signIn(): ReturnType<typeof issueTokens> {
  return issueTokens(deps, { username: partner.username, password: partner.password, peerAddress: '198.51.100.7' })
}

/** The most connections that were in use at once while `work` ran: what is left of 16 is there for payments. */
async function mostInUse(work: () => Promise<void>): Promise<number> {
  let most = 0
  const note = () => {
    most = Math.max(most, pool.totalCount - pool.idleCount)
  }
  pool.on('acquire', note)
  await work()
  pool.off('acquire', note)
  return most
}

test('invalid_token for an invented refresh token, without a transaction', async () => {
  const most = await mostInUse(async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => exchangeRefreshToken(deps, { refreshToken: randomBytes(48).toString('base64url') })),
    )
    assert.ok(answers.every((answer) => !answer.ok && answer.error === 'invalid_token'))
  })
  assert.equal(most, 0)
  assert.deepEqual(await exchangeRefreshToken(deps, { refreshToken: formatRefreshToken(partner.applicationId) }), {
    ok: false,
    error: 'invalid_token',
  })
})

test('one successor for two hundred exchanges of the same token at once, over few connections', async () => {
  const pair = must(await signIn())
  const successors = new Set<string>()
  const most = await mostInUse(async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => exchangeRefreshToken(deps, pair)))
    for (const answer of answers) successors.add(must(answer).refreshToken)
  })
  assert.equal(successors.size, 1)
  assert.ok(most <= 4, `${most} connections`)
})

test('200 successes for two hundred sign-ins of one program at once, over few connections', async () => {
  must(await signIn())
  const most = await mostInUse(async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, signIn))
    assert.ok(answers.every((answer) => answer.ok))
  })
  assert.ok(most <= 8, `${most} connections`)
})
