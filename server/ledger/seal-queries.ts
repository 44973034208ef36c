import type { Queryable } from '#server/database/pool.ts'

/** The instant up to which `ledger_days` is complete, to the microsecond (a Date would lose three digits); `-infinity` if it is empty. */
export async function findSealedUntil(queryable: Queryable): Promise<string> {
  const { rows } = await queryable.query<{ until: string }>('select sealed_until::text as until from ledger_seal')
  return rows[0]?.until ?? '-infinity'
}
