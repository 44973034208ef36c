import { isRefusalCause, REFUSAL_CAUSES, type RefusalCause, type RefusalDto } from '#lib/partner/partner-requests.ts'
import type { Queryable } from '#server/database/pool.ts'

export type KeyUseRow = { applicationId: string; apiKeyId: string; address: string; firstAt: Date; lastAt: Date }

/** Addresses that are kept per key: those used last. */
const ADDRESSES_KEPT = 20

/**
 * Stores from where keys were used, and removes what exceeds the limit of a key. The rows are written in the order of their key, here and
 * below, because several processes write rows of the same keys.
 */
export async function storeKeyUses(queryable: Queryable, uses: readonly KeyUseRow[]): Promise<void> {
  await queryable.query(
    `insert into api_key_uses as u (application_id, api_key_id, address, first_at, last_at)
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) order by 1, 2, 3
       on conflict (application_id, api_key_id, address) do update set last_at = greatest(u.last_at, excluded.last_at)`,
    columnsOf(uses, ['applicationId', 'apiKeyId', 'address', 'firstAt', 'lastAt']),
  )
  await queryable.query(
    `delete from api_key_uses u using (
       select application_id, api_key_id, address,
              row_number() over (partition by application_id, api_key_id order by last_at desc, address) as place
         from api_key_uses where (application_id, api_key_id) in (select * from unnest($1::uuid[], $2::uuid[]))) r
      where u.application_id = r.application_id and u.api_key_id = r.api_key_id and u.address = r.address and r.place > $3`,
    [...columnsOf(uses, ['applicationId', 'apiKeyId']), ADDRESSES_KEPT],
  )
}

export type RefusalRow = {
  applicationId: string
  cause: RefusalCause
  address: string
  subject: string
  minute: Date
  count: number
  lastAt: Date
}

/** Rows that are kept of each cause of an application: the newest. */
const ROWS_KEPT = 50

/** Adds counted refusals, and removes what exceeds the limit of a cause. */
export async function storeRefusals(queryable: Queryable, refusals: readonly RefusalRow[]): Promise<void> {
  await queryable.query(
    `insert into api_refusals as r (application_id, cause, address, subject, minute, count, last_at)
       select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::integer[], $7::timestamptz[])
         order by 1, 2, 3, 4, 5
       on conflict (application_id, cause, address, subject, minute) do update
         set count = least(r.count::bigint + excluded.count, 2000000000)::integer, last_at = greatest(r.last_at, excluded.last_at)`,
    columnsOf(refusals, ['applicationId', 'cause', 'address', 'subject', 'minute', 'count', 'lastAt']),
  )
  await queryable.query(
    `delete from api_refusals a using (
       select application_id, cause, address, subject, minute,
              row_number() over (partition by application_id, cause order by last_at desc, minute desc, address, subject) as place
         from api_refusals where (application_id, cause) in (select * from unnest($1::uuid[], $2::text[]))) r
      where a.application_id = r.application_id and a.cause = r.cause and a.address = r.address and a.subject = r.subject
        and a.minute = r.minute and r.place > $3`,
    [...columnsOf(refusals, ['applicationId', 'cause']), ROWS_KEPT],
  )
}

type KeyByHashRow = { hash: string; applicationId: string; keyPrefix: string; isRevoked: boolean; isExpired: boolean }

/** The keys with these digests, of any application, also those that have ended. */
export async function selectKeysByHash(queryable: Queryable, hashes: readonly Buffer[]): Promise<Map<string, KeyByHashRow>> {
  const { rows } = await queryable.query<KeyByHashRow>(
    `select encode(key_hash, 'hex') as hash, application_id as "applicationId", key_prefix as "keyPrefix",
            revoked_at is not null as "isRevoked", coalesce(expires_at <= now(), false) as "isExpired"
       from api_keys where key_hash = any ($1::bytea[])`,
    [hashes],
  )
  return new Map(rows.map((row) => [row.hash, row]))
}

/** Removes refusals that are older than pages show. */
export async function deleteRefusalsBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from api_refusals where last_at < $1', [before])
  return rowCount ?? 0
}

/** The values of rows column by column, as `unnest` takes them. */
function columnsOf<Row extends object>(rows: readonly Row[], names: readonly (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]))
}

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
