import {
  AGE_BUCKETS,
  type OpenContradictions,
  type OperatorHealth,
  type OverviewDto,
  type UnconfirmedMoney,
  type WebhookHealthDto,
} from '#lib/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import { can, type Role } from '#lib/permissions.ts'
import { addDays, daysBetween, utcDayOf } from '#lib/time.ts'
import { countWaiting } from '#server/approvals/count-waiting.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { toCharts, toOperatorTotals } from '#server/reports/totals/read-totals.ts'
import {
  type OperatorDaySum,
  type OperatorStatusSum,
  type RollUpQuery,
  selectOperatorDays,
  selectOperatorSums,
  selectPeriodSums,
} from '#server/reports/totals/roll-up-sums-store.ts'
import { daysOnly } from '#server/reports/transaction-search/roll-up-ranges-store.ts'
import { type WebhookHealth, webhookHealth } from '#server/webhooks/webhook-health.ts'
import { countOpenContradictions, selectOpenContradictions } from './contradiction-store.ts'
import { selectUnconfirmed, type UnconfirmedSum } from './unconfirmed-store.ts'

const MINUTE_MS = 60_000
/** Where an age bucket ends and the next begins. */
const EDGES_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS]
const WORST_TARGETS = 5
const CONTRADICTIONS_MAX = 1_000
const CONTRADICTIONS_SHOWN = 5

type OverviewReader = { applicationId: string; personId: string; roles: readonly Role[] }

/** The first page after sign-in: what waits for the person, unconfirmed money, operators and receivers. */
export async function readOverview(pool: Pool, reader: OverviewReader, days: number, now: Date): Promise<OverviewDto> {
  const { applicationId } = reader
  const to = utcDayOf(now)
  const from = addDays(to, 1 - days)
  const edges = EDGES_MS.map((ageMs) => new Date(now.getTime() - ageMs))
  const query: RollUpQuery = { from, to, type: null, operators: [] }
  const [waiting, unconfirmed, contradictions, sums, periods, operatorDays, webhooks] = await Promise.all([
    readWaiting(pool, reader),
    selectUnconfirmed(pool, applicationId, edges),
    readContradictions(pool, applicationId),
    selectOperatorSums(pool, applicationId, query, daysOnly(query)),
    selectPeriodSums(pool, applicationId, query, daysOnly(query), 'day'),
    selectOperatorDays(pool, applicationId, from, to),
    readWebhooks(pool, applicationId),
  ])
  const allDays = daysBetween(from, to)
  return {
    asOf: now.toISOString(),
    waiting,
    unconfirmed: toUnconfirmed(unconfirmed, edges),
    contradictions,
    from,
    to,
    charts: toCharts(periods, allDays),
    operators: toHealth(sums, operatorDays, allDays),
    webhooks,
  }
}

async function readWaiting(pool: Queryable, { applicationId, personId, roles }: OverviewReader): Promise<OverviewDto['waiting']> {
  if (!can(roles, 'transaction:decide')) return null
  const { oldestAt, ...waiting } = await countWaiting(pool, applicationId, personId, roles)
  return { ...waiting, oldestAt: oldestAt?.toISOString() ?? null }
}

async function readContradictions(pool: Queryable, applicationId: string): Promise<OpenContradictions> {
  const [count, newest] = await Promise.all([
    countOpenContradictions(pool, applicationId, CONTRADICTIONS_MAX + 1),
    selectOpenContradictions(pool, applicationId, CONTRADICTIONS_SHOWN),
  ])
  return {
    count: Math.min(count, CONTRADICTIONS_MAX),
    isMore: count > CONTRADICTIONS_MAX,
    newest: newest.map(({ amountMinor, at, ...row }) => ({ ...row, amount: formatMinor(amountMinor), at: at.toISOString() })),
  }
}

function toUnconfirmed(sums: readonly UnconfirmedSum[], edges: readonly Date[]): UnconfirmedMoney[] {
  return CURRENCIES.flatMap((currency) => {
    const own = sums.filter((sum) => sum.currency === currency)
    if (own.length === 0) return []
    return [
      {
        currency,
        count: Number(own.reduce((count, sum) => count + sum.count, 0n)),
        amount: formatMinor(own.reduce((amount, sum) => amount + sum.amountMinor, 0n)),
        buckets: AGE_BUCKETS.map((bucket, place) => {
          const sum = own.find((each) => each.bucket === place)
          return {
            bucket,
            count: Number(sum?.count ?? 0n),
            amount: formatMinor(sum?.amountMinor ?? 0n),
            after: edges[place]?.toISOString() ?? null,
            before: edges[place - 1]?.toISOString() ?? null,
          }
        }),
      },
    ]
  })
}

function toHealth(sums: readonly OperatorStatusSum[], operatorDays: readonly OperatorDaySum[], days: readonly string[]): OperatorHealth[] {
  const volumes = new Map(operatorDays.map((sum) => [`${sum.operator} ${sum.day}`, sum.amountMinor]))
  return toOperatorTotals(sums, sums).map((total) => {
    const of = (status: string) => sums.find((sum) => sum.operator === total.operator && sum.status === status)
    const failed = Number(of('FAILED')?.count ?? 0n)
    return {
      ...total,
      failed,
      finished: Number(of('SUCCESS')?.count ?? 0n) + failed,
      successAmount: formatMinor(of('SUCCESS')?.amountMinor ?? 0n),
      volumes: days.map((day) => Number((volumes.get(`${total.operator} ${day}`) ?? 0n) / 100n)),
    }
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
  // A failed read is repeated by the next viewer.
  health.catch(() => {
    if (healthByApplication.get(applicationId) === entry) healthByApplication.delete(applicationId)
  })
  return health
}
