import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { feesFor, serviceFor } from '#server/applications/snapshot.ts'
import { changeApplication } from '#server/applications/terms.ts'
import { systemClock } from '#server/clock.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createPool } from '#server/database/pool.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { admitCaller, authenticateCaller } from '#server/partner-auth/authenticate-caller.ts'
import { issueTokens } from '#server/partner-auth/tokens.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { type AdminHarness, createAdminHarness, fact } from './testing.ts'

let directory: Directory
let harness: AdminHarness
let database: AdminHarness['database']
let admin: AdminHarness['admin']
let facts: AdminHarness['facts']
before(async () => {
  harness = await createAdminHarness()
  ;({ database, admin, facts } = harness)
  directory = await createDirectory({ pool: database.pool })
})
after(async () => {
  await directory.close()
  await harness.close()
})

test('authenticated: a partner that was created by commands alone, until access is taken away', async () => {
  const created = await facts('create-application', '--name', 'Kora Stores')
  const applicationId = fact(created, 'applicationId')
  assert.match(fact(created, 'webhookSecret'), /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { apiKey = '', apiId } = await facts('create-key', '--application', 'kora stores', '--name', 'First')
  const { password = '' } = await facts('create-api-user', '--application', applicationId, '--username', 'kora@example.com')
  await facts('allow-address', '--application', applicationId, '--address', '::ffff:203.0.113.0/120')

  await directory.refresh()
  const tokens = createTokens({ clock: systemClock, secret: 'a secret for tests that is long enough' })
  const throttle = createSignInThrottle({ pool: database.pool, clock: systemClock, secret: 'a secret for tests' })
  const pair = must(
    await issueTokens(
      { pool: database.pool, tokens, directory, throttle },
      { username: 'kora@example.com', password, peerAddress: '203.0.113.9' },
    ),
  )
  const call = async () => must(await authenticateCaller(directory, tokens, { apiKey, apiId, authorization: `Bearer ${pair.accessToken}` }))
  assert.ok(admitCaller(await call(), '203.0.113.9').ok)

  await facts('block', 'api-user', '--username', 'kora@example.com')
  await directory.refresh()
  assert.deepEqual(admitCaller(await call(), '203.0.113.9'), { ok: false, error: 'user_blocked' })
  await facts('unblock', 'api-user', '--username', 'kora@example.com')
  await facts('disable-application', '--application', applicationId)
  await directory.refresh()
  assert.deepEqual(admitCaller(await call(), '203.0.113.9'), { ok: false, error: 'application_disabled' })
  await facts('enable-application', '--application', applicationId)
  await facts('deny-address', '--application', applicationId, '--address', '203.0.113.0/24')
  await directory.refresh()
  assert.deepEqual(admitCaller(await call(), '203.0.113.9'), { ok: false, error: 'address_not_allowed' })
  await facts('revoke-key', '--application', applicationId, '--key', apiKey.slice(0, 12))
  await directory.refresh()
  await assert.rejects(call)
})

test('13 balances at zero, counters and an active policy for a new application', async () => {
  const { applicationId } = await facts('create-application', '--name', 'Books')
  const { rows } = await database.pool.query<{ operators: bigint; currencies: string }>(
    `select count(*) as operators, string_agg(distinct currency, ' ' order by currency) as currencies from ledger_balances
      where application_id = $1 and deposit_minor = 0 and exists (select 1 from application_counters c where c.application_id = $1 and c.transaction_count = 0)`,
    [applicationId],
  )
  assert.deepEqual(rows[0], { operators: 13n, currencies: 'UGX XAF XOF' })
  await directory.refresh()
  assert.equal(directory.find(applicationId ?? '')?.policy?.version, 1)
})

test('services, fees, webhook secrets and keys as given on the command line', async () => {
  const { applicationId = '', webhookSecret } = await facts('create-application', '--name', 'Terms')
  await facts(
    'set-service',
    '--application',
    applicationId,
    '--operator',
    'omcm',
    '--type',
    'deposit',
    '--enabled',
    'no',
    '--minimum',
    '100',
    '--maximum',
    '500000.50',
    '--enforce-limits',
    'yes',
  )
  const fees = await facts(
    'set-fees',
    '--application',
    applicationId,
    '--operator',
    'all',
    '--system-percent',
    '2.25',
    '--app-fixed',
    '100',
  )
  assert.equal(fees['smallestCollect'], '103.01 XAF, 103.01 XOF, 103.01 UGX')
  const rotated = await facts('webhook-secret', 'rotate', '--application', applicationId)
  const first = await facts('create-key', '--application', applicationId, '--expires-in-days', '30')
  await facts('create-key', '--application', applicationId, '--others-expire-in-hours', '0')
  await directory.refresh()
  const snapshot = directory.find(applicationId) ?? assert.fail()
  assert.deepEqual(serviceFor(snapshot, 'OMCM', 'DEPOSIT'), {
    isEnabled: false,
    enforcesLimits: true,
    minimumMinor: 10_000n,
    maximumMinor: 50_000_050n,
  })
  assert.equal(serviceFor(snapshot, 'OMCM', 'COLLECT').isEnabled, true)
  assert.deepEqual(feesFor(snapshot, 'UGAIRTEL', 'COLLECT'), {
    systemRatePpm: 22_500,
    systemFixedMinor: 0n,
    appRatePpm: 5_000,
    appFixedMinor: 10_000n,
  })
  assert.deepEqual(
    snapshot.webhookSecrets.map(({ secret }) => secret),
    [rotated['webhookSecret'], webhookSecret],
  )
  assert.equal(snapshot.keys.length, 1)
  assert.notEqual(first['keyId'], undefined)
})

test('countries and the default webhook address as given; services of other countries are off', async () => {
  const { applicationId = '' } = await facts('create-application', '--name', 'Countries')
  const set = ['set-application', '--application', applicationId] as const
  await facts(...set, '--countries', 'cm,senegal', '--default-webhook-url', 'https://erp.example/results')
  await directory.refresh()
  const snapshot = directory.find(applicationId) ?? assert.fail()
  assert.deepEqual(
    (['MOMOCM', 'SNOM', 'UGMTN'] as const).map((operator) => serviceFor(snapshot, operator, 'DEPOSIT').isEnabled),
    [true, true, false],
  )
  assert.equal(snapshot.defaultWebhookUrl, 'https://erp.example/results')
  const outside = await admin(['set-service', '--application', applicationId, '--operator', 'UGMTN', '--enabled', 'yes'])
  assert.deepEqual([outside.code, /does not work in the country/.test(outside.problem)], [1, true])
  assert.equal((await admin([...set, '--countries', 'france'])).code, 2)
  assert.equal((await admin([...set, '--default-webhook-url', 'https://user:pass@erp.example'])).code, 1)
  await facts(...set, '--default-webhook-url', 'none')
  await directory.refresh()
  assert.equal(directory.find(applicationId)?.defaultWebhookUrl, null)
})

test('private networks for the webhooks of one application, in one spelling and audited; exit code 1 for anything else', async () => {
  const { applicationId = '' } = await facts('create-application', '--name', 'Granted')
  const set = ['set-application', '--application', applicationId] as const
  await facts(...set, '--webhook-networks', '192.168.7.7, 10.20.0.0/16')
  await directory.refresh()
  assert.deepEqual(directory.find(applicationId)?.webhookNetworks, ['10.20.0.0/16', '192.168.7.7/32'])
  const wrong = await admin([...set, '--webhook-networks', '10.20.0.1/16'])
  assert.deepEqual([wrong.code, /behind its mask/.test(wrong.problem)], [1, true])
  await facts(...set, '--webhook-networks', 'none')
  await directory.refresh()
  assert.deepEqual(directory.find(applicationId)?.webhookNetworks, [])
  const { rows } = await database.pool.query<{ networks: string[] }>(
    `select details -> 'webhookNetworks' as networks from audit_entries where application_id = $1 and action = 'application.changed' order by sequence`,
    [applicationId],
  )
  assert.deepEqual(
    rows.map(({ networks }) => networks),
    [['10.20.0.0/16', '192.168.7.7'], []],
  )
  const actor = { kind: 'person', id: crypto.randomUUID(), applicationId, roles: ['administrator'] } as const
  assert.deepEqual(await changeApplication(database.pool, { applicationId, change: { webhookNetworks: ['10.0.0.0/8'] }, actor }), {
    ok: false,
    error: 'not_permitted',
  })
})

test('users and key prefixes of an application in list, without secrets', async () => {
  const { applicationId = '', webhookSecret = '' } = await facts('create-application', '--name', 'Listed')
  const { apiKey = '' } = await facts('create-key', '--application', applicationId)
  await facts('create-api-user', '--application', applicationId, '--username', 'listed@example.com')
  const all = await admin(['list'])
  assert.match(all.out, new RegExp(applicationId))
  const one = await admin(['list', '--application', 'listed'])
  assert.match(one.out, /listed@example\.com/)
  assert.match(one.out, new RegExp(apiKey.slice(0, 12)))
  for (const secret of [apiKey, webhookSecret]) assert.ok(!one.out.includes(secret))
})

test('the business time zone: as told, from the country of the services, and exit code 1 for anything else', async () => {
  const { applicationId = '' } = await facts('create-application', '--name', 'Zoned', '--time-zone', 'Asia/Kolkata')
  assert.match((await admin(['list', '--application', 'zoned'])).out, /Asia\/Kolkata/)
  const told = ['set-time-zone', '--application', applicationId] as const
  assert.deepEqual(await facts(...told, '--time-zone', 'UTC'), { applicationId, before: 'Asia/Kolkata', timeZone: 'UTC' })
  const unknown = await admin([...told, '--time-zone', 'Douala'])
  assert.deepEqual([unknown.code, /not the name of a time zone/.test(unknown.problem)], [1, true])
  assert.equal(fact(await facts(...told), 'timeZone'), 'UTC')
  await facts('set-service', '--application', applicationId, '--operator', 'all', '--enabled', 'no')
  await facts('set-service', '--application', applicationId, '--operator', 'MOMOCM', '--enabled', 'yes', '--type', 'collect')
  assert.deepEqual(await facts(...told), { applicationId, before: 'UTC', timeZone: 'Africa/Douala' })
})

test('a new secret on stdout, with a warning on stderr', async () => {
  const run = await admin(['create-application', '--name', 'Shown'])
  assert.match(run.out, /webhookSecret {2}whsec_/)
  assert.match(run.problem, /not shown again/)
})

test('exit code 0 for the first application on an empty database', async () => {
  const empty = `empty_${crypto.randomUUID().slice(0, 8)}`
  await database.pool.query(`create database ${empty}`)
  try {
    const run = await admin(['create-application', '--name', 'First', '--json'], { DATABASE_URL: database.url.replace(/[^/]*$/, empty) })
    assert.equal(run.code, 0, run.problem)
    assert.match(run.out, /applicationId/)
    const service = createPool({ databaseUrl: database.url.replace(/[^/]*$/, empty), connectionsMax: 1, applicationName: 'test' })
    assert.deepEqual((await service.query('select mode from installation')).rows, [{ mode: 'production' }])
    await service.end()
  } finally {
    await database.pool.query(`drop database ${empty} with (force)`)
  }
})

test('a second factor is required by an application that is created in production, and by none in a sandbox', async () => {
  const requires = async (applicationId: string) =>
    (
      await database.pool.query<{ is: boolean }>('select requires_second_factor as is from applications where application_id = $1', [
        applicationId,
      ])
    ).rows[0]?.is
  const isRequired = async (name: string, ...more: string[]) =>
    requires(fact(await facts('create-application', '--name', name, ...more), 'applicationId'))
  assert.equal(await isRequired('Strict'), true)
  assert.equal(await isRequired('Lax', '--second-factor', 'no'), false)
  const sandbox = await createTestDatabase({ mode: 'sandbox' })
  try {
    const run = await admin(['create-application', '--name', 'Playground', '--json'], { DATABASE_URL: sandbox.url, SANDBOX: '1' })
    assert.equal(run.code, 0, run.problem)
    const { rows } = await sandbox.pool.query('select requires_second_factor from applications')
    assert.deepEqual(rows, [{ requires_second_factor: false }])
  } finally {
    await sandbox.drop()
  }
})
