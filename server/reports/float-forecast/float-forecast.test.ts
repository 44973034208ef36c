import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { addOperatorOutcomes } from '../operator-outcomes/read-operator-outcomes.ts'
import { readFloatForecast } from './read-float-forecast.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** A deposit that was sent at an instant, and has succeeded. */
async function pay(applicationId: string, amountMinor: bigint, sentAt: Date): Promise<void> {
  const { pool } = database
  const item = anIntakeItem(applicationId, { type: 'DEPOSIT', operator: 'MOMOCM', amountMinor })
  await takeIn(pool, [item])
  await pool.query(
    `insert into operator_attempts (application_id, transaction_id, number, kind, started_at) values ($1, $2, 1, 'submit', $3)`,
    [applicationId, item.transactionId, sentAt],
  )
  await transition(pool, [{ ...item, event: 'succeeded', message: 'x', operatorReference: undefined, actor: SYSTEM_ACTOR }])
}

test('the balance of all applications, what is held, the amounts of each hour of the week, until when it lasts and what is missing', async () => {
  const { pool } = database
  const [first, second] = [await makeApplication(pool), await makeApplication(pool)]
  const now = new Date()
  await fund(pool, first, 'MOMOCM', 10_000_000n)
  await fund(pool, second, 'MOMOCM', 10_000_000n)
  // Every day of a week at this hour 1,000,000; the present hour is not over, so the one before.
  const hourBefore = now.getTime() - 3_600_000
  for (let days = 0; days < 7; days++) await pay(days % 2 === 0 ? first : second, 1_000_000n, new Date(hourBefore - days * 86_400_000))
  await addOperatorOutcomes(pool, now)
  const [mtn, ...others] = await readFloatForecast(pool, now)
  assert.deepEqual(others, [])
  assert.ok(mtn)
  const { rows } = await pool.query<{ minor: bigint }>(
    `select sum(deposit_minor)::bigint as minor from ledger_balances where operator = 'MOMOCM'`,
  )
  assert.deepEqual([mtn.operator, mtn.currency, mtn.isReported, mtn.held, mtn.waiting], ['MOMOCM', 'XAF', false, '0', '0'])
  assert.equal(mtn.balance, String((rows[0]?.minor ?? 0n) / 100n))
  assert.equal(mtn.usualDay, '10000')
  assert.equal(mtn.topUp, '0')
  assert.equal(mtn.steps.length, 24)

  await pool.query(
    `insert into operator_balances (operator, collect_minor, deposit_minor, ledger_minor, checked_at) values ('MOMOCM', 90000000, 1500000, 0, $1)`,
    [now],
  )
  const [reported] = await readFloatForecast(pool, now)
  assert.deepEqual([reported?.isReported, reported?.balance, reported?.topUp], [true, '15000', '5000'])
  const lastsMs = Date.parse(reported?.lastsUntil ?? '') - now.getTime()
  // The second time that the hour of the payments comes is 47 to 48 hours after it began last.
  assert.ok(lastsMs > 46 * 3_600_000 && lastsMs < 48 * 3_600_000, `${lastsMs / 3_600_000} hours`)
  const later = new Date(now.getTime() + 3_700_000)
  assert.equal((await readFloatForecast(pool, later))[0]?.isReported, false)
})
