import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { PaymentTexts } from '#lib/payments/payment-fields.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { TransactionSource, TransactionStatus, TransactionType } from '#lib/payments/transaction-status.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { Batcher } from '#server/database/batcher.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { isDataError, RETRY_CANCELLED } from '#server/database/with-transaction.ts'
import { retryWithBackoff } from '#server/retry.ts'
import { toTextColumns } from './payment-text-columns.ts'
import { callStartTransactions, type StartedRow, type StartRow } from './transaction-store.ts'
import { type Actor, createPartitions } from './transition.ts'

/** A new transaction. The caller validated it and generated its ids. Amounts are in hundredths of the currency's unit. */
export type IntakeItem = PaymentTexts & {
  applicationId: string
  transactionId: string
  externalId: string
  type: TransactionType
  operator: OperatorCode
  phoneNumber: string
  amountMinor: bigint
  feeSystemMinor: bigint
  feeAppMinor: bigint
  /** Null: no webhook. */
  webhookUrl: string | null
  payToken: string
  source: TransactionSource
  makerId: string | null
  batchId: string | null
  /** The total of the batch it is part of, which approval rules weigh too; null outside a batch. */
  batchSumMinor: bigint | null
  /** The transaction that this one replaces. The database refuses a second one in its place. */
  originId?: string
  actor: Actor
  /** The approval bands that may apply, weakest first; null if none can. */
  bands: ApprovalBand[] | null
}

export type IntakeOutcome =
  | {
      kind: 'created' | 'existing'
      transactionId: string
      status: TransactionStatus
      amountMinor: bigint
      feeSystemMinor: bigint
      feeAppMinor: bigint
      payToken: string
    }
  /** A stored transaction with other content has the externalId. */
  | { kind: 'conflict' }

export type Intake = Pick<Batcher<IntakeItem, IntakeOutcome>, 'submit' | 'waiting' | 'drain'>

type IntakeOptions = {
  pool: Pool
  queueMax?: number
  batchMax?: number
  onBatch?(size: number): void
  /** Called after each batch that added operator work, so that it is submitted immediately and not at the next idle poll. */
  wakeOperators?(): void
}

/**
 * Collects new transactions into batches. `submit` resolves after the commit. It rejects with OverloadedError if the queue of the partition
 * or the application's share of it is full; nothing was started then.
 */
export function createIntake(options: IntakeOptions): Intake {
  const queueMax = options.queueMax ?? 4_096
  return createPartitions<IntakeItem, IntakeOutcome>({
    key: (item) => item.applicationId + item.externalId,
    shareOf: (item) => item.applicationId,
    async run(items) {
      // A batch is one statement, so one that PostgreSQL cancelled because of others has stored nothing and runs again as a whole.
      const outcomes = await retryWithBackoff(() => takeIn(options.pool, items), RETRY_CANCELLED)
      if (outcomes.some((outcome) => outcome.kind === 'created' && outcome.status === 'PENDING')) options.wakeOperators?.()
      return outcomes
    },
    queueMax,
    // Three arrays of depositMultiple. The rest is for the other applications, so that waiting items rarely have to be displaced.
    shareMax: Math.ceil(queueMax * 0.75),
    batchMax: options.batchMax ?? 256,
    isItemError: isDataError,
    onBatch: options.onBatch,
  })
}

/**
 * Takes items in with one statement, inside the caller's database transaction if it has one open. No two items may have the same
 * application and externalId. Returns one outcome per item, in order. Throws if the database refuses one item; nothing is stored then.
 */
export async function takeIn(queryable: Queryable, items: IntakeItem[]): Promise<IntakeOutcome[]> {
  const applicationIds = [...new Set(items.map((item) => item.applicationId))].sort()
  const indexes = new Map(applicationIds.map((applicationId, index) => [applicationId, index + 1]))
  const rows = await callStartTransactions(
    queryable,
    applicationIds,
    items.map((item, index) => toStartRow(item, index, indexes.get(item.applicationId) ?? 0)),
  )
  const outcomes: IntakeOutcome[] = []
  for (const row of rows) outcomes[row.item_index] = toOutcome(row)
  return outcomes
}

function toStartRow(item: IntakeItem, index: number, applicationIndex: number): StartRow {
  return {
    item_index: index,
    application_id: item.applicationId,
    application_index: applicationIndex,
    transaction_id: item.transactionId,
    external_id: item.externalId,
    type: item.type,
    operator: item.operator,
    currency: OPERATORS[item.operator].country.currency,
    ...toTextColumns(item),
    phone_number: item.phoneNumber,
    phone_number_forms: item.bands === null ? null : phoneNumberForms(item.phoneNumber),
    amount_minor: item.amountMinor,
    fee_system_minor: item.feeSystemMinor,
    fee_app_minor: item.feeAppMinor,
    webhook_url: item.webhookUrl,
    pay_token: item.payToken,
    source: item.source,
    maker_id: item.makerId,
    batch_id: item.batchId,
    batch_sum_minor: item.batchSumMinor,
    origin_id: item.originId ?? null,
    actor_kind: item.actor.kind,
    actor_id: item.actor.id,
    bands: item.bands,
  }
}

function toOutcome(row: StartedRow): IntakeOutcome {
  if (row.outcome === 'conflict') return { kind: 'conflict' }
  return {
    kind: row.outcome,
    transactionId: row.transaction_id,
    status: row.status,
    amountMinor: row.amount_minor,
    feeSystemMinor: row.fee_system_minor,
    feeAppMinor: row.fee_app_minor,
    payToken: row.pay_token,
  }
}
