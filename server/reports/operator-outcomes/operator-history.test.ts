import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { forgetAvailability } from '#server/operators/availability/disturbed.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readOperatorHistory } from './read-operator-history.ts'
import { addOperatorOutcomes, forgetOperatorOutcomes } from './read-operator-outcomes.ts'

const HOUR_MS = 3_600_000
let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const ZONE = 'Africa/Douala'
async function historyOf(applicationId: string, now = new Date()) {
  const [collects] = await readOperatorHistory(database.pool, { applicationId, businessZone: ZONE }, 'MOMOCM', now)
  return collects ?? assert.fail()
}

type Ended = { secondsAgo: number; message?: string; isSubmitted?: boolean; isOpen?: boolean }

/** A collect at MTN Cameroon that was submitted some seconds ago and, unless it is open, ends now. */
async function submitted(applicationId: string, { secondsAgo, message, isSubmitted = true, isOpen = false }: Ended) {
  const { pool } = database
  const item = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'MOMOCM' })
  await takeIn(pool, [item])
  if (isSubmitted) {
    await pool.query(
      `insert into operator_attempts (application_id, transaction_id, number, kind, started_at)
         select $1, $2, n, case n when 3 then 'query' else 'submit' end, now() - $3 * interval '1 second' + (n - 1) * interval '1 second'
           from generate_series(1, 3) n`,
      [applicationId, item.transactionId, secondsAgo],
    )
  }
  const event = message === undefined ? 'succeeded' : 'failed'
  if (!isOpen) await transition(pool, [{ ...item, event, message: message ?? 'x', operatorReference: undefined, actor: SYSTEM_ACTOR }])
}

test('succeeded, failed by cause, open and the time to a result of the hour and the day of the first submission, each counted once', async () => {
  const applicationId = await makeApplication(database.pool)
  const other = await makeApplication(database.pool)
  const all: Ended[] = [
    { secondsAgo: 2 },
    { secondsAgo: 2 },
    { secondsAgo: 2 },
    { secondsAgo: 2, message: FAILURE_MESSAGES.invalidNumber },
    { secondsAgo: 60, message: 'Erreur 500' },
    { secondsAgo: 2, isSubmitted: false, message: FAILURE_MESSAGES.insufficientFunds },
    { secondsAgo: 5, isOpen: true },
    { secondsAgo: 0, isOpen: true, isSubmitted: false },
  ]
  for (const one of all.slice(0, 4)) await submitted(applicationId, one)
  await submitted(other, { secondsAgo: 2 })
  await Promise.all([addOperatorOutcomes(database.pool, new Date()), addOperatorOutcomes(database.pool, new Date())])
  for (const one of all.slice(4)) await submitted(applicationId, one)
  await addOperatorOutcomes(database.pool, new Date())
  const now = new Date()
  const { hours, days, waiting } = await historyOf(applicationId, now)
  assert.deepEqual([hours.length, days.length, waiting], [24, 30, 1])
  const sumOf = (slots: typeof hours) => {
    const sums: Record<string, number> = {}
    for (const { counts } of slots)
      for (const [outcome, count] of Object.entries(counts)) if (count > 0) sums[outcome] = (sums[outcome] ?? 0) + count
    return sums
  }
  const counted = { succeeded: 3, invalidNumber: 1, other: 1, open: 1 }
  // A minute earlier may be another hour, or yesterday.
  assert.deepEqual(sumOf(hours.slice(-2)), counted)
  assert.deepEqual(sumOf(days.slice(-2)), counted)
  assert.equal(days.at(-1)?.slot, dayIn(ZONE, now))
  const [slot] = hours.filter(({ counts }) => counts.succeeded === 3)
  assert.ok(slot?.medianMs && Math.abs(slot.medianMs - 2_000) < 400, `median ${slot?.medianMs}`)
  const slowest = Math.max(...hours.map(({ slowMs }) => slowMs ?? 0))
  assert.ok(Math.abs(slowest - 60_000) < 8_000, `95 % within ${slowest}`)
})

test('the stretches that were not OPERATIONAL with their minutes per hour, also those that started before the first hour', async () => {
  const applicationId = await makeApplication(database.pool)
  const now = new Date('2026-03-10T12:40:00Z')
  const at = (hours: number) => new Date(now.getTime() - hours * HOUR_MS)
  const change = (since: Date, state: string) =>
    database.pool.query(`insert into operator_availability (operator, type, since, state) values ('MOMOCM', 'COLLECT', $1, $2)`, [
      since,
      state,
    ])
  await change(at(24 * 40), 'CLOSED')
  await change(at(24 * 39), 'DELAYED')
  await change(at(30), 'OPERATIONAL')
  await change(at(2), 'CLOSED')
  await change(at(1.5), 'DELAYED')
  await forgetAvailability(database.pool, now)
  const { hours, days, disturbances, disturbanceCount } = await historyOf(applicationId, now)
  assert.deepEqual(
    hours.slice(-3).map(({ slot, delayedMinutes, closedMinutes }) => [slot, delayedMinutes, closedMinutes]),
    [
      ['2026-03-10T10:00:00Z', 0, 20],
      ['2026-03-10T11:00:00Z', 50, 10],
      ['2026-03-10T12:00:00Z', 40, 0],
    ],
  )
  assert.deepEqual(
    disturbances.map(({ state, from, until }) => [state, from, until]),
    [
      ['DELAYED', at(1.5).toISOString(), null],
      ['CLOSED', at(2).toISOString(), at(1.5).toISOString()],
      ['DELAYED', at(24 * 39).toISOString(), at(30).toISOString()],
    ],
  )
  assert.deepEqual([disturbanceCount, days[0]?.delayedMinutes], [3, 24 * 60])
})

test('history older than the pages look back is removed', async () => {
  const applicationId = await makeApplication(database.pool)
  await submitted(applicationId, { secondsAgo: 2 })
  await addOperatorOutcomes(database.pool, new Date())
  const countOf = async () =>
    (await database.pool.query('select count(*)::integer as count from operator_outcomes where application_id = $1', [applicationId])).rows
  assert.deepEqual(await countOf(), [{ count: 1 }])
  await forgetOperatorOutcomes(database.pool, new Date(Date.now() + 40 * 24 * HOUR_MS))
  assert.deepEqual(await countOf(), [{ count: 0 }])
})
