import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

type OwnWaitingSum = { currency: Currency; count: bigint; amountMinor: bigint; oldestAt: Date }

/** Returns the transactions that a person started and that still wait for approval, per currency. */
export async function selectOwnWaiting(queryable: Queryable, applicationId: string, personId: string): Promise<OwnWaitingSum[]> {
  const { rows } = await queryable.query<OwnWaitingSum>({
    name: 'select_own_waiting',
    text: `select t.currency, count(*) as count, sum(t.amount_minor) as "amountMinor", min(t.created_at) as "oldestAt" from transactions t
      where t.application_id = $1 and t.maker_id = $2 and t.status = 'PENDING_APPROVAL' group by t.currency`,
    values: [applicationId, personId],
  })
  return rows
}

export type OwnEndRow = {
  transactionId: string
  type: TransactionType
  operator: OperatorCode
  currency: Currency
  amountMinor: bigint
  customerName: string
  message: string | null
  at: Date
  /** Rejected, or nobody decided in time: it went to no operator. */
  isReturned: boolean
  reason: string | null
  phoneNumber: string
}

/**
 * Returns the transactions that a person started and that were rejected or failed since an instant, newest first, without those that were
 * recalled or sent again. Only their `lookedMax` newest transactions are read.
 */
export async function selectOwnEnded(
  queryable: Queryable,
  applicationId: string,
  { personId, since, lookedMax }: { personId: string; since: Date; lookedMax: number },
): Promise<OwnEndRow[]> {
  const { rows } = await queryable.query<OwnEndRow>({
    name: 'select_own_open_ends',
    text: `select t.transaction_id as "transactionId", t.type, t.operator, t.currency, t.amount_minor as "amountMinor",
        t.customer_name as "customerName", t.message, t.final_at as at, t.phone_number as "phoneNumber", e.reason,
        e.event in ('rejected', 'expired') as "isReturned"
      from (select n.* from transactions n where n.application_id = $1 and n.maker_id = $2 order by n.sequence desc limit $4) t
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
      where t.status = 'FAILED' and t.final_at >= $3 and e.event <> 'recalled'
        -- A transaction that was sent again is done with.
        and not exists (select 1 from transaction_origins o where o.application_id = t.application_id and o.origin_id = t.transaction_id)
      order by t.final_at desc`,
    values: [applicationId, personId, since, lookedMax],
  })
  return rows
}
