import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createPool, type Pool } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { webhookSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, type TestPartner } from '#server/testing/partner.ts'
import { createDirectory, type Directory, makeApplicationKnown } from './directory.ts'
import { feesFor, serviceFor } from './snapshot.ts'

let database: TestDatabase
let otherPool: Pool
let directories: [Directory, Directory]
let partner: TestPartner

before(async () => {
  database = await createTestDatabase()
  otherPool = createPool({ databaseUrl: database.url, connectionsMax: 2, applicationName: 'other process' })
  partner = await createTestPartner(database.pool)
  directories = [await createDirectory({ pool: database.pool }), await createDirectory({ pool: otherPool })]
})
after(async () => {
  for (const directory of directories) await directory.close()
  await otherPool.end()
  await database.drop()
})

/** Resolves when the condition holds. Throws after `limitMs`. */
async function waitUntil(condition: () => boolean, what: string, limitMs = 2_000): Promise<void> {
  const startedMs = performance.now()
  while (!condition()) {
    assert.ok(performance.now() - startedMs < limitMs, `${what}: not within ${limitMs} ms`)
    await delay(5)
  }
}

/** Returns how long it takes until both processes see the change. */
async function msUntilEverywhere(isSeen: (directory: Directory) => boolean): Promise<number> {
  const startedMs = performance.now()
  await waitUntil(() => directories.every(isSeen), 'the change is seen')
  return performance.now() - startedMs
}

test('in force within 1 s in two processes: every kind of change', async () => {
  const id = partner.applicationId
  const newSecretId = randomUUID()
  const see = (directory: Directory) => directory.find(id) ?? assert.fail('the application is missing')
  const changes: [string, unknown[], (directory: Directory) => boolean][] = [
    ['update applications set is_enabled = false where application_id = $1', [id], (d) => !see(d).isEnabled],
    ['update api_keys set revoked_at = now() where application_id = $1', [id], (d) => see(d).keys.length === 0],
    ['update api_users set is_blocked = true where application_id = $1', [id], (d) => see(d).blockedApiUserIds.has(partner.apiUserId)],
    ['delete from ip_allow_entries where application_id = $1', [id], (d) => !see(d).allowList.admits('127.0.0.1')],
    [
      `insert into transfer_services (application_id, operator, type, is_enabled, enforces_limits, minimum_minor, maximum_minor) values ($1, 'OMCM', 'DEPOSIT', false, true, 100, 9007199254740993)`,
      [id],
      (d) =>
        serviceFor(see(d), 'OMCM', 'DEPOSIT').maximumMinor === 9_007_199_254_740_993n &&
        !serviceFor(see(d), 'OMCM', 'DEPOSIT').isEnabled &&
        serviceFor(see(d), 'OMCM', 'COLLECT').isEnabled,
    ],
    [
      `insert into fee_schedules values ($1, 'OMCM', 'DEPOSIT', 20000, 500, 0, 0)`,
      [id],
      (d) => feesFor(see(d), 'OMCM', 'DEPOSIT').systemFixedMinor === 500n && feesFor(see(d), 'OMCM', 'COLLECT').systemRatePpm === 10_000,
    ],
    [
      `insert into approval_policies (application_id, version, rules, activated_at) values ($1, 2, '[{"name":"All","sources":["api"],"approvals":[2]}]', now())`,
      [id],
      (d) => see(d).policy?.version === 2 && see(d).policy?.rules[0]?.approvals[0] === 2,
    ],
    [
      `insert into webhook_secrets (application_id, webhook_secret_id, secret, created_at) values ($1, $2, $3, now() + interval '1 second')`,
      [id, newSecretId, keyringOfProcess().seal(webhookSecretPlace(id, newSecretId), 'whsec_new')],
      (d) =>
        see(d)
          .webhookSecrets.map(({ secret }) => secret)
          .join() === `whsec_new,${partner.webhookSecret}`,
    ],
  ]
  for (const [statement, values, isSeen] of changes) {
    assert.ok(!directories.some(isSeen), `already true before: ${statement}`)
    await database.pool.query(statement, values)
    const elapsedMs = await msUntilEverywhere(isSeen)
    assert.ok(elapsedMs < 1_000, `${elapsedMs} ms: ${statement}`)
  }
})

test('found only by its current apiId: an application that is added, changed and removed', async () => {
  const fresh = await createTestPartner(database.pool)
  await msUntilEverywhere((directory) => directory.findByApiId(fresh.apiId)?.applicationId === fresh.applicationId)
  await database.pool.query(`update applications set api_id = 'another' where application_id = $1`, [fresh.applicationId])
  await msUntilEverywhere((directory) => directory.findByApiId('another') !== undefined && directory.findByApiId(fresh.apiId) === undefined)
  for (const table of ['api_keys', 'api_users', 'ip_allow_entries', 'approval_policies', 'webhook_secrets', 'applications']) {
    await database.pool.query(`delete from ${table} where application_id = $1`, [fresh.applicationId])
  }
  await msUntilEverywhere(
    (directory) => directory.findByApiId('another') === undefined && directory.find(fresh.applicationId) === undefined,
  )
})

test('found at once where a person needs it: an application that is newer than the last refresh', async () => {
  const directory = await createDirectory({ pool: database.pool, pollIntervalMs: 3_600_000 })
  try {
    const { applicationId } = await createTestPartner(database.pool, { name: 'Newest' })
    assert.equal(directory.find(applicationId), undefined)
    await makeApplicationKnown(directory, applicationId)
    assert.equal(directory.find(applicationId)?.applicationId, applicationId)
  } finally {
    await directory.close()
  }
})

test('in force: a change by a transaction that started early and commits late', async () => {
  const [early, late] = [await createTestPartner(database.pool), await createTestPartner(database.pool)]
  const slow = await otherPool.connect()
  try {
    await slow.query('begin')
    // The number of this transaction is older than everything that follows.
    await slow.query('select pg_current_xact_id()')
    for (let round = 0; round < 5; round++) {
      await database.pool.query('update applications set name = $2 where application_id = $1', [late.applicationId, `late ${round}`])
      await directories[0].refresh()
      assert.equal(directories[0].find(late.applicationId)?.name, `late ${round}`)
    }
    await slow.query(`update applications set name = 'early' where application_id = $1`, [early.applicationId])
    // Its version now carries an older number than what was loaded a moment ago.
    await slow.query(`update applications set name = 'late, by the older one' where application_id = $1`, [late.applicationId])
    await directories[0].refresh()
    assert.equal(directories[0].find(early.applicationId)?.name, 'Test partner')
    await slow.query('commit')
  } finally {
    slow.release()
  }
  const elapsedMs = await msUntilEverywhere(
    (directory) =>
      directory.find(early.applicationId)?.name === 'early' && directory.find(late.applicationId)?.name === 'late, by the older one',
  )
  assert.ok(elapsedMs < 1_000)
})

test('the last committed value of each application after many concurrent writes', async () => {
  const partners = await Promise.all(Array.from({ length: 4 }, () => createTestPartner(database.pool)))
  await Promise.all(
    Array.from({ length: 80 }, async (_, round) => {
      const one = partners[round % 4] ?? assert.fail()
      await database.pool.query('update applications set name = $2 where application_id = $1', [one.applicationId, `round ${round}`])
    }),
  )
  await Promise.all(directories.map((directory) => directory.refresh()))
  const { rows } = await database.pool.query<{ application_id: string; name: string }>('select application_id, name from applications')
  for (const directory of directories) {
    assert.equal(directory.all().length, rows.length)
    for (const row of rows) assert.equal(directory.find(row.application_id)?.name, row.name)
  }
})

test('a rule for all sources if the stored rules cannot be read, so that everything waits', async () => {
  const broken = await createTestPartner(database.pool)
  await database.pool.query(`update approval_policies set rules = '[{"name": 7}]' where application_id = $1`, [broken.applicationId])
  await directories[0].refresh()
  const rule = directories[0].find(broken.applicationId)?.policy?.rules[0]
  assert.deepEqual(rule?.sources, ['api', 'person', 'file'])
})

test('isFresh false while the database is unavailable, with the last copy, and true after it returns', async () => {
  const errors: unknown[] = []
  const pool = createPool({ databaseUrl: database.url, connectionsMax: 2, applicationName: 'restarted' })
  const directory = await createDirectory({ pool, pollIntervalMs: 10, staleAfterMs: 300, onError: (error) => errors.push(error) })
  const name = database.url.split('/').at(-1)
  const admin = createPool({ databaseUrl: database.url.replace(/\/[^/]*$/, '/postgres'), connectionsMax: 1, applicationName: 'admin' })
  try {
    // On a slow machine a refresh may take longer than the directory stays fresh.
    await waitUntil(() => directory.isFresh(), 'the directory is fresh', 20_000)
    await admin.query(`alter database ${name} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = $2', [
      name,
      'restarted',
    ])
    await waitUntil(() => errors.length > 0 && !directory.isFresh(), 'the directory is stale', 20_000)
    assert.equal(directory.find(partner.applicationId)?.apiId, partner.apiId)
    await admin.query(`alter database ${name} allow_connections true`)
    await waitUntil(() => directory.isFresh(), 'the directory is fresh again', 20_000)
    await database.pool.query(`update applications set name = 'after' where application_id = $1`, [partner.applicationId])
    await directory.refresh()
    assert.equal(directory.find(partner.applicationId)?.name, 'after')
  } finally {
    await directory.close()
    await pool.end()
    await admin.end()
  }
})
