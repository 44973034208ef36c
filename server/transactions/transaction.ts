import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionSource, TransactionStatus, TransactionType } from '#lib/transaction-status.ts'

/** A stored transaction. Amounts are in hundredths of the currency's unit. */
export type Transaction = {
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
  customerName: string
  phoneNumber: string
  /** Null: no webhook is expected, because a person started it. */
  webhookUrl: string | null
  /** The operator's own token if it returned one, otherwise the one generated at creation. */
  payToken: string
  /** The operator's own name of the transaction; null until it is final, and where the operator has none. */
  operatorReference: string | null
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
  t.customer_name as "customerName", t.phone_number as "phoneNumber", t.webhook_url as "webhookUrl",
  coalesce(t.operator_token, t.pay_token) as "payToken", t.operator_reference as "operatorReference", t.message, t.source, t.maker_id as "makerId",
  t.checker_id as "checkerId", t.batch_id as "batchId", t.version, t.created_at as "createdAt", t.final_at as "finalAt"`
