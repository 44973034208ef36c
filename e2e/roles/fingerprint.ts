import type { Pool } from '#server/database/pool.ts'

/** Every table of the product with a digest of its rows; equal before and after means that nothing was written. */
export async function fingerprint(pool: Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
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
