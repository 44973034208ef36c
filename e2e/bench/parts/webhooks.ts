import { setTimeout as delay } from 'node:timers/promises'
import type { Context, Part } from '#e2e/bench/context.ts'
import { memoryFigure } from '#e2e/bench/context.ts'
import { type DeliveryPlan, dueAtMs, insertDeliveries, readDeliveryId } from '#e2e/bench/data/deliveries.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import type { ServerProcess } from '#e2e/bench/environment/server-process.ts'
import { startCpuCount } from '#e2e/bench/environment/usage.ts'
import { type Figure, median, percentile } from '#e2e/bench/figures.ts'
import { measurePostLoop } from '#e2e/bench/limits/post-loop.ts'
import { type Sink, startSink } from '#e2e/bench/limits/sink.ts'
import type { Pool } from '#server/database/pool.ts'

const HEALTHY = 100
const HANGING = 900
const IN_FLIGHT = 256
const RATE_BAR = 0.55
const CPU_BAR = 1.5
/** The delay that hanging receivers may add. */
const ADDED_DELAY_BAR_MS = 25
/** Events that wait for each hanging receiver. */
const BACKLOG = 5
const TRICKLE_PER_SECOND = 200
const RATE_COUNT_MAX = 40_000
const ARRIVAL_LIMIT_MS = 60_000

/**
 * Deliveries per second against a loop of undici requests to the same receivers, and how late the healthy tenth of a
 * thousand receivers gets its webhooks while the others hang. ROLE=all: one process does everything.
 */
export const webhooks: Part = {
  name: 'webhooks',
  async run(context) {
    const { environment } = context
    const sink = await startSink()
    const database = await environment.createDatabase('bench_webhooks')
    const [partner] = await createPartners(database.pool, 1)
    if (!partner) throw new Error('There is no partner')
    const server = await environment.startServer({ databaseUrl: database.url, role: 'all' })
    const plans = createPlans(partner.applicationId)
    try {
      const figures = [
        ...(await measureRate(context, database.pool, server, sink, plans)),
        ...(await measureDelays(context, database.pool, sink, plans)),
      ]
      return [...figures, await memoryFigure('webhooks', server)]
    } finally {
      await server.stop()
      await database.drop()
      sink.close()
    }
  },
}

type Plans = { next(plan: Omit<DeliveryPlan, 'applicationId' | 'run'>): DeliveryPlan }

/** Each plan gets a number of its own. */
function createPlans(applicationId: string): Plans {
  let run = 0
  return { next: (plan) => ({ ...plan, applicationId, run: ++run }) }
}

async function measureRate(
  { environment, options, say }: Context,
  pool: Pool,
  server: ServerProcess,
  sink: Sink,
  plans: Plans,
): Promise<Figure[]> {
  say('webhooks: as fast as they go')
  const receivers = sink.healthy(HEALTHY)
  const before = await measurePostLoop(receivers, IN_FLIGHT, options.seconds)
  const count = Math.min(RATE_COUNT_MAX, Math.round(before.ratePerSecond * options.seconds))
  await sink.take()
  const plan = plans.next({ count, receivers, firstDueAtMs: Date.now(), gapMs: 0 })
  await insertDeliveries(pool, plan)
  const counting = await startCpuCount(server.pid, environment.postgres.pid)
  const arrivals = await untilArrived(sink, plan)
  const cpu = await counting.stop()
  const after = await measurePostLoop(receivers, IN_FLIGHT, options.seconds)
  const times = arrivals.map(([, atMs]) => atMs)
  // The first and last twentieth are starting and ending.
  const [fromMs, untilMs] = [percentile(times, 5), percentile(times, 95)]
  const rate: Figure = {
    name: 'webhooks: deliveries',
    value: (count * 0.9) / ((untilMs - fromMs) / 1_000),
    unit: 'deliveries/s',
    limit: { name: 'undici loop', value: median([before.ratePerSecond, after.ratePerSecond]) },
    bar: { kind: 'at least', threshold: RATE_BAR },
    note: `${count} deliveries to ${HEALTHY} receivers, every attempt claimed, signed and recorded in the database; cores: service ${cpu.server.toFixed(2)}, PostgreSQL ${cpu.postgres.toFixed(2)}, whole machine ${cpu.machine.toFixed(2)}`,
  }
  const each: Figure = {
    name: 'webhooks: CPU of the service per delivery',
    value: (cpu.server * cpu.seconds * 1e6) / count,
    unit: 'µs',
    limit: { name: 'undici loop', value: median([before.cpuUs, after.cpuUs]) },
    bar: { kind: 'at most', threshold: CPU_BAR },
    note: `PostgreSQL ${Math.round((cpu.postgres * cpu.seconds * 1e6) / count)} µs`,
  }
  return [rate, each]
}

async function measureDelays({ options, say }: Context, pool: Pool, sink: Sink, plans: Plans): Promise<Figure[]> {
  const trickle = async (): Promise<number[]> => {
    const count = Math.round(TRICKLE_PER_SECOND * options.seconds * 2)
    const plan = plans.next({
      count,
      receivers: sink.healthy(HEALTHY),
      firstDueAtMs: Date.now() + 3_000,
      gapMs: 1_000 / TRICKLE_PER_SECOND,
    })
    await sink.take()
    await insertDeliveries(pool, plan)
    const arrivals = await untilArrived(sink, plan)
    return arrivals.map(([id, atMs]) => atMs - dueAtMs(plan, readDeliveryId(id).nth))
  }
  say('webhooks: healthy receivers, undisturbed')
  await trickle()
  const undisturbed = await trickle()
  say('webhooks: healthy receivers, nine tenths of all hang')
  await insertDeliveries(
    pool,
    plans.next({ count: HANGING * BACKLOG, receivers: sink.hanging(HANGING), firstDueAtMs: Date.now(), gapMs: 0 }),
  )
  const disturbed = await trickle()
  return [
    {
      name: 'webhooks: what 900 of 1,000 hanging receivers add to the delay of the healthy ones, p99',
      value: percentile(disturbed, 99) - percentile(undisturbed, 99),
      unit: 'ms',
      bar: { kind: 'at most', threshold: ADDED_DELAY_BAR_MS },
      note: `p99 ${percentile(disturbed, 99).toFixed(1)} ms against ${percentile(undisturbed, 99).toFixed(1)} ms; p50 ${median(disturbed).toFixed(1)} ms against ${median(undisturbed).toFixed(1)} ms; ${TRICKLE_PER_SECOND}/s to ${HEALTHY} receivers, from when each was due`,
    },
  ]
}

/** Waits until every delivery of a plan has arrived, once each. Throws when one is missing after a minute or came twice. */
async function untilArrived(sink: Sink, plan: DeliveryPlan): Promise<[string, number][]> {
  const seen = new Map<string, number>()
  const startedMs = performance.now()
  while (seen.size < plan.count) {
    await delay(100)
    for (const [id, atMs] of await sink.take()) {
      if (readDeliveryId(id).run !== plan.run) continue
      if (seen.has(id)) throw new Error(`The webhook of ${id} came twice, though it was answered 200`)
      seen.set(id, atMs)
    }
    if (performance.now() - startedMs > ARRIVAL_LIMIT_MS)
      throw new Error(`${plan.count - seen.size} of ${plan.count} webhooks did not arrive within a minute`)
  }
  return [...seen]
}
