import type { WebhookState } from '#lib/webhook-state.ts'
import type { Queryable } from '#server/database/pool.ts'

type ResendKey = { applicationId: string; transactionId: string }

export type ResendFactsRow = {
  target: string
  state: WebhookState
  /** An attempt of the schedule is claimed and has no outcome yet. */
  isAttemptUnderWay: boolean
  hasWaitingResend: boolean
  lastNumber: number
  /** Resends that were requested in the last hour, and until when the oldest of the newest `limit` of them counts. */
  recentCount: number
  retryAfterMs: number | null
}

/** Returns the facts that decide whether a webhook may be resent now; undefined if the transaction has no delivery. */
export async function selectResendFacts(
  queryable: Queryable,
  key: ResendKey,
  { count, periodMs }: { count: number; periodMs: number },
): Promise<ResendFactsRow | undefined> {
  const { rows } = await queryable.query<ResendFactsRow>(
    `select d.target, d.state,
            d.state = 'due' and d.attempts > 0 and coalesce(d.claimed_until > clock_timestamp(), false) and not exists (select 1
              from webhook_attempts a where a.application_id = d.application_id and a.transaction_id = d.transaction_id and a.number = d.attempts) as "isAttemptUnderWay",
            coalesce(r.has_waiting, false) as "hasWaitingResend", coalesce(r.last_number, 0) as "lastNumber",
            coalesce(r.recent_count, 0)::integer as "recentCount",
            ceil(extract(epoch from r.newest[$3] - clock_timestamp()) * 1000 + $4)::integer as "retryAfterMs"
       from webhook_deliveries d
       cross join lateral (
         select bool_or(w.outcome is null) as has_waiting, max(w.number) as last_number,
                count(*) filter (where w.requested_at > clock_timestamp() - $4 * interval '1 millisecond') as recent_count,
                array_agg(w.requested_at order by w.requested_at desc) as newest
           from webhook_resends w where w.application_id = d.application_id and w.transaction_id = d.transaction_id) r
       where d.application_id = $1 and d.transaction_id = $2`,
    [key.applicationId, key.transactionId, count, periodMs],
  )
  return rows[0]
}

/** Records a resend, due now. False if another one is waiting, or was requested at the same moment. */
export async function insertResend(
  queryable: Queryable,
  resend: ResendKey & { number: number; target: string; requestedBy: string },
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at)
       values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp()) on conflict do nothing`,
    [resend.applicationId, resend.transactionId, resend.number, resend.target, resend.requestedBy],
  )
  return rowCount === 1
}
