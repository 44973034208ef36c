import { isRefusalCause, REFUSAL_CAUSES, type RefusalCause, type RefusalDto } from '#lib/refusal-cause.ts'
import type { ApiRequestDto } from '#lib/sandbox-tools.ts'
import type { Queryable } from '#server/database/pool.ts'

type KeyUse = { apiKeyId: string; address: string; firstAt: Date; lastAt: Date }

/** The addresses from which the keys of an application were used, the latest use first. */
export async function listKeyUses(queryable: Queryable, applicationId: string): Promise<KeyUse[]> {
  const { rows } = await queryable.query<KeyUse>(
    `select api_key_id as "apiKeyId", address, first_at as "firstAt", last_at as "lastAt"
       from api_key_uses where application_id = $1 order by last_at desc, address`,
    [applicationId],
  )
  return rows
}

/** The addresses of one cause that a page lists. */
const ROWS_SHOWN = 5

/** The refusals of the last thirty days by cause, the latest cause first. Addresses of several minutes are one row. */
export async function listRefusals(queryable: Queryable, applicationId: string): Promise<RefusalDto[]> {
  const { rows } = await queryable.query<{ cause: string; address: string; subject: string; count: bigint; lastAt: Date }>(
    `select cause, address, subject, sum(count)::bigint as count, max(last_at) as "lastAt" from api_refusals
      where application_id = $1 and last_at > now() - interval '30 days' group by cause, address, subject order by max(last_at) desc`,
    [applicationId],
  )
  const causes = new Map<RefusalCause, RefusalDto>()
  for (const { cause, address, subject, count, lastAt } of rows) {
    if (!isRefusalCause(cause)) continue
    const known = causes.get(cause)
    const refusal = known ?? { cause, status: REFUSAL_CAUSES[cause], count: 0, lastAt: lastAt.toISOString(), rows: [] }
    refusal.count += Number(count)
    if (refusal.rows.length < ROWS_SHOWN) refusal.rows.push({ address, subject, count: Number(count), lastAt: lastAt.toISOString() })
    if (!known) causes.set(cause, refusal)
  }
  return [...causes.values()]
}

/** The newest calls of an application. Nothing outside of a sandbox. */
export async function listRequests(queryable: Queryable, applicationId: string): Promise<ApiRequestDto[]> {
  const { rows } = await queryable.query<Omit<ApiRequestDto, 'at' | 'cause'> & { at: Date; cause: string | null }>(
    `select request_id as "requestId", at, method, path, status, cause, address from api_requests
      where application_id = $1 order by at desc, request_id limit 50`,
    [applicationId],
  )
  return rows.map(({ at, cause, ...row }) => ({
    ...row,
    at: at.toISOString(),
    cause: cause !== null && isRefusalCause(cause) ? cause : null,
  }))
}
