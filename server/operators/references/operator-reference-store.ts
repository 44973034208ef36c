import type { Queryable } from '#server/database/pool.ts'

/** The applications with final transactions whose operator references are not listed yet. */
export async function selectApplicationsBehind(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select c.application_id as "applicationId" from application_counters c left join operator_reference_marks m using (application_id)
      where c.success_count > coalesce(m.success_until, 0) or c.failed_count > coalesce(m.failed_until, 0)`,
  )
  return rows.map((row) => row.applicationId)
}

/** Lists the references of the next transactions; returns how many transactions it went through. */
export async function listReferences(queryable: Queryable, applicationId: string, countMax: number): Promise<bigint> {
  const { rows } = await queryable.query<{ count: bigint }>('select list_operator_references($1, $2) as count', [applicationId, countMax])
  return rows[0]?.count ?? 0n
}
