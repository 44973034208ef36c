import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { feesFor, serviceFor } from '#server/applications/snapshot.ts'
import { verifyAuditChain } from '#server/audit/verify-audit-chain.ts'
import { systemClock } from '#server/clock.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createPool } from '#server/database/pool.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { admitCaller } from '#server/partner-auth/admit-caller.ts'
import { authenticateCaller } from '#server/partner-auth/authenticate-caller.ts'
import { issueTokens } from '#server/partner-auth/issue-tokens.ts'
import { loadActor } from '#server/people/load-actor.ts'
import { verifyPersonPassword } from '#server/people/verify-person-password.ts'
import { createKeyring } from '#server/secrets-at-rest/keyring.ts'
import { webhookSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, TEST_SECRETS_KEY, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'

const ADMIN = fileURLToPath(new URL('../admin.ts', import.meta.url))
let database: TestDatabase
let directory: Directory
let folder: string

before(async () => {
  database = await createTestDatabase()
  directory = await createDirectory({ pool: database.pool })
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-admin-'))
})
after(async () => {
  await directory.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

type Run = { code: number | null; out: string; problem: string }

/** Runs the real program. Without DATABASE_URL among the changes it works on this file's database. */
function admin(args: readonly string[], environment: Record<string, string> = { DATABASE_URL: database.url }): Promise<Run> {
  const child = spawn(process.execPath, [ADMIN, ...args], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: '', NODE_ENV: 'production', SECRETS_KEY: TEST_SECRETS_KEY, ...environment },
  })
  const run: Run = { code: null, out: '', problem: '' }
  child.stdout.on('data', (chunk: Buffer) => (run.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (run.problem += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...run, code }))
  })
}

/** Runs a command that must work and gives what it printed as facts. */
async function facts(...args: string[]): Promise<Record<string, string>> {
  const run = await admin([...args, '--json'])
  assert.equal(run.code, 0, `${args.join(' ')}: ${run.problem}`)
  return JSON.parse(run.out)
}

function fact(from: Record<string, string>, name: string): string {
  return from[name] ?? assert.fail(`${name} was not printed`)
}

test('from an empty database to a partner that may call, by the command line alone', async () => {
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

test('a new application has its counters, its thirteen balances at zero in their currencies, and an active policy', async () => {
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

test('services, fees, webhook secrets and keys are set as typed', async () => {
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

test('money is added once per id, and shows in the record', async () => {
  const { applicationId = '' } = await facts('create-application', '--name', 'Money')
  const id = crypto.randomUUID()
  const args = ['fund', '--application', applicationId, '--operator', 'MOMOCM', '--amount', '1000000.50', '--id', id, '--reason', 'Opening']
  await facts(...args)
  assert.match(fact(await facts(...args), 'added'), /there already/)
  await facts('fund', '--application', applicationId, '--operator', 'all', '--amount', '7')
  const { rows } = await database.pool.query<{ operator: string; deposit_minor: bigint }>(
    'select operator, deposit_minor from ledger_balances where application_id = $1',
    [applicationId],
  )
  for (const row of rows) assert.equal(row.deposit_minor, row.operator === 'MOMOCM' ? 100_000_750n : 700n)
  assert.equal(must(await verifyAuditChain(database.pool, applicationId)).entryCount, 15n)
})

test('people are made, given roles, blocked, and helped when they lost something', async () => {
  const { applicationId = '' } = await facts('create-application', '--name', 'People')
  const made = await facts(
    'create-person',
    '--application',
    'People',
    '--email',
    'Ama@Example.com',
    '--name',
    'Ama Mensah',
    '--roles',
    'maker, checker',
  )
  const personId = fact(made, 'personId')
  assert.deepEqual(must(await loadActor(database.pool, personId, applicationId)).roles, ['maker', 'checker'])
  await facts('set-roles', '--application', 'People', '--email', 'ama@example.com', '--roles', 'finance')
  assert.deepEqual(must(await loadActor(database.pool, personId, applicationId, 1)).roles, ['finance'])
  await facts('block', 'person', '--email', 'ama@example.com')
  assert.deepEqual(await loadActor(database.pool, personId, applicationId), { ok: false, error: 'person_blocked' })
  await facts('unblock', 'person', '--email', 'ama@example.com')
  await facts('reset-second-factor', '--email', 'ama@example.com')
  const { password = '' } = await facts('reset-password', '--email', 'ama@example.com')
  const throttle = createSignInThrottle({ pool: database.pool, clock: systemClock, secret: 'a secret for tests' })
  const signIn = (word: string) =>
    verifyPersonPassword({ pool: database.pool, throttle }, { email: 'ama@example.com', password: word, peerAddress: '127.0.0.1' })
  assert.ok((await signIn(password)).ok)
  assert.ok(!(await signIn(fact(made, 'password'))).ok)
})

test('list shows who may use an application, and nothing one could call with', async () => {
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

test('a secret is printed once, with a warning that is not part of the output', async () => {
  const run = await admin(['create-application', '--name', 'Shown'])
  assert.match(run.out, /webhookSecret {2}whsec_/)
  assert.match(run.problem, /not shown again/)
})

test('without DATABASE_URL it works on the sandbox that runs with this DATA_DIR, with the keys of that sandbox', async () => {
  const sandbox = await createTestDatabase({ mode: 'sandbox' })
  try {
    await writeFile(path.join(folder, 'postgres.url'), `${sandbox.url}\n`)
    const secrets = { TOKEN_SECRET: 't'.repeat(43), SESSION_SECRET: 's'.repeat(43), SECRETS_KEY: randomBytes(32).toString('base64') }
    await writeFile(path.join(folder, 'secrets.json'), JSON.stringify(secrets))
    const environment = { DATA_DIR: folder, NODE_ENV: '', SECRETS_KEY: '' }
    const made = await admin(['create-application', '--name', 'Made in the sandbox', '--json'], environment)
    assert.equal(made.code, 0, made.problem)
    const { rows } = await sandbox.pool.query<{ secret: string; application_id: string; webhook_secret_id: string }>(
      'select * from webhook_secrets',
    )
    const [row] = rows
    const place = webhookSecretPlace(row?.application_id ?? '', row?.webhook_secret_id ?? '')
    const opened = createKeyring({ current: secrets.SECRETS_KEY, previous: [] }).open(place, row?.secret ?? '')
    assert.equal(opened, JSON.parse(made.out).webhookSecret)
    const without = await admin(['list'], { DATA_DIR: path.join(folder, 'elsewhere') })
    assert.deepEqual([without.code, without.problem], [1, 'No database: set DATABASE_URL, or start the sandbox first (npm start).\n'])
  } finally {
    await sandbox.drop()
  }
})

test('refused in a sentence: a database whose mode is not said, or is the other one, before anything is written', async () => {
  const silent = await admin(['list'], { DATABASE_URL: database.url, NODE_ENV: '' })
  assert.deepEqual(
    [silent.code, silent.problem],
    [1, 'DATABASE_URL needs NODE_ENV=production, or SANDBOX=1 for the database of a sandbox.\n'],
  )
  for (const [mode, environment, problem] of [
    ['production', { SANDBOX: '1' }, /^This database belongs to production/],
    ['sandbox', { NODE_ENV: 'production' }, /^This database belongs to a sandbox/],
  ] as const) {
    const other = await createTestDatabase({ mode })
    try {
      const run = await admin(['create-application', '--name', 'Misplaced'], { DATABASE_URL: other.url, ...environment })
      assert.equal(run.code, 1)
      assert.match(run.problem, problem)
      assert.deepEqual((await other.pool.query('select 1 from applications')).rows, [])
    } finally {
      await other.drop()
    }
  }
})

test('refused in a sentence: a command that encrypts, without the key or with another one', async () => {
  const args = ['create-application', '--name', 'Without a key']
  const without = await admin(args, { DATABASE_URL: database.url, SECRETS_KEY: '' })
  assert.deepEqual([without.code, /^SECRETS_KEY is missing/.test(without.problem)], [1, true])
  const wrong = await admin(args, { DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('hex') })
  assert.deepEqual([wrong.code, /^SECRETS_KEY is not the key/.test(wrong.problem)], [1, true])
  const short = await admin(args, { DATABASE_URL: database.url, SECRETS_KEY: 'abc' })
  assert.match(short.problem, /^SECRETS_KEY must hold at least 256 bits/)
  assert.equal((await admin(['list'], { DATABASE_URL: database.url, SECRETS_KEY: '' })).code, 0)
})

test('rotate-secrets-key encrypts everything with the new key and says when the old one can be dropped', async () => {
  const other = await createTestDatabase({ mode: 'production' })
  try {
    const [old, current] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    const environment = { DATABASE_URL: other.url, SECRETS_KEY: old }
    assert.equal((await admin(['create-application', '--name', 'Rotated'], environment)).code, 0)
    const rotated = await admin(['rotate-secrets-key', '--json'], { ...environment, SECRETS_KEY: current, SECRETS_KEY_PREVIOUS: old })
    assert.equal(rotated.code, 0, rotated.problem)
    const printed = JSON.parse(rotated.out)
    assert.equal(printed.encryptedAgain, '1')
    assert.match(printed.next, /^Restart every process without SECRETS_KEY_PREVIOUS/)
    for (const key of [old, current]) assert.ok(!rotated.out.includes(key))
    assert.equal((await admin(['rotate-secrets-key'], { ...environment, SECRETS_KEY: current })).code, 0)
    assert.match((await admin(['rotate-secrets-key'], environment)).problem, /^SECRETS_KEY is not the key/)
  } finally {
    await other.drop()
  }
})

test('exit code 1 and nothing added when one of all operators has no balance row', async () => {
  const { applicationId = '' } = await facts('create-application', '--name', 'All or none')
  await database.pool.query("delete from ledger_balances where application_id = $1 and operator = 'UGAIRTEL'", [applicationId])
  assert.equal((await admin(['fund', '--application', applicationId, '--operator', 'all', '--amount', '7'])).code, 1)
  const { rows } = await database.pool.query<{ total: bigint; postings: bigint }>(
    `select sum(deposit_minor) as total, (select count(*) from ledger_postings where application_id = $1) as postings
       from ledger_balances where application_id = $1`,
    [applicationId],
  )
  assert.deepEqual(rows, [{ total: 0n, postings: 0n }])
})

test('the first application can be made before the service has ever started', async () => {
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

test('every mistake is answered with one sentence and an exit code', async () => {
  const cases: [string[], number, RegExp][] = [
    [[], 2, /^$/],
    [['nonsense'], 2, /^There is no command "nonsense"/],
    [['create-key'], 2, /^--application is missing\.\nUsage: npm run admin -- create-key /],
    [['create-key', '--application', 'x', '--colour', 'red'], 2, /^Unknown option '--colour'/],
    [['create-key', '--application', 'x', 'y'], 2, /^Unexpected argument 'y'/],
    [['create-key', '--application', 'No such'], 1, /^There is no application "No such"/],
    [['create-application', '--name', ' '], 1, /^The name must have/],
    [['fund', '--application', 'Money', '--operator', 'OMCM', '--amount', '-5'], 2, /--amount/],
    [['fund', '--application', 'Money', '--operator', 'NOPE', '--amount', '5'], 2, /^--operator takes OMCM/],
    [['fund', '--application', 'Money', '--operator', 'OMCM', '--amount', '5', '--id', 'x'], 2, /^--id takes a UUID/],
    [['allow-address', '--application', 'Money', '--address', '10.0.0.5/8'], 1, /^The network has digits/],
    [['set-fees', '--application', 'Money', '--operator', 'all', '--system-percent', '60', '--app-percent', '40'], 1, /^Percentages must/],
    [['create-person', '--application', 'Money', '--email', 'a@b.c', '--name', 'A', '--roles', 'king'], 2, /^--roles takes/],
    [['reset-password', '--email', 'nobody@example.com'], 1, /^There is no person/],
    [['reset-api-password', '--username', 'nobody'], 1, /^There is no API user/],
    [['revoke-key', '--application', 'Money', '--key', 'x'], 1, /^There is no such key/],
  ]
  for (const [args, code, problem] of cases) {
    const run = await admin(args)
    assert.equal(run.code, code, args.join(' '))
    assert.match(run.problem, problem, args.join(' '))
    assert.ok(!/ at .*\.ts:\d/.test(run.problem), 'a stack was shown')
  }
  const unreachable = await admin(['list'], { DATABASE_URL: 'postgres://nobody:x@127.0.0.1:9/none' })
  assert.equal(unreachable.code, 1)
  assert.match(unreachable.problem, /^The database cannot be used/)
  assert.equal((await admin(['help'])).code, 0)
  assert.match((await admin(['fund', '--help'])).out, /--amount AMOUNT/)
})
