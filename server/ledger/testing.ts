import type { Pool } from '#server/database/pool.ts'

/** The six accounts of an application at MOMOCM: collect, deposit, held, fees, clearing, revenue. */
export async function readBalances(pool: Pool, applicationId: string): Promise<bigint[]> {
  const { rows } = await pool.query<Record<string, bigint>>(
    `select collect_minor, deposit_minor, held_minor, fees_minor, clearing_minor, revenue_minor
       from ledger_balances where application_id = $1 and operator = 'MOMOCM'`,
    [applicationId],
  )
  return Object.values(rows[0] ?? {})
}

/** The kinds of an application's postings, in alphabetical order. */
export async function readPostingKinds(pool: Pool, applicationId: string): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string }>('select kind from ledger_postings where application_id = $1 order by kind', [
    applicationId,
  ])
  return rows.map((row) => row.kind)
}
