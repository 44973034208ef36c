import type { DecisionDto, EventDto, OperatorAttemptDto, TransactionDetailDto, WebhookAttemptDto } from './transaction-detail.ts'

export type TimelineItem = { at: string; key: string } & (
  | { kind: 'event'; event: EventDto }
  | { kind: 'decision'; decision: DecisionDto }
  | { kind: 'operator'; attempt: OperatorAttemptDto }
  | { kind: 'webhook'; attempt: WebhookAttemptDto }
)

/** What came first where two things carry the same instant: the decision before what it caused, the answer before the result. */
const RANK: Record<TimelineItem['kind'], number> = { decision: 0, operator: 1, event: 2, webhook: 3 }

/** Everything that happened to a transaction in one order of time: decisions, moves, calls to the operator, webhooks. */
export function timelineOf(detail: Pick<TransactionDetailDto, 'events' | 'decisions' | 'attempts' | 'webhook'>): TimelineItem[] {
  const items: TimelineItem[] = [
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
  return items.toSorted((left, right) => (left.at === right.at ? rank(left) - rank(right) : left.at < right.at ? -1 : 1))
}

/** The creation is before everything, also before a call that began in the same millisecond. */
function rank(item: TimelineItem): number {
  return item.kind === 'event' && item.event.from === null ? -1 : RANK[item.kind]
}
