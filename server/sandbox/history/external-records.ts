import { pollDelayMs } from '#server/operators/work/dispatch/claim-slots.ts'
import type { TransitionItem } from '#server/transactions/transition.ts'
import { keptOf } from '../simulator-books.ts'
import { type DeliveryRow, iso, type WebhookAttemptRow } from './history-rows.ts'
import { HOUR_MS } from './plan-history.ts'
import { keyOf } from './record-moves.ts'
import type { LiveTransaction, Simulation } from './simulation.ts'

const NO_ANSWER = 'No answer within 10 s'
const PENDING_ANSWER = '{"status":"PENDING"}'
const UNKNOWN = { outcome: 'unknown', http_status: null, answer: NO_ANSWER } as const

/** The submission, and the query whose answer ended the transaction. */
export function recordOperatorAnswer(simulation: Simulation, live: LiveTransaction, move: TransitionItem, finalAtMs: number): void {
  const { random } = simulation.setting
  const answeredMs = recordSubmission(simulation, live, finalAtMs)
  const isSuccess = move.event === 'succeeded'
  simulation.rows.operator_attempts.push({
    ...keyOf(live),
    number: 2,
    kind: 'query',
    started_at: iso(Math.max(finalAtMs - random.between(40, 300), answeredMs)),
    finished_at: iso(finalAtMs),
    outcome: isSuccess ? 'succeeded' : 'failed',
    http_status: 200,
    answer: JSON.stringify(isSuccess ? { status: 'SUCCESS' } : { status: 'FAILED', message: move.message }),
  })
}

/** The submission of a transaction that is still open, and every query since. */
export function recordOpenWork(simulation: Simulation, live: LiveTransaction): void {
  const { random, nowMs } = simulation.setting
  const isUnconfirmed = live.plan.operatorFate === 'unconfirmed'
  const answeredMs = recordSubmission(simulation, live, nowMs)
  const queries = recordQueries(simulation, live, answeredMs)
  const { operatorReference, operatorToken } = keptOf(live.item)
  simulation.rows.operator_work.push({
    ...keyOf(live),
    operator: live.item.operator,
    type: live.item.type,
    state: isUnconfirmed ? 'unconfirmed' : 'submitted',
    // Queried again only in some hours, so that the sandbox shows open work for a while; "Synchronise" queries immediately.
    next_at: iso(nowMs + random.between(4, 12) * HOUR_MS),
    attempts: 1 + queries,
    queries,
    submissions: 1,
    accepted_at: isUnconfirmed ? null : iso(answeredMs),
    unconfirmed_since: isUnconfirmed ? iso(answeredMs) : null,
    last_answer: isUnconfirmed ? NO_ANSWER : PENDING_ANSWER,
    operator_reference: operatorReference,
    operator_token: operatorToken,
  })
}

/** Returns the time at which the operator answered, or the submission was abandoned. */
function recordSubmission({ setting: { random }, rows }: Simulation, live: LiveTransaction, untilMs: number): number {
  const isUnconfirmed = live.plan.operatorFate === 'unconfirmed'
  const startedMs = live.pendingAtMs + random.between(15, 90)
  const answeredMs = isUnconfirmed ? startedMs + 10_000 : Math.min(startedMs + random.between(70, 600), untilMs - 1)
  rows.operator_attempts.push({
    ...keyOf(live),
    number: 1,
    kind: 'submit',
    started_at: iso(startedMs),
    finished_at: iso(answeredMs),
    ...(isUnconfirmed ? UNKNOWN : { outcome: 'accepted', http_status: 202, answer: PENDING_ANSWER }),
  })
  return answeredMs
}

/** Queries by the service's own schedule, none of which brought a result. Returns how many. */
function recordQueries({ setting: { nowMs }, rows }: Simulation, live: LiveTransaction, answeredMs: number): number {
  const isUnconfirmed = live.plan.operatorFate === 'unconfirmed'
  const tookMs = isUnconfirmed ? 10_000 : 120
  let queries = 0
  for (let atMs = answeredMs + pollDelayMs(0, withoutJitter); atMs + tookMs < nowMs; atMs += tookMs + pollDelayMs(queries, withoutJitter)) {
    queries++
    rows.operator_attempts.push({
      ...keyOf(live),
      number: 1 + queries,
      kind: 'query',
      started_at: iso(atMs),
      finished_at: iso(atMs + tookMs),
      ...(isUnconfirmed ? UNKNOWN : { outcome: 'pending', http_status: 200, answer: PENDING_ANSWER }),
    })
  }
  return queries
}

const withoutJitter = () => 0.5

const GAPS_MS = [0, 30_000, 120_000, 600_000]

/** The webhook of a final transaction: nearly always delivered at the first attempt, sometimes later, rarely never. */
export function recordWebhook({ setting: { random, nowMs }, rows }: Simulation, live: LiveTransaction, finalAtMs: number): void {
  const isOld = nowMs - finalAtMs > HOUR_MS
  const failures = isOld ? Number(random.weighted({ 0: 930, 1: 38, 2: 12, 3: 6, 4: 14 })) : 0
  const attempts = Math.min(failures + 1, 4)
  let atMs = Math.max(finalAtMs, live.plan.atMs + 500) + random.between(3, 60)
  let first: Pick<DeliveryRow, 'first_started_at' | 'first_duration_ms'> = { first_started_at: null, first_duration_ms: null }
  for (let number = 1; number <= attempts; number++) {
    atMs += GAPS_MS[number - 1] ?? 0
    const attempt =
      number <= failures
        ? failedAttempt({ random })
        : { duration_ms: random.between(35, 780), outcome: 'delivered', http_status: 200, detail: null }
    // As record_webhook_outcomes stores it: a first attempt that delivers is a part of its delivery.
    if (failures === 0) first = { first_started_at: iso(atMs), first_duration_ms: attempt.duration_ms }
    else rows.webhook_attempts.push({ ...keyOf(live), number, started_at: iso(atMs), ...attempt })
    atMs += attempt.duration_ms
  }
  rows.webhook_deliveries.push({
    ...keyOf(live),
    target: new URL(live.plan.webhookUrl).origin,
    state: failures === 4 ? 'exhausted' : 'delivered',
    attempts,
    next_at: iso(atMs),
    created_at: iso(finalAtMs),
    finished_at: iso(atMs),
    ...first,
  })
}

function failedAttempt({
  random,
}: Pick<Simulation['setting'], 'random'>): Pick<WebhookAttemptRow, 'duration_ms' | 'outcome' | 'http_status' | 'detail'> {
  const kind = random.weighted({ bad_status: 6, timeout_headers: 3, connection_refused: 2 })
  if (kind === 'bad_status')
    return { duration_ms: random.between(40, 900), outcome: kind, http_status: random.pick([500, 502, 503]), detail: null }
  if (kind === 'timeout_headers') return { duration_ms: 5_000, outcome: kind, http_status: null, detail: 'No answer within 5 s' }
  return { duration_ms: random.between(2, 40), outcome: kind, http_status: null, detail: 'Connection refused' }
}
