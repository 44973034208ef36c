import { judge, type Verdict } from '#e2e/crash/judge.ts'
import type { Pool } from '#server/database/pool.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** By operator, in hundredths: what nothing explains of the difference between the balance that it reports and our ledger. */
type Differences = ReadonlyMap<string, bigint | null>

const LIMIT_MS = 120_000

/** Has the service read the balance of every operator that reports one, and returns the differences. */
export async function readDifferences(pool: Pool): Promise<Differences> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  const sinceAt = rows[0]?.now
  const before = await readRows(pool)
  let asked = 0
  const read = async () => {
    // A call of the last round may have been disturbed.
    if (asked++ % 20 === 0)
      await pool.query("update scheduled_tasks set due_at = now() where task = 'poll_operator_balances' and claim_id is null")
    const after = await readRows(pool)
    return before.every(({ operator }) => after.some((row) => row.operator === operator && sinceAt && row.checkedAt > sinceAt)) && after
  }
  const after = await waitUntil('every operator has reported its balance', read, { limitMs: LIMIT_MS, pauseMs: 250 })
  return new Map(after.map(({ operator, unexplainedMinor }) => [operator, unexplainedMinor]))
}

/** To be called once everything has ended: nothing has moved that one side alone knows of. */
export async function judgeDifferences(pool: Pool, before: Differences): Promise<Verdict> {
  const after = await readDifferences(pool)
  return judge('no balance that an operator reports differs more from our ledger than before', [...after], ([operator, minor]) =>
    minor === before.get(operator) ? undefined : `${operator} differed by ${before.get(operator)} and differs by ${minor}, in hundredths`,
  )
}

type Row = { operator: string; checkedAt: Date; unexplainedMinor: bigint | null }

async function readRows(pool: Pool): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    'select operator, checked_at as "checkedAt", unexplained_minor as "unexplainedMinor" from operator_balances',
  )
  return rows
}
