import type { Queryable } from '#server/database/pool.ts'

export type FailureCount = { failures: number; lastFailureAt: Date | null }

/** How many failures each key has; a count whose last failure is before `since` is forgotten. In the order of the keys. */
export async function readFailures(queryable: Queryable, keys: readonly string[], since: Date): Promise<FailureCount[]> {
  const { rows } = await queryable.query<{ throttle_key: string; failures: number; last_failure_at: Date }>(
    'select throttle_key, failures, last_failure_at from sign_in_throttles where throttle_key = any ($1) and last_failure_at > $2',
    [keys, since],
  )
  return keys.map((key) => {
    const row = rows.find((candidate) => candidate.throttle_key === key)
    return { failures: row?.failures ?? 0, lastFailureAt: row?.last_failure_at ?? null }
  })
}

/** Counts one failure for each key and gives the new counts, in the order of the keys. */
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
 */
export async function claimTry(
  queryable: Queryable,
  key: string,
  at: Date,
  since: Date,
  failuresMax: number,
  waitedSince: Date,
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `insert into sign_in_throttles (throttle_key, failures, last_failure_at) values ($1, 1, $2)
       on conflict (throttle_key) do update set last_failure_at = excluded.last_failure_at,
         failures = case when sign_in_throttles.last_failure_at > $3 then sign_in_throttles.failures + 1 else 1 end
         where sign_in_throttles.failures < $4 or sign_in_throttles.last_failure_at <= $5`,
    [key, at, since, failuresMax, waitedSince],
  )
  return rowCount === 1
}

/** Forgives. */
export async function deleteFailures(queryable: Queryable, key: string): Promise<void> {
  await queryable.query('delete from sign_in_throttles where throttle_key = $1', [key])
}

/** Removes counts that no longer matter; gives how many. */
export async function deleteFailuresBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from sign_in_throttles where last_failure_at < $1', [before])
  return rowCount ?? 0
}
