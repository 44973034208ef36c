import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { isFinalStatus, TRANSITIONS } from '#lib/payments/transactions/transaction-status.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { TransitionItem } from '#server/transactions/transition.ts'
import { iso, type MovedRow, type PostingRow, type TransactionRow } from './history-rows.ts'
import { HOUR_MS } from './plan-history.ts'
import type { LiveTransaction, Simulation } from './simulation.ts'

/** Starts a transaction: with approval terms if a band applies, else PENDING, with its amount and fees held if the balance covers them. */
export function recordStart(simulation: Simulation, live: LiveTransaction, band: ApprovalBand | undefined): TransactionRow {
  const { item, plan } = live
  simulation.startedCount++
  if (band) recordApproval(simulation, live, band)
  else hold(simulation, live, plan.atMs)
  return {
    ...keyOf(live),
    sequence: simulation.startedCount,
    external_id: item.externalId,
    type: item.type,
    status: live.status,
    operator: item.operator,
    currency: OPERATORS[item.operator].country.currency,
    amount_minor: item.amountMinor,
    fee_system_minor: item.feeSystemMinor,
    fee_app_minor: item.feeAppMinor,
    held_minor: live.heldMinor,
    customer_name: item.customerName,
    purpose: item.purpose,
    phone_number: item.phoneNumber,
    webhook_url: item.webhookUrl,
    pay_token: item.payToken,
    source: item.source,
    maker_id: item.makerId,
    api_user_id: item.actor.kind === 'api' ? item.actor.id : null,
    batch_id: item.batchId,
    version: 1,
    needed_approval: live.status === 'PENDING_APPROVAL',
    created_at: iso(plan.atMs),
  }
}

function recordApproval({ rows }: Simulation, live: LiveTransaction, band: ApprovalBand): void {
  const { steps, needsCode, apiMayDecide } = band
  const expiresAtMs = live.plan.atMs + band.expiresInHours * HOUR_MS
  live.status = 'PENDING_APPROVAL'
  live.terms = { steps, needsCode, apiMayDecide, expiresAtMs }
  rows.approval_items.push({
    ...keyOf(live),
    policy_version: band.policyVersion,
    rule: band.rule,
    steps,
    needs_code: needsCode,
    api_may_decide: apiMayDecide,
    expires_at: iso(expiresAtMs),
  })
}

/**
 * Moves a transaction along one edge. Throws if it is not in the state in which the edge starts. Moves are recorded in order of time, because
 * results are numbered in this order.
 */
export function recordMove(simulation: Simulation, live: LiveTransaction, move: TransitionItem, atMs: number): void {
  const { from, to } = TRANSITIONS[move.event]
  if (live.status !== from)
    throw new Error(`The simulated event ${move.event} does not move ${move.transactionId}, which is ${live.status}`)
  live.status = to
  live.version++
  live.message = move.message ?? live.message
  live.checkerId = move.checkerId ?? live.checkerId
  live.operatorReference = move.operatorReference ?? live.operatorReference
  live.operatorReferenceOther = move.operatorReferenceOther ?? live.operatorReferenceOther
  if (isFinalStatus(to)) {
    live.final = { sequence: ++simulation.finalCounts[to], atMs }
    settle(simulation, live, atMs)
  } else {
    live.pendingAtMs = atMs
    hold(simulation, live, atMs)
  }
  simulation.moved.add(live)
  simulation.rows.transaction_events.push({
    ...keyOf(live),
    version: live.version,
    from_status: from,
    to_status: to,
    event: move.event,
    actor_kind: move.actor.kind,
    actor_id: move.actor.id,
    reason: move.reason ?? null,
    at: iso(atMs),
    final_sequence: live.final?.sequence ?? null,
  })
}

/** Returns the row of a transaction after its moves. */
export function movedRowOf(live: LiveTransaction): MovedRow {
  return {
    ...keyOf(live),
    status: live.status,
    version: live.version,
    held_minor: live.heldMinor,
    message: live.message,
    checker_id: live.checkerId,
    operator_reference: live.operatorReference,
    operator_reference_other: live.operatorReferenceOther,
    final_at: live.final ? iso(live.final.atMs) : null,
  }
}

/** Adds money to a deposit balance. */
export function recordFunding(
  simulation: Simulation,
  { operator, amountMinor, fundingId, reason }: { operator: OperatorCode; amountMinor: bigint; fundingId: string; reason: string },
  atMs: number,
): void {
  changeBalance(simulation, operator, amountMinor)
  simulation.rows.postings.push({
    application_id: simulation.setting.applicationId,
    subject_id: fundingId,
    kind: 'fund',
    operator,
    currency: OPERATORS[operator].country.currency,
    type: 'DEPOSIT',
    amount_minor: amountMinor,
    fee_system_minor: 0n,
    fee_app_minor: 0n,
    reason,
    at: iso(atMs),
  })
}

function hold(simulation: Simulation, live: LiveTransaction, atMs: number): void {
  const { type, operator, amountMinor, feeSystemMinor, feeAppMinor } = live.item
  if (type !== 'DEPOSIT') return
  const neededMinor = amountMinor + feeSystemMinor + feeAppMinor
  live.isUnfunded = neededMinor > (simulation.balances.get(operator) ?? 0n)
  if (live.isUnfunded) return
  live.heldMinor = neededMinor
  changeBalance(simulation, operator, -neededMinor)
  post(simulation, live, 'hold', atMs)
}

/** Pays out or collects after a success; after a failure, returns what was held. */
function settle(simulation: Simulation, live: LiveTransaction, atMs: number): void {
  if (live.status === 'SUCCESS') post(simulation, live, 'settle', atMs)
  else if (live.heldMinor > 0n) {
    changeBalance(simulation, live.item.operator, live.heldMinor)
    post(simulation, live, 'release', atMs)
  }
  live.heldMinor = 0n
}

function post({ rows }: Simulation, { item }: LiveTransaction, kind: PostingRow['kind'], atMs: number): void {
  rows.postings.push({
    application_id: item.applicationId,
    subject_id: item.transactionId,
    kind,
    operator: item.operator,
    currency: OPERATORS[item.operator].country.currency,
    type: item.type,
    amount_minor: item.amountMinor,
    fee_system_minor: item.feeSystemMinor,
    fee_app_minor: item.feeAppMinor,
    reason: null,
    at: iso(atMs),
  })
}

function changeBalance({ balances }: Simulation, operator: OperatorCode, byMinor: bigint): void {
  balances.set(operator, (balances.get(operator) ?? 0n) + byMinor)
}

export function keyOf({ item: { applicationId, transactionId } }: LiveTransaction): { application_id: string; transaction_id: string } {
  return { application_id: applicationId, transaction_id: transactionId }
}
