import type { Pool } from '#server/database/pool.ts'

/** Deliveries to put into the outbox: `count` of them, in turns to so many receivers, each due at its own instant. */
export type DeliveryPlan = {
  applicationId: string
  /** Tells these from those of other plans: part of the transactions' ids. */
  run: number
  count: number
  /** Addresses without a slash at their end. */
  receivers: string[]
  firstDueAtMs: number
  /** Between one delivery and the next. */
  gapMs: number
}

/** When the nth delivery of a plan is due, in milliseconds since 1970. */
export function dueAtMs(plan: DeliveryPlan, nth: number): number {
  return plan.firstDueAtMs + nth * plan.gapMs
}

/** Writes finished transactions with a webhook each that nobody has sent yet, and counts them. */
export async function insertDeliveries(pool: Pool, plan: DeliveryPlan): Promise<void> {
  await pool.query(
    `with n as materialized (
      select i, (lpad(to_hex($2::integer), 8, '0') || '00007000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid as id,
             ($4::text[])[1 + i % cardinality($4::text[])] as receiver, to_timestamp(($5::float8 + i * $6::float8) / 1000) as due_at,
             c.transaction_count as sequence, c.success_count
        from generate_series(0, $3::integer - 1) as i, application_counters c where c.application_id = $1
    ), new_transactions as (
      insert into transactions (application_id, transaction_id, sequence, final_sequence, external_id, type, status, operator, currency, amount_minor,
          fee_system_minor, fee_app_minor, customer_name, phone_number, webhook_url, pay_token, source, version, created_at, final_at)
        select $1::uuid, id, sequence + i + 1, success_count + i + 1, gen_random_uuid(), 'COLLECT', 'SUCCESS', 'MOMOCM', 'XAF', 500000, 5000, 2500,
               'Clarisse Mbarga Essomba', '237670000000', receiver || '/hook', 'none', 'api', 2, now(), now() from n
    ), counted as (
      update application_counters set transaction_count = transaction_count + $3::integer, success_count = success_count + $3::integer where application_id = $1
    )
    insert into webhook_deliveries (application_id, transaction_id, target, next_at, created_at) select $1::uuid, id, receiver, due_at, now() from n`,
    [plan.applicationId, plan.run, plan.count, plan.receivers, plan.firstDueAtMs, plan.gapMs],
  )
}

/** Which delivery of which plan an id in a webhook's body means. */
export function readDeliveryId(transactionId: string): { run: number; nth: number } {
  return { run: Number.parseInt(transactionId.slice(0, 8), 16), nth: Number.parseInt(transactionId.slice(24), 16) }
}
