import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { createApplication } from '#server/applications/create-application.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'
import { liveThrough } from '#server/reports/testing.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'
import { searchTransactions } from '#server/reports/transaction-search/search-transactions.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { inSimulatedTime } from '#server/testing/simulated-time.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { beginZone, countEdges, countLedgerEdges, switchTimeZone } from './day-zone-store.ts'
import { countWantedZones, setTimeZone } from './set-time-zone.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
})
after(() => database.drop())

const EVERYTHING = transactionFilterSchema.parse({})

/** An application in a zone with a collect that succeeded at each of these instants. */
async function collectsAt(timeZone: string, ...instants: string[]): Promise<string> {
  const { pool } = database
  const { applicationId } = must(await createApplication(pool, { name: `Of ${timeZone}`, timeZone, actor: SYSTEM_ACTOR }))
  await inSimulatedTime(pool, async (trx, setTime) => {
    for (const at of instants) {
      const item = anIntakeItem(applicationId, { type: 'COLLECT', amountMinor: 1_000_00n })
      await setTime(new Date(at))
      await takeIn(trx, [item])
      const actor = { kind: 'operator', id: null } as const
      await transition(trx, [{ applicationId, transactionId: item.transactionId, event: 'succeeded', actor }])
    }
  })
  return applicationId
}

async function zoneOf(applicationId: string): Promise<string> {
  const { rows } = await database.pool.query<{ time_zone: string }>('select time_zone from applications where application_id = $1', [
    applicationId,
  ])
  return rows[0]?.time_zone ?? ''
}

async function auditOf(applicationId: string): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    "select details from audit_entries where application_id = $1 and action = 'application.time_zone_set' order by sequence",
    [applicationId],
  )
  return rows.map((row) => row.details)
}

for (const { zone, before: last, at } of [
  { zone: 'Africa/Douala', before: '2026-03-13T22:59:59.999Z', at: '2026-03-13T23:00:00.000Z' },
  { zone: 'Africa/Kampala', before: '2026-03-13T20:59:59.999Z', at: '2026-03-13T21:00:00.000Z' },
  { zone: 'Africa/Dakar', before: '2026-03-13T23:59:59.999Z', at: '2026-03-14T00:00:00.000Z' },
]) {
  test(`14 March begins at ${at} in ${zone}: list, totals, comparison and overview`, async () => {
    const { pool } = database
    const applicationId = await collectsAt(zone, last, at)
    const application = { applicationId, businessZone: zone }
    for (const day of ['2026-03-13', '2026-03-14']) {
      const found = await searchTransactions(pool, application, { ...EVERYTHING, from: day, to: day })
      assert.deepEqual(
        found.rows.map((row) => row.createdAt.toISOString()),
        [day === '2026-03-13' ? last : at],
      )
      const totals = await readTotals(pool, application, totalsQuerySchema.parse({ from: day, to: day }), new Date(at))
      assert.equal(totals.money[0]?.now.collects.count, 1)
    }
    const today = await readTotals(pool, application, totalsQuerySchema.parse({ dates: 'today' }), new Date(at))
    assert.deepEqual([today.from, today.to, today.before], ['2026-03-14', '2026-03-14', { from: '2026-03-13', to: '2026-03-13' }])
    assert.deepEqual([today.money[0]?.now.collects.count, today.money[0]?.before?.collects.count], [1, 1])
    const person = { ...application, id: await makePerson(pool, applicationId, ['finance']), hasSecondFactor: false }
    const { finance, zone: said } = await readOverview(pool, { ...person, roles: ['finance', 'administrator'] }, 7, new Date(at))
    assert.deepEqual([said, finance?.today, finance?.yesterday], [zone, '2026-03-14', '2026-03-13'])
    assert.deepEqual([finance?.money[0]?.now.collects.count, finance?.money[0]?.before?.collects.count], [1, 1])
  })
}

test('a change of zone is audited with both zones, and days that were added up before are counted again', async () => {
  const { pool } = database
  const applicationId = await collectsAt('Africa/Douala', '2026-03-13T22:30:00Z', '2026-03-13T23:30:00Z')
  await sealLedgerDays(pool, 0)
  const countOn13 = async (businessZone: string) =>
    (await searchTransactions(pool, { applicationId, businessZone }, { ...EVERYTHING, from: '2026-03-13', to: '2026-03-13' })).total
  assert.equal(await countOn13('Africa/Douala'), 1n)
  const changed = must(await setTimeZone(pool, { applicationId, timeZone: 'America/New_York', actor: SYSTEM_ACTOR }))
  assert.deepEqual(changed, { before: 'Africa/Douala', after: 'America/New_York' })
  assert.deepEqual(await auditOf(applicationId), [changed])
  assert.equal(await zoneOf(applicationId), 'America/New_York')
  assert.equal(await countOn13('America/New_York'), 2n)
  // A process that still has the zone of before finds its sums.
  assert.equal(await countOn13('Africa/Douala'), 1n)
  assert.deepEqual(must(await setTimeZone(pool, { applicationId, timeZone: 'UTC', actor: SYSTEM_ACTOR })).after, 'UTC')
  must(await setTimeZone(pool, { applicationId, timeZone: 'UTC', actor: SYSTEM_ACTOR }))
  assert.equal((await auditOf(applicationId)).length, 2)
  assert.equal(await countOn13('UTC'), 2n)
  assert.deepEqual(await verifyBooks(pool), [])
})

test('no transaction is missed or counted twice by changes of zone while others are taken in and settled', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  for (const operator of ['MOMOCM', 'SNWAVE', 'UGMTN'] as const) await fund(pool, applicationId, operator, 1_000_000_000n)
  // In these two zones it is always another day than in UTC, or nearly always.
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Douala']
  await Promise.all([
    ...[1, 2, 3].map((seed) => liveThrough(pool, applicationId, createRandom(seed), 60)),
    ...zones.map((timeZone) => setTimeZone(pool, { applicationId, timeZone, actor: SYSTEM_ACTOR }).then(must)),
    sealLedgerDays(pool, 0),
  ])
  await sealLedgerDays(pool, 0)
  assert.deepEqual(await verifyBooks(pool), [])
})

test('unknown_time_zone for what is no IANA name of the database, not_permitted for a person, unknown_application', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  for (const timeZone of ['Mars/Olympus', '', '+01:00', 'africa/douala', 'XYZ3', "Africa/Douala'", 'posix/Africa/Douala'])
    assert.deepEqual(await setTimeZone(pool, { applicationId, timeZone, actor: SYSTEM_ACTOR }), { ok: false, error: 'unknown_time_zone' })
  const person = {
    kind: 'person',
    id: await makePerson(pool, applicationId, ['administrator']),
    applicationId,
    roles: ['administrator'],
  } as const
  assert.deepEqual(await setTimeZone(pool, { applicationId, timeZone: 'Africa/Douala', actor: person }), {
    ok: false,
    error: 'not_permitted',
  })
  const nobody = '00000000-0000-4000-8000-000000000000'
  assert.deepEqual(await setTimeZone(pool, { applicationId: nobody, timeZone: 'Africa/Douala', actor: SYSTEM_ACTOR }), {
    ok: false,
    error: 'unknown_application',
  })
  assert.deepEqual(await createApplication(pool, { name: 'A', timeZone: 'Mars/Olympus', actor: SYSTEM_ACTOR }), {
    ok: false,
    error: 'unknown_time_zone',
  })
  await assert.rejects(pool.query("update applications set time_zone = 'Mars/Olympus'"), /time zone "Mars\/Olympus" not recognized/)
})

test('sums of a zone that was left a day ago are removed, those of the present one are not', async () => {
  const { pool } = database
  const applicationId = await collectsAt('Africa/Douala', '2026-03-13T23:30:00Z')
  must(await setTimeZone(pool, { applicationId, timeZone: 'Africa/Kampala', actor: SYSTEM_ACTOR }))
  await pool.query("update day_zones set last_used_at = now() - interval '2 days' where application_id = $1", [applicationId])
  await countWantedZones(pool)
  const { rows } = await pool.query(
    'select time_zone from day_zones where application_id = $1 union select time_zone from transaction_day_edges where application_id = $1',
    [applicationId],
  )
  assert.deepEqual(rows, [{ time_zone: 'Africa/Kampala' }])
})

test('the trend of a balance ends with the present day of the zone', async () => {
  const { pool } = database
  const { applicationId } = must(await createApplication(pool, { name: 'Trend', timeZone: 'Pacific/Kiritimati', actor: SYSTEM_ACTOR }))
  await fund(pool, applicationId, 'MOMOCM', 5_000_00n)
  for (const isSealed of [false, true]) {
    if (isSealed) await sealLedgerDays(pool, 0)
    const { cards } = await readBalances(pool, { applicationId, businessZone: 'Pacific/Kiritimati' }, new Date())
    assert.deepEqual(cards.find((card) => card.operator === 'MOMOCM')?.trend.slice(-2), [0, 5_000])
  }
})

test('a zone is in force once transactions and postings are counted, with the sums of its edge though it was counted one by one', async () => {
  const { pool } = database
  const applicationId = await collectsAt('UTC', ...[22, 23, 23].map((hour, minute) => `2026-03-01T${hour}:0${minute}:00Z`))
  const timeZone = 'Africa/Kampala'
  await beginZone(pool, applicationId, timeZone)
  const isInForce = () => switchTimeZone(pool, applicationId, timeZone)
  assert.equal(await isInForce(), false)
  while ((await countEdges(pool, applicationId, timeZone, 1)) > 1n);
  assert.equal(await isInForce(), false)
  await countLedgerEdges(pool, applicationId, timeZone)
  assert.equal(await isInForce(), true)
  const { rows } = await pool.query(
    `select day::text, business_day::text, transaction_count::text, amount_minor::text, fee_system_minor::text, fee_app_minor::text
       from transaction_day_edges where application_id = $1 and time_zone = $2 and status = 'SUCCESS'`,
    [applicationId, timeZone],
  )
  const sums = { transaction_count: '3', amount_minor: '300000', fee_system_minor: '3000', fee_app_minor: '1500' }
  assert.deepEqual(rows, [{ day: '2026-03-01', business_day: '2026-03-02', ...sums }])
})

test('nothing lost for a zone that is counted while a day of the ledger is sealed', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  // Where it is another day now than in UTC.
  const timeZone = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati'
  await fund(pool, applicationId, 'MOMOCM', 1_000_000n)
  await beginZone(pool, applicationId, timeZone)
  const sealing = await pool.connect()
  try {
    await sealing.query("begin; select seal_ledger_days(interval '0')")
    const counting = countLedgerEdges(pool, applicationId, timeZone)
    const waits = waitUntil('the count waits for the seal', async () => {
      const { rowCount } = await pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount === 1
    })
    await Promise.race([waits, counting])
    await sealing.query('commit')
    await counting
  } finally {
    await sealing.query('rollback')
    sealing.release()
  }
  const { rows } = await pool.query('select posting_count::integer as count from ledger_day_edges where application_id = $1', [
    applicationId,
  ])
  assert.deepEqual(rows, [{ count: 1 }])
})
