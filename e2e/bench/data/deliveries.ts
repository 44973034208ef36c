import { randomUUID } from 'node:crypto'
import { computeFees } from '#lib/money/fees.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { ok } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'

/** `count` deliveries for the outbox, to these receivers in turn, each due at its own instant. */
export type DeliveryPlan = {
  applicationId: string
  /** Identifies the plan; part of the transactions' ids. */
  run: number
  count: number
  /** Addresses without a slash at their end. */
  receivers: string[]
  firstDueAtMs: number
  /** Between one delivery and the next. */
  gapMs: number
}

/** Returns when the nth delivery of a plan is due, in milliseconds since 1970. */
export function dueAtMs(plan: DeliveryPlan, nth: number): number {
  return plan.firstDueAtMs + nth * plan.gapMs
}

/** The largest batch of the service itself. */
const BATCH = 256

/**
 * Takes collects in and ends them as SUCCESS, through the service's own statements, and makes their webhooks due as planned. All of it
 * becomes visible immediately, so that none is sent before the others are written.
 */
export async function insertDeliveries(pool: Pool, plan: DeliveryPlan): Promise<void> {
  await withTransaction<void, never>(pool, async (trx) => {
    for (let first = 0; first < plan.count; first += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, plan.count - first) }, (_, index) => first + index)
      const items = numbers.map((nth) => itemOf(plan, nth))
      await takeIn(trx, items)
      await transition(
        trx,
        items.map(({ applicationId, transactionId }) => ({
          applicationId,
          transactionId,
          event: 'succeeded',
          actor: { kind: 'operator', id: null },
        })),
      )
      await trx.query(
        `update webhook_deliveries d set next_at = to_timestamp(due.at_ms / 1000)
           from unnest($2::uuid[], $3::float8[]) as due (transaction_id, at_ms)
           where d.application_id = $1 and d.transaction_id = due.transaction_id`,
        [plan.applicationId, items.map((item) => item.transactionId), numbers.map((nth) => dueAtMs(plan, nth))],
      )
    }
    return ok(undefined)
  })
}

function itemOf(plan: DeliveryPlan, nth: number): IntakeItem {
  const amountMinor = 500_000n
  return {
    applicationId: plan.applicationId,
    transactionId: deliveryId(plan.run, nth),
    externalId: randomUUID(),
    type: 'COLLECT',
    operator: 'MOMOCM',
    customerName: 'Clarisse Mbarga Essomba',
    purpose: '',
    phoneNumber: '237670000000',
    amountMinor,
    ...computeFees(amountMinor, OPERATORS.MOMOCM.country.currency),
    webhookUrl: `${plan.receivers[nth % plan.receivers.length]}/hook`,
    payToken: 'none',
    source: 'api',
    makerId: null,
    batchId: null,
    batchSumMinor: null,
    actor: { kind: 'api', id: null },
    bands: null,
  }
}

function deliveryId(run: number, nth: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return `${hex(run, 8)}-0000-7000-8000-${hex(nth, 12)}`
}

/** Returns the delivery and its plan that the id in a webhook's body belongs to. */
export function readDeliveryId(transactionId: string): { run: number; nth: number } {
  return { run: Number.parseInt(transactionId.slice(0, 8), 16), nth: Number.parseInt(transactionId.slice(24), 16) }
}
