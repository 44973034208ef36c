import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Availability } from '#lib/operators/operator-outcomes.ts'
import { setBalanceThreshold } from '#server/ledger/set-balance-threshold.ts'
import { storeAvailability } from '#server/operators/availability/availability-store.ts'
import { holdForFloat, releaseFloat, storeFloat } from '#server/operators/balances/float-store.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { recordAttempts } from '#server/webhooks/delivery-store.ts'
import { addDeliveries } from '#server/webhooks/testing.ts'
import { CHOSEN_CAUSES, changeNoticeSettings, noticePreferencesSchema } from './notice-preferences.ts'
import { DEFAULT_TIMES } from './notice-times.ts'
import { openMailDesk } from './testing/mail-desk.ts'

let desk: Awaited<ReturnType<typeof openMailDesk>>
let finance: string
let engineer: string
beforeEach(async () => {
  desk = await openMailDesk()
  finance = await desk.person('finance')
  engineer = await desk.person('engineer')
  await desk.person('maker')
})
afterEach(() => desk.close())

const isDown = (state: Availability, type: 'COLLECT' | 'DEPOSIT' = 'DEPOSIT') =>
  storeAvailability(desk.pool, { operator: 'MOMOCM', type, state, fault: undefined, settingsVersion: undefined })
const pay = (amountMinor: bigint) => takeIn(desk.pool, [anIntakeItem(desk.applicationId, { amountMinor })])
const causes = async () =>
  (await desk.query('select cause, operator, type from notices order by created_at')).map((row) => Object.values(row).join(' '))

async function warnBelow(thresholdMinor: bigint): Promise<void> {
  const actor = { kind: 'person', id: finance, applicationId: desk.applicationId, roles: ['finance'] } as const
  assert.ok((await setBalanceThreshold(desk.pool, { applicationId: desk.applicationId, operator: 'MOMOCM', thresholdMinor, actor })).ok)
}

async function giveUp(count: number): Promise<void> {
  const items = await addDeliveries(
    desk.pool,
    desk.applicationId,
    Array.from({ length: count }, () => 'https://a.example/hook'),
  )
  for (const number of [1, 2, 3, 4]) {
    await desk.query("update webhook_deliveries set attempts = $1 where state = 'due'", [number])
    const failed = {
      startedAt: new Date(),
      durationMs: 1,
      outcome: 'bad_status',
      httpStatus: 500,
      detail: null,
      firstByteMs: null,
    } as const
    const rest = { responseStart: null, waitedMs: 0, spreadMs: 0, resendNumber: null, number }
    await recordAttempts(
      desk.pool,
      items.map(({ applicationId, transactionId }) => ({ applicationId, transactionId, ...failed, ...rest })),
      [1, 1, 1],
    )
  }
}

test('one mail to finance for a deposit balance that payments take below its limit, and none while it stays there', async () => {
  await warnBelow(99_000_000n)
  await pay(500_000n)
  await desk.send()
  assert.deepEqual(desk.told(), [])
  for (let count = 0; count < 3; count++) await pay(1_000_000n)
  await desk.pass('2 hours')
  await pay(500_000n)
  await desk.send()
  assert.deepEqual(desk.told(), [`${finance}: A deposit balance is low`])
  assert.match(
    desk.smtp.mails[0]?.data ?? '',
    /A deposit balance is low \(MTN Cameroon\)\r?\nhttps:\/\/pay\.example\/douala-co\/balances\/MOMOCM/,
  )
})

test('a second mail for a balance that was funded and is low again after an hour, and none within the hour', async () => {
  await warnBelow(99_500_000n)
  const fallAgain = async () => {
    await fund(desk.pool, desk.applicationId, 'MOMOCM', 10_000_000n)
    await pay(10_000_000n)
    await desk.send()
    return desk.told().length
  }
  await pay(1_000_000n)
  await desk.send()
  assert.deepEqual([desk.told().length, await fallAgain()], [1, 1])
  await desk.pass('61 minutes')
  assert.equal(await fallAgain(), 2)
})

test('no mail about a balance that is funded before the mail is sent, and one if it falls again right then', async () => {
  await warnBelow(99_500_000n)
  await pay(1_000_000n)
  await fund(desk.pool, desk.applicationId, 'MOMOCM', 10_000_000n)
  await desk.send()
  assert.deepEqual(desk.told(), [])
  await pay(11_000_000n)
  await desk.send()
  assert.equal(desk.told().length, 1)
})

test('one notice for an operator that is down in two processes, for hours, with trials in between', async () => {
  await isDown('DELAYED')
  assert.deepEqual(await causes(), [])
  await Promise.all([isDown('CLOSED'), isDown('CLOSED')])
  await isDown('DELAYED')
  await isDown('CLOSED')
  await desk.send()
  await desk.pass('9 hours')
  await isDown('CLOSED')
  await desk.send()
  assert.deepEqual(await causes(), ['operator_down MOMOCM DEPOSIT'])
  assert.deepEqual(desk.told(), [`${engineer}: An operator does not accept payments`])
})

test('each direction and each outage: an operator that is down again after it was back for hours', async () => {
  await isDown('CLOSED')
  await isDown('CLOSED', 'COLLECT')
  await desk.send()
  await isDown('OPERATIONAL')
  await desk.pass('2 hours')
  await isDown('CLOSED')
  await desk.send()
  assert.equal(desk.told().length, 3)
})

test('nothing about an operator to an application that may not use it or is off, and nothing once the operator is back', async () => {
  const [closed, off] = [await makeApplication(desk.pool, 'Closed'), await makeApplication(desk.pool, 'Off')]
  for (const applicationId of [closed, off]) await makePerson(desk.pool, applicationId, ['engineer'])
  await desk.query(
    `insert into transfer_services (application_id, operator, type, is_enabled, enforces_limits) values ($1, 'MOMOCM', 'DEPOSIT', false, false)`,
    [closed],
  )
  await desk.query('update applications set is_enabled = false where application_id = $1', [off])
  await isDown('CLOSED')
  assert.deepEqual(await causes(), ['operator_down MOMOCM DEPOSIT'])
  await isDown('OPERATIONAL')
  await desk.send()
  assert.deepEqual(desk.told(), [])
})

test('dropped: a digest about an operator that came back in the night', async () => {
  const digest = noticePreferencesSchema.parse(Object.fromEntries(CHOSEN_CAUSES.map((cause) => [cause, 'digest'])))
  await changeNoticeSettings(desk.pool, engineer, { causes: digest, inBrowser: [], times: DEFAULT_TIMES })
  await isDown('CLOSED')
  await desk.send()
  await isDown('OPERATIONAL')
  await desk.send(new Date(Date.now() + 25 * 3_600_000))
  assert.deepEqual([desk.told(), await desk.query('select state from notice_messages')], [[], [{ state: 'dropped' }]])
})

test('told: finance and administrators of the application that runs the installation, once, that our account is short', async () => {
  await desk.query('update applications set runs_installation = true where application_id = $1', [desk.applicationId])
  await makePerson(desk.pool, await makeApplication(desk.pool, 'Partner'), ['finance'])
  const report = (reportedMinor: bigint) =>
    storeFloat(desk.pool, { operator: 'MOMOCM', reportedMinor, floorMinor: 1_000n, mark: { sentMinor: 0n, openMinor: 0n } })
  await report(1_000n)
  assert.deepEqual(await causes(), [])
  await report(999n)
  await report(500n)
  await holdForFloat(desk.pool, 'MOMOCM')
  await desk.send()
  await desk.pass('5 hours')
  await report(400n)
  await holdForFloat(desk.pool, 'MOMOCM')
  await desk.send()
  assert.deepEqual(desk.told(), [`${finance}: The account at an operator does not cover its deposits`])
  await releaseFloat(desk.pool, 'MOMOCM')
  await report(5_000n)
  await holdForFloat(desk.pool, 'MOMOCM')
  await desk.send()
  assert.equal(desk.told().length, 2)
})

test('one mail a day to engineers for webhooks that are given up', async () => {
  await giveUp(3)
  await desk.send()
  await giveUp(2)
  await desk.send()
  assert.deepEqual([desk.told(), await causes()], [[`${engineer}: Webhooks could not be delivered`], ['webhooks_failing  ']])
  await desk.pass('25 hours')
  await giveUp(1)
  await desk.send()
  assert.equal(desk.told().length, 2)
})

test('one notice, and no deadlock, when two transactions give up webhooks of two applications in opposite order', async () => {
  const other = await makeApplication(desk.pool, 'Other')
  const [one, two] = [await desk.pool.connect(), await desk.pool.connect()]
  const note = (client: typeof one, applicationId: string) =>
    client.query("select note_state($1, 'webhooks_failing', interval '1 day')", [applicationId])
  try {
    // A lock that is waited for fails the test instead of hanging it.
    for (const client of [one, two]) await client.query("begin; set local lock_timeout = '3s'")
    await note(one, desk.applicationId)
    await note(two, other)
    await note(one, other)
    await note(two, desk.applicationId)
    await one.query('commit')
    await two.query('commit')
  } finally {
    one.release()
    two.release()
  }
  assert.deepEqual(await causes(), ['webhooks_failing  ', 'webhooks_failing  '])
})

test('no notice when the transaction of its cause is rolled back', async () => {
  await warnBelow(100_000_000n)
  const client = await desk.pool.connect()
  try {
    await client.query('begin')
    await client.query(
      "update ledger_balances set deposit_minor = deposit_minor - 1, held_minor = held_minor + 1 where operator = 'MOMOCM'",
    )
    assert.equal((await client.query('select 1 from notices')).rowCount, 1)
    await client.query('rollback')
  } finally {
    client.release()
  }
  assert.deepEqual(await causes(), [])
})
