import type { Pool } from '#server/database/pool.ts'

/** Written by the first request of a session and every few minutes, regardless of what is requested. */
const NOTED_BY_ANY_REQUEST = ['person_sessions', 'application_sessions', 'person_sightings']
/** Each process reports to it every 15 s. */
const NOTED_BY_PROCESSES = ['processes']

/** Every table of the product with a digest of its rows; equal before and after means that nothing was written. */
export async function fingerprint(pool: Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and c.relname <> all ($1) order by 1`,
    [[...NOTED_BY_ANY_REQUEST, ...NOTED_BY_PROCESSES]],
  )
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query<{ digest: string | null }>(
      `select md5(string_agg(t::text, '|' order by t::text)) as digest from ${name} as t`,
    )
    digests[name] = rows[0]?.digest ?? 'empty'
  }
  return digests
}
