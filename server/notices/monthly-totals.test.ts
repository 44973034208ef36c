import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { withoutRepeat } from '#lib/finance/pivot.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import { addressOfWaiting } from '#lib/pages/waiting.ts'
import { pivotQuerySchema } from '#lib/schemas/page-address.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { monthEnd } from '#lib/time/time.ts'
import { MESSAGES } from '#server/messages.ts'
import { forgetMonthlyTotals, prepareMonthlyTotals } from '#server/people/monthly-totals.ts'
import { changeView, deleteView, listViews, saveView } from '#server/people/saved-views.ts'
import { tableHead, tableLines } from '#server/reports/export/csv.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { toPivotFile } from '#server/reports/totals/pivot-file.ts'
import { readPivot } from '#server/reports/totals/read-pivot.ts'
import { readWaiting } from '#server/reports/waiting/read-waiting.ts'
import { fund } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { sandboxTransport } from './mail/transport.ts'
import { listSandboxMails } from './notice-store.ts'
import { sendNotices } from './send-notices.ts'
import { openMailDesk } from './testing/mail-desk.ts'
import { attachmentsOf } from './testing/smtp-receiver.ts'

const DAY_MS = 86_400_000
/** Three hours ahead of UTC, so that a day and an hour of UTC are wrong. */
const ZONE = 'Africa/Kampala'
const SUBJECT = 'Your monthly totals'
/** Transactions of a test are created now: this month is the one that is sent, on the first day of the next. */
const MONTH = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
const DUE = new Date(Date.parse(`${monthEnd(MONTH)}T03:00:00Z`) + DAY_MS)
const SWITCHED_ON = new Date(DUE.getTime() - 20 * DAY_MS)

let desk: Awaited<ReturnType<typeof openMailDesk>>
let person: string
let owner: { applicationId: string; personId: string }
beforeEach(async () => {
  desk = await openMailDesk()
  person = await desk.person('finance')
  // A colleague, who is told of nothing.
  await desk.person('finance')
  owner = { applicationId: desk.applicationId, personId: person }
  await desk.query('update applications set time_zone = $1', [ZONE])
})
afterEach(() => desk.close())

async function sendMonthly(query = '', now = SWITCHED_ON, name = 'Net by month'): Promise<string> {
  must(await saveView(desk.pool, { ...owner, list: 'totals', name, query, isShared: false, isSentMonthly: true }, now))
  const view = (await listViews(desk.pool, { ...owner, list: 'totals' })).find((each) => each.name === name)
  return view?.viewId ?? assert.fail()
}

const filesSent = () => desk.smtp.mails.flatMap(({ data }) => attachmentsOf(data))

/** Does the work of one minute. */
async function pass(at: Date): Promise<void> {
  await prepareMonthlyTotals(desk.pool, at)
  await desk.send(at)
}

const monthsSent = async () =>
  (await desk.query(`select to_char(month, 'YYYY-MM') as month from monthly_totals order by 1`)).map(({ month }) => month)
const endings = () =>
  desk.query(`select actor_kind as by, actor_id as id from audit_entries where action = 'view.sending_ended' and application_id = $1`, [
    desk.applicationId,
  ])
const statesOf = async () => (await desk.query('select state from notice_messages')).map(({ state }) => state)

/** The file that the page of this month exports. */
async function exported(query: Record<string, string>, locale: 'en' | 'fr', now: Date): Promise<string> {
  const choice = withoutRepeat(pivotQuerySchema.parse({ ...query, from: `${MONTH}-01`, to: monthEnd(MONTH) }))
  const pivot = await readPivot(desk.pool, { applicationId: desk.applicationId, businessZone: ZONE }, choice, now)
  assert.ok(pivot.tables.length > 0)
  const { heads, rows } = toPivotFile(createTranslate(locale, MESSAGES[locale]), pivot, choice)
  return tableHead(heads) + (await Array.fromAsync(rows)).map(tableLines).join('')
}

test('the file that the page of the month exports, in the language of the person, with the address of that page and an audit entry', async () => {
  for (const operator of SOME_OPERATORS) await fund(desk.pool, desk.applicationId, operator, 900_000_000n)
  await liveThrough(desk.pool, desk.applicationId, createRandom(5), 30)
  await desk.query(`update people set locale = 'fr' where person_id = $1`, [person])
  await sendMonthly('dates=lastMonth&status=ALL&rows=status&columns=direction')
  await pass(DUE)
  const subject = 'Vos totaux mensuels'
  assert.deepEqual(desk.told(), [`${person}: ${subject}`])
  const [file] = filesSent()
  assert.equal(file?.text, await exported({ status: 'ALL', rows: 'status', columns: 'direction' }, 'fr', DUE))
  assert.equal(file.fileName, `Net by month ${MONTH}.csv`)
  const address = `https://pay.example/douala-co/totals/pivot?from=${MONTH}-01&to=${monthEnd(MONTH)}&status=ALL&rows=status&columns=direction`
  assert.ok(desk.textOf(subject).includes(address))
  const [entry] = await desk.query(
    `select actor_kind as by, subject, details ->> 'from' as first, details ->> 'to' as last from audit_entries where action = 'totals.sent'`,
  )
  assert.deepEqual(entry, { by: 'system', subject: person, first: `${MONTH}-01`, last: monthEnd(MONTH) })
})

test('no file, and why, for a month without transactions', async () => {
  await sendMonthly()
  await pass(DUE)
  assert.deepEqual(filesSent(), [])
  assert.ok(desk.textOf(SUBJECT).includes(createTranslate('en', MESSAGES.en)('totals.none')))
})

test('sent without the file, and with why, when the table cannot be read; what is in the same digest arrives with it', async () => {
  await desk.query(`insert into notice_preferences (person_id, cause, delivery) values ($1, 'monthly_totals', 'digest')`, [person])
  await sendMonthly()
  await sendMonthly('rows=day', SWITCHED_ON, 'By day')
  await desk.query(`update saved_views set query = 'rows=%00' where name = 'By day'`)
  await pass(DUE)
  await desk.send(new Date(DUE.getTime() + DAY_MS))
  const t = createTranslate('en', MESSAGES.en)
  const text = desk.textOf(t('mails.digest', { count: 2 }))
  assert.ok(text.includes(t('mails.noTable')) && text.includes(t('totals.none')))
})

test('one mail for each view and month, also when several processes do the same at once, and one more a month later', async () => {
  await sendMonthly()
  await Promise.all([1, 2, 3, 4].map(() => prepareMonthlyTotals(desk.pool, DUE)))
  await Promise.all([1, 2, 3].map(() => desk.send(DUE)))
  for (const days of [0.1, 1, 15, 27]) await pass(new Date(DUE.getTime() + days * DAY_MS))
  assert.deepEqual(desk.told(), [`${person}: ${SUBJECT}`])
  await sendMonthly('rows=day', SWITCHED_ON, 'By day')
  await pass(new Date(DUE.getTime() + 32 * DAY_MS))
  assert.equal(desk.told().length, 3)
})

test('nothing before six o’clock in the time zone of the application, and nothing of a month that was due before it was switched on', async () => {
  await sendMonthly()
  await pass(new Date(DUE.getTime() - 1))
  assert.deepEqual(desk.told(), [])
  await pass(DUE)
  assert.deepEqual(await monthsSent(), [MONTH])
  await sendMonthly('rows=day', new Date(DUE.getTime() + 60_000), 'By day')
  await pass(new Date(DUE.getTime() + DAY_MS))
  assert.equal(desk.told().length, 1)
})

test('one mail, of the last month, after a service that was off for three', async () => {
  await sendMonthly()
  const back = new Date(DUE.getTime() + 80 * DAY_MS)
  for (const minutes of [0, 1, 2]) await pass(new Date(back.getTime() + minutes * 60_000))
  assert.equal(desk.told().length, 1)
  const before = new Date(back)
  before.setUTCDate(0)
  assert.deepEqual(await monthsSent(), [before.toISOString().slice(0, 7)])
})

for (const [lost, statement] of [
  ['suspended', 'update memberships set is_active = $2 where person_id = $1'],
  ['blocked', 'update people set is_blocked = not $2 where person_id = $1'],
  ['without a role', "update memberships set roles = case when $2 then array['finance'] else '{}'::text[] end where person_id = $1"],
] as const)
  test(`nothing to a person who is ${lost} at the time, and nothing later: the sending has ended, in the audit record by the system`, async () => {
    await sendMonthly()
    await desk.query(statement, [person, false])
    await pass(DUE)
    await desk.query(statement, [person, true])
    await pass(new Date(DUE.getTime() + 60_000))
    assert.deepEqual([desk.told(), await monthsSent()], [[], []])
    assert.deepEqual(await endings(), [{ by: 'system', id: null }])
    assert.deepEqual(
      (await listViews(desk.pool, { ...owner, list: 'totals' })).map(({ isSentMonthly }) => isSentMonthly),
      [false],
    )
  })

test('dropped: the mail of a month whose sending was ended, whose view was deleted or whose owner was suspended before it left', async () => {
  const ends: Record<string, (viewId: string) => Promise<unknown>> = {
    off: (viewId) => changeView(desk.pool, { ...owner, viewId, name: 'Net by month', isShared: false, isSentMonthly: false }, DUE),
    deleted: (viewId) => deleteView(desk.pool, { ...owner, viewId }),
    suspended: () => desk.query('update memberships set is_active = false where person_id = $1', [person]),
  }
  for (const [how, end] of Object.entries(ends)) {
    const viewId = await sendMonthly()
    await prepareMonthlyTotals(desk.pool, DUE)
    desk.smtp.behaviour.answer = '451 later'
    await desk.send(DUE)
    assert.deepEqual(await statesOf(), ['waiting'], how)
    await end(viewId)
    desk.smtp.behaviour.answer = '250 taken'
    await pass(new Date(DUE.getTime() + 3_600_000))
    assert.deepEqual([desk.told(), await statesOf()], [[], ['dropped']], how)
    await desk.query('delete from notices')
    await desk.query('delete from saved_views')
  }
})

test('without a mail server, the month in the list of what waits for its owner only, with the address of its page', async () => {
  await sendMonthly('rows=month&measure=net')
  await prepareMonthlyTotals(desk.pool, DUE)
  const without = {
    pool: desk.pool,
    reportPool: desk.pool,
    push: desk.push,
    transport: undefined,
    publicUrl: 'https://pay.example',
    now: () => DUE,
  }
  await sendNotices(without)
  await desk.send(DUE)
  assert.deepEqual(desk.told(), [])
  const reader = (id: string) => ({ applicationId: desk.applicationId, id, roles: ['finance' as const], runsInstallation: false })
  const { groups, pages } = await readWaiting(desk.pool, reader(person))
  assert.deepEqual([groups.map(({ group }) => group), pages], [['monthlyTotals'], { totals: 1 }])
  const [item] = groups[0]?.items ?? []
  assert.ok(item)
  assert.equal(item.name, 'Net by month')
  assert.equal(addressOfWaiting('douala-co', item), `/douala-co/totals/pivot?from=${MONTH}-01&to=${monthEnd(MONTH)}&rows=month&measure=net`)
  assert.deepEqual((await readWaiting(desk.pool, reader(await desk.person('finance')))).groups, [])
})

test('a month that was sent is kept for 100 days, so that cleaning up sends none again', async () => {
  await sendMonthly()
  await pass(DUE)
  await forgetMonthlyTotals(desk.pool, new Date(DUE.getTime() + 99 * DAY_MS))
  assert.deepEqual(await monthsSent(), [MONTH])
  await forgetMonthlyTotals(desk.pool, new Date(DUE.getTime() + 101 * DAY_MS))
  assert.deepEqual(await monthsSent(), [])
})

test('no event to the program of the application', async () => {
  await desk.query('insert into event_receivers (application_id, url) values ($1, $2)', [desk.applicationId, 'https://shop.example/events'])
  await sendMonthly()
  await prepareMonthlyTotals(desk.pool, DUE)
  assert.equal((await desk.query('select from notices')).length, 1)
  assert.deepEqual(await desk.query('select from event_deliveries'), [])
})

test('the file in the mailbox of a sandbox', async () => {
  await liveThrough(desk.pool, desk.applicationId, createRandom(5), 10)
  await sendMonthly('status=ALL')
  await prepareMonthlyTotals(desk.pool, DUE)
  const transport = sandboxTransport(desk.pool)
  await sendNotices({
    pool: desk.pool,
    reportPool: desk.pool,
    push: desk.push,
    transport,
    publicUrl: 'https://pay.example',
    now: () => DUE,
  })
  const [mail] = await listSandboxMails(desk.pool, desk.applicationId, 1)
  assert.deepEqual(mail?.attachments, [{ fileName: `Net by month ${MONTH}.csv`, text: await exported({ status: 'ALL' }, 'en', DUE) }])
})
