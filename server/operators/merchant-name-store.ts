import type { Queryable } from '#server/database/pool.ts'

/** A name that was changed reaches customers after so long. */
const NAME_AGE_MS_MAX = 60_000

/** Returns the name of an application, for operators that show the customer who wants the money. Each name is read once a minute. */
export function createMerchantNames(queryable: Queryable, nowMs: () => number): (applicationId: string) => Promise<string | undefined> {
  const known = new Map<string, { name: string | undefined; readAtMs: number }>()
  return async (applicationId) => {
    const found = known.get(applicationId)
    if (found && nowMs() - found.readAtMs < NAME_AGE_MS_MAX) return found.name
    const { rows } = await queryable.query<{ name: string }>({
      name: 'find_merchant_name',
      text: 'select name from applications where application_id = $1',
      values: [applicationId],
    })
    const name = rows[0]?.name
    known.set(applicationId, { name, readAtMs: nowMs() })
    return name
  }
}
