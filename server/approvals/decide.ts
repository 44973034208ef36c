import { approvalProgress, canDecide, type DecisionObstacle } from '#lib/approval-verdict.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { loadActor } from '#server/identity/load-actor.ts'
import type { Actor } from '#server/transactions/actor.ts'
import { findTransaction } from '#server/transactions/find-transaction.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { transition } from '#server/transactions/transition.ts'
import {
  type ApprovalDecision,
  type ApprovalItem,
  insertDecision,
  lockCounters,
  noteChange,
  selectDecisions,
  selectItem,
} from './approval-store.ts'
import { contentHash, type ShownContent, shownContent } from './content-hash.ts'

export type DecisionCommand = {
  applicationId: string
  transactionId: string
  checkerId: string
  decision: 'validated' | 'rejected'
  /** The payee note of a validation, the reason of a rejection; not empty. */
  note: string
  through: 'api' | 'back_office'
  /** Who sent the decision in: the person, or the application's API user beside the checkerId that it names. */
  actor: Actor
  /** The hash of what the checker was shown; absent through the API, which shows nothing. */
  expectedHash?: string
  /** A fresh one-time code of the checker was verified for exactly this item. */
  hasFreshCode?: boolean
}

export type DecisionFailure =
  | { kind: 'not_found' }
  | { kind: DecisionObstacle; status: Transaction['status']; decisions: ApprovalDecision[] }
  | { kind: 'code_required' }
  /** What was shown is not what stands there now; nothing was decided. */
  | { kind: 'content_changed'; content: ShownContent; hash: string }

export type DecisionDeps = { pool: Pool; clock: Clock }

/**
 * Records one checker's decision and, when it was the last one needed, moves the transaction (DESIGN 9). A rejection
 * ends it at once. Everything is checked again under the application's lock, so of two checkers at once one wins and the
 * other learns what happened.
 */
export function decide(deps: DecisionDeps, command: DecisionCommand): Promise<Result<Transaction, DecisionFailure>> {
  return withTransaction(deps.pool, async (trx) => {
    await lockCounters(trx, command.applicationId)
    const found = await loadWaiting(trx, command)
    if (!found) return err({ kind: 'not_found' })
    const refusal = await refuseDecision(deps, trx, command, found)
    if (refusal) return err(refusal)
    // Without an item there is nothing to decide, which the state has already said.
    const { item, decisions } = found
    if (!item) throw new Error('A waiting transaction has no approval item')
    const validated = decisions.filter((decision) => decision.decision === 'validated').length
    const { step } = approvalProgress(item.steps, validated)
    const { applicationId, transactionId, checkerId, decision, note, through } = command
    await insertDecision(trx, {
      applicationId,
      transactionId,
      checkerId,
      decision,
      step,
      note,
      through,
      usedCode: command.hasFreshCode ?? false,
    })
    await moveOn(trx, command, approvalProgress(item.steps, validated + 1).isComplete)
    await appendAudit(trx, {
      applicationId,
      actor: command.actor,
      action: `transaction.${decision}`,
      subject: transactionId,
      details: { checkerId, note, step, through },
    })
    const after = await findTransaction(trx, applicationId, transactionId)
    if (!after) throw new Error('A decided transaction is gone')
    return ok(after)
  })
}

type Found = { transaction: Transaction; item: ApprovalItem | undefined; decisions: ApprovalDecision[] }

async function loadWaiting(trx: TrxClient, { applicationId, transactionId }: DecisionCommand): Promise<Found | undefined> {
  const transaction = await findTransaction(trx, applicationId, transactionId)
  if (!transaction) return undefined
  const item = await selectItem(trx, applicationId, transactionId)
  return { transaction, item, decisions: await selectDecisions(trx, applicationId, transactionId) }
}

/** Persons first, then states, then what the rule and the screen ask (DESIGN 5, Order of checks). */
async function refuseDecision(
  deps: DecisionDeps,
  trx: TrxClient,
  command: DecisionCommand,
  found: Found,
): Promise<DecisionFailure | undefined> {
  const { transaction, item, decisions } = found
  const person = await loadActor(trx, command.checkerId, command.applicationId)
  const verdict = canDecide({
    person: { id: command.checkerId, roles: person.ok ? person.value.roles : [] },
    makerId: transaction.makerId,
    status: transaction.status,
    isExpired: item !== undefined && item.expiresAt <= deps.clock.now(),
    deciderIds: decisions.map((decision) => decision.checkerId),
  })
  if (verdict !== true) return { kind: verdict, status: transaction.status, decisions }
  if (!item) throw new Error('A waiting transaction has no approval item')
  if (command.decision === 'validated' && item.needsCode && !command.hasFreshCode) return { kind: 'code_required' }
  const content = shownContent(transaction, item, decisions)
  const hash = contentHash(content)
  if (command.expectedHash !== undefined && command.expectedHash !== hash) return { kind: 'content_changed', content, hash }
  return undefined
}

async function moveOn(trx: TrxClient, command: DecisionCommand, isComplete: boolean): Promise<void> {
  const { applicationId, transactionId, checkerId, note, actor } = command
  const isRejection = command.decision === 'rejected'
  // One approval of several moves nothing, but whoever looks at the queue has to see it.
  if (!isRejection && !isComplete) return noteChange(trx, applicationId)
  const [outcome] = await transition(trx, [
    isRejection
      ? { applicationId, transactionId, event: 'rejected', message: note, reason: note, actor, checkerId }
      : { applicationId, transactionId, event: 'approved', reason: note, actor, checkerId },
  ])
  // Everything was checked under the lock: a refusal here means that a check is missing above.
  if (!outcome?.isMoved) throw new Error(`The decision on ${transactionId} did not move it`)
}
