import type { ApprovalBand } from '#lib/approval-policy.ts'
import { computeFees } from '#lib/fees.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import type { Random } from '#lib/seeded-random.ts'
import { FAILURE_MESSAGES, SUCCESS_MESSAGE, TRANSITIONS, type TransitionEvent } from '#lib/transaction-status.ts'
import { EXPIRED_MESSAGE } from '#server/approvals/expire-approvals.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import type { Live, Play, Setting, Step } from './history-state.ts'
import { DAY_MS, HOUR_MS, type PlannedTransaction } from './plan-history.ts'
import { PAYEE_NOTES, RECALL_REASON, REJECTION_REASONS } from './seed-applications.ts'
import { noteOperatorWork, noteWebhook } from './seed-external-records.ts'
import { type EventSeed, emptyRows, iso, type PostingSeed, type SeedRows, type TransactionSeed } from './seed-rows.ts'
import { TimeQueue } from './time-queue.ts'

/**
 * Plays the planned transactions through the rules of the service in order of time (start_transactions and apply_transitions in
 * server/transactions/sql): sequences, holds, postings and events come out as the real commands would have written them.
 */
export function simulateHistory(setting: Setting, planned: readonly PlannedTransaction[]): SeedRows {
  const play: Play = {
    setting,
    rows: emptyRows(),
    queue: new TimeQueue(),
    depositMinor: new Map(),
    counts: { all: 0, SUCCESS: 0, FAILED: 0 },
    paid: new Set(),
    sent: new Map(),
  }
  const firstMs = planned[0]?.atMs ?? setting.nowMs
  for (let atMs = firstMs - HOUR_MS; atMs < setting.nowMs - DAY_MS; atMs += 7 * DAY_MS)
    play.queue.add(atMs, { kind: 'fund', isLastOne: false })
  play.queue.add(setting.nowMs - 40 * 60_000, { kind: 'fund', isLastOne: true })
  for (const plan of planned) play.queue.add(plan.atMs, { kind: 'create', plan })
  for (let entry = play.queue.take(); entry; entry = play.queue.take()) perform(play, entry.atMs, entry.item)
  return play.rows
}

function perform(play: Play, atMs: number, step: Step): void {
  switch (step.kind) {
    case 'create':
      return create(play, atMs, step.plan)
    case 'decide':
      return decide(play, atMs, step)
    case 'end':
      return end(play, atMs, step)
    case 'fund':
      return fund(play, atMs)
  }
}

function create(play: Play, atMs: number, plan: PlannedTransaction): void {
  const { random, applicationId, apiUserId } = play.setting
  const { currency } = OPERATORS[plan.operator].country
  const fees = computeFees(plan.amountMinor, currency)
  const band = pickBand(play, atMs, plan)
  const row: TransactionSeed = {
    application_id: applicationId,
    transaction_id: random.uuidAt(new Date(atMs)),
    sequence: ++play.counts.all,
    final_sequence: null,
    external_id: random.uuid(),
    type: plan.type,
    status: band ? 'PENDING_APPROVAL' : 'PENDING',
    operator: plan.operator,
    currency,
    amount_minor: String(plan.amountMinor),
    fee_system_minor: String(fees.feeSystemMinor),
    fee_app_minor: String(fees.feeAppMinor),
    held_minor: '0',
    customer_name: plan.beneficiary.name,
    phone_number: plan.beneficiary.phoneNumber,
    webhook_url: plan.webhookUrl,
    pay_token: random.uuid(),
    operator_token: null,
    message: null,
    source: plan.source,
    maker_id: plan.makerId,
    checker_id: null,
    batch_id: plan.batchId,
    version: 1,
    created_at: iso(atMs),
    final_at: null,
  }
  play.rows.transactions.push(row)
  play.rows.transaction_events.push({
    application_id: applicationId,
    transaction_id: row.transaction_id,
    version: 1,
    from_status: null,
    to_status: row.status,
    event: 'created',
    ...(plan.makerId ? { actor_kind: 'person', actor_id: plan.makerId } : { actor_kind: 'api', actor_id: apiUserId }),
    reason: null,
    at: row.created_at,
  })
  const live: Live = { plan, row, band, pendingAtMs: atMs }
  if (band) return wait(play, atMs, live, band)
  send(play, atMs, live)
}

/** The same weighing as approval_band_for. The made-up beneficiaries have one number each. */
function pickBand(play: Play, atMs: number, plan: PlannedTransaction): ApprovalBand | null {
  const { type, operator, source } = plan
  const bands = bandsFor(play.setting.policy, { type, operator, source, currency: OPERATORS[operator].country.currency })
  const key = `${plan.makerId ?? plan.source} ${plan.beneficiary.phoneNumber}`
  const recent = (play.sent.get(key) ?? []).filter((sent) => sent.atMs > atMs - DAY_MS)
  if (type === 'DEPOSIT') play.sent.set(key, [...recent, { atMs, amountMinor: plan.amountMinor }])
  const sum = recent.reduce((total, sent) => total + sent.amountMinor, plan.amountMinor)
  const weighed = [plan.amountMinor, plan.batchSumMinor ?? 0n, sum].reduce((left, right) => (left > right ? left : right))
  const isFirst = !play.paid.has(plan.beneficiary.phoneNumber)
  return bands?.findLast((band) => weighed > BigInt(band.aboveMinor) && (isFirst || !band.firstTimeOnly)) ?? null
}

/** Puts an item before the checkers and plans what they do. */
function wait(play: Play, atMs: number, live: Live, band: ApprovalBand): void {
  const { random, nowMs, checkerIds } = play.setting
  const { row, plan } = live
  const expiresAtMs = atMs + band.expiresInHours * HOUR_MS
  play.rows.approval_items.push({
    application_id: row.application_id,
    transaction_id: row.transaction_id,
    policy_version: band.policyVersion,
    rule: band.rule,
    steps: band.steps,
    needs_code: band.needsCode,
    api_may_decide: band.apiMayDecide,
    expires_at: iso(expiresAtMs),
  })
  const needed = band.steps.flatMap((count, index) => Array.from({ length: count }, () => index + 1))
  const deciders = shuffle(
    random,
    checkerIds.filter((id) => id !== plan.makerId),
  ).slice(0, needed.length)
  const paceMs = Math.min((0.1 + random.next() ** 2 * 20) * HOUR_MS, ((nowMs - atMs) * 0.7) / needed.length)
  const isDue = expiresAtMs < nowMs && (plan.approvalFate === 'wait' || plan.approvalFate === 'partial')
  const fate = isDue ? 'expire' : plan.approvalFate === 'recall' && !plan.makerId ? 'approve' : plan.approvalFate
  if (fate === 'expire')
    return play.queue.add(expiresAtMs + 20_000, ending(live, 'expired', EXPIRED_MESSAGE, { actor_kind: 'system', actor_id: null }, null))
  if (fate === 'recall')
    return play.queue.add(
      atMs + paceMs,
      ending(live, 'recalled', RECALL_REASON, { actor_kind: 'person', actor_id: plan.makerId }, RECALL_REASON),
    )
  if (fate === 'reject') return play.queue.add(atMs + paceMs, { kind: 'decide', live, checkerId: deciders[0] ?? '', step: 0, isLast: true })
  const made = fate === 'approve' ? needed.length : fate === 'partial' ? needed.length - 1 : 0
  for (let index = 0; index < made; index++) {
    const isLast = index === needed.length - 1
    play.queue.add(atMs + paceMs * (index + 1), {
      kind: 'decide',
      live,
      checkerId: deciders[index] ?? '',
      step: needed[index] ?? 1,
      isLast,
    })
  }
}

/** `step` 0 is a rejection. */
function decide(play: Play, atMs: number, { live, checkerId, step, isLast }: Extract<Step, { kind: 'decide' }>): void {
  const { random } = play.setting
  const { row, band } = live
  const isRejection = step === 0
  const note = isRejection ? random.pick(REJECTION_REASONS) : random.pick(PAYEE_NOTES)
  play.rows.approval_decisions.push({
    application_id: row.application_id,
    transaction_id: row.transaction_id,
    checker_id: checkerId,
    maker_id: row.maker_id,
    decision: isRejection ? 'rejected' : 'validated',
    step: isRejection ? 1 : step,
    note,
    used_code: !isRejection && (band?.needsCode ?? false),
    through: random.chance(0.15) ? 'api' : 'back_office',
    decided_at: iso(atMs),
  })
  if (isRejection) {
    row.checker_id = checkerId
    return end(play, atMs, ending(live, 'rejected', note, { actor_kind: 'person', actor_id: checkerId }, note))
  }
  if (!isLast) return
  row.checker_id = checkerId
  move(play, atMs, live, 'approved', { actor_kind: 'person', actor_id: checkerId }, note)
  live.pendingAtMs = atMs
  send(play, atMs, live)
}

/** Holds the money of a deposit and hands the transaction to the operator, whose word is planned. */
function send(play: Play, atMs: number, live: Live): void {
  const { random, nowMs } = play.setting
  const { plan, row } = live
  if (plan.type === 'DEPOSIT') {
    const holdMinor = BigInt(row.amount_minor) + BigInt(row.fee_system_minor) + BigInt(row.fee_app_minor)
    const balanceMinor = play.depositMinor.get(plan.operator) ?? 0n
    if (holdMinor > balanceMinor) {
      const refusal = ending(live, 'refused_for_funds', FAILURE_MESSAGES.insufficientFunds, { actor_kind: 'system', actor_id: null }, null)
      return play.queue.add(atMs + random.between(40, 900), refusal)
    }
    play.depositMinor.set(plan.operator, balanceMinor - holdMinor)
    row.held_minor = String(holdMinor)
    post(play, atMs, row, 'hold', { deposit: -holdMinor, held: holdMinor })
  }
  if (plan.operatorFate === 'submitted' || plan.operatorFate === 'unconfirmed') return noteOperatorWork(play, live, null)
  const tookMs = Math.min(random.chance(0.06) ? random.between(60_000, 1_500_000) : random.between(1_600, 48_000), (nowMs - atMs) * 0.6)
  const operator = { actor_kind: 'operator', actor_id: null } as const
  const isSuccess = plan.operatorFate === 'success'
  play.queue.add(
    atMs + tookMs,
    isSuccess
      ? ending(live, 'succeeded', SUCCESS_MESSAGE, operator, null)
      : ending(live, 'failed', FAILURE_MESSAGES[plan.operatorFate as keyof typeof FAILURE_MESSAGES], operator, null),
  )
}

function end(play: Play, atMs: number, { live, event, message, actor, reason }: Extract<Step, { kind: 'end' }>): void {
  const { row, plan } = live
  const wasSent = row.status === 'PENDING' && event !== 'refused_for_funds'
  move(play, atMs, live, event, actor, reason)
  const isSuccess = row.status === 'SUCCESS'
  row.message = message
  row.final_at = iso(atMs)
  row.final_sequence = ++play.counts[isSuccess ? 'SUCCESS' : 'FAILED']
  const heldMinor = BigInt(row.held_minor)
  row.held_minor = '0'
  if (isSuccess) {
    const amount = BigInt(row.amount_minor)
    const system = BigInt(row.fee_system_minor)
    const app = BigInt(row.fee_app_minor)
    if (plan.type === 'COLLECT')
      post(play, atMs, row, 'settle', { collect: amount - system - app, fees: app, clearing: -amount, revenue: system })
    else {
      post(play, atMs, row, 'settle', { held: -heldMinor, fees: app, clearing: amount, revenue: system })
      play.paid.add(row.phone_number)
    }
  } else if (heldMinor > 0n) {
    post(play, atMs, row, 'release', { deposit: heldMinor, held: -heldMinor })
    play.depositMinor.set(plan.operator, (play.depositMinor.get(plan.operator) ?? 0n) + heldMinor)
  }
  if (wasSent) noteOperatorWork(play, live, atMs)
  noteWebhook(play, live, atMs)
}

/** Fills deposit balances up that fell below half of what they should hold. */
function fund(play: Play, atMs: number): void {
  const { random, applicationId, targets } = play.setting
  for (const operator of OPERATOR_CODES) {
    const balanceMinor = play.depositMinor.get(operator) ?? 0n
    if (balanceMinor * 2n > targets[operator]) continue
    const amountMinor = ((targets[operator] - balanceMinor) / 1_000_000n + 1n) * 1_000_000n
    play.depositMinor.set(operator, balanceMinor + amountMinor)
    const subject = {
      application_id: applicationId,
      transaction_id: random.uuid(),
      operator,
      currency: OPERATORS[operator].country.currency,
    }
    post(play, atMs, subject, 'fund', { deposit: amountMinor, clearing: -amountMinor }, 'Transfer from the bank')
  }
}

function move(
  play: Play,
  atMs: number,
  live: Live,
  event: TransitionEvent,
  actor: Pick<EventSeed, 'actor_kind' | 'actor_id'>,
  reason: string | null,
): void {
  const { row } = live
  const edge = TRANSITIONS[event]
  if (row.status !== edge.from) throw new Error(`${event} does not lead out of ${row.status}`)
  row.status = edge.to
  row.version++
  play.rows.transaction_events.push({
    application_id: row.application_id,
    transaction_id: row.transaction_id,
    version: row.version,
    from_status: edge.from,
    to_status: edge.to,
    event,
    ...actor,
    reason,
    at: iso(atMs),
  })
}

type Accounts = Partial<Record<'collect' | 'deposit' | 'held' | 'fees' | 'clearing' | 'revenue', bigint>>

function post(
  play: Play,
  atMs: number,
  row: Pick<TransactionSeed, 'application_id' | 'transaction_id' | 'operator' | 'currency'>,
  kind: PostingSeed['kind'],
  accounts: Accounts,
  reason: string | null = null,
): void {
  const minor = (account: keyof Accounts) => String(accounts[account] ?? 0n)
  play.rows.ledger_postings.push({
    application_id: row.application_id,
    subject_id: row.transaction_id,
    kind,
    operator: row.operator,
    currency: row.currency,
    collect_minor: minor('collect'),
    deposit_minor: minor('deposit'),
    held_minor: minor('held'),
    fees_minor: minor('fees'),
    clearing_minor: minor('clearing'),
    revenue_minor: minor('revenue'),
    reason,
    at: iso(atMs),
  })
}

function ending(
  live: Live,
  event: TransitionEvent,
  message: string,
  actor: Pick<EventSeed, 'actor_kind' | 'actor_id'>,
  reason: string | null,
): Extract<Step, { kind: 'end' }> {
  return { kind: 'end', live, event, message, actor, reason }
}

function shuffle<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item)
}
