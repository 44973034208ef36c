import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { aBand, anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { CHOSEN_CAUSES, changeNoticeSettings, noticePreferencesSchema } from './notice-preferences.ts'
import { DEFAULT_TIMES } from './notice-times.ts'
import { openMailDesk } from './testing/mail-desk.ts'

const SUBJECT = 'Transactions are waiting for your approval'
const DAY_MS = 86_400_000

let desk: Awaited<ReturnType<typeof openMailDesk>>
let checker: string
beforeEach(async () => {
  desk = await openMailDesk()
  checker = await desk.person('checker')
})
afterEach(() => desk.close())

const startWaiting = (applicationId = desk.applicationId, makerId: string | null = null) =>
  takeIn(desk.pool, [anIntakeItem(applicationId, { bands: [aBand()], makerId, source: makerId ? 'person' : 'api' })])
const want = (delivery: 'at_once' | 'digest') =>
  changeNoticeSettings(desk.pool, checker, {
    causes: noticePreferencesSchema.parse(Object.fromEntries(CHOSEN_CAUSES.map((cause) => [cause, delivery]))),
    inBrowser: [],
    times: DEFAULT_TIMES,
  })
/** The text of the digest that is sent within a day, both of its forms. */
async function digest(subject = SUBJECT): Promise<string> {
  await desk.send()
  await desk.send(new Date(Date.now() + DAY_MS))
  return desk.textOf(subject)
}

test('what waits on every page of the person is in the digest: each group with its number, its first end and its address', async () => {
  await want('digest')
  for (let count = 0; count < 3; count++) await startWaiting()
  await startWaiting(desk.applicationId, checker)
  await desk.query("update applications set time_zone = 'Africa/Douala'")
  await desk.query("update approval_items set expires_at = '2031-02-03 14:05+00'")
  const text = await digest()
  assert.match(text, /Waiting for you in Douala & Co\r\nhttps:\/\/pay\.example\/douala-co\/waiting\r\n/)
  assert.match(text, /Payments to approve: 3 \(the first expires 3 Feb, 15:05\)\r\nhttps:\/\/pay\.example\/douala-co\/approvals\r\n/)
  assert.match(text, /<li>Payments to approve: 3 .*<a href="https:\/\/pay\.example\/douala-co\/approvals">/)
  assert.match(text, /Waiting for you in Douala &#38; Co/)
})

test('the digest counts what waits when it is sent: what was decided since it was stored is not in it', async () => {
  await want('digest')
  await startWaiting()
  await startWaiting()
  await desk.send()
  const [{ transactionId }] = await desk.query('select transaction_id as "transactionId" from transactions where is_waiting limit 1')
  await transition(desk.pool, [{ applicationId: desk.applicationId, transactionId, event: 'recalled', actor: SYSTEM_ACTOR }])
  await desk.send(new Date(Date.now() + DAY_MS))
  assert.match(desk.textOf(SUBJECT), /Payments to approve: 1 /)
})

test('the digest lists every application in which the person acts, and none that they have left', async () => {
  await want('digest')
  await startWaiting()
  for (const [name, isActive] of [
    ['Kribi', true],
    ['Limbe', false],
  ] as const) {
    const other = await makeApplication(desk.pool, name)
    await fund(desk.pool, other, 'MOMOCM', 100_000_000n)
    await makePerson(desk.pool, other, ['checker'])
    await desk.query('insert into memberships (application_id, person_id, roles, is_active) values ($1, $2, $3, $4)', [
      other,
      checker,
      ['checker'],
      isActive,
    ])
    await startWaiting(other)
  }
  const text = await digest('2 notifications from Countersign')
  assert.match(text, /Waiting for you in Douala & Co[\s\S]*Waiting for you in Kribi/)
  assert.doesNotMatch(text, /Limbe/)
})

test('no list in a mail that is sent at once', async () => {
  await want('at_once')
  await startWaiting()
  await desk.send()
  assert.match(desk.textOf(SUBJECT), /douala-co\/approvals/)
  assert.doesNotMatch(desk.textOf(SUBJECT), /Waiting for you/)
})
