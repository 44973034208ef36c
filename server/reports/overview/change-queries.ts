import type { Queryable } from '#server/database/pool.ts'

/** The revision that an open page compares: how often its application has changed, and the zone of its days. */
export type ApplicationRevision = { changeNumber: bigint; timeZone: string }

/** The revisions of these applications, in one statement. A page that was rendered with another one may show what is old. */
export async function findRevisions(queryable: Queryable, applicationIds: readonly string[]): Promise<Map<string, ApplicationRevision>> {
  if (applicationIds.length === 0) return new Map()
  const { rows } = await queryable.query<ApplicationRevision & { applicationId: string }>({
    name: 'find_revisions',
    text: `select application_id as "applicationId", c.change_number as "changeNumber", a.time_zone as "timeZone"
      from application_counters c join applications a using (application_id) where application_id = any ($1::uuid[])`,
    values: [applicationIds],
  })
  return new Map(rows.map((row) => [row.applicationId, row]))
}
