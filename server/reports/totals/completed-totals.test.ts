import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addDecimals, formatMinor } from '#lib/money/money.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { inSimulatedTime } from '#server/testing/simulated-time.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readTotals } from './read-totals.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const NOW = new Date('2026-03-20T12:00:00Z')

async function totalsOf(applicationId: string, query: Record<string, unknown>, businessZone = 'UTC', now = NOW) {
  return readTotals(database.pool, { applicationId, businessZone }, totalsQuerySchema.parse(query), now)
}

test('a collect created before midnight and successful after it counts on the first day by creation and on the second by success', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'MOMOCM' })
  await inSimulatedTime(database.pool, async (trx, setTime) => {
    await setTime(new Date('2026-03-13T23:59:00Z'))
    await takeIn(trx, [item])
    await setTime(new Date('2026-03-14T00:01:00Z'))
    await transition(trx, [{ ...item, event: 'succeeded', message: 'x', actor: SYSTEM_ACTOR }])
  })
  const countOn = async (day: string, basis: string) =>
    (await totalsOf(applicationId, { from: day, to: day, basis })).money[0]?.now.collects.count ?? 0
  assert.deepEqual(
    [
      await countOn('2026-03-13', 'created'),
      await countOn('2026-03-14', 'created'),
      await countOn('2026-03-13', 'completed'),
      await countOn('2026-03-14', 'completed'),
    ],
    [1, 0, 0, 1],
  )
  const { charts } = await totalsOf(applicationId, { from: '2026-03-13', to: '2026-03-14', basis: 'completed' })
  assert.deepEqual(
    charts[0]?.periods.map(({ period, collects, collectCount }) => [period, collects, collectCount]),
    [
      ['2026-03-13', '0', 0],
      ['2026-03-14', '5000', 1],
    ],
  )
})

test('the raw rows by the day of success, of each operator and with fees of each direction, before and after days are sealed', async () => {
  const applicationId = await makeApplication(database.pool)
  for (const operator of SOME_OPERATORS) await fund(database.pool, applicationId, operator, 900_000_000n)
  await liveThrough(database.pool, applicationId, createRandom(11), 60)
  const { rows } = await database.pool.query<{
    operator: string
    type: string
    count: number
    amount: bigint
    system: bigint
    app: bigint
  }>(
    `select operator, type, count(*)::integer as count, sum(amount_minor)::bigint as amount, sum(fee_system_minor)::bigint as system,
       sum(fee_app_minor)::bigint as app from transactions where application_id = $1 and status = 'SUCCESS' group by 1, 2`,
    [applicationId],
  )
  for (const isSealed of [false, true]) {
    if (isSealed) await sealLedgerDays(database.pool, 0)
    for (const type of ['COLLECT', 'DEPOSIT'] as const) {
      const { operators, money } = await totalsOf(
        applicationId,
        { dates: 'always', type, basis: 'completed' },
        'Africa/Kampala',
        new Date(),
      )
      const own = rows.filter((row) => row.type === type)
      assert.deepEqual(
        new Map(operators.map(({ operator, count, collects, deposits, fees }) => [operator, [count, collects, deposits, fees]])),
        new Map(
          own.map(({ operator, count, amount, system, app }) => {
            const sums = type === 'COLLECT' ? [formatMinor(amount), '0'] : ['0', formatMinor(amount)]
            return [operator, [count, ...sums, { system: formatMinor(system), app: formatMinor(app) }]]
          }),
        ),
      )
      const net = money.reduce((sum, { now }) => addDecimals(sum, addDecimals(now.collects.amount, now.deposits.amount)), '0')
      assert.equal(net, formatMinor(own.reduce((sum, { amount }) => sum + amount, 0n)))
    }
  }
})
