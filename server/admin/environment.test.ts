import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { createKeyring } from '#server/secrets-at-rest/keyring.ts'
import { webhookSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { type AdminHarness, createAdminHarness, runProgram } from './testing.ts'

let harness: AdminHarness
let database: AdminHarness['database']
let admin: AdminHarness['admin']
before(async () => {
  harness = await createAdminHarness()
  ;({ database, admin } = harness)
  // The first command that encrypts registers the key of the database.
  await harness.facts('create-application', '--name', 'Money')
})
after(() => harness.close())

test('stored by the program in the sandbox of this DATA_DIR, with its keys, without DATABASE_URL', async () => {
  const sandbox = await createTestDatabase({ mode: 'sandbox' })
  try {
    await writeFile(path.join(harness.folder, 'postgres.url'), `${sandbox.url}\n`)
    const secrets = { TOKEN_SECRET: 't'.repeat(43), SESSION_SECRET: 's'.repeat(43), SECRETS_KEY: randomBytes(32).toString('base64') }
    await writeFile(path.join(harness.folder, 'secrets.json'), JSON.stringify(secrets))
    const environment = { DATA_DIR: harness.folder, NODE_ENV: '', SECRETS_KEY: '' }
    const made = await runProgram(['create-application', '--name', 'Made in the sandbox', '--json'], harness.folder, environment)
    assert.equal(made.code, 0, made.problem)
    const { rows } = await sandbox.pool.query<{ secret: string; application_id: string; webhook_secret_id: string }>(
      'select * from webhook_secrets',
    )
    const [row] = rows
    const place = webhookSecretPlace(row?.application_id ?? '', row?.webhook_secret_id ?? '')
    const opened = createKeyring({ current: secrets.SECRETS_KEY, previous: [] }).open(place, row?.secret ?? '')
    assert.equal(opened, JSON.parse(made.out).webhookSecret)
    const without = await runProgram(['list'], harness.folder, { DATA_DIR: path.join(harness.folder, 'elsewhere') })
    assert.deepEqual([without.code, without.problem], [1, 'No database: set DATABASE_URL, or start the sandbox first (npm start).\n'])
  } finally {
    await sandbox.drop()
  }
})

test('exit code 1 before anything is written: a database whose mode is unknown or differs', async () => {
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

test('exit code 1 for a command that encrypts, without the key or with another one', async () => {
  const args = ['create-application', '--name', 'Without a key']
  const without = await admin(args, { DATABASE_URL: database.url, SECRETS_KEY: '' })
  assert.deepEqual([without.code, /^SECRETS_KEY is missing/.test(without.problem)], [1, true])
  const wrong = await admin(args, { DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('hex') })
  assert.deepEqual([wrong.code, /^SECRETS_KEY is not the key/.test(wrong.problem)], [1, true])
  const short = await admin(args, { DATABASE_URL: database.url, SECRETS_KEY: 'abc' })
  assert.match(short.problem, /^SECRETS_KEY must have at least 256 bits/)
  assert.equal((await admin(['list'], { DATABASE_URL: database.url, SECRETS_KEY: '' })).code, 0)
})

test('encrypted again by rotate-secrets-key, which says when the old key can be removed', async () => {
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

test('exit code 1 or 2 and one sentence for every mistake', async () => {
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
  const runs = await Promise.all(cases.map(async ([args, code, problem]) => ({ args, code, problem, run: await admin(args) })))
  for (const { args, code, problem, run } of runs) {
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
