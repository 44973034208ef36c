import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PaymentTime } from '#lib/beneficiaries/payment-schedule.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { BatchHarness } from '#server/batches/testing/batch-harness.ts'
import { ALL_CONNECTED, makerOf } from '#server/batches/testing/make-batch.ts'
import { bookScene } from '#server/testing/beneficiaries/book.ts'
import { must } from '#server/testing/partner.ts'
import { runPaymentSchedules } from './run-schedules.ts'
import { endPaymentSchedule, listPaymentSchedules, setPaymentSchedule } from './schedules.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

const MONTHLY: PaymentTime = { every: 'month', weekday: null, monthDay: 25, day: null, minute: 8 * 60 }
const ONCE: PaymentTime = { every: 'once', weekday: null, monthDay: null, day: '2026-11-20', minute: 8 * 60 }
const SET_AT = '2026-11-01T00:00:00Z'

/** A group of one person with a schedule, and the task at any time. The zone of the application is UTC. */
async function scene(time: PaymentTime = MONTHLY) {
  const book = await bookScene(harness)
  const { pool } = harness
  const { applicationId, awa } = book
  await book.add({ name: 'Awa Diop', phoneNumber: '237670000001', groupName: 'Salaries', amountMinor: '100000' })
  const actor = makerOf(applicationId, awa.id)
  const set = (wanted: PaymentTime, at = SET_AT, groupName = 'Salaries') =>
    setPaymentSchedule(
      { pool, clock: { now: () => new Date(at) } },
      { applicationId, actor, name: 'Salaries of the month', purpose: 'Salary', source: { groupName }, time: wanted },
    )
  const { scheduleId } = must(await set(time))
  await harness.directory.refresh()
  const run = (at: string) =>
    runPaymentSchedules({ pool, connectors: ALL_CONNECTED, directory: harness.directory, clock: { now: () => new Date(at) } }, () => false)
  const runs = async () => {
    const schedules = await listPaymentSchedules(pool, applicationId, new Date(SET_AT))
    return schedules.flatMap((each) => each.runs)
  }
  const batches = async () => {
    const { rows } = await pool.query<{ name: string; state: string; maker: string }>(
      'select name, state, maker_id as maker from batches where application_id = $1 order by created_at',
      [applicationId],
    )
    return rows
  }
  return { ...book, actor, scheduleId, set, run, runs, batches }
}

test('a draft in the name of the maker at the time of the schedule, and not before', async () => {
  const { applicationId, awa, run, runs, batches } = await scene()
  await run('2026-11-25T07:59:59Z')
  assert.deepEqual(await batches(), [])
  await run('2026-11-25T08:00:00Z')
  assert.deepEqual(await batches(), [{ name: 'Salaries of the month', state: 'draft', maker: awa.id }])
  const [entry] = (await listAudit(harness.pool, applicationId, { size: 50 })).filter(({ action }) => action === 'batch.repeated')
  assert.deepEqual([entry?.actor.kind, entry?.details['maker']], ['system', awa.id])
  const [one] = await runs()
  assert.deepEqual([one?.outcome, one?.dueAt], ['prepared', '2026-11-25T08:00:00.000Z'])
})

test('one batch per time, however many processes run the task at once, and another the next month', async () => {
  const { run, batches } = await scene()
  await Promise.all(Array.from({ length: 6 }, () => run('2026-11-25T08:00:30Z')))
  await run('2026-11-25T08:30:00Z')
  assert.equal((await batches()).length, 1)
  await run('2026-12-25T08:00:00Z')
  assert.equal((await batches()).length, 2)
})

test('no batch, and no wait, while a maker is ending the schedule', async () => {
  const { scheduleId, run, runs, batches } = await scene()
  const ending = await harness.pool.connect()
  try {
    await ending.query('begin')
    await ending.query('update payment_schedules set ended_at = clock_timestamp() where schedule_id = $1', [scheduleId])
    await run('2026-11-25T08:00:00Z')
    await ending.query('commit')
  } finally {
    ending.release()
  }
  assert.deepEqual([await batches(), await runs()], [[], []])
})

test('missed: no batch for a time that no process ran within an hour, now or later, and it is on record', async () => {
  const { applicationId, run, runs, batches } = await scene()
  await run('2026-11-25T09:00:01Z')
  await run('2026-11-25T09:30:00Z')
  assert.deepEqual(await batches(), [])
  assert.deepEqual(await runs(), [{ dueAt: '2026-11-25T08:00:00.000Z', outcome: 'missed', reason: null, batchId: null }])
  const missed = (await listAudit(harness.pool, applicationId, { size: 50 })).filter(({ action }) => action === 'payment_schedule.missed')
  assert.equal(missed.length, 1)
})

test('maker_gone: no batch for a maker who lost the role', async () => {
  const { applicationId, awa, run, runs, batches } = await scene()
  await harness.pool.query("update memberships set roles = '{finance}' where application_id = $1 and person_id = $2", [
    applicationId,
    awa.id,
  ])
  await run('2026-11-25T08:00:00Z')
  assert.deepEqual([await batches(), (await runs()).map(({ outcome, reason }) => [outcome, reason])], [[], [['refused', 'maker_gone']]])
})

test('application_disabled: no batch for an application that is off', async () => {
  const { applicationId, run, runs, batches } = await scene()
  await harness.pool.query('update applications set is_enabled = false where application_id = $1', [applicationId])
  await harness.directory.refresh()
  await run('2026-11-25T08:00:00Z')
  assert.deepEqual(
    [await batches(), (await runs()).map(({ outcome, reason }) => [outcome, reason])],
    [[], [['refused', 'application_disabled']]],
  )
})

test('once: it ends with its time; wrong_time for one that has passed, not_found for an empty group', async () => {
  const { run, set, batches, applicationId } = await scene(ONCE)
  await run('2026-11-20T08:00:00Z')
  await run('2026-11-20T08:05:00Z')
  assert.equal((await batches()).length, 1)
  const [schedule] = await listPaymentSchedules(harness.pool, applicationId, new Date('2026-11-21T00:00:00Z'))
  assert.deepEqual([schedule?.isEnded, schedule?.nextDueAt], [true, null])
  assert.deepEqual(await set(ONCE, '2026-11-20T08:00:00Z'), { ok: false, error: 'wrong_time' })
  assert.deepEqual(await set(MONTHLY, SET_AT, 'Nobody'), { ok: false, error: 'not_found' })
})

test('an ended schedule makes no batch; not_permitted for a checker who would end it', async () => {
  const { applicationId, serge, actor, scheduleId, run, batches } = await scene()
  const end = (by: typeof actor) => endPaymentSchedule(harness.pool, { applicationId, actor: by, scheduleId })
  assert.deepEqual(await end({ ...actor, id: serge.id, roles: ['checker'] }), { ok: false, error: 'not_permitted' })
  must(await end(actor))
  assert.deepEqual(await end(actor), { ok: false, error: 'not_found' })
  await run('2026-11-25T08:00:00Z')
  assert.deepEqual(await batches(), [])
})

test('a schedule that was set after a time of its day makes nothing for that time', async () => {
  const { set, run, batches, scheduleId, actor, applicationId } = await scene()
  must(await endPaymentSchedule(harness.pool, { applicationId, actor, scheduleId }))
  must(await set(MONTHLY, '2026-11-25T08:10:00Z'))
  await run('2026-11-25T08:11:00Z')
  assert.deepEqual(await batches(), [])
})
