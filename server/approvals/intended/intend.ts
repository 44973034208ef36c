import { randomUUID } from 'node:crypto'
import type { ApprovalRow, DecisionRefusal, DecisionResult, Intended } from '#lib/approvals/approvals.ts'
import type { BatchDecisionRefusal, BatchDecisionResult } from '#lib/approvals/batch-approval.ts'
import type { RefusedReason } from '#lib/approvals/intended.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { callerAddress } from '#server/caller-address.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { noteChange } from '../approval-store.ts'
import { type DecideManyCommand, type DecideManyDeps, decideMany, listDigest, onceEach } from '../decide.ts'
import { type DecideBatchCommand, type DecideBatchDeps, decideBatch, rehearseBatch } from '../decide-batch.ts'
import { type ApprovalViewer, findApprovals } from '../queue/queue.ts'
import { spendProof } from '../spend-proof.ts'
import { type BatchCommand, insertIntention, type ListCommand, selectIntended } from './intention-store.ts'

type Command<Whole extends { verifiedDigest?: string | undefined }> = Omit<Whole, 'verifiedDigest'>

/**
 * A person's decision about a list. A validation takes effect after the seconds in which the application lets people undo, and is then
 * checked again; what would be refused now is refused now, and a required code is verified and used up now. A rejection moves no money and
 * takes effect at once, and so does everything where the setting is 0. What this person has validated and can still undo is refused as
 * `intended_already`.
 */
export async function decideOrIntendMany(
  deps: DecideManyDeps,
  command: Command<DecideManyCommand>,
): Promise<Result<DecisionResult[], DecisionRefusal>> {
  const { checker, decision, note, proof } = command
  const all = onceEach(command.items)
  const ids = all.map((item) => item.transactionId)
  const { undoSeconds, transactionIds } = await selectIntended(deps.pool, asker(checker), { transactionIds: ids })
  const delays = decision === 'validated' && undoSeconds > 0
  if (!delays && transactionIds.size === 0) return decideMany(deps, { checker, decision, note, items: all, proof })
  const rows = new Map((await findApprovals(deps.pool, checker, ids)).map((row) => [row.transactionId, row]))
  const refusals = new Map<string, RefusedReason>()
  for (const { transactionId, contentHash } of all) {
    const reason = transactionIds.has(transactionId) ? 'intended_already' : delays ? refusalOf(rows.get(transactionId), contentHash) : null
    if (reason) refusals.set(transactionId, reason)
  }
  const items = all.filter((item) => !refusals.has(item.transactionId))
  const answered = new Map<string, DecisionResult>()
  if (items.length > 0) {
    const decided = await (delays
      ? intendMany(deps, { checker, note, proof, items }, { undoSeconds, rows })
      : decideMany(deps, { checker, decision, note, items, proof }))
    if (!decided.ok) return decided
    for (const result of decided.value) answered.set(result.transactionId, result)
  }
  return ok(
    ids.map((transactionId) => {
      const reason = refusals.get(transactionId) ?? 'intended_already'
      return answered.get(transactionId) ?? { transactionId, kind: 'refused', reason, now: rows.get(transactionId) ?? null }
    }),
  )
}

/** Why an item cannot be validated now. Whether a code is there is checked for the list as a whole. */
function refusalOf(row: ApprovalRow | undefined, contentHash: string): RefusedReason | null {
  if (!row) return 'not_found'
  if (row.canApprove !== true && row.canApprove !== 'second_factor_missing') return row.canApprove
  return row.contentHash === contentHash ? null : 'content_changed'
}

async function intendMany(
  deps: DecideManyDeps,
  { checker, note, proof, items }: Pick<DecideManyCommand, 'checker' | 'note' | 'proof' | 'items'>,
  { undoSeconds, rows }: { undoSeconds: number; rows: ReadonlyMap<string, ApprovalRow> },
): Promise<Result<DecisionResult[], DecisionRefusal>> {
  const digest = items.some((item) => rows.get(item.transactionId)?.needsCode) ? listDigest(items) : null
  if (digest !== null) {
    const spent = await spendProof(deps, { checker, proof, digest, count: items.length })
    if (!spent.ok) return spent
  }
  const transactionIds = items.map((item) => item.transactionId)
  const command: ListCommand = { items, note }
  const progress = new Map(transactionIds.map((id) => [id, progressAfter(rows.get(id))]))
  const stillWaiting = [...progress.values()].filter(({ given, needed }) => given < needed).length
  const subject = { transactionIds, command }
  const stored = await storeIntention(deps.pool, { checker, codeDigest: digest, undoSeconds, stillWaiting, subject })
  // In another window, at the same time: nothing of this list is intended twice.
  if (!stored.ok) return ok([])
  return ok([...progress].map(([transactionId, after]) => ({ transactionId, kind: 'intended', ...after, ...stored.value })))
}

/** The approvals of a payment once one more has taken effect. */
function progressAfter(row: ApprovalRow | undefined): { given: number; needed: number } {
  const needed = row?.needed ?? 1
  return { given: Math.min(needed, (row?.given ?? 0) + 1), needed }
}

/** The same for a whole batch. */
export async function decideOrIntendBatch(
  deps: DecideBatchDeps,
  command: Command<DecideBatchCommand>,
): Promise<Result<BatchDecisionResult, BatchDecisionRefusal | 'not_found'>> {
  const { checker, batchId, hash, note, excluded, shownAt } = command
  const { undoSeconds, isBatchIntended } = await selectIntended(deps.pool, asker(checker), { batchId })
  if (isBatchIntended) return err('intended_already')
  if (command.decision === 'rejected' || undoSeconds === 0) return decideBatch(deps, command)
  const rehearsed = await rehearseBatch(deps, command)
  if (!rehearsed.ok) return rehearsed
  const { value } = rehearsed
  if (value.kind === 'changed') return ok(value)
  const subject = { batchId, command: { hash, note, excluded, shownAt: shownAt.toISOString() } }
  const { codeDigest, stillWaiting } = value
  const stored = await storeIntention(deps.pool, { checker, codeDigest, undoSeconds, stillWaiting, subject })
  return stored.ok ? ok({ kind: 'intended', ...stored.value }) : stored
}

type NewIntention = {
  checker: ApprovalViewer
  codeDigest: string | null
  undoSeconds: number
  stillWaiting: number
  subject: { transactionIds: string[]; command: ListCommand } | { batchId: string; command: BatchCommand }
}

/** Stores it unless one of its items is intended already, which only the lock of the application can say for sure. */
function storeIntention(
  pool: Pool,
  { checker, codeDigest, undoSeconds, stillWaiting, subject }: NewIntention,
): Promise<Result<Intended, 'intended_already'>> {
  const { applicationId, personId } = asker(checker)
  const intentionId = randomUUID()
  return runRecorded<Intended, 'intended_already'>(pool, { applicationId, actor: { kind: 'person', id: personId } }, async (trx) => {
    await lockCounters(trx, applicationId)
    const { transactionIds, isBatchIntended } = await selectIntended(trx, { applicationId, personId }, subject)
    if (transactionIds.size > 0 || isBatchIntended) return err('intended_already')
    const address = callerAddress()
    const dueAt = (
      await insertIntention(trx, { applicationId, intentionId, personId, address, codeDigest, undoSeconds, stillWaiting, ...subject })
    ).toISOString()
    await noteChange(trx, applicationId)
    return done(
      { action: 'approvals.intended', ...actOf(subject, intentionId), details: detailsOf(subject, dueAt) },
      { intentionId, dueAt },
    )
  })
}

/** The subject of an audit entry about an intended decision: the batch, the only transaction, or the list by the id of the intention. */
export function actOf(about: { transactionIds: readonly string[] | null } | { batchId: string }, intentionId: string): { subject: string } {
  if ('batchId' in about) return { subject: about.batchId }
  const [only, ...others] = about.transactionIds ?? []
  return { subject: only !== undefined && others.length === 0 ? only : intentionId }
}

function detailsOf(subject: NewIntention['subject'], dueAt: string): { note: string; count: number; dueAt: string } {
  const count = 'batchId' in subject ? 1 : subject.transactionIds.length
  return { note: subject.command.note, count, dueAt }
}

function asker({ applicationId, id }: ApprovalViewer): { applicationId: string; personId: string } {
  return { applicationId, personId: id }
}
