import { createHash } from 'node:crypto'
import { BULK_MAX, type DecidedResult, type DecisionObstacle, type DecisionRefusal, type SingleObstacle } from '#lib/approvals/approvals.ts'
import type { AttachmentDto } from '#lib/payments/attachments.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { findAttachmentOf } from '#server/attachments/attachment-store.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { ChangedMeanwhileError } from '#server/database/with-transaction.ts'
import type { Logger } from '#server/logger.ts'
import type { FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import { type Actor, transition, type Wake, wakeFor } from '#server/transactions/transition.ts'
import {
  type ApprovalDecision,
  type ApprovalItem,
  insertDecision,
  isBatchRow,
  noteChange,
  selectDecisions,
  selectItem,
  selectNeedingCode,
  selectVerdict,
  type Verdict,
} from './approval-store.ts'
import { contentHash, type ShownContent, shownContent } from './content-hash.ts'
import { type ApprovalViewer, countApprovals, findApprovals } from './queue/queue.ts'
import { spendProof } from './spend-proof.ts'

export type DecisionCommand = {
  applicationId: string
  transactionId: string
  checkerId: string
  decision: 'validated' | 'rejected'
  /** The payee note of a validation, the reason of a rejection; not empty. */
  note: string
  through: 'api' | 'back_office'
  /** The sender of the decision: the person, or the application's API user beside the checkerId that it names. */
  actor: Actor
  /** The hash of what the checker was shown; absent through the API, which shows nothing. */
  expectedHash?: string
  /** A fresh one-time code of the checker was verified for exactly this item. */
  hasFreshCode?: boolean
}

export type DecisionFailure =
  | { kind: 'not_found' }
  | { kind: DecisionObstacle; status: Transaction['status']; decisions: ApprovalDecision[] }
  /** A person decides on the batch of this row, not on the row. */
  | { kind: 'in_batch' }
  | { kind: SingleObstacle; operator: Transaction['operator']; type: Transaction['type'] }
  /** The rule does not let the application's program decide. */
  | { kind: 'api_may_not_decide'; rule: string }
  /** The API user that sends the approval in started the transaction, and the rule requires more than one person. */
  | { kind: 'started_by_api_user'; rule: string }
  | { kind: 'code_required' }
  /** The transaction has changed since it was displayed; nothing was decided. */
  | { kind: 'content_changed'; content: ShownContent; hash: string }

export type DecisionDeps = { pool: Pool; wake: Wake }

/**
 * Records one checker's decision and, when it was the last one needed, moves the transaction. A rejection ends it immediately.
 * Everything is checked again under the application's lock, so of two checkers at once one wins and the other learns what
 * happened. Wakes the dispatcher or the webhook deliveries of this process after the commit.
 */
export async function decide(deps: DecisionDeps, command: DecisionCommand): Promise<Result<Transaction, DecisionFailure>> {
  const decided = await runRecorded<Transaction, DecisionFailure>(deps.pool, command, async (trx) => {
    await lockCounters(trx, command.applicationId)
    const found = await loadWaiting(trx, command)
    if (!found) return err({ kind: 'not_found' })
    const refusal = refuseDecision(command, found)
    if (refusal) return err(refusal)
    const step = await record(trx, command, found)
    const isRefused = await moveOn(trx, command, found)
    if (isRefused) return err(isRefused)
    const { applicationId, transactionId, checkerId, decision, note, through } = command
    const after = await findTransaction(trx, applicationId, transactionId)
    if (!after) throw new Error('A decided transaction is gone')
    return done(
      {
        action: `transaction.${decision}`,
        subject: transactionId,
        details: { checkerId, note, step, through, ...onBehalf(found.verdict) },
      },
      after,
    )
  })
  if (decided.ok) wakeFor(deps.wake, decided.value.status)
  return decided
}

/** The absent checker in whose place a deputy decided, as the audit record has it. */
function onBehalf({ onBehalfOf }: Pick<Verdict, 'onBehalfOf'>): { onBehalfOf?: string } {
  return onBehalfOf === null ? {} : { onBehalfOf }
}

type Found = {
  transaction: Transaction
  item: ApprovalItem | undefined
  decisions: ApprovalDecision[]
  verdict: Verdict
  attachment: AttachmentDto | null
}

async function loadWaiting(trx: TrxClient, { applicationId, transactionId, checkerId }: DecisionCommand): Promise<Found | undefined> {
  const transaction = await findTransaction(trx, applicationId, transactionId)
  const verdict = await selectVerdict(trx, applicationId, transactionId, checkerId)
  if (!transaction || !verdict) return undefined
  const item = await selectItem(trx, applicationId, transactionId)
  const decisions = await selectDecisions(trx, applicationId, transactionId)
  const attachment = (await findAttachmentOf(trx, applicationId, transactionId)) ?? null
  return { transaction, item, decisions, verdict, attachment }
}

/** Persons and programs first, then states, then what the rule and the screen require. */
function refuseDecision(command: DecisionCommand, found: Found): DecisionFailure | undefined {
  const { transaction, item, decisions, attachment } = found
  const { obstacle, termsObstacle } = found.verdict
  const isPersonal = obstacle === 'not_a_checker' || obstacle === 'is_maker' || obstacle === 'has_password'
  // A program names its checkers: whether one is absent is known to people only, and a deputy decides with a second factor of their own.
  if (command.through === 'api' && found.verdict.onBehalfOf !== null)
    return { kind: 'not_a_checker', status: transaction.status, decisions }
  const ofProgram = item && !isPersonal ? refuseProgram(command, item) : undefined
  if (ofProgram) return ofProgram
  if (obstacle) return { kind: obstacle, status: transaction.status, decisions }
  if (command.through === 'back_office' && isBatchRow(transaction)) return { kind: 'in_batch' }
  if (termsObstacle && command.decision === 'validated') return refuseTerms(termsObstacle, transaction)
  if (!item) throw new Error('A waiting transaction has no approval item')
  if (command.decision === 'validated' && item.needsCode && !command.hasFreshCode) return { kind: 'code_required' }
  const content = shownContent(transaction, item, decisions, attachment)
  const hash = contentHash(content)
  if (command.expectedHash !== undefined && command.expectedHash !== hash) return { kind: 'content_changed', content, hash }
  return undefined
}

/**
 * Refuses two decisions to the application's program: one that the rule leaves to people, and an approval of its own transaction where the
 * rule requires two people or a code. One stolen set of credentials could otherwise start a payment and name every checker that it needs.
 */
function refuseProgram({ through, decision, actor }: DecisionCommand, item: ApprovalItem): DecisionFailure | undefined {
  if (through !== 'api') return undefined
  if (!item.apiMayDecide) return { kind: 'api_may_not_decide', rule: item.rule.name }
  const isJoint = item.needsCode || countApprovals(item.steps, []).needed > 1
  return decision === 'validated' && isJoint && actor.id === item.startedByApiUser
    ? { kind: 'started_by_api_user', rule: item.rule.name }
    : undefined
}

function refuseTerms(kind: SingleObstacle, { operator, type }: Transaction): DecisionFailure {
  return { kind, operator, type }
}

/** Stores the decision and returns the step that it belongs to. */
async function record(trx: TrxClient, command: DecisionCommand, { item, decisions, verdict: { onBehalfOf } }: Found): Promise<number> {
  const { applicationId, transactionId, checkerId, decision, note, through, actor, hasFreshCode = false } = command
  const { step } = countApprovals(item?.steps ?? [], decisions)
  const apiUserId = through === 'api' ? actor.id : null
  const usedCode = hasFreshCode
  await insertDecision(trx, { applicationId, transactionId, checkerId, onBehalfOf, decision, step, note, through, apiUserId, usedCode })
  return step
}

/** Moves the transaction if the decision ends the wait. Returns the reason if it may not move after all. */
async function moveOn(
  trx: TrxClient,
  command: DecisionCommand,
  { item, decisions, transaction }: Found,
): Promise<DecisionFailure | undefined> {
  const { applicationId, transactionId, checkerId, note, actor } = command
  const isRejection = command.decision === 'rejected'
  const isComplete = countApprovals(item?.steps ?? [], [...decisions, { decision: command.decision, counts: true }]).isComplete
  // One approval of several moves nothing, but people who have the queue open must see it.
  if (!isRejection && !isComplete) {
    await noteChange(trx, applicationId)
    return undefined
  }
  const [outcome] = await transition(trx, [
    isRejection
      ? { applicationId, transactionId, event: 'rejected', message: note, reason: note, actor, checkerId }
      : { applicationId, transactionId, event: 'approved', reason: note, actor, checkerId },
  ])
  if (outcome?.isMoved) return undefined
  // The switches of the application and its services are not under its lock: one may have changed since they were read.
  const now = await selectVerdict(trx, applicationId, transactionId, checkerId)
  if (now?.termsObstacle) return refuseTerms(now.termsObstacle, transaction)
  // Disabled and enabled again in between, or a check above is missing, which a retry does not hide.
  throw new ChangedMeanwhileError(`The decision on ${transactionId} did not move it`)
}

export type DecideManyCommand = {
  checker: ApprovalViewer
  decision: 'validated' | 'rejected'
  /** The payee note or the reason, the same for each. */
  note: string
  /** Exactly what the checker was shown; at most BULK_MAX, each once. */
  items: readonly { transactionId: string; contentHash: string }[]
  /** A fresh code or passkey, if one of the items requires it. */
  proof?: FreshProof | undefined
  /** The digest of the list for which a code was verified before; a list with another digest needs a code. */
  verifiedDigest?: string | undefined
}

export type DecideManyDeps = DecisionDeps & {
  clock: Clock
  logger: Pick<Logger, 'error'>
  metrics: { countOutcome(kind: 'decision', outcome: string): void }
}

/**
 * One checker's decision about a list. Returns one result per transaction, in the order of the list. Each transaction is decided
 * separately, so that one that has moved does not affect the others. A code is verified once, which uses it up, and counts for exactly this
 * list, whose digest is stored in the audit record. The list is refused as a whole, with nothing decided, only if the code is missing or wrong.
 */
export async function decideMany(deps: DecideManyDeps, command: DecideManyCommand): Promise<Result<DecidedResult[], DecisionRefusal>> {
  const { checker, decision, note } = command
  const items = onceEach(command.items)
  const needing =
    decision === 'validated'
      ? await selectNeedingCode(
          deps.pool,
          checker.applicationId,
          items.map((item) => item.transactionId),
        )
      : new Set<string>()
  if (needing.size > 0) {
    const digest = listDigest(items)
    const spent =
      digest === command.verifiedDigest
        ? ok(undefined)
        : await spendProof(deps, { checker, proof: command.proof, digest, count: items.length })
    if (!spent.ok) return spent
  }
  const failures = new Map<string, RefusedReason>()
  for (const { transactionId, contentHash } of items) {
    const result = await decide(deps, {
      applicationId: checker.applicationId,
      transactionId,
      checkerId: checker.id,
      decision,
      note,
      through: 'back_office',
      actor: { kind: 'person', id: checker.id },
      expectedHash: contentHash,
      hasFreshCode: needing.has(transactionId),
    }).catch((error: unknown) => {
      // A failure of one item must not prevent the decisions on the others, but it must be visible.
      reportUnexpected('approvals: decide', error, {
        logger: deps.logger,
        applicationId: checker.applicationId,
        transactionId,
        decision,
        message: 'A decision failed unexpectedly',
      })
      return 'unexpected' as const
    })
    const outcome = result === 'unexpected' ? result : result.ok ? decision : 'refused'
    deps.metrics.countOutcome('decision', outcome)
    if (result === 'unexpected') failures.set(transactionId, 'unexpected')
    else if (!result.ok) failures.set(transactionId, reasonOf(result.error.kind))
  }
  return ok(await report(deps, command, items, failures))
}

/** The items of a list, each once and at most BULK_MAX. */
export function onceEach(items: DecideManyCommand['items']): DecideManyCommand['items'] {
  return [...new Map(items.map((item) => [item.transactionId, item])).values()].slice(0, BULK_MAX)
}

/** The digest of a list as it was shown, for which a one-time code counts. */
export function listDigest(items: DecideManyCommand['items']): string {
  return createHash('sha256')
    .update(JSON.stringify(items.map((item) => [item.transactionId, item.contentHash])))
    .digest('hex')
}

type RefusedReason = Extract<DecidedResult, { kind: 'refused' }>['reason']

/** Returns the reason of a refusal. Failures that only programs meet cannot happen to a person's decision. */
function reasonOf(kind: DecisionFailure['kind']): RefusedReason {
  if (kind === 'api_may_not_decide' || kind === 'started_by_api_user') throw new Error(`A person was refused as a program: ${kind}`)
  return kind
}

/** Reports the current state of each item; for a refusal also who was quicker and what changed. */
async function report(
  deps: DecideManyDeps,
  { checker }: DecideManyCommand,
  items: DecideManyCommand['items'],
  failures: ReadonlyMap<string, RefusedReason>,
): Promise<DecidedResult[]> {
  const rows = await findApprovals(
    deps.pool,
    checker,
    items.map((item) => item.transactionId),
  )
  const byId = new Map(rows.map((row) => [row.transactionId, row]))
  return items.map(({ transactionId }) => {
    const now = byId.get(transactionId) ?? null
    const reason = failures.get(transactionId)
    if (reason !== undefined) return { transactionId, kind: 'refused', reason, now }
    if (!now) throw new Error('A decided transaction is gone')
    const { given, needed } = countApprovals(now.steps, now.decisions)
    return { transactionId, kind: 'done', status: now.status, given, needed }
  })
}
