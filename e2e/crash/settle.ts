import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '#server/database/pool.ts'

const LIMIT_MS = 420_000
const LOOK_EVERY_MS = 200
/** How long a webhook claim lasts (server/webhooks/delivery-loop.ts). */
const WEBHOOK_LEASE_MS = 30_000

/**
 * Waits until nothing is in progress: every submitted file is started, every transaction has its result, except those that the simulator keeps
 * pending forever (912), those whose operator answers no queries and whose reply was lost, and those that wait for a checker; every webhook
 * is delivered or given up. Returns what was still open when the time was up. `serviceDiedAt`: the last time the main process was killed.
 */
export async function settle(pool: Pool, batchIds: readonly string[], serviceDiedAt: Date): Promise<string[]> {
  const endsAtMs = performance.now() + LIMIT_MS
  let open: string[] = []
  while (performance.now() < endsAtMs) {
    await shortenWaits(pool, serviceDiedAt)
    open = await findOpen(pool, batchIds)
    if (open.length === 0) return []
    await delay(LOOK_EVERY_MS)
  }
  return open
}

async function findOpen(pool: Pool, batchIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ what: string }>(
    `select 'transaction ' || transaction_id || ' of ' || phone_number || ' is PENDING' as what from transactions
       where status = 'PENDING' and phone_number not like '%912' and (webhook_url like 'http://127.0.0.1:%' or batch_id = any ($1))
         -- This operator answers no queries: a collect whose reply was lost stays open until people have asked.
         and not (operator = 'BFOM' and type = 'COLLECT' and exists (select from operator_work w
           where w.application_id = transactions.application_id and w.transaction_id = transactions.transaction_id and w.state = 'unconfirmed'))
     union all
     select 'webhook of ' || d.transaction_id || ' is due after ' || d.attempts || ' attempts' from webhook_deliveries d
       join transactions t using (application_id, transaction_id)
       where d.state = 'due' and t.webhook_url like 'http://127.0.0.1:%'
     union all
     select 'the rows of batch ' || batch_id || ' are being started' from batches where state = 'submitting' and batch_id = any ($1)
     limit 20`,
    [batchIds],
  )
  return rows.map((row) => row.what)
}

/**
 * The pauses between webhook attempts (up to ten minutes) are let pass immediately where the last attempt is written down, and so are those of
 * operator work above ten seconds: many kills leave transactions that were interrupted so often that their next try is minutes away. So is the
 * time for which an operator has to deny what it refused.
 * Leases of a process that is certainly dead end now; those of the living one are never touched. `states`: of the work whose pauses pass; without
 * `queued`, nothing is submitted again earlier than the service would.
 */
export async function shortenWaits(
  pool: Pool,
  serviceDiedAt: Date,
  states: readonly string[] = ['queued', 'submitted', 'unconfirmed'],
): Promise<void> {
  await pool.query(
    `update webhook_deliveries d set next_at = least(d.next_at, clock_timestamp()), claimed_until = least(d.claimed_until, clock_timestamp())
       from transactions t
       where t.application_id = d.application_id and t.transaction_id = d.transaction_id and t.webhook_url like 'http://127.0.0.1:%'
         and d.state = 'due' and d.attempts > 0 and greatest(d.next_at, d.claimed_until) > clock_timestamp()
         and (d.claimed_until - $2 * interval '1 millisecond' < $1 or exists (select 1 from webhook_attempts a
           where a.application_id = d.application_id and a.transaction_id = d.transaction_id and a.number = d.attempts))`,
    [serviceDiedAt, WEBHOOK_LEASE_MS],
  )
  // An hourly query comes up to a tenth later. What waits longer is history of the sandbox.
  await pool.query(
    `update operator_work w set next_at = clock_timestamp()
       from transactions t
       where t.application_id = w.application_id and t.transaction_id = w.transaction_id and t.phone_number not like '%912'
         and w.state = any ($1) and not w.is_claimed
         and w.next_at > clock_timestamp() + interval '10 seconds' and w.next_at < clock_timestamp() + interval '67 minutes'`,
    [states],
  )
  // A repeated submission that was refused ends after ten minutes of denials.
  await pool.query(
    `update operator_work set absent_since = absent_since - interval '10 minutes'
       where result = 'refused' and not is_claimed and absent_since between clock_timestamp() - interval '10 minutes' and clock_timestamp() - interval '1 second'`,
  )
  await pool.query(
    `update operator_work set next_at = least(next_at, clock_timestamp()), claimed_until = clock_timestamp()
       where is_claimed and claimed_at < $1 and claimed_until > clock_timestamp()`,
    [serviceDiedAt],
  )
}
