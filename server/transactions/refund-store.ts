import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { RefundObstacle } from '#lib/payments/refunds.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from './transaction-store.ts'

/** A transaction of which a refund is wanted, and what an earlier request with the same externalId has stored. Amounts in hundredths. */
export type RefundableRow = {
  collectId: string
  operator: OperatorCode
  currency: Currency
  customerName: string
  phoneNumber: string
  webhookUrl: string | null
  amountMinor: bigint
  refundedMinor: bigint
  obstacle: Exclude<RefundObstacle, 'not_found'> | null
  /** The transaction that has the externalId; null if none has. */
  existing: StoredRefund | null
}

/** `collectId` and `refundedMinor` are null for what is no refund. */
export type StoredRefund = {
  transactionId: string
  status: TransactionStatus
  collectId: string | null
  refundedMinor: bigint | null
  purpose: string
  source: string
  webhookUrl: string | null
}

type FlatRow = Omit<RefundableRow, 'existing'> & { [Key in keyof StoredRefund as `existing${Capitalize<Key>}`]: StoredRefund[Key] | null }

/** Reads both in one snapshot, so that a refund that is stored meanwhile is in both or in neither; undefined without such a transaction. */
export async function findRefundable(
  queryable: Queryable,
  applicationId: string,
  collectId: string,
  externalId: string,
): Promise<RefundableRow | undefined> {
  const { rows } = await queryable.query<FlatRow>({
    name: 'find_refundable',
    text: `select t.transaction_id as "collectId", t.operator, t.currency, t.customer_name as "customerName", t.phone_number as "phoneNumber",
        t.webhook_url as "webhookUrl", t.amount_minor as "amountMinor", refunded_minor(t.application_id, t.transaction_id) as "refundedMinor",
        refund_obstacle(t.application_id, t.transaction_id) as obstacle,
        e.transaction_id as "existingTransactionId", e.status as "existingStatus", r.collect_id as "existingCollectId",
        r.refunded_minor as "existingRefundedMinor", e.purpose as "existingPurpose", e.source as "existingSource", e.webhook_url as "existingWebhookUrl"
      from transactions t
      left join transactions e on e.application_id = t.application_id and e.external_id = $3
      left join transaction_refunds r on r.application_id = e.application_id and r.transaction_id = e.transaction_id
      where t.application_id = $1 and t.transaction_id = $2`,
    values: [applicationId, collectId, externalId],
  })
  const [row] = rows
  if (!row) return undefined
  const { existingTransactionId, existingStatus, existingPurpose, existingSource, ...rest } = row
  const { existingCollectId, existingRefundedMinor, existingWebhookUrl, ...collect } = rest
  if (existingTransactionId === null || existingStatus === null || existingPurpose === null || existingSource === null)
    return { ...collect, existing: null }
  const existing: StoredRefund = {
    transactionId: existingTransactionId,
    status: existingStatus,
    collectId: existingCollectId,
    refundedMinor: existingRefundedMinor,
    purpose: existingPurpose,
    source: existingSource,
    webhookUrl: existingWebhookUrl,
  }
  return { ...collect, existing }
}

/** A refund that its operator ended as FAILED, as queries need it. */
export type FailedRefund = Pick<
  Transaction,
  'applicationId' | 'transactionId' | 'operator' | 'operatorReference' | 'amountMinor' | 'currency' | 'phoneNumber'
> & { type: TransactionType; operatorToken: string | null }

/** The refunds of a collect that were sent, that the operator ended as FAILED, and that count nothing towards it. */
export async function listFailedRefunds(queryable: Queryable, applicationId: string, collectId: string): Promise<FailedRefund[]> {
  const { rows } = await queryable.query<FailedRefund>({
    name: 'list_failed_refunds',
    text: `select t.application_id as "applicationId", t.transaction_id as "transactionId", t.type, t.operator,
        t.operator_reference as "operatorReference", t.operator_token as "operatorToken", t.phone_number as "phoneNumber",
        t.amount_minor as "amountMinor", t.currency
      from transaction_refunds r
      join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
      where r.application_id = $1 and r.collect_id = $2 and t.status = 'FAILED' and e.event = 'failed' and e.actor_kind <> 'system'
      order by t.sequence`,
    values: [applicationId, collectId],
  })
  return rows
}

/** The refunds of a collect, the oldest first, each with how much of the collect it takes if it does not fail. */
export async function listRefunds(
  queryable: Queryable,
  applicationId: string,
  collectId: string,
): Promise<(Transaction & { refundedMinor: bigint })[]> {
  const { rows } = await queryable.query<Transaction & { refundedMinor: bigint }>({
    name: 'list_refunds',
    text: `select ${TRANSACTION_COLUMNS}, r.refunded_minor as "refundedMinor" from transaction_refunds r
      join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
      where r.application_id = $1 and r.collect_id = $2 order by t.sequence`,
    values: [applicationId, collectId],
  })
  return rows
}

/** Of each of these transactions: the collect that it refunds, and how much of it is refunded. Those of neither kind are missing. */
export async function readRefundFacts(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, { refundOf: string | null; refundedMinor: bigint }>> {
  const { rows } = await queryable.query<{ transactionId: string; refundOf: string | null; refundedMinor: bigint }>({
    name: 'read_refund_facts',
    text: `select i.id as "transactionId", o.collect_id as "refundOf", refunded_minor($1, i.id) as "refundedMinor"
      from unnest($2::uuid[]) as i (id)
      left join transaction_refunds o on o.application_id = $1 and o.transaction_id = i.id
      where o.collect_id is not null or exists (select from transaction_refunds r where r.application_id = $1 and r.collect_id = i.id)`,
    values: [applicationId, transactionIds],
  })
  return new Map(rows.map(({ transactionId, ...facts }) => [transactionId, facts]))
}
