import type { Queryable } from '#server/database/pool.ts'

/** Adds what was posted since the last time to ledger_days. Returns the instant up to which they are complete. */
export async function sealUntilNow(queryable: Queryable, marginMs: number): Promise<string> {
  const { rows } = await queryable.query<{ until: string }>(
    "select seal_ledger_days($1::double precision * interval '1 millisecond')::text as until",
    [marginMs],
  )
  return rows[0]?.until ?? '-infinity'
}

/** The applications whose days and later postings do not add up to their balances, in one snapshot. */
export async function selectApplicationsThatDiffer(queryable: Queryable, sealedUntil: string): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select distinct b.application_id as "applicationId" from ledger_balances b
       left join (select application_id, operator, sum(collect_minor) as collect_minor, sum(deposit_minor) as deposit_minor, sum(held_minor) as held_minor
         from (select application_id, operator, collect_minor, deposit_minor, held_minor from ledger_days
               union all
               select application_id, operator, collect_minor, deposit_minor, held_minor from ledger_postings where at >= $1::timestamptz) m
         group by 1, 2) s on s.application_id = b.application_id and s.operator = b.operator
       where (b.collect_minor, b.deposit_minor, b.held_minor)
         is distinct from (coalesce(s.collect_minor, 0), coalesce(s.deposit_minor, 0), coalesce(s.held_minor, 0))`,
    [sealedUntil],
  )
  return rows.map((row) => row.applicationId)
}

export async function rebuildDays(queryable: Queryable, applicationId: string): Promise<void> {
  await queryable.query('select rebuild_ledger_days($1)', [applicationId])
}
