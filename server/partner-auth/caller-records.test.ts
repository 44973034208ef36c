import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiKey, revokeApiKey } from '#server/applications/access/api-keys.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { HARNESS_TOKEN_SECRET, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createTokens } from './access-token.ts'
import { blockApiUser } from './api-users.ts'
import { createKeyUses } from './caller-records.ts'
import { listKeyUses, listRefusals, storeKeyUses, storeRefusals } from './caller-records-store.ts'
import { aggregateRefusals, createRefusalLog } from './refusals.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

const actor = SYSTEM_ACTOR

/** Calls with other headers than the partner's own; `undefined` leaves one out. */
async function call(changes: Record<string, string | undefined>): Promise<number> {
  const headers = Object.entries({ ...harness.headers, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const answer = await fetch(`${harness.baseUrl}/api/v1/transaction/getByApplicationProductBalances`, { headers })
  await answer.arrayBuffer()
  return answer.status
}

async function causeSeen(applicationId: string, cause: string) {
  return waitUntil(`${cause} is recorded`, async () => {
    const refusal = (await listRefusals(harness.database.pool, applicationId)).find((each) => each.cause === cause)
    return refusal ?? false
  })
}

test('401 by its cause: each credential that is missing or wrong, without the credential', async () => {
  const { partner, database, directory } = harness
  const { applicationId } = partner
  const tokens = createTokens({ clock: { now: () => new Date() }, secret: HARNESS_TOKEN_SECRET })
  const past = createTokens({ clock: { now: () => new Date(Date.now() - 2 * 3_600_000) }, secret: HARNESS_TOKEN_SECRET })
  const elsewhere = await createTestPartner(database.pool)
  const revoked = must(await createApiKey(database.pool, { applicationId, name: 'stolen', actor }))
  must(await revokeApiKey(database.pool, { applicationId, apiKeyId: revoked.apiKeyId, actor }))
  const expired = must(await createApiKey(database.pool, { applicationId, name: 'old', expiresAt: new Date(Date.now() - 1_000), actor }))
  await directory.refresh()
  const cases: [string, Record<string, string | undefined>][] = [
    ['key_missing', { apiKey: undefined }],
    ['key_unknown', { apiKey: 'csk_guess' }],
    ['key_revoked', { apiKey: revoked.apiKey }],
    ['key_expired', { apiKey: expired.apiKey, apiId: undefined }],
    ['api_id_missing', { apiId: undefined }],
    ['api_id_wrong', { apiId: elsewhere.apiId }],
    ['token_missing', { authorization: undefined }],
    ['token_unreadable', { authorization: 'Bearer nonsense' }],
    ['token_expired', { authorization: `Bearer ${await past.sign(partner.apiUserId, applicationId)}` }],
    ['token_ended', { authorization: `Bearer ${await tokens.sign(partner.apiUserId, applicationId, 0)}` }],
    ['token_foreign', { authorization: `Bearer ${await tokens.sign(elsewhere.apiUserId, elsewhere.applicationId)}` }],
  ]
  for (const [cause, headers] of cases) {
    assert.equal(await call(headers), 401, cause)
    const refusal = await causeSeen(applicationId, cause)
    assert.deepEqual([refusal.status, refusal.count, refusal.rows[0]?.address], [401, 1, '127.0.0.1'], cause)
  }
  assert.equal((await causeSeen(applicationId, 'key_revoked')).rows[0]?.subject, `${revoked.apiKey.slice(0, 12)}…`)
  const { rows } = await database.pool.query<{ text: string }>(
    'select coalesce(string_agg(r::text, chr(10)), $$$$) as text from api_refusals r',
  )
  for (const secret of [partner.apiKey, revoked.apiKey, expired.apiKey, 'csk_guess', 'nonsense']) assert.ok(!rows[0]?.text.includes(secret))
  assert.deepEqual(await listRefusals(database.pool, elsewhere.applicationId), [])
})

test('401 with nothing that names an application: not recorded for anybody', async () => {
  const { pool } = harness.database
  assert.equal(await call({ apiKey: 'csk_other', apiId: crypto.randomUUID(), authorization: 'Bearer none' }), 401)
  assert.equal(await call({ apiKey: undefined, apiId: 'recorded last', authorization: undefined }), 401)
  await call({ apiKey: 'csk_sentinel' })
  const before = await causeSeen(harness.partner.applicationId, 'key_unknown')
  assert.ok(before.count >= 1)
  const { rows } = await pool.query('select distinct application_id from api_refusals')
  assert.ok(rows.every((row) => row.application_id === harness.partner.applicationId))
})

test('403 by its cause: the address, the user, the application; 401 for a wrong password', async () => {
  const { pool } = harness.database
  const partner = await createTestPartner(pool, { networks: ['198.51.100.7'] })
  const { applicationId, apiUserId } = partner
  await harness.directory.refresh()
  const tokens = createTokens({ clock: { now: () => new Date() }, secret: HARNESS_TOKEN_SECRET })
  const headers = { apiKey: partner.apiKey, apiId: partner.apiId, authorization: `Bearer ${await tokens.sign(apiUserId, applicationId)}` }
  assert.equal(await call(headers), 403)
  assert.equal((await causeSeen(applicationId, 'address_not_allowed')).rows[0]?.address, '127.0.0.1')
  await pool.query(`insert into ip_allow_entries (application_id, network) values ($1, '127.0.0.1')`, [applicationId])
  must(await blockApiUser(pool, { applicationId, apiUserId, isBlocked: true, actor }))
  await harness.directory.refresh()
  assert.equal(await call(headers), 403)
  await causeSeen(applicationId, 'user_blocked')
  const answer = await fetch(`${harness.baseUrl}/public/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: partner.username, password: 'wrong' }),
  })
  assert.equal(answer.status, 401)
  assert.equal((await causeSeen(applicationId, 'wrong_password')).rows[0]?.subject, partner.username)
})

test('a bounded number of rows for a flood of refusals from thousands of addresses', async () => {
  const { applicationId } = await createTestPartner(harness.database.pool)
  const flood = (minute: number) =>
    aggregateRefusals(
      Array.from({ length: 5_000 }, (_, index) => ({
        applicationId,
        cause: 'key_unknown' as const,
        address: `192.0.2.${index}`,
        subject: '',
        at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
      })),
    )
  assert.equal(flood(0).length, 21)
  for (let minute = 0; minute < 20; minute++) await storeRefusals(harness.database.pool, flood(minute))
  const { rows } = await harness.database.pool.query('select count(*)::int as rows from api_refusals where application_id = $1', [
    applicationId,
  ])
  assert.equal(rows[0].rows, 50)
})

test('three statements for a flood of a thousand refusals, and a refusal of somebody else is recorded with it', async () => {
  const { pool } = harness.database
  const { partner, directory, runtime } = harness
  const other = await createTestPartner(pool)
  await directory.refresh()
  let statements = 0
  const counted = new Proxy(pool, {
    get(target, name) {
      if (name === 'query') statements++
      return Reflect.get(target, name)
    },
  })
  const log = createRefusalLog({ pool: counted, tokens: runtime.tokens, directory })
  for (let place = 0; place < 1_000; place++)
    log.noteUnauthenticated({ apiKey: 'csk_flood', apiId: partner.apiId, authorization: undefined }, '203.0.113.9')
  log.note({ applicationId: other.applicationId, cause: 'service_disabled', address: '198.51.100.9', subject: 'off' })
  await log.close()
  assert.equal(statements, 3)
  assert.equal((await listRefusals(pool, other.applicationId))[0]?.count, 1)
  const flood = (await causeSeen(partner.applicationId, 'key_unknown')).rows.filter(({ address }) => address === '203.0.113.9')
  assert.deepEqual(
    flood.map(({ count }) => count),
    [50],
  )
})

test('the addresses that a key is used from, immediately for a new address and at most once a minute for a known one', async () => {
  const { pool } = harness.database
  const { partner } = harness
  assert.equal(await call({}), 200)
  const [use] = await waitUntil('the use is recorded', async () => {
    const uses = (await listKeyUses(pool, partner.applicationId)).filter(({ apiKeyId }) => apiKeyId === partner.apiKeyId)
    return uses.length > 0 && uses
  })
  assert.equal(use?.address, '127.0.0.1')
  const application = harness.directory.find(partner.applicationId)
  assert.ok(application)
  const keyUses = createKeyUses(pool)
  const startMs = Date.now() + 10_000
  const caller = { application, apiKeyId: partner.apiKeyId }
  keyUses.note(caller, '127.0.0.1', startMs)
  keyUses.note(caller, '203.0.113.66', startMs + 1)
  await keyUses.close()
  for (let second = 1; second <= 59; second++) keyUses.note(caller, '127.0.0.1', startMs + second * 1_000)
  await keyUses.close()
  assert.deepEqual(
    (await listKeyUses(pool, partner.applicationId))
      .filter(({ apiKeyId }) => apiKeyId === partner.apiKeyId)
      .map(({ address, lastAt }) => [address, lastAt.getTime()]),
    [
      ['203.0.113.66', startMs + 1],
      ['127.0.0.1', startMs],
    ],
  )
  keyUses.note(caller, '127.0.0.1', startMs + 61_000)
  await keyUses.close()
  assert.equal((await listKeyUses(pool, partner.applicationId))[0]?.lastAt.getTime(), startMs + 61_000)
})

test('twenty addresses per key at most: those used last', async () => {
  const { pool } = harness.database
  const { applicationId, apiKeyId } = await createTestPartner(pool)
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  await storeKeyUses(
    pool,
    Array.from({ length: 50 }, (_, index) => ({
      applicationId,
      apiKeyId,
      address: `192.0.2.${index}`,
      firstAt: at(index),
      lastAt: at(index),
    })),
  )
  const uses = await listKeyUses(pool, applicationId)
  assert.deepEqual([uses.length, uses[0]?.address, uses.at(-1)?.address], [20, '192.0.2.49', '192.0.2.30'])
})

for (const table of ['api_key_uses', 'api_refusals'] as const) {
  test(`written in the order of their key, so that two processes with the same rows do not block each other: ${table}`, async () => {
    const { pool } = harness.database
    const { applicationId, apiKeyId } = await createTestPartner(pool)
    const [first, last] = ['192.0.2.1', '192.0.2.2']
    const at = new Date()
    const store = (addresses: readonly string[]) =>
      table === 'api_key_uses'
        ? storeKeyUses(
            pool,
            addresses.map((address) => ({ applicationId, apiKeyId, address, firstAt: at, lastAt: at })),
          )
        : storeRefusals(
            pool,
            addresses.map((address) => ({ applicationId, cause: 'key_unknown', address, subject: '', minute: at, count: 1, lastAt: at })),
          )
    await store([first, last])
    const lock = (address: string) =>
      `select 1 from ${table} where application_id = '${applicationId}' and address = '${address}' for update nowait`
    const holder = await pool.connect()
    try {
      await holder.query('begin')
      await holder.query(lock(first))
      const storing = store([last, first])
      await waitUntil('the writer waits', async () => {
        const { rowCount } = await pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into ${table}%'`,
        )
        return rowCount === 1
      })
      assert.equal((await holder.query(lock(last))).rowCount, 1)
      await holder.query('commit')
      await storing
    } finally {
      holder.release()
    }
  })
}

test('stored with the next call, also within a minute: the use of a key that could not be stored', async () => {
  const { pool } = harness.database
  const partner = await createTestPartner(pool)
  await harness.directory.refresh()
  const application = harness.directory.find(partner.applicationId) ?? assert.fail('the application is known')
  const caller = { application, apiKeyId: partner.apiKeyId }
  const keyUses = createKeyUses(pool)
  const startMs = Date.now()
  await pool.query('alter table api_key_uses rename to api_key_uses_elsewhere')
  try {
    keyUses.note(caller, '192.0.2.1', startMs)
    await keyUses.close()
  } finally {
    await pool.query('alter table api_key_uses_elsewhere rename to api_key_uses')
  }
  keyUses.note(caller, '192.0.2.1', startMs + 1_000)
  await keyUses.close()
  const [use] = await listKeyUses(pool, partner.applicationId)
  assert.deepEqual([use?.firstAt.getTime(), use?.lastAt.getTime()], [startMs, startMs + 1_000])
})

test('listed for thirty days: what was refused', async () => {
  const { pool } = harness.database
  const { applicationId } = await createTestPartner(pool)
  const refusal = (address: string, days: number) => {
    const at = new Date(Date.now() - days * 24 * 3_600_000)
    return { applicationId, cause: 'key_unknown' as const, address, subject: '', minute: at, count: 1, lastAt: at }
  }
  await storeRefusals(pool, [refusal('192.0.2.1', 29.9), refusal('192.0.2.2', 30.1)])
  assert.deepEqual(
    (await listRefusals(pool, applicationId)).flatMap(({ rows }) => rows.map(({ address }) => address)),
    ['192.0.2.1'],
  )
})
