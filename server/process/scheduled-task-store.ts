import type { Queryable } from '#server/database/pool.ts'

/** A run of a task that this process has claimed. `databaseNow` is the database's clock at the claim. */
export type ClaimedTask = { task: string; attempts: number; dueAt: Date; databaseNow: Date }

/** Adds tasks that the database does not know, and moves one forward whose schedule now names an earlier time. */
export async function registerTasks(queryable: Queryable, tasks: readonly { task: string; dueAt: Date }[]): Promise<void> {
  await queryable.query(
    `insert into scheduled_tasks (task, due_at) select * from unnest($1::text[], $2::timestamptz[])
       on conflict (task) do update set due_at = excluded.due_at where scheduled_tasks.due_at > excluded.due_at`,
    [tasks.map(({ task }) => task), tasks.map(({ dueAt }) => dueAt)],
  )
}

/** Claims at most `limit` of these tasks that are due and that no living process runs. */
export async function claimTasks(
  queryable: Queryable,
  { names, limit, claimId, leaseMs }: { names: readonly string[]; limit: number; claimId: string; leaseMs: number },
): Promise<ClaimedTask[]> {
  const { rows } = await queryable.query<ClaimedTask>(
    `with due as (
       select task from scheduled_tasks
         where task = any ($1) and due_at <= now() and (claimed_until is null or claimed_until <= now())
         order by due_at limit $2 for update skip locked)
     update scheduled_tasks t
       set claim_id = $3, claimed_until = now() + $4 * interval '1 ms', attempts = t.attempts + 1
       from due where t.task = due.task
       returning t.task, t.attempts, t.due_at as "dueAt", now() as "databaseNow"`,
    [names, limit, claimId, leaseMs],
  )
  return rows
}

/** Extends the claims of this process, so that no other one takes over what still runs. */
export async function extendClaims(
  queryable: Queryable,
  { names, claimId, leaseMs }: { names: readonly string[]; claimId: string; leaseMs: number },
): Promise<void> {
  await queryable.query(`update scheduled_tasks set claimed_until = now() + $3 * interval '1 ms' where claim_id = $2 and task = any ($1)`, [
    names,
    claimId,
    leaseMs,
  ])
}

/** Ends a claim, sets when the task is due next, and records why it failed or that it did not. Changes nothing if another process has taken over. */
export async function endClaim(
  queryable: Queryable,
  { task, claimId, dueAt, attempts, failure }: { task: string; claimId: string; dueAt: Date; attempts: number; failure: string | null },
): Promise<void> {
  await queryable.query(
    `update scheduled_tasks set due_at = $3, attempts = $4, claim_id = null, claimed_until = null, last_error = $5,
       failed_since = case when $5::text is not null then coalesce(failed_since, now()) end where task = $1 and claim_id = $2`,
    [task, claimId, dueAt, attempts, failure],
  )
}
