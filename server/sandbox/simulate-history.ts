import { computeFees } from '#lib/fees.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import { appendAuditEntries } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { fundBalance } from '#server/ledger/fund-balance.ts'
import type { FinalOutcome } from '#server/operators/connector.ts'
import { finalMove, refusedForFunds } from '#server/operators/operator-result.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { type TransitionItem, transition } from '#server/transactions/transition.ts'
import { contradict } from './contradict.ts'
import { recordOpenWork, recordOperatorAnswer, recordWebhook } from './external-records.ts'
import { DAY_MS, HOUR_MS, type PlannedTransaction } from './plan-history.ts'
import { selectApprovalTerms, selectDepositBalances, selectUnfunded, setSimulatedTime, writeExternalRows } from './seed-store.ts'
import { approvalMove, planDecisions, recordDecision } from './simulate-approvals.ts'
import { type LiveTransaction, newSimulation, type Setting, type Simulation, type Step } from './simulation.ts'

/**
 * So many transactions are taken in together, and everything that happens until the next of them begins is then moved together. More would be
 * a little faster, but a batch sees the balances and results from before it.
 */
const BATCH = 192
const FUNDING_INTERVAL_MS = 7 * DAY_MS

/**
 * Runs the planned transactions through the statements of the service, in order of time: intake, transition and funding write the
 * transactions, postings, balances, sequences and roll-ups here as they do for partners. Returns what the operators know of it when the
 * history ends: what is open, and what they contradict.
 */
export async function simulateHistory(setting: Setting, planned: readonly PlannedTransaction[]): Promise<LiveTransaction[]> {
  const simulation = newSimulation(setting)
  let fundingAtMs = (planned[0]?.atMs ?? setting.nowMs) - HOUR_MS
  for (let first = 0; first < planned.length; first += BATCH) {
    const batch = planned.slice(first, first + BATCH)
    for (; fundingAtMs <= (batch[0]?.atMs ?? 0); fundingAtMs += FUNDING_INTERVAL_MS) await fundLowBalances(simulation, fundingAtMs)
    await start(simulation, batch)
    await advance(simulation, planned[first + BATCH]?.atMs ?? setting.nowMs)
  }
  await fundLowBalances(simulation, setting.nowMs - 40 * 60_000)
  for (const live of simulation.open) recordOpenWork(simulation, live)
  await writeExternalRows(setting.trx, simulation.rows)
  await writeAudit(simulation)
  for (const live of simulation.contradicted) await contradict(setting.trx, live)
  return [...simulation.open, ...simulation.contradicted]
}

async function start(simulation: Simulation, batch: readonly PlannedTransaction[]): Promise<void> {
  const { trx, applicationId } = simulation.setting
  const lives = batch.map((plan) => newLive(simulation.setting, plan))
  await setSimulatedTime(trx, batch.at(-1)?.atMs ?? 0)
  const outcomes = await takeIn(
    trx,
    lives.map((live) => live.item),
  )
  const isWaiting = outcomes.map((outcome) => outcome.kind !== 'conflict' && outcome.status === 'PENDING_APPROVAL')
  const waiting = lives.filter((_, index) => isWaiting[index])
  const terms = await selectApprovalTerms(trx, applicationId, waiting.map(idOf))
  for (const live of waiting) {
    live.terms = terms.get(idOf(live)) ?? null
    planDecisions(simulation, live)
  }
  await submit(
    simulation,
    lives.filter((_, index) => !isWaiting[index]),
  )
}

function newLive({ random, applicationId, apiUserId, policy }: Setting, plan: PlannedTransaction): LiveTransaction {
  const { type, operator, source, amountMinor, makerId, batchId, batchSumMinor, webhookUrl, atMs } = plan
  const { currency } = OPERATORS[operator].country
  const at = new Date(atMs)
  const item: IntakeItem = {
    applicationId,
    transactionId: random.uuidAt(at),
    externalId: random.uuid(),
    type,
    operator,
    customerName: plan.beneficiary.name,
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
    at,
  }
  return { plan, item, pendingAtMs: atMs, terms: null }
}

/** Plans the operators' answers to transactions that became PENDING. */
async function submit(simulation: Simulation, lives: readonly LiveTransaction[]): Promise<void> {
  const { trx, applicationId, random, nowMs } = simulation.setting
  const unfunded = await selectUnfunded(trx, applicationId, lives.map(idOf))
  for (const live of lives) {
    const { plan, pendingAtMs } = live
    if (unfunded.has(idOf(live))) {
      planEnd(simulation, live, pendingAtMs + random.between(40, 900), refusedForFunds(live.item))
      continue
    }
    const outcome = outcomeOf(plan)
    if (!outcome) {
      simulation.open.push(live)
      continue
    }
    const tookMs = random.chance(0.06) ? random.between(60_000, 1_500_000) : random.between(1_600, 48_000)
    const atMs = pendingAtMs + Math.min(tookMs, (nowMs - pendingAtMs) * 0.6)
    planEnd(simulation, live, atMs, finalMove({ ...live.item, operatorToken: null, operatorReference: null }, outcome))
  }
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

/** Makes everything happen that is planned before an instant. Approvals come first, because they lead to further results. */
async function advance(simulation: Simulation, untilMs: number): Promise<void> {
  const due = simulation.queue.takeBefore(untilMs)
  const approved: { live: LiveTransaction; move: TransitionItem }[] = []
  for (const { atMs, item } of due) {
    if (item.kind !== 'approval') continue
    recordDecision(simulation, item.live, item.decision, atMs)
    if (!item.isLast) continue
    item.live.pendingAtMs = atMs
    approved.push({ live: item.live, move: approvalMove(item.live, item.decision, atMs) })
  }
  await moveAll(
    simulation,
    approved.map((one) => one.move),
    untilMs,
  )
  await submit(
    simulation,
    approved.map((one) => one.live),
  )
  const ends = [...due, ...simulation.queue.takeBefore(untilMs)]
    .flatMap(({ atMs, item }) => (item.kind === 'end' ? [{ atMs, item }] : []))
    .sort((left, right) => left.atMs - right.atMs)
  await moveAll(
    simulation,
    ends.map(({ atMs, item }) => ({ ...item.move, at: new Date(atMs) })),
    untilMs,
  )
  for (const { atMs, item } of ends) recordEnd(simulation, item, atMs)
}

async function moveAll({ setting: { trx } }: Simulation, moves: TransitionItem[], untilMs: number): Promise<void> {
  if (moves.length === 0) return
  await setSimulatedTime(trx, untilMs)
  const outcomes = await transition(trx, moves)
  const stuck = moves[outcomes.findIndex((outcome) => !outcome?.isMoved)]
  if (stuck) throw new Error(`The simulated event ${stuck.event} did not move ${stuck.transactionId}`)
}

function recordEnd(simulation: Simulation, { live, move, rejection }: Extract<Step, { kind: 'end' }>, atMs: number): void {
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
  if (move.event === 'succeeded' || move.event === 'failed') recordOperatorAnswer(simulation, live, move, atMs)
  recordWebhook(simulation, live, atMs)
  if (live.plan.isContradicted) simulation.contradicted.push(live)
}

/** Fills deposit balances up that fell below half of what they should hold. */
async function fundLowBalances({ setting, audit }: Simulation, atMs: number): Promise<void> {
  const { trx, random, applicationId, targets } = setting
  await setSimulatedTime(trx, atMs)
  const balances = await selectDepositBalances(trx, applicationId)
  for (const operator of OPERATOR_CODES) {
    const balanceMinor = balances.get(operator) ?? 0n
    if (balanceMinor * 2n > targets[operator]) continue
    const funding = {
      applicationId,
      operator,
      amountMinor: ((targets[operator] - balanceMinor) / 1_000_000n + 1n) * 1_000_000n,
      fundingId: random.uuid(),
      actorId: null,
      reason: 'Transfer from the bank',
    }
    const funded = await fundBalance(trx, funding)
    if (!funded.ok) throw new Error(funded.error)
    const { amountMinor, fundingId, reason } = funding
    const details = { operator, currency: OPERATORS[operator].country.currency, amountMinor: String(amountMinor), reason }
    audit.push({ atMs, entry: { applicationId, actor: SYSTEM_ACTOR, action: 'balance.funded', subject: fundingId, details } })
  }
}

async function writeAudit({ setting: { trx }, audit }: Simulation): Promise<void> {
  const entries = audit.toSorted((left, right) => left.atMs - right.atMs)
  await appendAuditEntries(
    trx,
    entries.map(({ atMs, entry }) => ({ ...entry, at: new Date(atMs) })),
  )
}

function idOf(live: LiveTransaction): string {
  return live.item.transactionId
}
