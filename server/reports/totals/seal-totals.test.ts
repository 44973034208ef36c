import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TRANSACTION_STATUSES, type TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import type { UtcDay } from '#lib/time/time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { totalByRange, totalOfApplication } from '../partner-lists/list-for-partner-store.ts'
import { sealTotals } from './seal-totals.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

/** Roll-ups of two years up to today, with gaps; on every 97th day something is still open. */
async function insertDays(): Promise<void> {
  await database.pool.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       select $1, current_date - n, o.operator, 'COLLECT', s.status,
              case when s.status in ('SUCCESS', 'FAILED') then 1 + n % 3 when n % 97 = 5 and o.operator = 'OMCM' then 1 else 0 end,
              case when s.status in ('SUCCESS', 'FAILED') then 100 * (1 + (n * 7919) % 1000) when n % 97 = 5 and o.operator = 'OMCM' then 700 else 0 end
         from generate_series(0, 730) as n, unnest(array['OMCM', 'MOMOCM', 'BFOM']) as o (operator), unnest($2::text[]) as s (status)
         where n % 41 <> 0 or n = 0`,
    [applicationId, TRANSACTION_STATUSES],
  )
}

async function dayBack(days: number): Promise<UtcDay> {
  const { rows } = await database.pool.query<{ day: UtcDay }>('select current_date - $1::integer as day', [days])
  return rows[0]?.day ?? assert.fail('No day')
}

async function recount(startDay: UtcDay, endDay: UtcDay, status: TransactionStatus): Promise<bigint> {
  const { rows } = await database.pool.query<{ total: bigint }>(
    'select coalesce(sum(amount_minor), 0) as total from transaction_days where application_id = $1 and status = $2 and day between $3 and $4',
    [applicationId, status, startDay, endDay],
  )
  return rows[0]?.total ?? 0n
}

async function assertEveryRangeIsRight(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    const older = (turn * 211) % 760
    const startDay = await dayBack(older)
    const endDay = await dayBack(turn % 5 === 0 ? older : Math.min(older, (turn * 89) % 760))
    for (const status of TRANSACTION_STATUSES) {
      assert.equal(
        await totalByRange(database.pool, applicationId, { startDay, endDay, status }),
        await recount(startDay, endDay, status),
        `${status} ${startDay} ${endDay}`,
      )
    }
  }
  const { rows } = await database.pool.query<{ total: bigint }>(
    'select sum(amount_minor) as total from transaction_days where application_id = $1',
    [applicationId],
  )
  assert.equal(await totalOfApplication(database.pool, applicationId), rows[0]?.total)
}

async function countSealed(span: 'day' | 'month'): Promise<number> {
  const { rows } = await database.pool.query<{ count: bigint }>(
    'select count(*) from sealed_totals where application_id = $1 and span = $2',
    [applicationId, span],
  )
  return Number(rows[0]?.count)
}

test('exact totals before days are sealed, afterwards, and after an open day has ended', async () => {
  await insertDays()
  await assertEveryRangeIsRight()
  await Promise.all([sealTotals(database.pool), sealTotals(database.pool)])
  assert.ok((await countSealed('day')) > 1_200, 'most days are sealed')
  const months = await countSealed('month')
  await assertEveryRangeIsRight()

  await database.pool.query(
    `with ended as (update transaction_days set transaction_count = 0, amount_minor = 0
                      where application_id = $1 and status = 'PENDING' and transaction_count > 0 and day < current_date - 200 returning *)
     update transaction_days d set transaction_count = d.transaction_count + 1, amount_minor = d.amount_minor + 700
       from ended e where d.application_id = e.application_id and d.day = e.day and d.operator = e.operator and d.type = e.type and d.status = 'SUCCESS'`,
    [applicationId],
  )
  await database.pool.query(
    "update transaction_days set transaction_count = 0, amount_minor = 0 where application_id = $1 and status = 'PENDING_APPROVAL'",
    [applicationId],
  )
  await assertEveryRangeIsRight()
  await sealTotals(database.pool)
  assert.ok((await countSealed('month')) > months, 'months whose last open day ended are sealed now')
  await assertEveryRangeIsRight()
})

test('only the application whose amounts cannot be added up is returned as unsealed', async () => {
  const [bad, good] = [await makeApplication(database.pool), await makeApplication(database.pool)]
  for (const [id, amount] of [
    [bad, 9_000_000_000_000_000_000n],
    [good, 5_000n],
  ] as const) {
    await database.pool.query(
      `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
         select $1, date_trunc('month', current_date - 40)::date + n, o, 'COLLECT', 'SUCCESS', 1, $2
           from generate_series(0, 3) as n cross join unnest(array['MOMOCM', 'SNWAVE']) as o`,
      [id, amount],
    )
  }
  assert.deepEqual(await sealTotals(database.pool), [bad])
  const { rows } = await database.pool.query<{ id: string }>(
    'select application_id as id from sealed_operator_months where application_id = any ($1) group by 1',
    [[bad, good]],
  )
  assert.deepEqual(
    rows.map((row) => row.id),
    [good],
  )
  await database.pool.query('delete from transaction_days where application_id = $1', [bad])
  assert.deepEqual(await sealTotals(database.pool), [])
})
