import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { sandboxTransport, smtpTransport } from './mail/transport.ts'
import { CHOSEN_CAUSES, changeNoticeSettings, noticePreferencesSchema } from './notice-preferences.ts'
import { DEFAULT_TIMES } from './notice-times.ts'
import { sendNotices } from './send-notices.ts'
import { loopbackPush } from './testing/push-receiver.ts'
import { startSmtpReceiver } from './testing/smtp-receiver.ts'

const AT_ONCE = noticePreferencesSchema.parse(Object.fromEntries(CHOSEN_CAUSES.map((cause) => [cause, 'at_once'])))
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
let database: TestDatabase
let smtp: Awaited<ReturnType<typeof startSmtpReceiver>>
let applicationId: string
let checker: string
beforeEach(async () => {
  database = await createTestDatabase()
  smtp = await startSmtpReceiver()
  applicationId = await makeApplication(database.pool, 'Douala & Co')
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
  checker = await makePerson(database.pool, applicationId, ['checker'])
})
afterEach(async () => {
  await smtp.close()
  await database.drop()
})

async function send(at = new Date(), url = smtp.url): Promise<void> {
  const transport = smtpTransport({ url, from: 'Countersign <pay@countersign.example>' })
  await sendNotices({
    pool: database.pool,
    reportPool: database.pool,
    push: loopbackPush(database.pool),
    transport,
    publicUrl: 'https://pay.example',
    now: () => at,
  })
}

const later = (durationMs: number) => new Date(Date.now() + durationMs)
const startWaiting = (makerId: string | null = null) =>
  takeIn(database.pool, [anIntakeItem(applicationId, { bands: [aBand()], makerId, source: makerId ? 'person' : 'api' })])
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
const statesOf = async () => (await query('select state from notice_messages order by state')).map(({ state }) => state)
const recipients = () => smtp.mails.flatMap(({ to }) => to)

test('one mail with a link for three transactions that wait, and none for one that does not', async () => {
  await takeIn(database.pool, [anIntakeItem(applicationId)])
  assert.deepEqual(await query('select 1 from notices'), [])
  for (let count = 0; count < 3; count++) await startWaiting()
  await send()
  await send()
  assert.deepEqual(recipients(), [`${checker}@test.example`])
  assert.equal(smtp.mails[0]?.subject, 'Transactions are waiting for your approval')
  assert.match(smtp.mails[0]?.data ?? '', /https:\/\/pay\.example\/douala-co\/approvals/)
  assert.match(smtp.mails[0]?.data ?? '', /Douala &#38; Co/)
  assert.deepEqual(await statesOf(), ['sent'])
})

test('one more mail after fifteen minutes for a transaction that began to wait after the first', async () => {
  await startWaiting()
  await send()
  await startWaiting()
  await send(later(14 * MINUTE_MS))
  assert.equal(smtp.mails.length, 1)
  await send(later(16 * MINUTE_MS))
  assert.equal(smtp.mails.length, 2)
})

test('nothing to the maker, to a person without the role, to a suspended member and to a blocked person', async () => {
  const maker = await makePerson(database.pool, applicationId, ['maker', 'checker'])
  await makePerson(database.pool, applicationId, ['finance'])
  const suspended = await makePerson(database.pool, applicationId, ['checker'])
  const blocked = await makePerson(database.pool, applicationId, ['checker'])
  await query('update memberships set is_active = false where person_id = $1', [suspended])
  await query('update people set is_blocked = true where person_id = $1', [blocked])
  await startWaiting(maker)
  await send()
  assert.deepEqual(recipients(), [`${checker}@test.example`])
})

test('dropped: the mail to a person who lost the role after it was stored', async () => {
  await startWaiting()
  smtp.behaviour.answer = '451 later'
  await send()
  await query(`update memberships set roles = array['finance'] where person_id = $1`, [checker])
  smtp.behaviour.answer = '250 taken'
  await send(later(HOUR_MS))
  assert.deepEqual([recipients(), await statesOf()], [[], ['dropped']])
})

test('no notice when the transaction of its cause is rolled back', async () => {
  const client = await database.pool.connect()
  const insert = `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
    values ($1, $2, 'person.roles', 'x', '{}', '{}', '{}', $3, now() + interval '7 days')`
  try {
    await client.query('begin')
    await client.query(insert, [applicationId, randomUUID(), checker])
    assert.equal((await client.query('select 1 from notices')).rowCount, 1)
    await client.query('rollback')
  } finally {
    client.release()
  }
  assert.deepEqual(await query('select 1 from notices'), [])
})

test('the other administrator is told of a proposal, and once more within a day of its end', async () => {
  const [proposer, other] = [
    await makePerson(database.pool, applicationId, ['administrator']),
    await makePerson(database.pool, applicationId, ['administrator']),
  ]
  await query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
       values ($1, $2, 'person.roles', 'x', '{}', '{}', '{}', $3, now() + interval '7 days')`,
    [applicationId, randomUUID(), proposer],
  )
  for (const days of [0, 5, 6.5, 6.6]) await send(later(days * 24 * HOUR_MS))
  assert.deepEqual(recipients(), [`${other}@test.example`, `${other}@test.example`])
  assert.deepEqual(
    smtp.mails.map(({ subject }) => subject),
    ['A change or funding is waiting for your confirmation', 'A change or funding expires within 24 hours'],
  )
})

test('not told of a proposal that is about themselves: an administrator, beside one who may confirm it', async () => {
  const administrator = () => makePerson(database.pool, applicationId, ['administrator'])
  const [proposer, subject, other] = [await administrator(), await administrator(), await administrator()]
  await query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
       values ($1, $2, 'person.roles', $4, jsonb_build_object('personId', $4::text), '{}', '{}', $3, now() + interval '7 days')`,
    [applicationId, randomUUID(), proposer, subject],
  )
  await send()
  assert.deepEqual(recipients(), [`${other}@test.example`])
})

test('an administrator of the installation is told of a change that nobody else in its application may confirm, with a link to their own page', async () => {
  const installation = await makeApplication(database.pool, 'Head office')
  await query('update applications set runs_installation = application_id = $1', [installation])
  const administrator = await makePerson(database.pool, installation, ['administrator'])
  await makePerson(database.pool, installation, ['checker'])
  const alone = await makePerson(database.pool, applicationId, ['administrator'])
  const propose = () =>
    query(
      `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
         values ($1, $2, 'application.set', 'settings', '{}', '{}', '{}', $3, now() + interval '7 days')`,
      [applicationId, randomUUID(), alone],
    )
  await propose()
  await send()
  assert.deepEqual(recipients(), [`${administrator}@test.example`])
  assert.match(smtp.mails[0]?.data ?? '', /https:\/\/pay\.example\/head-office\/installation\/changes/)
  const second = await makePerson(database.pool, applicationId, ['administrator'])
  await query(`update proposed_changes set outcome = 'withdrawn', decided_at = now(), decided_by = proposed_by`)
  await propose()
  await send()
  assert.deepEqual(recipients(), [`${administrator}@test.example`, `${second}@test.example`])
})

test('a French mail to a person who reads French; a line break in a name adds no header', async () => {
  await query(`update people set locale = 'fr', name = E'Awa\\r\\nBcc: thief@evil.example' where person_id = $1`, [checker])
  await startWaiting()
  await send()
  assert.equal(smtp.mails[0]?.subject, 'Des transactions attendent votre approbation')
  assert.deepEqual(recipients(), [`${checker}@test.example`])
  const [headers = ''] = (smtp.mails[0]?.data ?? '').split('\r\n\r\n')
  assert.doesNotMatch(headers, /^bcc:/im)
})

test('told: the owner of an account that is used from a second device, and not of the first or of a known one', async () => {
  const signIn = (userAgent: string) =>
    query(
      `insert into person_sessions (session_id, person_id, epoch, started_at, ends_at, last_used_at, address, user_agent)
         values (gen_random_uuid(), $1, 1, now(), now() + interval '12 hours', now(), '198.51.100.7', $2)`,
      [checker, userAgent],
    )
  await signIn('Firefox')
  await signIn('Firefox')
  await send()
  assert.deepEqual(recipients(), [])
  await signIn('Chrome')
  await send()
  assert.equal(smtp.mails[0]?.subject, 'Your account was used to sign in from a new device')
  await query('update people set is_blocked = true where person_id = $1', [checker])
  await signIn('Safari')
  await send()
  assert.equal(smtp.mails.length, 1, 'a blocked person is told nothing')
})

test('one mail at 06:00 UTC for the digest of two causes, and nothing for a cause that is never wanted', async () => {
  const person = await makePerson(database.pool, applicationId, ['administrator', 'finance'])
  const proposer = await makePerson(database.pool, applicationId, ['administrator'])
  const wanted = { ...AT_ONCE, change_expiring: 'never' } as const
  await changeNoticeSettings(database.pool, person, { causes: wanted, inBrowser: [], times: DEFAULT_TIMES })
  await changeNoticeSettings(database.pool, person, {
    causes: { ...wanted, change_waiting: 'digest' },
    inBrowser: [],
    times: DEFAULT_TIMES,
  })
  await changeNoticeSettings(database.pool, checker, {
    causes: { ...AT_ONCE, approval_waiting: 'never' },
    inBrowser: [],
    times: DEFAULT_TIMES,
  })
  for (const subject of ['x', 'y'])
    await query(
      `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
         values ($1, $2, 'person.roles', $3, '{}', '{}', '{}', $4, '2031-01-01')`,
      [applicationId, randomUUID(), subject, proposer],
    )
  await startWaiting()
  await send(new Date('2030-03-01T06:00:00Z'))
  await send(new Date('2030-03-02T05:59:59Z'))
  assert.deepEqual(recipients(), [])
  await send(new Date('2030-03-02T06:00:00Z'))
  assert.deepEqual(recipients(), [`${person}@test.example`])
  assert.equal(smtp.mails[0]?.subject, '2 notifications from Countersign')
})

test('repeated after a pause: a mail that the server refused, and one for which no connection could be made', async () => {
  await startWaiting()
  smtp.behaviour.answer = '451 later'
  await send()
  await send(later(5 * MINUTE_MS), 'smtp://127.0.0.1:1')
  smtp.behaviour.answer = '250 taken'
  await send(later(HOUR_MS))
  assert.deepEqual([smtp.mails.length, await statesOf()], [1, ['sent']])
})

test('not repeated within an hour, then under the same Message-ID: a mail whose connection broke after its last byte', async () => {
  await startWaiting()
  smtp.behaviour.answer = null
  await send()
  assert.deepEqual(await statesOf(), ['unknown'])
  smtp.behaviour.answer = '250 taken'
  await send(later(59 * MINUTE_MS))
  assert.equal(smtp.mails.length, 1)
  await send(later(61 * MINUTE_MS))
  assert.equal(smtp.mails.length, 2)
  assert.equal(new Set(smtp.mails.map(({ messageId }) => messageId)).size, 1)
})

test('neither lost nor sent twice within an hour: the mail of a process that is killed when the server has taken it', async () => {
  await startWaiting()
  const script = new URL('testing/send-once.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, database.url, smtp.url], { stdio: 'inherit' })
  smtp.behaviour.onData = () => child.kill('SIGKILL')
  const [, signal] = await once(child, 'exit')
  delete smtp.behaviour.onData
  assert.deepEqual([signal, smtp.mails.length, await statesOf()], ['SIGKILL', 1, ['sending']])
  for (const minutes of [0, 6, 58]) await send(later(minutes * MINUTE_MS))
  assert.deepEqual([smtp.mails.length, await statesOf()], [1, ['unknown']])
  await send(later(62 * MINUTE_MS))
  assert.deepEqual([smtp.mails.length, await statesOf()], [2, ['sent']])
  assert.equal(smtp.mails[0]?.messageId, smtp.mails[1]?.messageId)
})

test('one mail when four processes send at once', async () => {
  await startWaiting()
  await Promise.all(Array.from({ length: 4 }, () => send()))
  assert.equal(smtp.mails.length, 1)
})

test('one mail in the mailbox of the sandbox for a Message-ID that arrives twice', async () => {
  const transport = sandboxTransport(database.pool)
  const mail = { messageId: '<1@pay.example>', to: { name: 'A', address: 'a@test.example' }, subject: 's', text: 't', html: 'h' }
  assert.deepEqual([await transport.send(mail), await transport.send(mail)], ['sent', 'sent'])
  assert.equal((await query('select 1 from sandbox_mails')).length, 1)
})

test('nothing later either: a notice of the time when the installation had no mail server', async () => {
  await startWaiting()
  await sendNotices({
    pool: database.pool,
    reportPool: database.pool,
    push: loopbackPush(database.pool),
    transport: undefined,
    publicUrl: 'https://pay.example',
    now: () => new Date(),
  })
  await send()
  assert.deepEqual(recipients(), [])
})
