import type { Random } from '#lib/seeded-random.ts'
import { EXPIRED_MESSAGE } from '#server/approvals/expire-approvals.ts'
import { SYSTEM_ACTOR, type TransitionItem } from '#server/transactions/transition.ts'
import { PAYEE_NOTES, RECALL_REASON, REJECTION_REASONS } from '../seed-applications.ts'
import { iso } from './history-rows.ts'
import { HOUR_MS } from './plan-history.ts'
import type { Decision, LiveTransaction, Setting, Simulation } from './simulation.ts'

/** Plans what checkers and maker do about a transaction that waits for approval. */
export function planDecisions({ setting, queue }: Simulation, live: LiveTransaction): void {
  const { random, nowMs, checkerIds } = setting
  const { plan, item, terms } = live
  if (!terms) throw new Error(`${item.transactionId} waits without approval terms`)
  const needed = terms.steps.flatMap((count, index) => Array.from({ length: count }, () => index + 1))
  const deciders = shuffle(
    random,
    checkerIds.filter((id) => id !== plan.makerId),
  )
  const paceMs = Math.min((0.1 + random.next() ** 2 * 20) * HOUR_MS, ((nowMs - plan.atMs) * 0.7) / needed.length)
  const expiresAtMs = terms.expiresAtMs
  const isOverdue = expiresAtMs < nowMs && (plan.approvalFate === 'wait' || plan.approvalFate === 'partial')
  const fate = isOverdue ? 'expire' : plan.approvalFate === 'recall' && !plan.makerId ? 'approve' : plan.approvalFate
  const end = (atMs: number, move: TransitionItem, rejection: Decision | null = null) =>
    queue.add(atMs, { kind: 'end', live, move, rejection })
  const { applicationId, transactionId } = item
  if (fate === 'expire')
    return end(expiresAtMs + 20_000, { applicationId, transactionId, event: 'expired', message: EXPIRED_MESSAGE, actor: SYSTEM_ACTOR })
  if (fate === 'recall')
    return end(plan.atMs + paceMs, {
      applicationId,
      transactionId,
      event: 'recalled',
      message: RECALL_REASON,
      reason: RECALL_REASON,
      actor: item.actor,
    })
  if (fate === 'reject') {
    const decision = newDecision(setting, live, deciders[0], { verdict: 'rejected', step: 1, note: random.pick(REJECTION_REASONS) })
    return end(plan.atMs + paceMs, decisionMove(live, decision), decision)
  }
  const made = fate === 'approve' ? needed.length : fate === 'partial' ? needed.length - 1 : 0
  for (const [index, step] of needed.slice(0, made).entries()) {
    const decision = newDecision(setting, live, deciders[index], { verdict: 'validated', step, note: random.pick(PAYEE_NOTES) })
    queue.add(plan.atMs + paceMs * (index + 1), { kind: 'approval', live, decision, isLast: index === needed.length - 1 })
  }
}

/** The move that a rejection or the last approval leads to. */
export function decisionMove({ item: { applicationId, transactionId } }: LiveTransaction, decision: Decision): TransitionItem {
  const { checkerId, verdict, note, actor } = decision
  const move = { applicationId, transactionId, reason: note, actor, checkerId }
  return verdict === 'rejected' ? { ...move, event: 'rejected', message: note } : { ...move, event: 'approved' }
}

/** Notes a decision and its audit entry, as `approvals/decide.ts` writes them. */
export function recordDecision({ rows, audit }: Simulation, live: LiveTransaction, decision: Decision, atMs: number): void {
  const { applicationId, transactionId, makerId, batchId } = live.item
  const { checkerId, verdict, step, note, through, actor } = decision
  rows.approval_decisions.push({
    application_id: applicationId,
    transaction_id: transactionId,
    checker_id: checkerId,
    maker_id: makerId,
    decision: verdict,
    step,
    note,
    used_code: verdict === 'validated' && (live.terms?.needsCode ?? false),
    through,
    api_user_id: through === 'api' ? actor.id : null,
    decided_at: iso(atMs),
    batch_id: batchId,
  })
  const entry = {
    applicationId,
    actor,
    action: `transaction.${verdict}` as const,
    subject: transactionId,
    details: { checkerId, note, step, through },
  }
  audit.push({ atMs, entry })
}

function newDecision(
  { random, apiUserId }: Setting,
  { terms }: LiveTransaction,
  checkerId: string | undefined,
  decided: Pick<Decision, 'verdict' | 'step' | 'note'>,
): Decision {
  if (checkerId === undefined) throw new Error('The application has fewer checkers than its rules require')
  const isThroughApi = (terms?.apiMayDecide ?? false) && random.chance(0.4)
  return isThroughApi
    ? { ...decided, checkerId, through: 'api', actor: { kind: 'api', id: apiUserId } }
    : { ...decided, checkerId, through: 'back_office', actor: { kind: 'person', id: checkerId } }
}

function shuffle<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item)
}
