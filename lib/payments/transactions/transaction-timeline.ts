import type { ApiCallDto } from '#lib/partner/partner-requests.ts'
import type { DecisionDto, EventDto, OperatorAttemptDto, TransactionDetailDto, WebhookAttemptDto } from './transaction-dto.ts'
import type { TransactionStatus, TransactionType } from './transaction-status.ts'

export type TimelineItem = { at: string; key: string } & (
  | { kind: 'event'; event: EventDto }
  | { kind: 'decision'; decision: DecisionDto }
  | { kind: 'operator'; attempt: OperatorAttemptDto }
  | { kind: 'webhook'; attempt: WebhookAttemptDto }
  /** In a sandbox: a call of the partner's program. */
  | { kind: 'api'; call: ApiCallDto }
  /** Queries of the operator, or calls of the program, between a first and a last one, all with the same answer. */
  | { kind: 'repeated'; of: 'operator' | 'api'; count: number }
)

/** The order of items with the same instant: a call before what it causes, a decision before its effect, the operator's answer before the result. */
const RANK: Record<TimelineItem['kind'], number> = { api: -2, decision: 0, operator: 1, repeated: 1, event: 2, webhook: 3 }

/** The maximum number of consecutive queries or calls with the same answer that are shown one by one; of more, the first and the last are shown. */
const ALIKE_MAX = 3

/**
 * Everything that happened to a transaction in one order of time: calls of the program, decisions, moves, calls to the operator, webhooks. An operator that is asked
 * for days says the same eighty times: what lies between the first and the last of these is one item.
 */
export function timelineOf(
  detail: Pick<TransactionDetailDto, 'events' | 'decisions' | 'attempts' | 'apiCalls' | 'webhook'>,
): TimelineItem[] {
  const items: TimelineItem[] = [
    ...detail.apiCalls.map((call) => ({ kind: 'api' as const, at: call.at, key: `api-${call.requestId}`, call })),
    ...detail.events.map((event) => ({ kind: 'event' as const, at: event.at, key: `event-${event.version}`, event })),
    ...detail.decisions.map((decision) => ({
      kind: 'decision' as const,
      at: decision.at,
      key: `decision-${decision.checkerName}-${decision.at}`,
      decision,
    })),
    ...detail.attempts.map((attempt) => ({ kind: 'operator' as const, at: attempt.startedAt, key: `operator-${attempt.number}`, attempt })),
    ...(detail.webhook?.attempts ?? []).map((attempt) => ({
      kind: 'webhook' as const,
      at: attempt.startedAt,
      key: `webhook-${attempt.number}`,
      attempt,
    })),
  ]
  return foldAlike(items.toSorted((left, right) => (left.at === right.at ? rank(left) - rank(right) : left.at < right.at ? -1 : 1)))
}

function foldAlike(items: readonly TimelineItem[]): TimelineItem[] {
  const folded: TimelineItem[] = []
  for (let start = 0; start < items.length; ) {
    let end = start + 1
    while (end < items.length && isAlike(items[start], items[end])) end++
    const run = items.slice(start, end)
    const [first, second, last] = [run[0], run[1], run.at(-1)]
    if (run.length > ALIKE_MAX && first && second && last)
      folded.push(
        first,
        {
          kind: 'repeated',
          of: first.kind === 'api' ? 'api' : 'operator',
          at: second.at,
          key: `repeated-${second.key}`,
          count: run.length - 2,
        },
        last,
      )
    else folded.push(...run)
    start = end
  }
  return folded
}

function isAlike(one: TimelineItem | undefined, other: TimelineItem | undefined): boolean {
  if (one?.kind === 'api' && other?.kind === 'api') {
    const [left, right] = [one.call, other.call]
    return left.method === right.method && left.path === right.path && left.status === right.status
  }
  if (one?.kind !== 'operator' || other?.kind !== 'operator') return false
  const [left, right] = [one.attempt, other.attempt]
  return left.kind === 'query' && right.kind === 'query' && left.outcome === right.outcome && left.httpStatus === right.httpStatus
}

/** The creation is before everything, also before a call that began in the same millisecond. */
function rank(item: TimelineItem): number {
  return item.kind === 'event' && item.event.from === null ? -1 : RANK[item.kind]
}

/** An effect that a transaction has had, or may still have, on its application's balance. Each is a sentence (`transaction.balance.*`). */
export type BalanceEffect =
  | 'collect_after_approval'
  | 'collect_expected'
  | 'collect_added'
  | 'deposit_after_approval'
  | 'deposit_before_sending'
  | 'deposit_held'
  | 'deposit_taken'
  | 'none'

type BalanceEffectInput = { type: TransactionType; status: TransactionStatus; held: string; net: string }

/**
 * Returns which sentence about the balance is true of a transaction now, and its amount as a decimal. A failed transaction changes no
 * balance: a deposit's hold is released when it fails.
 */
export function balanceEffectOf({ type, status, held, net }: BalanceEffectInput): { effect: BalanceEffect; amount: string } {
  if (status === 'FAILED') return { effect: 'none', amount: '0' }
  return { effect: type === 'COLLECT' ? collectEffect(status) : depositEffect(status, held !== '0'), amount: net }
}

function collectEffect(status: Exclude<TransactionStatus, 'FAILED'>): BalanceEffect {
  if (status === 'SUCCESS') return 'collect_added'
  return status === 'PENDING' ? 'collect_expected' : 'collect_after_approval'
}

function depositEffect(status: Exclude<TransactionStatus, 'FAILED'>, isHeld: boolean): BalanceEffect {
  if (status === 'SUCCESS') return 'deposit_taken'
  if (isHeld) return 'deposit_held'
  return status === 'PENDING' ? 'deposit_before_sending' : 'deposit_after_approval'
}
