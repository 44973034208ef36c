import { pollDelayMs } from '#server/operators/poll-schedule.ts'
import type { Live, Play } from './history-state.ts'
import { HOUR_MS } from './plan-history.ts'
import { iso, type WebhookAttemptSeed } from './seed-rows.ts'

/** What passed between us and the operator: the submission, and the word that ended it at `finalAtMs` (null: still open). */
export function noteOperatorWork(play: Play, live: Live, finalAtMs: number | null): void {
  const { random, nowMs } = play.setting
  const { row, plan, pendingAtMs } = live
  const key = { application_id: row.application_id, transaction_id: row.transaction_id }
  const isUnconfirmed = plan.operatorFate === 'unconfirmed'
  const startedMs = pendingAtMs + random.between(15, 90)
  const answeredMs = isUnconfirmed ? startedMs + 10_000 : Math.min(startedMs + random.between(70, 600), (finalAtMs ?? nowMs) - 1)
  play.rows.operator_attempts.push({
    ...key,
    number: 1,
    kind: 'submit',
    started_at: iso(startedMs),
    finished_at: iso(answeredMs),
    ...(isUnconfirmed
      ? { outcome: 'unknown', http_status: null, answer: NO_ANSWER }
      : { outcome: 'accepted', http_status: 202, answer: '{"status":"PENDING"}' }),
  })
  if (finalAtMs !== null) {
    const isSuccess = row.status === 'SUCCESS'
    play.rows.operator_attempts.push({
      ...key,
      number: 2,
      kind: 'query',
      started_at: iso(Math.max(finalAtMs - random.between(40, 300), answeredMs)),
      finished_at: iso(finalAtMs),
      outcome: isSuccess ? 'succeeded' : 'failed',
      http_status: 200,
      answer: JSON.stringify(isSuccess ? { status: 'SUCCESS' } : { status: 'FAILED', message: row.message }),
    })
    return
  }
  const queries = noteQueries(play, key, answeredMs, isUnconfirmed)
  // Asked again only in some hours, so that the sandbox shows open work for a while; "Synchronise" asks at once.
  play.rows.operator_work.push({
    ...key,
    operator: row.operator,
    state: isUnconfirmed ? 'unconfirmed' : 'submitted',
    next_at: iso(nowMs + random.between(4, 12) * HOUR_MS),
    attempts: 1 + queries,
    queries,
    submissions: 1,
    unconfirmed_since: isUnconfirmed ? iso(answeredMs) : null,
    last_answer: isUnconfirmed ? NO_ANSWER : '{"status":"PENDING"}',
  })
}

const NO_ANSWER = 'No answer within 10 s'

/** How often the operator was asked since, by the service's own schedule, and always in vain. Gives how often. */
function noteQueries(
  play: Play,
  key: { application_id: string; transaction_id: string },
  answeredMs: number,
  isUnconfirmed: boolean,
): number {
  const tookMs = isUnconfirmed ? 10_000 : 120
  let queries = 0
  let atMs = answeredMs + pollDelayMs(0, evenly)
  for (; atMs + tookMs < play.setting.nowMs; atMs += tookMs + pollDelayMs(queries, evenly)) {
    queries++
    play.rows.operator_attempts.push({
      ...key,
      number: 1 + queries,
      kind: 'query',
      started_at: iso(atMs),
      finished_at: iso(atMs + tookMs),
      ...(isUnconfirmed
        ? { outcome: 'unknown', http_status: null, answer: NO_ANSWER }
        : { outcome: 'pending', http_status: 200, answer: '{"status":"PENDING"}' }),
    })
  }
  return queries
}

/** Neither early nor late. */
const evenly = () => 0.5

const GAPS_MS = [0, 30_000, 120_000, 600_000]

/** The result told to the partner: nearly always at the first attempt, now and then later, a few times never. */
export function noteWebhook(play: Play, live: Live, finalAtMs: number): void {
  const { random, nowMs } = play.setting
  const { row } = live
  const key = { application_id: row.application_id, transaction_id: row.transaction_id }
  const isOld = nowMs - finalAtMs > HOUR_MS
  const failures = isOld ? Number(random.weighted({ 0: 930, 1: 38, 2: 12, 3: 6, 4: 14 })) : 0
  const attempts: WebhookAttemptSeed[] = []
  let atMs = Math.max(finalAtMs, Date.parse(row.created_at) + 500) + random.between(3, 60)
  for (let number = 1; number <= Math.min(failures + 1, 4); number++) {
    atMs += GAPS_MS[number - 1] ?? 0
    const attempt =
      number <= failures
        ? failedAttempt(play)
        : { duration_ms: random.between(35, 780), outcome: 'delivered', http_status: 200, detail: null }
    attempts.push({ ...key, number, started_at: iso(atMs), ...attempt })
    atMs += attempt.duration_ms
  }
  play.rows.webhook_attempts.push(...attempts)
  play.rows.webhook_deliveries.push({
    ...key,
    target: /^[a-z]+:\/\/[^/?#]+/i.exec(row.webhook_url)?.[0].toLowerCase() ?? '',
    state: failures === 4 ? 'exhausted' : 'delivered',
    attempts: attempts.length,
    next_at: iso(atMs),
    created_at: iso(finalAtMs),
    finished_at: iso(atMs),
  })
}

function failedAttempt({ setting: { random } }: Play): Pick<WebhookAttemptSeed, 'duration_ms' | 'outcome' | 'http_status' | 'detail'> {
  const kind = random.weighted({ bad_status: 6, timeout_headers: 3, connection_refused: 2 })
  if (kind === 'bad_status')
    return { duration_ms: random.between(40, 900), outcome: kind, http_status: random.pick([500, 502, 503]), detail: null }
  if (kind === 'timeout_headers') return { duration_ms: 5_000, outcome: kind, http_status: null, detail: 'No answer within 5 s' }
  return { duration_ms: random.between(2, 40), outcome: kind, http_status: null, detail: 'Connection refused' }
}
