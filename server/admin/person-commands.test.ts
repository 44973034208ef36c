import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { verifyPersonPassword } from '#server/people/sign-in/passwords.ts'
import { loadActor } from '#server/people/sign-in/sessions.ts'
import { must } from '#server/testing/partner.ts'
import { type AdminHarness, createAdminHarness, fact } from './testing.ts'

let harness: AdminHarness
let database: AdminHarness['database']
let admin: AdminHarness['admin']
let facts: AdminHarness['facts']
before(async () => {
  harness = await createAdminHarness()
  ;({ database, admin, facts } = harness)
})
after(() => harness.close())

test('added once per id: money on a balance, with an audit entry', async () => {
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

test('roles, block and new password in force after each command about a person', async () => {
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

test('exit code 1 and the password as before without a mail server; ended, with a mail that waits, where there is one', async () => {
  await facts('create-application', '--name', 'Links')
  const names = ['--application', 'Links', '--email', 'kofi@example.com', '--name', 'Kofi Annor', '--roles', 'maker']
  const personId = fact(await facts('create-person', ...names), 'personId')
  const stored = async () =>
    (await database.pool.query('select password_hash from people where person_id = $1', [personId])).rows[0].password_hash
  const before = await stored()
  const args = ['mail-password-link', '--email', 'kofi@example.com', '--json']
  assert.deepEqual([(await admin(args)).code, await stored()], [1, before])
  const run = await admin(args, { DATABASE_URL: database.url, SMTP_URL: 'smtp://mail.example' })
  assert.equal(run.code, 0, run.problem)
  assert.doesNotMatch(run.out, /#|http/)
  assert.notEqual(await stored(), before)
  const { rows } = await database.pool.query('select kind, state from link_mails where subject_id = $1', [personId])
  assert.deepEqual(rows, [{ kind: 'password', state: 'waiting' }])
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
