import { TRANSITIONS, type TransactionStatus, type TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import { type Batcher, type BatcherOptions, createBatcher } from '#server/database/batcher.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { isDataError, RETRY_CANCELLED } from '#server/database/with-transaction.ts'
import { retryWithBackoff } from '#server/retry.ts'
import type { ClaimedDelivery } from '#server/webhooks/delivery-store.ts'
import { type AppliedRow, callApplyTransitions, type TransitionRow, type WebhookClaim } from './transaction-store.ts'

export type TransitionItem = {
  applicationId: string
  transactionId: string
  event: TransitionEvent
  /** The message of the final transaction: the operator's sentence, or the reason of a rejection. */
  message?: string
  /** A person's note, or the operator's own code; stored in the event. */
  reason?: string
  operatorToken?: string
  /** The operator's own name of the transaction, which its statements use. */
  operatorReference?: string
  /** The second one of an operator that has two. */
  operatorReferenceOther?: string
  actor: Actor
  /** The person who decided; the guarded update refuses the maker. */
  checkerId?: string
  /** The answer to the query that found this result; stored as an attempt in the same statement, even if nothing moves. */
  answer?: QueryAnswer
  /** The callback for which that query was made; stored in front of it, if the item moves. */
  callback?: StoredCallback
}

/** An operator's answer to a query. `number` is that of the attempt; null if none was given out for it yet. */
type QueryAnswer = { number: number | null; outcome: 'succeeded' | 'failed'; httpStatus: number | null; text: string; durationMs: number }

type StoredCallback = { outcome: string; text: string; isVerified: boolean }

/** Undefined if this application has no such transaction. Not moved if it was not in the state in which the edge starts. */
export type TransitionOutcome = { isMoved: boolean; status: TransactionStatus; version: number } | undefined

/**
 * Moves transactions along one edge each; the only function that changes a status. One statement contains the guarded update, event,
 * ledger posting, balances, counters, operator work and webhook outbox. It locks the counters of the applications
 * concerned, so a caller with a database transaction of its own must not hold locks that others take after those. A transaction may
 * occur only once in a call.
 */
export async function transition(queryable: Queryable, items: TransitionItem[]): Promise<TransitionOutcome[]> {
  return toOutcomes(items, await applyAll(queryable, items, undefined))
}

function applyAll(queryable: Queryable, items: TransitionItem[], claim: WebhookClaim | undefined): Promise<AppliedRow[]> {
  const applicationIds = [...new Set(items.map((item) => item.applicationId))].sort()
  const rows = items.map((item, index) => toTransitionRow(item, index, applicationIds))
  return callApplyTransitions(queryable, applicationIds, rows, claim)
}

function toOutcomes(items: readonly TransitionItem[], rows: readonly AppliedRow[]): TransitionOutcome[] {
  const outcomes = new Array<TransitionOutcome>(items.length).fill(undefined)
  for (const row of rows) outcomes[row.item_index] = { isMoved: row.is_moved, status: row.status, version: row.version }
  return outcomes
}

function toTransitionRow(item: TransitionItem, index: number, applicationIds: string[]): TransitionRow {
  const edge = TRANSITIONS[item.event]
  return {
    item_index: index,
    application_id: item.applicationId,
    application_index: applicationIds.indexOf(item.applicationId) + 1,
    transaction_id: item.transactionId,
    from_status: edge.from,
    to_status: edge.to,
    event: item.event,
    message: item.message ?? null,
    reason: item.reason ?? null,
    operator_token: item.operatorToken ?? null,
    operator_reference: item.operatorReference ?? null,
    operator_reference_other: item.operatorReferenceOther ?? null,
    actor_kind: item.actor.kind,
    actor_id: item.actor.id,
    checker_id: item.checkerId ?? null,
    answer_number: item.answer?.number ?? null,
    answer_outcome: item.answer?.outcome ?? null,
    answer_http_status: item.answer?.httpStatus ?? null,
    answer_text: item.answer?.text ?? null,
    answer_duration_ms: item.answer ? Math.round(item.answer.durationMs) : null,
    callback_outcome: item.callback?.outcome ?? null,
    callback_text: item.callback?.text ?? null,
    callback_is_verified: item.callback?.isVerified ?? null,
  }
}

export type Settler = {
  /** Moves one transaction, in one batch with others that end at the same time. Resolves after the commit. */
  settle(item: TransitionItem): Promise<TransitionOutcome>
  drain(): Promise<void>
}

/** Webhooks that a batch wrote. */
export type WrittenWebhooks = {
  /** Under this process's claim, which started at `claimedAt`. */
  claimed: ClaimedDelivery[]
  claimedAt: Date
  /** The receivers of those that were written unclaimed, each once. */
  unclaimedTargets: string[]
}

type SettlerOptions = {
  pool: Pool
  batchMax?: number
  onBatch?(size: number): void
  /** The claim under which this process's delivery loop takes webhooks that are due at once; undefined if it has none, or takes none now. */
  claimWebhooks?(): WebhookClaim | undefined
  /** Called after each batch that wrote webhooks. */
  onWebhooks?(written: WrittenWebhooks): void
}

/** Creates the batches of settlement, which work like those of intake. */
export function createSettler(options: SettlerOptions): Settler {
  const partitions = createPartitions<TransitionItem, TransitionOutcome>({
    key: (item) => item.transactionId,
    async run(items) {
      const claim = options.claimWebhooks?.()
      // The statement changes rows of operator_work that the dispatcher also updates, so a deadlock is possible. It is repeated then.
      const rows = await retryWithBackoff(() => applyAll(options.pool, items, claim), RETRY_CANCELLED)
      const written = toWrittenWebhooks(items, rows)
      if (written) options.onWebhooks?.(written)
      return toOutcomes(items, rows)
    },
    // Results come from our own bounded dispatcher, and none may be refused.
    queueMax: Number.MAX_SAFE_INTEGER,
    batchMax: options.batchMax ?? 256,
    isItemError: isDataError,
    onBatch: options.onBatch,
  })
  return { settle: partitions.submit, drain: partitions.drain }
}

/** Undefined if the batch wrote no webhook. */
function toWrittenWebhooks(items: readonly TransitionItem[], rows: readonly AppliedRow[]): WrittenWebhooks | undefined {
  const claimed: ClaimedDelivery[] = []
  const unclaimed = new Set<string>()
  for (const row of rows) {
    const item = items[row.item_index]
    if (row.webhook_target === null || !item) continue
    const delivery = toDelivery(item, row, row.webhook_target)
    if (delivery) claimed.push(delivery)
    else unclaimed.add(row.webhook_target)
  }
  const [first] = claimed
  if (!first && unclaimed.size === 0) return undefined
  return { claimed, claimedAt: first?.dueAt ?? new Date(), unclaimedTargets: [...unclaimed] }
}

/** The first attempt of a webhook that was written under a claim; undefined if it was written unclaimed. */
function toDelivery({ applicationId, transactionId }: TransitionItem, row: AppliedRow, target: string): ClaimedDelivery | undefined {
  const { webhook_url: url, webhook_external_id: externalId, webhook_amount_minor: amount, webhook_phone_number: phoneNumber } = row
  const { webhook_operator: operator, webhook_final_at: finalAt } = row
  if (url === null || externalId === null || amount === null || phoneNumber === null || operator === null || finalAt === null)
    return undefined
  return {
    applicationId,
    transactionId,
    resendNumber: null,
    number: 1,
    target,
    url,
    externalId,
    status: row.status,
    amountMinor: BigInt(amount),
    phoneNumber,
    operator,
    message: row.webhook_message,
    finalAt,
    dueAt: new Date(finalAt),
  }
}

/**
 * Notifies the loops of this process, if it has them, so that what a command committed is submitted or delivered immediately and not at the
 * next idle poll. Commands that move transactions call it after their commit.
 */
export type Wake = {
  /** Operator work was added. */
  operators(): void
  /** Transactions became final, and their webhooks are due. */
  webhooks(): void
}

/** For programs without loops (the command line, tests). The loops of other processes find the work at their next poll. */
export const NO_LOOPS: Wake = { operators: () => undefined, webhooks: () => undefined }

/** Wakes the loop that handles what this status leads to. */
export function wakeFor(wake: Wake, status: TransactionStatus): void {
  if (status === 'PENDING') wake.operators()
  else if (status === 'SUCCESS' || status === 'FAILED') wake.webhooks()
}

/** The actor: a partner's program (its API user), a person, an operator, or the service. */
export type Actor = { kind: 'api' | 'person' | 'operator' | 'system'; id: string | null }

export const SYSTEM_ACTOR: Actor = { kind: 'system', id: null }

/**
 * Two batches of a partition mostly lock the same counters, so the second one does nothing but wait for the first; meanwhile more could join it.
 * With this many items it is worth having at hand when the first one commits.
 */
const BESIDE_MIN = 64

type Partitions<Item, Outcome> = Pick<Batcher<Item, Outcome>, 'submit' | 'waiting' | 'drain'>

/**
 * Two batchers that share the applications: an application always uses the same one, chosen by the last digit of its id. Intake and
 * settlement lock the counters of their applications, so batches of two partitions never wait for each other, whichever process runs them.
 * Within a partition the next batch waits at the lock and starts when the first one commits.
 */
export function createPartitions<Item extends { applicationId: string }, Outcome>(
  options: Omit<BatcherOptions<Item, Outcome>, 'slots' | 'besideMin'>,
): Partitions<Item, Outcome> {
  const newPartition = () => createBatcher({ ...options, slots: 2, besideMin: BESIDE_MIN })
  const partitions: [Batcher<Item, Outcome>, Batcher<Item, Outcome>] = [newPartition(), newPartition()]
  return {
    submit: (item) => partitions[partitionOf(item.applicationId)].submit(item),
    waiting: () => partitions[0].waiting() + partitions[1].waiting(),
    drain: async () => void (await Promise.all([partitions[0].drain(), partitions[1].drain()])),
  }
}

function partitionOf(applicationId: string): 0 | 1 {
  return applicationId.charCodeAt(applicationId.length - 1) % 2 === 0 ? 0 : 1
}
