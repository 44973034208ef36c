import { cpus } from 'node:os'
import { type Context, memoryFigure, type Part } from '#e2e/bench/context.ts'
import type { BenchDatabase } from '#e2e/bench/environment/environment.ts'
import { type FlowPartner, startFlowPartner } from '#e2e/bench/environment/flow-partner.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import { type Simulators, startSimulators } from '#e2e/bench/environment/simulators.ts'
import { type FlowService, type Layout, startFlowService } from '#e2e/bench/environment/start-flow-service.ts'
import { type GroupUse, startGroupCount } from '#e2e/bench/environment/usage.ts'
import type { Figure } from '#e2e/bench/figures.ts'
import { startBareService } from '#e2e/bench/limits/bare-exchanges.ts'
import { flowTemplates } from '#e2e/bench/load/deposit-templates.ts'
import type { FlowResult } from '#e2e/bench/load/flow-plan.ts'
import type { Template } from '#e2e/bench/load/plan.ts'
import { fundWallet } from '#server/operators/testing/simulated-wallets.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'

const APPLICATIONS = 200
const RECEIVERS = 100
/** Per service that is started: web and worker are two. With more, one process accepts so much more than it completes that it mostly waits. */
const CONNECTIONS = 128
/** Enough for 6,000 a second, and few enough that the polling schedule of a slow service does not add queries. */
const OPEN_MAX = 4_000
const SIMULATORS = 2
/** More than the half second that a webhook waits for the response to its request. */
export const OPERATOR_DELAY_MS = 600
/** V8 compiles most of what runs often in the first ten seconds. A service runs for months. */
const WARM_UP_MS = 10_000
const DRAIN_LIMIT_MS = 60_000
/** A minute by default: batches vary in size, and what is summed up every minute belongs to the cost of a transaction. */
const SECONDS_FACTOR = 15
const CPU_BAR = 2
const RATE_BAR = 0.5
const SPLIT_BAR = 1.6
const DELAY_BAR_MS = 1_000
/** In units of the currency. With less, deposits would wait for float after some 150,000 transactions: what a simulator opens with is paid out then. */
const WALLET_AMOUNT = 1_000_000_000_000

/** Everything that flows through a service: partner, operators and PostgreSQL around it. */
export type FlowSetting = {
  context: Context
  database: BenchDatabase
  simulators: Simulators
  partner: FlowPartner
  templates: Template[]
}

type FlowMeasured = FlowResult & {
  use: GroupUse
  /** Microseconds of CPU per completed transaction, by group. */
  usEach: Record<string, number>
}

/**
 * Completed transactions per second: accepted, submitted, called back, queried, settled, and notified. The limit is a service that makes
 * the same HTTP requests with node:http and undici and does nothing else.
 */
export const flow: Part = {
  name: 'flow',
  run: (context) =>
    withFlowSetting(context, async (setting) => {
      const bareBefore = await measureBare(setting)
      const one = await measureOneProcess(setting)
      const bareAfter = await measureBare(setting)
      const split = await measureLayout(setting, { role: 'split', webs: 1, workers: cpus().length >= 4 ? 2 : 1 })
      const bareRate = (bareBefore.completedPerSecond + bareAfter.completedPerSecond) / 2
      const bareUs = (usOf(bareBefore) + usOf(bareAfter)) / 2
      return [
        {
          name: 'flow: one process',
          value: one.full.completedPerSecond,
          unit: 'transactions/s',
          limit: { name: 'bare exchanges', value: bareRate },
          bar: { kind: 'at least', threshold: RATE_BAR },
          note: explainFlow(one.full),
        },
        {
          name: 'flow: CPU of the service per transaction, one process',
          value: usOf(one.full),
          unit: 'µs',
          limit: { name: 'bare exchanges', value: bareUs },
          bar: { kind: 'at most', threshold: CPU_BAR },
          note: `the bare exchanges: ${explainFlow(bareAfter)}`,
        },
        {
          name: 'flow: web + worker',
          value: split.completedPerSecond,
          unit: 'transactions/s',
          limit: { name: 'one process', value: one.full.completedPerSecond },
          bar: { kind: 'at least', threshold: SPLIT_BAR },
          note: explainFlow(split),
        },
        ...one.delays,
        one.memory,
      ]
    }),
}

/** Starts what a flow needs, and compares everything in the end: what was accepted was completed, and the books balance. */
export async function withFlowSetting(
  context: Context,
  measure: (setting: FlowSetting) => Promise<Figure[]>,
  badDayShare = 0,
): Promise<Figure[]> {
  const { environment } = context
  const database = await environment.createDatabase('bench_flow')
  const partner = await startFlowPartner()
  const simulators = await startSimulators({ folder: environment.folder, count: SIMULATORS, delayMs: OPERATOR_DELAY_MS, badDayShare })
  try {
    await Promise.all(simulators.places.map((place) => fundWallet(place, { operator: place.operator, amount: WALLET_AMOUNT })))
    const partners = await createPartners(database.pool, APPLICATIONS)
    await database.pool.query('vacuum analyze')
    const setting = { context, database, simulators, partner, templates: flowTemplates(partners, 13, partner.receivers(RECEIVERS)) }
    const figures = await measure(setting)
    await checkDatabase(database)
    return figures
  } finally {
    partner.close()
    await simulators.stop()
    await database.drop()
  }
}

async function measureBare(setting: FlowSetting): Promise<FlowMeasured> {
  setting.context.say('flow: the bare exchanges')
  const bare = await startBareService(setting.simulators)
  try {
    return await play(setting, { port: bare.port, pids: [bare.pid] })
  } finally {
    await bare.stop()
  }
}

/** The maximum, the delays at shares of it, and the memory after all that. */
async function measureOneProcess(setting: FlowSetting): Promise<{ full: FlowMeasured; delays: Figure[]; memory: Figure }> {
  setting.context.say('flow: one process')
  const service = await startFlowService(setting, { role: 'all' })
  try {
    const full = await play(setting, service)
    const delays: Figure[] = []
    for (const share of [0.1, 0.7]) {
      setting.context.say(`flow: delays at ${share * 100} %`)
      const { delaysMs, ...result } = await play(setting, service, full.completedPerSecond * share)
      const name = `flow: acceptance to webhook beyond the operator's ${OPERATOR_DELAY_MS} ms, at ${share * 100} %`
      delays.push(
        { name: `${name}, p50`, value: delaysMs.p50 - OPERATOR_DELAY_MS, unit: 'ms', note: explainFlow(result) },
        {
          name: `${name}, p99`,
          value: delaysMs.p99 - OPERATOR_DELAY_MS,
          unit: 'ms',
          ...(share === 0.7 && { bar: { kind: 'at most', threshold: DELAY_BAR_MS } as const }),
        },
      )
    }
    return { full, delays, memory: await memoryFigure('flow', { ...service, pid: service.pids[0] ?? 0 }) }
  } finally {
    await service.stop()
  }
}

/** Measures one arrangement of processes at its maximum. */
export async function measureLayout(setting: FlowSetting, layout: Layout): Promise<FlowMeasured> {
  setting.context.say(`flow: ${layout.role === 'all' ? 'one process' : `${layout.webs} web and ${layout.workers} worker processes`}`)
  const service = await startFlowService(setting, layout)
  try {
    return await play(setting, service)
  } finally {
    await service.stop()
  }
}

/** Plays the load at its maximum or at a rate. Throws if anything was refused, lost or doubled. */
export async function play(
  { context, simulators, partner, templates }: FlowSetting,
  service: Pick<FlowService, 'port' | 'pids'>,
  ratePerSecond?: number,
  times: { durationMs: number; drainLimitMs: number } = {
    durationMs: context.options.seconds * SECONDS_FACTOR * 1_000,
    drainLimitMs: DRAIN_LIMIT_MS,
  },
): Promise<FlowMeasured> {
  const groups = {
    service: service.pids,
    postgres: [context.environment.postgres.pid],
    simulators: simulators.pids,
    load: [partner.pid],
  }
  let counting: ReturnType<typeof startGroupCount> | undefined
  let used: Promise<GroupUse> | undefined
  const result = await partner.play(
    {
      port: service.port,
      connections: CONNECTIONS * service.pids.length,
      openMax: ratePerSecond === undefined ? OPEN_MAX : OPEN_MAX * 10,
      ...(ratePerSecond !== undefined && { ratePerSecond }),
      warmUpMs: WARM_UP_MS,
      ...times,
      templates,
    },
    {
      onMeasuring: () => {
        counting = startGroupCount(groups)
      },
      onMeasured: () => {
        used = counting?.then((started) => started.stop())
      },
    },
  )
  if (result.problems > 0) throw new Error(`${result.problems} transactions went wrong; the first: ${result.firstProblem}`)
  const use = await used
  if (!use) throw new Error('The partner measured nothing')
  const transactions = result.completedPerSecond * use.seconds
  const usEach = Object.fromEntries(Object.entries(use.us).map(([name, us]) => [name, us / transactions]))
  const measured = { ...result, use, usEach }
  context.say(`flow: ${explainFlow(measured)}`)
  return measured
}

async function checkDatabase({ pool }: BenchDatabase): Promise<void> {
  const { rows } = await pool.query<{ unfinished: bigint; undelivered: bigint }>(
    `select (select count(*) from transactions where status <> 'SUCCESS') as unfinished,
            (select count(*) from webhook_deliveries where state <> 'delivered') as undelivered`,
  )
  if (rows[0]?.unfinished !== 0n || rows[0].undelivered !== 0n)
    throw new Error(`${rows[0]?.unfinished} transactions are not complete and ${rows[0]?.undelivered} webhooks are not delivered`)
  await pool.query('analyze')
  const differences = await verifyBooks(pool)
  if (differences.length > 0) throw new Error(`The books do not balance: ${JSON.stringify(differences[0])}`)
}

function usOf(measured: FlowMeasured): number {
  return measured.usEach['service'] ?? Number.NaN
}

/** CPU per transaction, cores, and whether the backlog grew. */
export function explainFlow({ usEach, use, openBefore, openAfter, completedPerSecond }: Omit<FlowMeasured, 'delaysMs'>): string {
  const each = Object.entries(usEach).map(([name, us]) => `${name} ${Math.round(us)}`)
  const cores = Object.entries(use.us).map(([name, us]) => `${name} ${(us / 1e6 / use.seconds).toFixed(2)}`)
  return (
    `${Math.round(completedPerSecond)}/s; open ${openBefore} then ${openAfter}; µs per transaction: ${each.join(', ')}; ` +
    `cores: ${cores.join(', ')}, whole machine ${use.machine.toFixed(2)}`
  )
}
