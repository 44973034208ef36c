import type { Queryable } from '#server/database/pool.ts'

/** The address that receives the events of an application; null: none. */
export async function readEventReceiver(queryable: Queryable, applicationId: string): Promise<string | null> {
  const { rows } = await queryable.query<{ url: string }>('select url from event_receivers where application_id = $1', [applicationId])
  return rows[0]?.url ?? null
}

export async function replaceEventReceiver(trx: Queryable, applicationId: string, url: string | null): Promise<void> {
  if (url === null) await trx.query('delete from event_receivers where application_id = $1', [applicationId])
  else
    await trx.query(
      'insert into event_receivers (application_id, url) values ($1, $2) on conflict (application_id) do update set url = excluded.url',
      [applicationId, url],
    )
}
