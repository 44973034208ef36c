import type { ApprovalBand } from '#lib/approval-policy.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { phoneNumberForms } from '#lib/phone-number.ts'
import type { TransactionSource, TransactionStatus, TransactionType } from '#lib/transaction-status.ts'
import { type Batcher, createBatcher } from '#server/database/batcher.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { isDataError } from '#server/database/with-transaction.ts'
import type { Actor } from './actor.ts'
import { callIntakeBatch, type IntakeRow } from './transaction-store.ts'

/** A new transaction, valid in itself; identifiers made by the caller. Amounts in hundredths of the currency's unit. */
export type IntakeItem = {
  applicationId: string
  transactionId: string
  externalId: string
  type: TransactionType
  operator: OperatorCode
  customerName: string
  phoneNumber: string
  amountMinor: bigint
  feeSystemMinor: bigint
  feeAppMinor: bigint
  webhookUrl: string
  payToken: string
  source: TransactionSource
  makerId: string | null
  batchId: string | null
  /** The total of the batch it came in, which approval rules weigh too; null outside a batch. */
  batchSumMinor: bigint | null
  actor: Actor
  /** The approval bands that may fire, weakest first; null when none can. */
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
  /** The externalId is taken by a transaction with other content. */
  | { kind: 'conflict' }

type Lane = Batcher<IntakeItem, IntakeOutcome>

export type Intake = Pick<Lane, 'submit' | 'waiting' | 'drain'> & {
  /** Called after each batch that made something to send to an operator. */
  addCreatedListener(listener: () => void): void
}

export type IntakeOptions = { pool: Pool; queueMax?: number; batchMax?: number; onBatch?(size: number): void }

/**
 * The one way in for new transactions. An outcome is given only after the commit that made it durable. `submit` rejects with
 * OverloadedError when the queue of the lane is full, or the application's share of it: nothing was started then.
 */
export function createIntake(options: IntakeOptions): Intake {
  const listeners: (() => void)[] = []
  const queueMax = options.queueMax ?? 4_096
  const newLane = () =>
    createBatcher<IntakeItem, IntakeOutcome>({
      key: (item) => item.applicationId + item.externalId,
      shareOf: (item) => item.applicationId,
      async run(items) {
        const outcomes = await takeIn(options.pool, items)
        for (const listener of listeners) listener()
        return outcomes
      },
      queueMax,
      // Three arrays of depositMultiple. The rest is for the others, so that they rarely take back what was accepted.
      shareMax: Math.ceil(queueMax * 0.75),
      batchMax: options.batchMax ?? 256,
      slots: 2,
      isItemError: isDataError,
      onBatch: options.onBatch,
    })
  const lanes: [Lane, Lane] = [newLane(), newLane()]
  return {
    submit: (item) => lanes[laneOf(item.applicationId)].submit(item),
    waiting: () => lanes[0].waiting() + lanes[1].waiting(),
    drain: async () => void (await Promise.all([lanes[0].drain(), lanes[1].drain()])),
    addCreatedListener: (listener) => void listeners.push(listener),
  }
}

/**
 * An application always takes the same lane, by the last digit of its id: batches of two lanes never lock the same
 * counters, so both run at once; within a lane the next batch waits at the lock and starts the moment the first commits.
 */
function laneOf(applicationId: string): 0 | 1 {
  return applicationId.charCodeAt(applicationId.length - 1) % 2 === 0 ? 0 : 1
}

/**
 * Takes items in within one statement, in the caller's transaction where it has one open. No two items may carry the
 * same (application, externalId). One outcome per item, in order; a bad row never spoils its neighbours.
 */
export async function takeIn(queryable: Queryable, items: IntakeItem[]): Promise<IntakeOutcome[]> {
  const applicationIds = [...new Set(items.map((item) => item.applicationId))].sort()
  const rows = await callIntakeBatch(queryable, applicationIds, toJson(items, applicationIds))
  const outcomes: IntakeOutcome[] = items.map(asCreated)
  for (const row of rows) outcomes[row.place] = asReported(row)
  return outcomes
}

function asCreated(item: IntakeItem): IntakeOutcome {
  const { transactionId, amountMinor, feeSystemMinor, feeAppMinor, payToken } = item
  return { kind: 'created', transactionId, status: 'PENDING', amountMinor, feeSystemMinor, feeAppMinor, payToken }
}

function asReported(row: IntakeRow): IntakeOutcome {
  if (!row.same_content) return { kind: 'conflict' }
  return {
    kind: row.outcome === 'waiting' ? 'created' : 'existing',
    transactionId: row.transaction_id,
    status: row.status,
    amountMinor: row.amount_minor,
    feeSystemMinor: row.fee_system_minor,
    feeAppMinor: row.fee_app_minor,
    payToken: row.pay_token,
  }
}

/** Built by hand: it is the largest single cost of a batch on this side, and bigint has no JSON form of its own. */
function toJson(items: IntakeItem[], applicationIds: string[]): string {
  const nthOf = new Map(applicationIds.map((applicationId, index) => [applicationId, index + 1]))
  let json = '['
  for (const [place, item] of items.entries()) {
    if (place > 0) json += ','
    json += `{"place":${place},"app":"${item.applicationId}","nth_app":${nthOf.get(item.applicationId)},"id":"${item.transactionId}","ext":"${item.externalId}","type":"${item.type}"`
    json += `,"op":"${item.operator}","cur":"${OPERATORS[item.operator].country.currency}","name":${JSON.stringify(item.customerName)}`
    json += `,"phone":"${item.phoneNumber}","amount":${item.amountMinor},"fsys":${item.feeSystemMinor},"fapp":${item.feeAppMinor}`
    json += `,"url":${JSON.stringify(item.webhookUrl)},"tok":"${item.payToken}","source":"${item.source}","actor_kind":"${item.actor.kind}"`
    if (item.actor.id !== null) json += `,"actor":"${item.actor.id}"`
    if (item.makerId !== null) json += `,"maker":"${item.makerId}"`
    if (item.batchId !== null) json += `,"batch":"${item.batchId}"`
    if (item.batchSumMinor !== null) json += `,"batch_sum":${item.batchSumMinor}`
    if (item.bands !== null) json += `,"phones":${JSON.stringify(phoneNumberForms(item.phoneNumber))},"bands":${JSON.stringify(item.bands)}`
    json += '}'
  }
  return `${json}]`
}
