import type { AdministratorOverview, OperatorHealth, WebhookHealthDto } from '#lib/finance/finance-dto.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { type DayRange, daysBetween } from '#lib/time/time.ts'
import { listBlocked } from '#server/approvals/queue/list-blocked.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { countOf, shareOf, withStatus } from '#server/reports/totals/money-figures.ts'
import { type WebhookHealth, webhookHealth } from '#server/webhooks/history.ts'
import { type OperatorStatusSum, selectOperatorDays, selectOperatorSums } from '../totals/totals-store.ts'
import { daysOnly } from '../transaction-search/day-counts-store.ts'

const WORST_TARGETS = 5

/**
 * Whether operators and receivers work: success per operator over the days, and the webhooks of the last 24 hours. And whether anything
 * waits that nobody can decide.
 */
export async function readHealth(
  pool: Pool,
  { applicationId, businessZone }: BusinessTime,
  range: DayRange,
): Promise<AdministratorOverview> {
  const query = { ...range, type: null, operators: [] }
  const ranges = daysOnly(businessZone, range)
  const [sums, days, webhooks, blocked] = await Promise.all([
    selectOperatorSums(pool, applicationId, query, ranges),
    selectOperatorDays(pool, applicationId, ranges),
    readWebhooks(pool, applicationId),
    listBlocked(pool, applicationId),
  ])
  const counts = new Map(days.map((sum) => [`${sum.operator} ${sum.day}`, Number(sum.count)]))
  const countsOf = (operator: string) => daysBetween(range.from, range.to).map((day) => counts.get(`${operator} ${day}`) ?? 0)
  return { share: shareOf(sums), operators: toHealth(sums, countsOf), webhooks, blocked: blocked.count }
}

/** One line per operator that has anything in these days. */
function toHealth(sums: readonly OperatorStatusSum[], countsOf: (operator: string) => number[]): OperatorHealth[] {
  return OPERATOR_CODES.flatMap((operator) => {
    const own = sums.filter((sum) => sum.operator === operator && sum.count > 0n)
    if (own.length === 0) return []
    const failed = countOf(withStatus(own, 'FAILED'))
    return [{ operator, share: shareOf(own), failed, finished: countOf(withStatus(own, 'SUCCESS')) + failed, counts: countsOf(operator) }]
  })
}

async function readWebhooks(pool: Queryable, applicationId: string): Promise<WebhookHealthDto> {
  const { after, before, targets, ...counts } = await recentHealth(pool, applicationId)
  return {
    ...counts,
    after: after.toISOString(),
    before: before.toISOString(),
    worst: targets
      .filter((target) => target.isTroubled)
      .slice(0, WORST_TARGETS)
      .map(({ isTroubled: _, lastDeliveredAt, ...target }) => ({ ...target, lastDeliveredAt: lastDeliveredAt?.toISOString() ?? null })),
  }
}

const HEALTH_AGE_MAX_MS = 15_000
const healthByApplication = new Map<string, { readAtMs: number; health: Promise<WebhookHealth> }>()

/** A day of deliveries is read at most once in fifteen seconds per application: many viewers must not mean many queries. */
function recentHealth(pool: Queryable, applicationId: string): Promise<WebhookHealth> {
  const known = healthByApplication.get(applicationId)
  const nowMs = performance.now()
  if (known && nowMs - known.readAtMs < HEALTH_AGE_MAX_MS) return known.health
  // Older entries are removed, so only the applications of the last seconds are held.
  for (const [id, { readAtMs }] of healthByApplication) {
    if (nowMs - readAtMs < HEALTH_AGE_MAX_MS) break
    healthByApplication.delete(id)
  }
  const health = webhookHealth(pool, applicationId)
  // Deleted first, so that the map stays in order of time.
  healthByApplication.delete(applicationId)
  const entry = { readAtMs: nowMs, health }
  healthByApplication.set(applicationId, entry)
  // biome-ignore lint/plugin/no-silent-error: A failed read is repeated by the next viewer.
  health.catch(() => {
    if (healthByApplication.get(applicationId) === entry) healthByApplication.delete(applicationId)
  })
  return health
}
