import type { Queryable } from '#server/database/pool.ts'

/** The change numbers of these applications, in one statement for all of them. */
export async function selectChangeNumbers(
  queryable: Queryable,
  applicationIds: readonly string[],
): Promise<{ applicationId: string; changeNumber: bigint }[]> {
  const { rows } = await queryable.query<{ applicationId: string; changeNumber: bigint }>({
    name: 'select_change_numbers',
    text: 'select application_id as "applicationId", change_number as "changeNumber" from application_counters where application_id = any ($1::uuid[])',
    values: [applicationIds],
  })
  return rows
}
