import { createHash } from 'node:crypto'
import type { DecisionRefusal } from '#lib/approvals/approvals.ts'
import type { BatchDecidedResult, BatchDecisionRefusal, BatchDifference } from '#lib/approvals/batch-approval.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { type Done, done, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { ChangedMeanwhileError, withTransaction } from '#server/database/with-transaction.ts'
import type { FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { type TransitionItem, transition, wakeFor } from '#server/transactions/transition.ts'
import { noteChange } from './approval-store.ts'
import { type BatchState, insertBatchDecisions, selectBatch, selectCompleteRows, selectMovedSince, selectTermsOf } from './batch-store.ts'
import { type WeighedBatch, weighBatch } from './batches.ts'
import type { DecisionDeps } from './decide.ts'
import type { ApprovalViewer } from './queue/queue.ts'
import { spendProof } from './spend-proof.ts'

/** How many moved rows a refusal names; it counts the others. */
const NAMED_MAX = 20
/** How many excluded rows the audit entry names; each has its reason in its own history. */
const AUDITED_MAX = 100

export type DecideBatchCommand = {
  checker: ApprovalViewer
  batchId: string
  decision: 'validated' | 'rejected'
  /** The payee note or the reason, the same for each row that is not excluded. */
  note: string
  /** Rows that a validation rejects instead, each once and with its own reason. */
  excluded: readonly { transactionId: string; reason: string }[]
  /** The digest of what was shown, and when: everything about it is decided, or nothing. */
  hash: string
  shownAt: Date
  proof?: FreshProof | undefined
  /** The digest of this decision for which a code was verified before. */
  verifiedDigest?: string | undefined
}

type Refusal = BatchDecisionRefusal | 'not_found'
type InsideRefusal = Refusal | 'changed' | 'rehearsed'
type Decided = Extract<BatchDecidedResult, { kind: 'done' }>
export type DecideBatchDeps = DecisionDeps & { clock: Clock; metrics: { countOutcome(kind: 'decision', outcome: string): void } }

/**
 * One checker's decision about a whole batch, in one database transaction: either all of it is stored or nothing. Excluded rows
 * are rejected with their reasons. The others are approved, and sent when this was the last approval that the batch requires, or rejected. Nothing
 * is decided if a row, an approval or a rule changed since the batch was shown; the result then says what.
 */
export async function decideBatch(deps: DecideBatchDeps, command: DecideBatchCommand): Promise<Result<BatchDecidedResult, Refusal>> {
  const { applicationId, id } = command.checker
  const by = { applicationId, actor: { kind: 'person' as const, id } }
  const attempt = (hasFreshCode: boolean) =>
    runRecorded<Decided, InsideRefusal>(deps.pool, by, (trx) => decideInside(trx, command, { hasFreshCode }))
  const attempted = await attemptWithCode(deps, command, attempt)
  if (!attempted.ok) return attempted
  const { result: decided } = attempted.value
  if (!decided.ok) return answerRefusal(deps.pool, command, decided.error)
  const { approved, rejected } = decided.value
  deps.metrics.countOutcome('decision', command.decision)
  if (approved > 0) wakeFor(deps.wake, 'PENDING')
  if (rejected > 0) wakeFor(deps.wake, 'FAILED')
  return decided
}

/**
 * Checks a validation of a whole batch as `decideBatch` does, and stores nothing. Returns the digest for which it verified the code that the batch
 * requires, null if it requires none, or what has changed.
 */
export async function rehearseBatch(
  deps: DecideBatchDeps,
  command: DecideBatchCommand,
): Promise<
  Result<{ kind: 'ready'; codeDigest: string | null; stillWaiting: number } | Extract<BatchDecidedResult, { kind: 'changed' }>, Refusal>
> {
  let stillWaiting = 0
  const attempt = (hasFreshCode: boolean) =>
    withTransaction<never, InsideRefusal>(deps.pool, async (trx) => {
      const onRehearsed = (waiting: number) => {
        stillWaiting = waiting
      }
      const rehearsed = await decideInside(trx, command, { hasFreshCode, onRehearsed })
      return err(rehearsed.ok ? 'rehearsed' : rehearsed.error)
    })
  const attempted = await attemptWithCode(deps, command, attempt)
  if (!attempted.ok) return attempted
  const { result, codeDigest } = attempted.value
  if (result.ok) throw new Error('A rehearsal was committed')
  if (result.error === 'rehearsed') return ok({ kind: 'ready', codeDigest, stillWaiting })
  return answerRefusal(deps.pool, command, result.error)
}

/** A code is used up when it is checked, so it is the last thing that is: only after an attempt that needs nothing else. */
async function attemptWithCode<Value>(
  deps: DecideBatchDeps,
  command: DecideBatchCommand,
  attempt: (hasFreshCode: boolean) => Promise<Result<Value, InsideRefusal>>,
): Promise<Result<{ result: Result<Value, InsideRefusal>; codeDigest: string | null }, DecisionRefusal>> {
  const result = await attempt(false)
  if (result.ok || result.error !== 'code_required') return ok({ result, codeDigest: null })
  const codeDigest = batchDigest(command)
  if (codeDigest !== command.verifiedDigest) {
    const spent = await spendProof(deps, { checker: command.checker, proof: command.proof, digest: codeDigest, count: 1 })
    if (!spent.ok) return spent
  }
  return ok({ result: await attempt(true), codeDigest })
}

/** The digest of a decision about a batch as it was shown, for which a one-time code counts. */
function batchDigest({ batchId, hash, excluded }: DecideBatchCommand): string {
  return createHash('sha256')
    .update(JSON.stringify([batchId, hash, excluded]))
    .digest('hex')
}

/**
 * Decides in this transaction. A rehearsal ends with the error `rehearsed` where nothing is refused, so that nothing is committed, and is told
 * how many rows would wait for another approval.
 */
async function decideInside(
  trx: TrxClient,
  command: DecideBatchCommand,
  { hasFreshCode, onRehearsed }: { hasFreshCode: boolean; onRehearsed?: (waiting: number) => void },
): Promise<Result<Done<Decided>, InsideRefusal>> {
  const { checker, batchId, decision, note, excluded } = command
  const { applicationId } = checker
  await lockCounters(trx, applicationId)
  const batch = await selectBatch(trx, checker, batchId)
  if (!batch) return err('not_found')
  const weighed = weighBatch(batch)
  const refusal = refuse(command, batch, weighed)
  if (refusal) return err(refusal)
  if (decision === 'validated' && weighed.needsCode && !hasFreshCode) return err('code_required')
  const rows = await insertBatchDecisions(trx, {
    applicationId,
    batchId,
    checkerId: checker.id,
    decision,
    step: weighed.step,
    note,
    usedCode: hasFreshCode,
    excluded: decision === 'validated' ? excluded : [],
  })
  const rejected = rows.filter((row) => row.decision === 'rejected').map((row) => row.transactionId)
  const validated = rows.filter((row) => row.decision === 'validated').map((row) => row.transactionId)
  // An excluded row that this person may not decide on, or that is not in the batch, was not shown as one that they could exclude.
  if (decision === 'validated' && rejected.length !== excluded.length) return err('changed')
  if (decision === 'validated' && validated.length === 0) return err('nothing_left')
  // Excluded rows do not count: leaving them out is how a batch goes on without an operator that is switched off.
  const terms = weighed.terms.length > 0 ? await selectTermsOf(trx, applicationId, validated) : null
  if (terms) return err(terms)
  const approved =
    weighed.needed <= 1 ? validated : validated.length > 0 ? await selectCompleteRows(trx, applicationId, batchId, weighed.needed) : []
  const waiting = waitingCount(batch) - approved.length - rejected.length
  if (onRehearsed) {
    onRehearsed(waiting)
    return err('rehearsed')
  }
  await move(trx, command, { approved, rejected })
  const absent = [...new Set(rows.flatMap(({ onBehalfOf }) => (onBehalfOf === null ? [] : [onBehalfOf])))]
  const details = {
    checkerId: checker.id,
    note,
    step: weighed.step,
    hash: command.hash,
    rows: rows.length,
    excludedCount: decision === 'validated' ? rejected.length : 0,
    excluded: excluded.slice(0, AUDITED_MAX),
    sent: approved.length,
    // The absent checkers in whose place a deputy decided.
    ...(absent.length > 0 ? { onBehalfOf: absent } : {}),
  }
  const given = Math.min(weighed.needed, weighed.given + (decision === 'validated' ? 1 : 0))
  const decided = { kind: 'done' as const, approved: approved.length, rejected: rejected.length, waiting, given, needed: weighed.needed }
  return done({ action: `batch.${decision}`, subject: batchId, details }, decided)
}

/** Persons first, then states, then what the screen showed. */
function refuse(command: DecideBatchCommand, batch: BatchState, weighed: WeighedBatch): Refusal | 'changed' | undefined {
  const { obstacle } = weighed
  const isPersonal = obstacle === 'not_a_checker' || obstacle === 'is_maker'
  if (obstacle && (isPersonal || obstacle === 'submitting')) return obstacle
  // Somebody was quicker, which the difference says by name; a person who decided before knows that.
  if (obstacle && obstacle !== 'not_waiting') return obstacle
  if (batch.hash !== command.hash) return 'changed'
  if (obstacle) return obstacle
  return undefined
}

async function answerRefusal(
  queryable: Queryable,
  command: DecideBatchCommand,
  refusal: InsideRefusal,
): Promise<Result<Extract<BatchDecidedResult, { kind: 'changed' }>, Refusal>> {
  if (refusal === 'rehearsed') throw new Error('A decision about a batch was only rehearsed')
  if (refusal !== 'changed') return err(refusal)
  return ok({ kind: 'changed', difference: await readDifference(queryable, command) })
}

/** The content of a payment never changes: only decisions, and rows that stopped waiting, can make a difference. */
async function readDifference(queryable: Queryable, { checker, batchId, shownAt }: DecideBatchCommand): Promise<BatchDifference> {
  const [moved, batch] = await Promise.all([
    selectMovedSince(queryable, checker.applicationId, batchId, shownAt, NAMED_MAX),
    selectBatch(queryable, checker, batchId),
  ])
  const decisions = (batch?.decisions ?? []).filter((one) => !one.counts || new Date(one.decidedAt) > shownAt)
  return {
    moved: moved.map(({ transactionId, customerName, event, by, programName, at }) => ({
      transactionId,
      customerName,
      event,
      by,
      programName,
      at: at.toISOString(),
    })),
    movedCount: moved[0]?.total ?? 0,
    decisions: decisions.map(({ checkerName, programName, absentName, decision, decidedAt, counts }) => ({
      checkerName,
      programName,
      absentName,
      decision,
      at: new Date(decidedAt).toISOString(),
      counts,
    })),
  }
}

async function move(
  trx: TrxClient,
  { checker, note, decision, excluded }: DecideBatchCommand,
  { approved, rejected }: { approved: readonly string[]; rejected: readonly string[] },
): Promise<void> {
  const { applicationId, id: checkerId } = checker
  const actor = { kind: 'person' as const, id: checkerId }
  const reasons = new Map(decision === 'validated' ? excluded.map((row) => [row.transactionId, row.reason]) : [])
  const items: TransitionItem[] = [
    ...approved.map((transactionId) => ({ applicationId, transactionId, event: 'approved' as const, reason: note, actor, checkerId })),
    ...rejected.map((transactionId) => {
      const reason = reasons.get(transactionId) ?? note
      return { applicationId, transactionId, event: 'rejected' as const, message: reason, reason, actor, checkerId }
    }),
  ]
  // One approval of two moves nothing, but people who have the batch open must see it.
  if (items.length === 0) return noteChange(trx, applicationId)
  const outcomes = await transition(trx, items)
  // A service was switched off since it was read, which is not under this lock: what is read again says so.
  if (outcomes.some((outcome) => !outcome?.isMoved)) throw new ChangedMeanwhileError('A decision on a batch did not move all of it')
}

function waitingCount({ groups }: BatchState): number {
  return groups.reduce((count, group) => count + (group.status === 'PENDING_APPROVAL' ? group.count : 0), 0)
}
