import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { decide } from '#server/approvals/decide.ts'
import { expireApprovals } from '#server/approvals/expire-approvals.ts'
import { storeBatchEnds } from '#server/batches/store-batch-ends.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { aBand, anIntakeItem, decisionDeps } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { createSettler, SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { openMailDesk } from './testing/mail-desk.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
let desk: Awaited<ReturnType<typeof openMailDesk>>
let maker: string
let checker: string
beforeEach(async () => {
  desk = await openMailDesk()
  maker = await desk.person('maker')
  checker = await desk.person('checker')
})
afterEach(() => desk.close())

const later = (durationMs: number) => new Date(Date.now() + durationMs)
const toldOf = (personId: string) =>
  desk
    .told()
    .filter((each) => each.startsWith(personId))
    .map((each) => each.slice(personId.length + 2))

async function startPayment(overrides: Parameters<typeof anIntakeItem>[1] = {}): Promise<string> {
  const item = anIntakeItem(desk.applicationId, { bands: [aBand()], makerId: maker, source: 'person', ...overrides })
  await takeIn(desk.pool, [item])
  return item.transactionId
}

async function reject(transactionId: string, through: 'back_office' | 'api' = 'back_office'): Promise<void> {
  const decided = await decide(decisionDeps(desk.pool), {
    ...{ applicationId: desk.applicationId, transactionId, checkerId: checker, decision: 'rejected', note: 'No invoice' },
    through,
    actor: through === 'api' ? { kind: 'api', id: null } : { kind: 'person', id: checker },
  })
  assert.ok(decided.ok)
}

async function expire(): Promise<void> {
  await desk.query("update approval_items set expires_at = now() - interval '1 second'")
  assert.equal(await expireApprovals({ ...decisionDeps(desk.pool), settler: createSettler({ pool: desk.pool }) }), 1)
}

test('one mail with a link to the maker of a payment that a checker rejected, and none of one that a program started', async () => {
  const transactionId = await startPayment()
  await reject(transactionId)
  await reject(await startPayment({ makerId: null, source: 'api' }))
  await desk.send()
  await desk.send()
  assert.deepEqual(
    desk.told().filter((each) => each.includes('Your payment was rejected')),
    [`${maker}: Your payment was rejected`],
  )
  assert.ok(desk.textOf('Your payment was rejected').includes(`https://pay.example/douala-co/transactions/${transactionId}`))
})

test('one mail to the maker of a payment that expired', async () => {
  await startPayment()
  await expire()
  await desk.send()
  await desk.send()
  assert.deepEqual(toldOf(maker), ['Your payment expired before it was approved'])
})

test('one mail to the maker of a payment that failed at the operator or was ended unsent, none of one that a program started or a person stopped', async () => {
  const failed = await startPayment({ bands: [] })
  const ended = await startPayment({ bands: [] })
  const of = (transactionId: string) => ({ applicationId: desk.applicationId, transactionId, message: 'x' })
  await transition(desk.pool, [{ ...of(failed), event: 'failed', actor: SYSTEM_ACTOR }])
  await transition(desk.pool, [{ ...of(ended), event: 'stopped', actor: SYSTEM_ACTOR }])
  const ofProgram = await startPayment({ bands: [], makerId: null, source: 'api' })
  const stopped = await startPayment({ bands: [] })
  await transition(desk.pool, [{ ...of(ofProgram), event: 'failed', actor: SYSTEM_ACTOR }])
  await transition(desk.pool, [{ ...of(stopped), event: 'stopped', actor: { kind: 'person', id: maker } }])
  await desk.send()
  await desk.send()
  assert.deepEqual(desk.told(), [`${maker}: Your payment failed`, `${maker}: Your payment failed`])
  assert.match(desk.textOf('Your payment failed'), new RegExp(`https://pay.example/douala-co/transactions/(${failed}|${ended})`))
})

test('one mail to the person who proposed a change that another confirmed or refused, and none about a change that was withdrawn', async () => {
  const [admin, other] = [await desk.person('administrator'), await desk.person('administrator')]
  const decided = async (outcome: 'confirmed' | 'refused' | 'withdrawn') => {
    const [row] = await desk.query(
      `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
         values ($1, gen_random_uuid(), 'policy.activate', $2, '{}', '{}', '{}', $3, now() + interval '7 days') returning change_id as id`,
      [desk.applicationId, randomUUID(), admin],
    )
    await desk.query(`update proposed_changes set outcome = $2, decided_by = $3, decided_at = now() where change_id = $1`, [
      row.id,
      outcome,
      outcome === 'withdrawn' ? admin : other,
    ])
  }
  for (const outcome of ['confirmed', 'refused', 'withdrawn'] as const) await decided(outcome)
  // Of what has been decided, the notices that it waits are dropped.
  await desk.send()
  await desk.send()
  assert.deepEqual(desk.told(), [`${admin}: Your proposal was confirmed`, `${admin}: Your proposal was refused`])
  assert.ok(desk.textOf('Your proposal was refused').includes('https://pay.example/douala-co/rules'))
})

test('told once of a confirmed change by a process that is killed after the mail server has taken the mail', async () => {
  const [admin, other] = [await desk.person('administrator'), await desk.person('administrator')]
  await desk.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, outcome, decided_by, decided_at)
       values ($1, gen_random_uuid(), 'fees.set', '', '{}', '{}', '{}', $2, now() + interval '7 days', null, null, null)`,
    [desk.applicationId, admin],
  )
  await desk.query(`delete from notices`)
  await desk.query(`update proposed_changes set outcome = 'confirmed', decided_by = $1, decided_at = now()`, [other])
  await desk.sendKilled()
  await desk.send()
  await desk.send(later(HOUR_MS - 60_000))
  assert.deepEqual(desk.told(), [`${admin}: Your proposal was confirmed`])
})

test('one mail to the maker of a batch whose last row ended, none for its rejected rows, and none before the end', async () => {
  const { batchId, items } = await makeFileBatch(desk.pool, { applicationId: desk.applicationId, makerId: maker, count: 2 })
  const [first, second] = items
  await reject(first?.transactionId ?? '', 'api')
  await storeBatchEnds(desk.pool)
  await desk.send()
  assert.deepEqual(toldOf(maker), [])
  await reject(second?.transactionId ?? '', 'api')
  await storeBatchEnds(desk.pool)
  await storeBatchEnds(desk.pool)
  await desk.send()
  assert.deepEqual(toldOf(maker), ['Your batch has ended'])
  assert.ok(desk.textOf('Your batch has ended').includes(`https://pay.example/douala-co/batches/${batchId}`))
})

test('one mail to the maker of a scheduled list that was not prepared, to the other makers once that person prepares none, and none of a prepared one', async () => {
  const other = await desk.person('maker')
  const scheduleId = randomUUID()
  await desk.query(
    `insert into payment_schedules (application_id, schedule_id, name, group_name, every, month_day, minute, maker_id, set_at)
       values ($1, $2, 'Salaries', 'Salaries', 'month', 25, 480, $3, '2026-01-01')`,
    [desk.applicationId, scheduleId, maker],
  )
  const run = (day: string, outcome: string, reason: string | null, batchId: string | null = null) =>
    desk.query(
      `insert into payment_runs (application_id, schedule_id, due_at, outcome, reason, batch_id) values ($1, $2, $3, $4, $5, $6)`,
      [desk.applicationId, scheduleId, day, outcome, reason, batchId],
    )
  await run('2026-01-25', 'prepared', null, randomUUID())
  await desk.send()
  assert.deepEqual(desk.told(), [])
  await run('2026-02-25', 'missed', null)
  await desk.send()
  await desk.send()
  assert.deepEqual(desk.told(), [`${maker}: A scheduled list was not prepared`])
  assert.ok(desk.textOf('A scheduled list was not prepared').includes('https://pay.example/douala-co/beneficiaries'))
  await desk.query("update memberships set roles = '{finance}' where person_id = $1", [maker])
  await run('2026-03-25', 'refused', 'maker_gone')
  await desk.send()
  assert.deepEqual(toldOf(other), ['A scheduled list was not prepared'])
  assert.equal(desk.told().length, 2)
})

for (const [exceptionClass, days] of [
  ['contradicted', 1],
  ['fee_differs', 3],
] as const)
  test(`one mail to the owner of an exception of class ${exceptionClass} after ${days} days, and none once it is closed`, async () => {
    const [owner] = [await desk.person('finance'), await desk.person('finance')]
    await openException(exceptionClass, owner)
    const closed = await openException(exceptionClass, owner)
    await desk.query("update exceptions set outcome = 'explained', closed_at = now(), closed_by = owner_id where exception_id = $1", [
      closed,
    ])
    await desk.send(later(days * DAY_MS - 60_000))
    assert.deepEqual(desk.told(), [])
    await desk.send(later(days * DAY_MS))
    await desk.send(later(days * DAY_MS + HOUR_MS))
    assert.deepEqual(desk.told(), [`${owner}: An exception is overdue`])
  })

test('no mail about an exception that was closed after its mail was refused by the mail server', async () => {
  const exceptionId = await openException('contradicted', await desk.person('finance'))
  desk.smtp.behaviour.answer = '451 later'
  await desk.send(later(DAY_MS))
  desk.smtp.behaviour.answer = '250 taken'
  await desk.query("update exceptions set outcome = 'explained', closed_at = now(), closed_by = owner_id where exception_id = $1", [
    exceptionId,
  ])
  await desk.send(later(DAY_MS + HOUR_MS))
  assert.deepEqual(desk.told(), [])
  assert.deepEqual(await desk.query('select state from notice_messages'), [{ state: 'dropped' }])
})

async function openException(exceptionClass: string, ownerId: string): Promise<string> {
  const [row] = await desk.query(
    `insert into exceptions (application_id, subject, class, operator, type, amount_minor, owner_id, owned_since)
       values ($1, $2, $3, 'MOMOCM', 'COLLECT', 100, $4, now()) returning exception_id as id`,
    [desk.applicationId, randomUUID(), exceptionClass, ownerId],
  )
  return row.id
}

test('one mail to every finance person of an exception without an owner', async () => {
  const people = [await desk.person('finance'), await desk.person('finance')]
  await desk.query(
    `insert into exceptions (application_id, subject, class, operator, type, amount_minor) values ($1, 'line 1', 'contradicted', 'MOMOCM', 'COLLECT', 1)`,
    [desk.applicationId],
  )
  await desk.send(later(DAY_MS))
  assert.deepEqual(desk.told(), people.map((each) => `${each}: An exception is overdue`).sort())
})

test('one mail to the checker for payments that expire within four hours, and none in the first half of a short time', async () => {
  await startPayment()
  await startPayment()
  await startPayment({ bands: [aBand({ expiresInHours: 2 })] })
  await desk.send()
  assert.deepEqual(toldOf(checker), ['Transactions are waiting for your approval'])
  await desk.send(later(50 * 60_000))
  assert.equal(toldOf(checker).length, 1)
  for (const minutes of [61, 62]) await desk.send(later(minutes * 60_000))
  assert.deepEqual(toldOf(checker).slice(1), ['Transactions that wait for your approval expire soon'])
})

test('one mail to engineers for a replaced key that is still used, a day before it ends; none for one that is no longer used or was revoked', async () => {
  const engineer = await desk.person('engineer')
  const key = async (name: string, usedHoursFromNow: number | null, revokedAt: Date | null = null) => {
    const [row] = await desk.query(
      `insert into api_keys (application_id, api_key_id, name, key_prefix, key_hash, expires_at, revoked_at)
         values ($1, gen_random_uuid(), $2, 'pk', sha256(convert_to($2, 'UTF8')), now() + interval '2 days', $3) returning api_key_id as id`,
      [desk.applicationId, name, revokedAt],
    )
    if (usedHoursFromNow !== null)
      await desk.query(`insert into api_key_uses values ($1, $2, '198.51.100.7', now(), $3)`, [
        desk.applicationId,
        row.id,
        later(usedHoursFromNow * HOUR_MS),
      ])
  }
  await key('used', 24)
  await key('forgotten', 0)
  await key('unused', null)
  await key('revoked', 24, new Date())
  await desk.send(later(DAY_MS - 60_000))
  assert.deepEqual(desk.told(), [])
  for (const hours of [25, 26, 40]) await desk.send(later(hours * HOUR_MS))
  assert.deepEqual(desk.told(), [`${engineer}: An API key that is still used expires within 24 hours`])
  // Programs receive each notice as an event, no matter which people it concerns.
  const noticed = await desk.query(
    "select k.name from notices n join api_keys k on k.api_key_id = n.subject_id where n.cause = 'key_expiring'",
  )
  assert.deepEqual(noticed, [{ name: 'used' }])
})
