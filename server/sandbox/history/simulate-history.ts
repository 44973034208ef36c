import { computeFees } from '#lib/money/fees.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { appendAuditEntries } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { finalMove, refusedForFunds } from '#server/operators/answer-table.ts'
import type { FinalOutcome } from '#server/operators/connector.ts'
import { listReferences } from '#server/operators/references/operator-reference-store.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import type { TransitionItem } from '#server/transactions/transition.ts'
import { contradict } from '../seed-open-work.ts'
import { referencesOf } from '../simulator-books.ts'
import { withAuditDated } from './date-audit.ts'
import { recordOpenWork, recordOperatorAnswer, recordWebhook } from './external-records.ts'
import { iso } from './history-rows.ts'
import { insertHistory, insertTransactions, sumUp, updateTransactions, weighAll } from './history-store.ts'
import { DAY_MS, HOUR_MS, type PlannedTransaction } from './plan-history.ts'
import { movedRowOf, recordFunding, recordMove, recordStart } from './record-moves.ts'
import { decisionMove, planDecisions, recordDecision } from './simulate-approvals.ts'
import { type Brought, type LiveTransaction, newSimulation, type Setting, type Simulation, type Step } from './simulation.ts'

/** This many transactions are weighed and stored together. Approval rules see the results from before the batch. */
const BATCH = 192
const FUNDING_INTERVAL_MS = 7 * DAY_MS

/**
 * Lets the planned transactions happen in order of time and inserts what they leave in the database of an application that has none. Returns
 * what the operators know of it when the history ends: what was submitted, and the money brought in.
 */
export async function simulateHistory(
  setting: Setting,
  planned: readonly PlannedTransaction[],
): Promise<{ sent: LiveTransaction[]; brought: Brought[] }> {
  const simulation = newSimulation(setting)
  let fundingAtMs = (planned[0]?.atMs ?? setting.nowMs) - HOUR_MS
  for (let first = 0; first < planned.length; first += BATCH) {
    const batch = planned.slice(first, first + BATCH)
    for (; fundingAtMs <= (batch[0]?.atMs ?? 0); fundingAtMs += FUNDING_INTERVAL_MS) fundLowBalances(simulation, fundingAtMs)
    await start(simulation, batch)
    await advance(simulation, planned[first + BATCH]?.atMs ?? setting.nowMs)
  }
  fundLowBalances(simulation, setting.nowMs - 40 * 60_000)
  for (const live of simulation.open) recordOpenWork(simulation, live)
  await insertHistory(setting.trx, simulation.rows)
  await sumUp(setting.trx, setting.applicationId)
  // Otherwise the scheduled task would list them a minute after the start, and nothing would be found by its reference until then.
  await listReferences(setting.trx, setting.applicationId, planned.length)
  await writeAudit(simulation)
  for (const live of simulation.contradicted) await contradict(setting.trx, live)
  return { sent: [...simulation.ended, ...simulation.open], brought: simulation.brought }
}

async function start(simulation: Simulation, batch: readonly PlannedTransaction[]): Promise<void> {
  const { trx, applicationId } = simulation.setting
  const lives = batch.map((plan) => newLive(simulation.setting, plan))
  const bands = await weighAll(
    trx,
    applicationId,
    lives.map(({ item, plan }) => ({ ...item, at: iso(plan.atMs) })),
  )
  await insertTransactions(
    trx,
    lives.map((live) => recordStart(simulation, live, bands.get(live.item.transactionId))),
  )
  for (const live of lives)
    if (live.status === 'PENDING_APPROVAL') planDecisions(simulation, live)
    else submit(simulation, live)
}

function newLive({ random, applicationId, apiUserId, policy }: Setting, plan: PlannedTransaction): LiveTransaction {
  const { type, operator, source, amountMinor, makerId, batchId, batchSumMinor, webhookUrl, atMs } = plan
  const { currency } = OPERATORS[operator].country
  const item: IntakeItem = {
    applicationId,
    transactionId: random.uuidAt(new Date(atMs)),
    externalId: random.uuid(),
    type,
    operator,
    customerName: plan.beneficiary.name,
    purpose: purposeOf(plan),
    phoneNumber: plan.beneficiary.phoneNumber,
    amountMinor,
    ...computeFees(amountMinor, currency),
    webhookUrl,
    payToken: random.uuid(),
    source,
    makerId,
    batchId,
    batchSumMinor,
    actor: makerId === null ? { kind: 'api', id: apiUserId } : { kind: 'person', id: makerId },
    bands: bandsFor(policy, { type, operator, source, currency }),
  }
  const nothing = { terms: null, message: null, checkerId: null, operatorReference: null, operatorReferenceOther: null, final: null }
  return { ...nothing, plan, item, pendingAtMs: atMs, status: 'PENDING', version: 1, heldMinor: 0n, isUnfunded: false }
}

/** As a maker would type it: the month of a payroll, or the number of an invoice. Programs enter none. */
function purposeOf({ source, atMs }: PlannedTransaction): string {
  if (source === 'api') return ''
  const day = iso(atMs).slice(0, 10)
  return source === 'file'
    ? `Salaires ${day.slice(0, 7)}`
    : `Facture ${day.slice(0, 4)}-${String(Math.floor(atMs / 1_000) % 10_000).padStart(4, '0')}`
}

/** Plans the operator's answer to a transaction that became PENDING. */
function submit(simulation: Simulation, live: LiveTransaction): void {
  const { random, nowMs } = simulation.setting
  const { plan, pendingAtMs } = live
  if (live.isUnfunded) return planEnd(simulation, live, pendingAtMs + random.between(40, 900), refusedForFunds(live.item))
  const outcome = outcomeOf(plan)
  if (!outcome) {
    simulation.open.push(live)
    return
  }
  const tookMs = random.chance(0.06) ? random.between(60_000, 1_500_000) : random.between(1_600, 48_000)
  const atMs = pendingAtMs + Math.min(tookMs, (nowMs - pendingAtMs) * 0.6)
  planEnd(simulation, live, atMs, finalMove({ ...live.item, operatorToken: null, ...referencesOf(live.item, outcome) }, outcome))
}

/** The operator's final answer; undefined where there is none yet. */
function outcomeOf({ operatorFate }: PlannedTransaction): FinalOutcome | undefined {
  if (operatorFate === 'submitted' || operatorFate === 'unconfirmed') return undefined
  if (operatorFate === 'success') return { kind: 'succeeded', exchange: { httpStatus: 200, answer: JSON.stringify({ status: 'SUCCESS' }) } }
  const reason = FAILURE_MESSAGES[operatorFate]
  return { kind: 'failed', reason, exchange: { httpStatus: 200, answer: JSON.stringify({ status: 'FAILED', message: reason }) } }
}

function planEnd({ queue }: Simulation, live: LiveTransaction, atMs: number, move: TransitionItem): void {
  queue.add(atMs, { kind: 'end', live, move, rejection: null })
}

/** Makes everything happen that is planned before an instant, and stores the states that it leads to. */
async function advance(simulation: Simulation, untilMs: number): Promise<void> {
  for (let due = simulation.queue.takeFirst(untilMs); due; due = simulation.queue.takeFirst(untilMs)) {
    const { atMs, item } = due
    if (item.kind === 'end') recordEnd(simulation, item, atMs)
    else {
      recordDecision(simulation, item.live, item.decision, atMs)
      if (!item.isLast) continue
      recordMove(simulation, item.live, decisionMove(item.live, item.decision), atMs)
      submit(simulation, item.live)
    }
  }
  await updateTransactions(simulation.setting.trx, [...simulation.moved].map(movedRowOf))
  simulation.moved.clear()
}

function recordEnd(simulation: Simulation, { live, move, rejection }: Extract<Step, { kind: 'end' }>, atMs: number): void {
  recordMove(simulation, live, move, atMs)
  if (rejection) recordDecision(simulation, live, rejection, atMs)
  if (move.event === 'recalled') {
    const entry = {
      applicationId: move.applicationId,
      actor: move.actor,
      action: 'transaction.recalled' as const,
      subject: move.transactionId,
    }
    simulation.audit.push({ atMs, entry: { ...entry, details: { reason: move.reason ?? '' } } })
  }
  if (move.event === 'succeeded' || move.event === 'failed') {
    recordOperatorAnswer(simulation, live, move, atMs)
    simulation.ended.push(live)
  }
  recordWebhook(simulation, live, atMs)
  if (live.plan.isContradicted) simulation.contradicted.push(live)
}

/** Fills deposit balances up that fell below half of what they should hold. */
function fundLowBalances(simulation: Simulation, atMs: number): void {
  const { random, applicationId, targets } = simulation.setting
  for (const operator of OPERATOR_CODES) {
    const balanceMinor = simulation.balances.get(operator) ?? 0n
    if (balanceMinor * 2n > targets[operator]) continue
    const amountMinor = ((targets[operator] - balanceMinor) / 1_000_000n + 1n) * 1_000_000n
    const fundingId = random.uuid()
    const reason = 'Transfer from the bank'
    recordFunding(simulation, { operator, amountMinor, fundingId, reason }, atMs)
    simulation.brought.push({ operator, fundingId, amountMinor, atMs })
    const details = { operator, currency: OPERATORS[operator].country.currency, amountMinor: String(amountMinor), reason }
    simulation.audit.push({
      atMs,
      entry: { applicationId, actor: SYSTEM_ACTOR, action: 'balance.funded', subject: fundingId, details },
    })
  }
}

async function writeAudit({ setting: { trx }, audit }: Simulation): Promise<void> {
  const inOrder = audit.toSorted((left, right) => left.atMs - right.atMs)
  const entries = inOrder.map(({ entry }) => entry)
  await withAuditDated(
    trx,
    (index) => inOrder[index]?.atMs ?? 0,
    () => appendAuditEntries(trx, entries),
  )
}
