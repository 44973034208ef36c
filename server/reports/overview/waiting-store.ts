import type { Queryable } from '#server/database/pool.ts'

/** How many waiting transactions a person could decide, counted up to `limit`: not their own, not decided by them already, in time. */
export async function countWaitingFor(queryable: Queryable, applicationId: string, personId: string, limit: number): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from transactions t
       where t.application_id = $1 and t.status = 'PENDING_APPROVAL' and t.maker_id is distinct from $2
         and exists (select 1 from approval_items i
                     where i.application_id = $1 and i.transaction_id = t.transaction_id and i.expires_at > now())
         and not exists (select 1 from approval_decisions d
                         where d.application_id = $1 and d.transaction_id = t.transaction_id and d.checker_id = $2)
       limit $3) as waiting`,
    [applicationId, personId, limit],
  )
  return rows[0]?.count ?? 0
}
