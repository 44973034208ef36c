import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { PaymentTexts } from '#lib/payments/payment-fields.ts'
import type {
  TransactionSource,
  TransactionStatus,
  TransactionType,
  TransitionEvent,
} from '#lib/payments/transactions/transaction-status.ts'
import { type BatchFunction, encodeRows, type RowColumns, type RowOf, recordOf } from '#server/database/json-row.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listTextColumns, selectTexts, TEXT_COLUMNS } from './payment-text-columns.ts'

/** A stored transaction. Amounts are in hundredths of the currency's unit. */
export type Transaction = PaymentTexts & {
  applicationId: string
  transactionId: string
  sequence: bigint
  externalId: string
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  currency: Currency
  amountMinor: bigint
  feeSystemMinor: bigint
  feeAppMinor: bigint
  heldMinor: bigint
  phoneNumber: string
  /** Null: no webhook is sent. Only transactions of people and files may have none. */
  webhookUrl: string | null
  /** The operator's own token if it returned one, otherwise the one generated at creation. */
  payToken: string
  /** The operator's own name of the transaction; null until it is final, and where the operator has none. */
  operatorReference: string | null
  /** The second one of an operator that has two. */
  operatorReferenceOther: string | null
  message: string | null
  source: TransactionSource
  makerId: string | null
  checkerId: string | null
  batchId: string | null
  version: number
  createdAt: Date
  finalAt: Date | null
}

/** The columns of a Transaction, named as its fields, for statements that read `transactions t`. */
export const TRANSACTION_COLUMNS = `t.application_id as "applicationId", t.transaction_id as "transactionId", t.sequence,
  t.external_id as "externalId", t.type, t.status, t.operator, t.currency, t.amount_minor as "amountMinor",
  t.fee_system_minor as "feeSystemMinor", t.fee_app_minor as "feeAppMinor", t.held_minor as "heldMinor",
  ${selectTexts('t')}, t.phone_number as "phoneNumber", t.webhook_url as "webhookUrl",
  coalesce(t.operator_token, t.pay_token) as "payToken", t.operator_reference as "operatorReference",
  t.operator_reference_other as "operatorReferenceOther", t.message, t.source, t.maker_id as "makerId",
  t.checker_id as "checkerId", t.batch_id as "batchId", t.version, t.created_at as "createdAt", t.final_at as "finalAt"`

export type StartRow = RowOf<typeof START_TRANSACTIONS.item>

export type StartedRow = RowOf<
  typeof START_TRANSACTIONS.result,
  { outcome: 'created' | 'existing' | 'conflict'; status: TransactionStatus }
>

/** Runs start_transactions. `applicationIds` are distinct and sorted; the results are in no particular order. */
export async function callStartTransactions(queryable: Queryable, applicationIds: string[], items: StartRow[]): Promise<StartedRow[]> {
  const { rows } = await queryable.query<StartedRow>({
    name: 'start_transactions',
    text: 'select * from start_transactions($1, $2, $3)',
    values: [applicationIds, encodeRows(START_TRANSACTIONS.item, items), items.some((item) => item.bands !== null)],
  })
  return rows
}

/** Of these requests, the indexes of those under whose externalId the application has stored something else. */
export async function selectConflicts(
  queryable: Queryable,
  applicationId: string,
  requests: readonly RowOf<typeof COMPARED_REQUEST>[],
): Promise<number[]> {
  const { rows } = await queryable.query<{ index: number }>({
    name: 'select_conflicts',
    text: `select i.item_index as index from json_to_recordset($2) as i (${recordOf(COMPARED_REQUEST)})
      cross join lateral (select n.external_id, n as stored from transactions n
        where n.application_id = $1 and n.external_id >= i.external_id order by n.external_id limit 1) t
      where t.external_id = i.external_id
        and not is_same_request(t.stored, i.type, i.operator, ${listTextColumns('i')}, i.phone_number, i.amount_minor, i.webhook_url, i.source, null)
      order by i.item_index`,
    values: [applicationId, encodeRows(COMPARED_REQUEST, requests)],
  })
  return rows.map(({ index }) => index)
}

export type TransitionRow = RowOf<typeof APPLY_TRANSITIONS.item>

export type AppliedRow = RowOf<typeof APPLY_TRANSITIONS.result, { status: TransactionStatus }>

/** The claim under which due webhooks are written: for `leaseMs`, except those for receivers in `busyTargets`. */
export type WebhookClaim = { leaseMs: number; busyTargets: readonly string[] }

/** Runs apply_transitions. `applicationIds` are distinct and sorted; the results are in no particular order. */
export async function callApplyTransitions(
  queryable: Queryable,
  applicationIds: string[],
  items: TransitionRow[],
  claim?: WebhookClaim,
): Promise<AppliedRow[]> {
  const { rows } = await queryable.query<AppliedRow>({
    name: 'apply_transitions',
    text: 'select * from apply_transitions($1, $2, $3, $4)',
    values: [applicationIds, encodeRows(APPLY_TRANSITIONS.item, items), claim?.leaseMs ?? null, claim?.busyTargets ?? []],
  })
  return rows
}

/** The transaction with this id in this application; also undefined if it belongs to another application. */
export async function findTransaction(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<Transaction | undefined> {
  const { rows } = await queryable.query<Transaction>({
    name: 'find_transaction',
    text: `select ${TRANSACTION_COLUMNS} from transactions t where t.application_id = $1 and t.transaction_id = $2`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** The transactions that the application already made under these externalIds, in no particular order. */
export async function findByExternalIds(queryable: Queryable, applicationId: string, externalIds: string[]): Promise<Transaction[]> {
  const { rows } = await queryable.query<Transaction>({
    name: 'find_by_external_ids',
    text: `select ${TRANSACTION_COLUMNS} from transactions t where t.application_id = $1 and t.external_id = any ($2)`,
    values: [applicationId, externalIds],
  })
  return rows
}

/** A payment that a person started and that has ended, with what speaks against another one in its place. */
export type EndedPayment = Pick<
  Transaction,
  'applicationId' | 'transactionId' | 'type' | 'operator' | 'operatorReference' | 'phoneNumber' | 'amountMinor' | 'currency'
> & {
  operatorToken: string | null
  event: TransitionEvent
  /** An operator had it, and may report something else now. */
  wasSent: boolean
  /** The operator contradicts the failure, or is being asked about it: it may have been paid. */
  isDoubted: boolean
  /** It is a row of a batch that repeats failed rows. */
  isRepeated: boolean
}

/** One payment of a person that has ended; undefined if it has not, is a refund, or there is none of this id. */
export async function findEndedPayment(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<EndedPayment | undefined> {
  const { rows } = await queryable.query<EndedPayment>({
    name: 'find_ended_payment',
    text: `select t.application_id as "applicationId", t.transaction_id as "transactionId", t.type, t.operator,
        t.operator_reference as "operatorReference", t.operator_token as "operatorToken", t.phone_number as "phoneNumber",
        t.amount_minor as "amountMinor", t.currency, e.event, e.event = 'failed' and e.actor_kind <> 'system' as "wasSent",
        is_contradicted(t.application_id, t.transaction_id) or is_asked_about(t.application_id, t.transaction_id) as "isDoubted",
        is_in_retry(t.application_id, t.transaction_id) as "isRepeated"
      from transactions t
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
      where t.application_id = $1 and t.transaction_id = $2 and t.source in ('person', 'file')
        and t.status in ('SUCCESS', 'FAILED')
        -- A refund counts against its collect: in its place comes another refund, which counts too.
        and not exists (select from transaction_refunds r where r.application_id = t.application_id and r.transaction_id = t.transaction_id)`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** The transaction that replaces another one, if there is one. */
export async function findReplacement(
  queryable: Queryable,
  applicationId: string,
  originId: string,
): Promise<{ transactionId: string; externalId: string } | undefined> {
  const { rows } = await queryable.query<{ transactionId: string; externalId: string }>({
    name: 'find_replacement',
    text: `select t.transaction_id as "transactionId", t.external_id as "externalId" from transaction_origins o
      join transactions t on t.application_id = o.application_id and t.transaction_id = o.transaction_id
      where o.application_id = $1 and o.origin_id = $2`,
    values: [applicationId, originId],
  })
  return rows[0]
}

/**
 * `sql/start-transactions.sql`. `application_index` is the position of the application in the sorted list of the batch, from 1. `claim_…`
 * is the claim under which the operator work is inserted; `claim_lease_ms` is null if there is none.
 */
const START_TRANSACTIONS = {
  name: 'start_transactions',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    application_index: 'integer',
    transaction_id: 'uuid',
    external_id: 'uuid',
    type: 'text',
    operator: 'text',
    currency: 'text',
    ...TEXT_COLUMNS,
    phone_number: 'text',
    phone_number_forms: 'text[] | null',
    amount_minor: 'bigint',
    fee_system_minor: 'bigint',
    fee_app_minor: 'bigint',
    webhook_url: 'text | null',
    pay_token: 'text',
    source: 'text',
    maker_id: 'uuid | null',
    batch_id: 'uuid | null',
    batch_sum_minor: 'bigint | null',
    origin_id: 'uuid | null',
    refund_of: 'uuid | null',
    refunded_minor: 'bigint | null',
    link_id: 'uuid | null',
    api_user_id: 'uuid | null',
    claim_route: 'text | null',
    claim_lease_ms: 'integer | null',
    claim_first_query_ms: 'integer | null',
    claim_enquiry_delay_ms: 'integer | null',
    claim_settings_version: 'text | null',
    bands: 'jsonb | null',
  },
  result: {
    item_index: 'integer',
    outcome: 'text',
    transaction_id: 'uuid',
    status: 'text',
    amount_minor: 'bigint',
    fee_system_minor: 'bigint',
    fee_app_minor: 'bigint',
    pay_token: 'text',
    is_claimed: 'boolean',
  },
} as const satisfies BatchFunction

/** The fields of a request that are compared with those stored under its externalId (`sql/is-same-request.sql`). */
const COMPARED_REQUEST = {
  item_index: 'integer',
  external_id: 'uuid',
  type: 'text',
  operator: 'text',
  ...TEXT_COLUMNS,
  phone_number: 'text',
  amount_minor: 'bigint',
  webhook_url: 'text | null',
  source: 'text',
} as const satisfies RowColumns

/**
 * `sql/apply-transitions.sql`. `answer_…` is the operator's answer to a query that ends the transaction; `answer_outcome` is null if there
 * is none. `callback_…` is the callback for which the query was made.
 */
const APPLY_TRANSITIONS = {
  name: 'apply_transitions',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    application_index: 'integer',
    transaction_id: 'uuid',
    from_status: 'text',
    to_status: 'text',
    event: 'text',
    message: 'text | null',
    reason: 'text | null',
    operator_token: 'text | null',
    operator_reference: 'text | null',
    operator_reference_other: 'text | null',
    actor_kind: 'text',
    actor_id: 'uuid | null',
    checker_id: 'uuid | null',
    answer_number: 'integer | null',
    answer_outcome: 'text | null',
    answer_http_status: 'integer | null',
    answer_text: 'text | null',
    answer_duration_ms: 'integer | null',
    callback_outcome: 'text | null',
    callback_text: 'text | null',
    callback_is_verified: 'boolean | null',
  },
  result: {
    item_index: 'integer',
    is_moved: 'boolean',
    status: 'text',
    version: 'integer',
    webhook_target: 'text | null',
    webhook_url: 'text | null',
    webhook_external_id: 'text | null',
    webhook_amount_minor: 'text | null',
    webhook_phone_number: 'text | null',
    webhook_operator: 'text | null',
    webhook_message: 'text | null',
    webhook_final_at: 'text | null',
  },
} as const satisfies BatchFunction
