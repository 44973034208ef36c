import type { Queryable } from '#server/database/pool.ts'

/** Seals the days of every application on which nothing can change any longer. */
export async function sealDays(queryable: Queryable): Promise<void> {
  await queryable.query('select seal_transaction_days()')
}

/** Seals the months of which every day is sealed. */
export async function sealMonths(queryable: Queryable): Promise<void> {
  await queryable.query('select seal_operator_months()')
}

/** Applications whose days could be sealed but are not: their amounts cannot be added up. */
export async function selectUnsealed(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join application_seals s on s.application_id = c.application_id
       where s.application_id is null or s.sealed_through < (now() at time zone 'UTC')::date - 2`,
  )
  return rows.map((row) => row.applicationId)
}
