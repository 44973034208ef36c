import type { Queryable } from '#server/database/pool.ts'

/** How often each of these applications has changed, in one statement. A number that moved means that what a page shows may be old. */
export async function findChangeNumbers(queryable: Queryable, applicationIds: readonly string[]): Promise<Map<string, bigint>> {
  if (applicationIds.length === 0) return new Map()
  const { rows } = await queryable.query<{ applicationId: string; changeNumber: bigint }>({
    name: 'find_change_numbers',
    text: 'select application_id as "applicationId", change_number as "changeNumber" from application_counters where application_id = any ($1::uuid[])',
    values: [applicationIds],
  })
  return new Map(rows.map((row) => [row.applicationId, row.changeNumber]))
}
