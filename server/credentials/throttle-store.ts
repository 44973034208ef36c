import type { Queryable } from '#server/database/pool.ts'
import type { Source } from './address.ts'

export type Standing = { failures: ReadonlyMap<string, number>; isKnownNetwork: boolean }

/** How the keys of codes begin: their counts are kept for a day, so that slow guessing counts too. */
export const CODE_KEYS = 'code '

/** How many networks are kept per name. */
const NETWORKS_MAX = 20

/**
 * The failures of a name, an address and both together whose last one is after `since` (none: absent), and whether the
 * name signed in from this network after `knownSince`.
 */
export async function readStanding(queryable: Queryable, source: Source, since: Date, knownSince: Date): Promise<Standing> {
  const { rows } = await queryable.query<{ throttle_key: string | null; failures: number | null }>(
    `select throttle_key, failures from sign_in_throttles where throttle_key = any ($1) and last_failure_at > $2
     union all select null, null from sign_in_networks where name_digest = $3 and network_digest = $4 and last_success_at > $5`,
    [[source.pairKey, source.addressKey, source.accountKey], since, source.nameDigest, source.networkDigest, knownSince],
  )
  const failures = new Map(rows.flatMap((row) => (row.throttle_key === null ? [] : [[row.throttle_key, row.failures ?? 0] as const])))
  return { failures, isKnownNetwork: rows.some((row) => row.throttle_key === null) }
}

/** Notes that a name signed in from a network: at most one write a day, and at most the twenty latest networks of a name. */
export async function rememberNetwork(queryable: Queryable, { nameDigest, networkDigest }: Source, at: Date): Promise<void> {
  const { rows } = await queryable.query<{ is_new: boolean }>(
    `insert into sign_in_networks as n (name_digest, network_digest, last_success_at) values ($1, $2, $3)
       on conflict (name_digest, network_digest) do update set last_success_at = excluded.last_success_at
         where n.last_success_at < excluded.last_success_at - interval '1 day'
       returning xmax = 0 as is_new`,
    [nameDigest, networkDigest, at],
  )
  if (!rows[0]?.is_new) return
  await queryable.query(
    `delete from sign_in_networks where name_digest = $1 and network_digest in (
       select network_digest from sign_in_networks where name_digest = $1 order by last_success_at desc, network_digest offset $2)`,
    [nameDigest, NETWORKS_MAX],
  )
}

/** Counts one failure for each key. Returns the new counts, in the order of the keys. */
export async function addFailure(queryable: Queryable, keys: readonly string[], at: Date, since: Date): Promise<number[]> {
  const { rows } = await queryable.query<{ throttle_key: string; failures: number }>(
    `insert into sign_in_throttles (throttle_key, failures, last_failure_at)
       select k, 1, $2 from unnest($1::text[]) as k order by k
       on conflict (throttle_key) do update set last_failure_at = excluded.last_failure_at,
         failures = case when sign_in_throttles.last_failure_at > $3 then sign_in_throttles.failures + 1 else 1 end
       returning throttle_key, failures`,
    [keys, at, since],
  )
  return keys.map((key) => rows.find((row) => row.throttle_key === key)?.failures ?? 1)
}

/**
 * Takes one of `failuresMax` tries, counted as a failure until `deleteFailures` says otherwise; beyond them one try each
 * time `waitedSince` has passed the last. One statement, so that a thousand tries at once are still counted one by one.
 * Returns how many tries in a row this is; undefined when it may not be made.
 */
export async function claimTry(
  queryable: Queryable,
  key: string,
  at: Date,
  since: Date,
  failuresMax: number,
  waitedSince: Date,
): Promise<number | undefined> {
  const { rows } = await queryable.query<{ failures: number }>(
    `insert into sign_in_throttles (throttle_key, failures, last_failure_at) values ($1, 1, $2)
       on conflict (throttle_key) do update set last_failure_at = excluded.last_failure_at,
         failures = case when sign_in_throttles.last_failure_at > $3 then sign_in_throttles.failures + 1 else 1 end
         where sign_in_throttles.failures < $4 or sign_in_throttles.last_failure_at <= $5
       returning failures`,
    [key, at, since, failuresMax, waitedSince],
  )
  return rows[0]?.failures
}

/** Removes the count of a key. */
export async function deleteFailures(queryable: Queryable, key: string): Promise<void> {
  await queryable.query('delete from sign_in_throttles where throttle_key = $1', [key])
}

/** Removes counts of passwords and of codes that ended before one instant each, and networks last seen before another; returns how many rows. */
export async function deleteFailuresBefore(queryable: Queryable, before: Date, codesBefore: Date, networksBefore: Date): Promise<number> {
  const failures = await queryable.query(
    'delete from sign_in_throttles where last_failure_at < case when starts_with(throttle_key, $3) then $2::timestamptz else $1 end',
    [before, codesBefore, CODE_KEYS],
  )
  const networks = await queryable.query('delete from sign_in_networks where last_success_at < $1', [networksBefore])
  return (failures.rowCount ?? 0) + (networks.rowCount ?? 0)
}
