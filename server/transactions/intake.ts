import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { PaymentTexts } from '#lib/payments/payment-fields.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { TransactionSource, TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { Batcher } from '#server/database/batcher.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { isDataError, RETRY_CANCELLED } from '#server/database/with-transaction.ts'
import { retryWithBackoff } from '#server/retry.ts'
import { toTextColumns } from './payment-text-columns.ts'
import { callStartTransactions, type StartedRow, type StartRow } from './transaction-store.ts'
import { type Actor, createPartitions } from './transition.ts'
import type { UnansweredStarts } from './unanswered-starts.ts'

/** A part of a collect that goes back to its payer: the deposit's amount, and its fees too where the customer bears them. Hundredths. */
export type Refund = { collectId: string; refundedMinor: bigint }

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
  /** The collect whose money this deposit returns, and how much of it counts as refunded. The database refuses more than was collected. */
  refund?: Refund | undefined
  /** The payment link at which a customer started this collect. The database refuses more than the link accepts. */
  linkId?: string
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

/**
 * The claim under which the operator work of a new transaction is inserted (`../operators/work/dispatch/claim-slots.ts` explains the terms). The lease
 * is longer than the call that follows.
 */
export type WorkClaim = {
  route: string
  leaseMs: number
  firstQueryMs: number
  enquiryDelayMs: number | undefined
  settingsVersion: string | undefined
}

/** An item whose operator work was committed under a claim. The claim ends `leaseMs` after `claimedAtMs` (`performance.now()`), or later. */
export type ClaimedItem = { item: IntakeItem; claim: WorkClaim; claimedAtMs: number }

/** Slots at the operators that a batch of new transactions holds until its commit. */
export type ReservedSlots = {
  /** One entry per item. Undefined: no slot is free, so the operator work is inserted unclaimed. */
  claims: readonly (WorkClaim | undefined)[]
  /** Submits what was committed under a claim, frees the other slots, and has the rest claimed. Called once, also if nothing was committed. */
  submit(claimed: readonly ClaimedItem[]): void
}

export type Intake = Pick<Batcher<IntakeItem, IntakeOutcome>, 'submit' | 'waiting' | 'drain'>

type IntakeOptions = {
  pool: Pool
  queueMax?: number
  batchMax?: number
  onBatch?(size: number): void
  /** Keeps the webhooks of a batch back until it is stored; those of `startTransactions` for arrays are the same. */
  unansweredStarts?: UnansweredStarts
  /** Reserves slots of this process's dispatcher for a batch; undefined if it has none, or not now. */
  reserveSlots?(items: readonly IntakeItem[]): ReservedSlots | undefined
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
    run: (items) => takeInAndSubmit(options, items),
    queueMax,
    // Three arrays of depositMultiple. The rest is for the other applications, so that waiting items rarely have to be displaced.
    shareMax: Math.ceil(queueMax * 0.75),
    batchMax: options.batchMax ?? 256,
    isItemError: isDataError,
    onBatch: options.onBatch,
  })
}

/** Takes a batch in. The commit precedes every call of an operator, so a crash in between leaves a lease, after which the work is queried. */
async function takeInAndSubmit({ pool, reserveSlots, unansweredStarts }: IntakeOptions, items: IntakeItem[]): Promise<IntakeOutcome[]> {
  const reserved = reserveSlots?.(items)
  const claims = reserved?.claims ?? []
  let claimed: ClaimedItem[] = []
  try {
    // A batch is one statement, so one that PostgreSQL cancelled because of others has stored nothing and runs again as a whole.
    const store = () => retryWithBackoff(() => callWith(pool, items, claims), RETRY_CANCELLED)
    const ids = items.map(({ transactionId }) => transactionId)
    const { rows, startedMs } = await (unansweredStarts ? unansweredStarts.during(ids, store) : store())
    claimed = rows.filter((row) => row.is_claimed).flatMap((row) => claimedItem(items, claims, row.item_index, startedMs))
    return toOutcomes(rows)
  } finally {
    reserved?.submit(claimed)
  }
}

function claimedItem(
  items: readonly IntakeItem[],
  claims: readonly (WorkClaim | undefined)[],
  index: number,
  claimedAtMs: number,
): ClaimedItem[] {
  const item = items[index]
  const claim = claims[index]
  return item && claim ? [{ item, claim, claimedAtMs }] : []
}

/**
 * Takes items in with one statement, inside the caller's database transaction if it has one open. Their operator work is not claimed. No two
 * items may have the same application and externalId. Returns one outcome per item, in order. Throws if the database refuses one item;
 * nothing is stored then.
 */
export async function takeIn(queryable: Queryable, items: IntakeItem[]): Promise<IntakeOutcome[]> {
  const { rows } = await callWith(queryable, items, [])
  return toOutcomes(rows)
}

/** Returns the rows and when the statement started: a lease in the database cannot end earlier than counted from there. */
async function callWith(
  queryable: Queryable,
  items: readonly IntakeItem[],
  claims: readonly (WorkClaim | undefined)[],
): Promise<{ rows: StartedRow[]; startedMs: number }> {
  const applicationIds = [...new Set(items.map((item) => item.applicationId))].sort()
  const indexes = new Map(applicationIds.map((applicationId, index) => [applicationId, index + 1]))
  const startedMs = performance.now()
  const rows = await callStartTransactions(
    queryable,
    applicationIds,
    items.map((item, index) => ({ ...toStartRow(item, index, indexes.get(item.applicationId) ?? 0), ...toClaimColumns(claims[index]) })),
  )
  return { rows, startedMs }
}

function toOutcomes(rows: readonly StartedRow[]): IntakeOutcome[] {
  const outcomes: IntakeOutcome[] = []
  for (const row of rows) outcomes[row.item_index] = toOutcome(row)
  return outcomes
}

type ClaimColumns = Pick<StartRow, Extract<keyof StartRow, `claim_${string}`>>

function toClaimColumns(claim: WorkClaim | undefined): ClaimColumns {
  return {
    claim_route: claim?.route ?? null,
    claim_lease_ms: claim?.leaseMs ?? null,
    claim_first_query_ms: claim?.firstQueryMs ?? null,
    claim_enquiry_delay_ms: claim?.enquiryDelayMs ?? null,
    claim_settings_version: claim?.settingsVersion ?? null,
  }
}

function toStartRow(item: IntakeItem, index: number, applicationIndex: number): Omit<StartRow, keyof ClaimColumns> {
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
    refund_of: item.refund?.collectId ?? null,
    refunded_minor: item.refund?.refundedMinor ?? null,
    link_id: item.linkId ?? null,
    api_user_id: item.actor.kind === 'api' ? item.actor.id : null,
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
