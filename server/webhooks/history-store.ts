import type { WebhookState } from '#lib/webhook-state.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { AttemptOutcome } from './send-webhook.ts'

export type AttemptRow = {
  origin: 'automatic' | 'person'
  requestedBy: string | null
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  httpStatus: number | null
  detail: string | null
  waitedMs: number | null
  firstByteMs: number | null
  responseStart: string | null
}

/** The attempts of one transaction's webhook in the order in which they started, those of the schedule and those that people requested. */
export async function selectAttempts(queryable: Queryable, applicationId: string, transactionId: string): Promise<AttemptRow[]> {
  const { rows } = await queryable.query<AttemptRow>(
    `select a.origin, a.requested_by as "requestedBy", a.started_at as "startedAt", a.duration_ms as "durationMs", a.outcome,
            a.http_status as "httpStatus", a.detail, a.waited_ms as "waitedMs", a.first_byte_ms as "firstByteMs", a.response_start as "responseStart"
       from (select 'automatic' as origin, number, null as requested_by, started_at, duration_ms, outcome, http_status, detail, waited_ms,
                    first_byte_ms, response_start
               from webhook_attempts where application_id = $1 and transaction_id = $2
             union all
             select 'person', r.number, p.name, r.started_at, r.duration_ms, r.outcome, r.http_status, r.detail, r.waited_ms,
                    r.first_byte_ms, r.response_start
               from webhook_resends r left join people p on p.person_id = r.requested_by
               where r.application_id = $1 and r.transaction_id = $2 and r.outcome is not null) a
       order by a.started_at, a.origin, a.number`,
    [applicationId, transactionId],
  )
  return rows
}

export type WaitingResendRow = { requestedBy: string | null; requestedAt: Date }

/** The resend of one transaction's webhook that is waiting or in progress, if there is one. */
export async function selectWaitingResend(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<WaitingResendRow | undefined> {
  const { rows } = await queryable.query<WaitingResendRow>(
    `select p.name as "requestedBy", r.requested_at as "requestedAt" from webhook_resends r left join people p on p.person_id = r.requested_by
       where r.application_id = $1 and r.transaction_id = $2 and r.outcome is null`,
    [applicationId, transactionId],
  )
  return rows[0]
}

type DeliveryStateRow = { state: WebhookState; nextAt: Date; finishedAt: Date | null; isLate: boolean }

/** The state of one transaction's webhook; undefined while the transaction is not final. */
export async function selectDelivery(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<DeliveryStateRow | undefined> {
  const { rows } = await queryable.query<DeliveryStateRow>(
    `select state, case when claimed_until > now() then greatest(next_at, now()) else next_at end as "nextAt", finished_at as "finishedAt",
            state = 'due' and greatest(next_at, claimed_until) < now() - interval '5 seconds' as "isLate"
       from webhook_deliveries where application_id = $1 and transaction_id = $2`,
    [applicationId, transactionId],
  )
  return rows[0]
}

type HealthRow = {
  /** Null in the row of all receivers together, which comes first. */
  target: string | null
  delivered: bigint
  due: bigint
  exhausted: bigint
  last_delivered_at: Date | null
  is_troubled: boolean
  from_at: Date
  until_at: Date
}

/**
 * Deliveries that ended in the last 24 hours and those that have not ended, in all and per receiver, the most troubled first. To the
 * millisecond, so that an address can contain the same instants.
 */
export async function selectHealth(queryable: Queryable, applicationId: string, targetsMax: number): Promise<HealthRow[]> {
  const until = "date_trunc('milliseconds', now())"
  const { rows } = await queryable.query<HealthRow>(
    // Grouped by stored target first, so that a receiver's name is built once per target, not once per delivery.
    `select webhook_receiver(d.target) as target, coalesce(sum(d.delivered), 0) as delivered, coalesce(sum(d.due), 0) as due,
            coalesce(sum(d.exhausted), 0) as exhausted, max(d.last_delivered_at) as last_delivered_at,
            coalesce(bool_or(d.exhausted > 0 or d.oldest_due_at < now() - interval '30 seconds'), false) as is_troubled,
            ${until} - interval '24 hours' as from_at, ${until} as until_at
       from (select target, count(*) filter (where state = 'delivered') as delivered, 0 as due, count(*) filter (where state = 'exhausted') as exhausted,
                    max(finished_at) filter (where state = 'delivered') as last_delivered_at, null as oldest_due_at
               from webhook_deliveries
               where application_id = $1 and finished_at >= ${until} - interval '24 hours' and finished_at < ${until} group by target
             union all
             select target, 0, count(*), 0, null, min(created_at) from webhook_deliveries where application_id = $1 and state = 'due' group by target) d
       group by grouping sets ((), (webhook_receiver(d.target)))
       order by grouping(webhook_receiver(d.target)) desc, exhausted desc, due desc, target limit $2::integer + 1`,
    [applicationId, targetsMax],
  )
  return rows
}
