import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createRandom } from '#lib/seeded-random.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { readOperatorOutcomes } from './read-operator-outcomes.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const read = (applicationId: string, sampleSize = 2_000, businessZone = 'Africa/Douala') =>
  readOperatorOutcomes(database.pool, { applicationId, businessZone }, { now: new Date(), sampleSize })

/** Adds a submission to the transactions of one direction, oldest first. */
async function submit(applicationId: string, operator: string, attempts: readonly { ms: number; outcome: string }[]): Promise<void> {
  await database.pool.query(
    `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome)
       select $1, t.transaction_id, 1, 'submit', now(), now() + a.ms * interval '1 millisecond', a.outcome
         from (select transaction_id, row_number() over (order by sequence) as place from transactions
                where application_id = $1 and operator = $2 and type = 'DEPOSIT') t
         join (select u.ms, u.outcome, u.place from unnest($3::integer[], $4::text[]) with ordinality as u (ms, outcome, place)) a using (place)`,
    [applicationId, operator, attempts.map(({ ms }) => ms), attempts.map(({ outcome }) => outcome)],
  )
}

test('succeeded, failed and open per direction as counted from the transactions, in total and on the day', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  for (const operator of SOME_OPERATORS) await fund(pool, applicationId, operator, 900_000_000n)
  await liveThrough(pool, applicationId, createRandom(7), 60)
  const { rows } = await pool.query(
    `select operator, type, count(*) filter (where status = 'SUCCESS')::integer as succeeded,
            count(*) filter (where status = 'FAILED')::integer as failed, count(*) filter (where status = 'PENDING')::integer as open
       from transactions where application_id = $1 group by operator, type order by operator, type`,
    [applicationId],
  )
  const outcomes = await read(applicationId, 2_000, 'UTC')
  assert.equal(outcomes.length, 26)
  for (const { operator, type, ...counts } of rows) {
    const found = outcomes.find((one) => one.operator === operator && one.type === type) ?? assert.fail()
    assert.deepEqual({ succeeded: found.succeeded, failed: found.failed, open: found.open }, counts)
    const today = found.days.find(({ day }) => day === dayIn('UTC', new Date())) ?? assert.fail()
    assert.deepEqual({ succeeded: today.succeeded, failed: today.failed, open: today.open }, counts)
    assert.equal(found.days.length, 7)
  }
})

test('median, slowest and unknown answers of the newest submissions, and no more than the sample is read', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await takeIn(
    pool,
    Array.from({ length: 6 }, () => anIntakeItem(applicationId, { operator: 'MOMOCM' })),
  )
  const accepted = [100, 200, 300, 400, 5_000].map((ms) => ({ ms, outcome: 'accepted' }))
  await submit(applicationId, 'MOMOCM', [...accepted, { ms: 10_000, outcome: 'unknown' }])
  const responsesOf = async (sampleSize: number) =>
    (await read(applicationId, sampleSize)).find(({ operator, type }) => operator === 'MOMOCM' && type === 'DEPOSIT')?.responses
  assert.deepEqual(await responsesOf(2_000), { count: 6, unknown: 1, medianMs: 300, slowMs: 5_000 })
  assert.deepEqual(await responsesOf(3), { count: 3, unknown: 1, medianMs: 400, slowMs: 5_000 })
})

test('unconfirmed of this application alone', async () => {
  const { pool } = database
  const [applicationId, other] = [await makeApplication(pool), await makeApplication(pool)]
  for (const id of [applicationId, other]) {
    await fund(pool, id, 'MOMOCM', 900_000_000n)
    await takeIn(pool, [anIntakeItem(id), anIntakeItem(id)])
  }
  await pool.query(`update operator_work set state = 'unconfirmed', unconfirmed_since = now() where application_id = $1`, [applicationId])
  const ofMtn = async (id: string) => (await read(id)).find(({ operator, type }) => operator === 'MOMOCM' && type === 'DEPOSIT')
  assert.deepEqual([(await ofMtn(applicationId))?.unconfirmed, (await ofMtn(applicationId))?.open], [2, 2])
  assert.equal((await ofMtn(other))?.unconfirmed, 0)
})
