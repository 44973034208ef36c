import type { Context, Part } from '#e2e/bench/context.ts'
import { memoryFigure } from '#e2e/bench/context.ts'
import type { BenchDatabase } from '#e2e/bench/environment/environment.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import type { ServerProcess } from '#e2e/bench/environment/server-process.ts'
import { type MeasuredCpu, startCpuCount } from '#e2e/bench/environment/usage.ts'
import { type Figure, median, medianRatio } from '#e2e/bench/figures.ts'
import { measureEcho } from '#e2e/bench/limits/http-echo.ts'
import { findPostgresProgram, ONE_CALL_SCRIPT, PLAIN_SCRIPT, runPgbench } from '#e2e/bench/limits/pgbench.ts'
import { ACCEPTED, depositTemplates } from '#e2e/bench/load/deposit-templates.ts'
import type { LoadResult, Template } from '#e2e/bench/load/plan.ts'
import { runLoad } from '#e2e/bench/load/run-load.ts'
import { measureLatency } from './latency.ts'

const APPLICATIONS = 1_000
const CONNECTIONS = 256
const ROUNDS = 3
/** V8 compiles most of what runs often in this time, and PostgreSQL grows its first files. pgbench runs as long before, to find its best number of clients. */
const WARM_UP_SECONDS = 6
const CLIENT_COUNTS = [8, 16, 32, 64]
const SPREAD_BAR = 2.5
const HOT_BAR = 1.2
const CPU_BAR = 5

type Measured = LoadResult & { cpu: MeasuredCpu }

/**
 * Durable accepted deposits per second over HTTP, on a thousand applications and on one, against pgbench writing the same
 * rows one deposit per commit on the same server. ROLE=web: nothing is dispatched, so acceptance alone is
 * measured, as it is for pgbench. The measurements take turns, so that what else the machine does falls on all alike.
 */
export const accept: Part = { name: 'accept', run: (context) => measureAccept(context, false) }

/** p50 and p99 at 10 % and 70 % of the maximum, which is measured first where `accept` did not. */
export const latency: Part = {
  name: 'latency',
  run: (context) => (context.findings.acceptRate === undefined ? measureAccept(context, true) : Promise.resolve([])),
}

async function measureAccept(context: Context, isForLatencyOnly: boolean): Promise<Figure[]> {
  const { environment, options } = context
  const database = await environment.createDatabase('bench_accept')
  const partners = await createPartners(database.pool, APPLICATIONS)
  await database.pool.query('vacuum analyze')
  const server = await environment.startServer({ databaseUrl: database.url })
  const ways = { spread: depositTemplates(partners, 3), hot: depositTemplates(partners.slice(0, 1), 13) }
  try {
    const figures = isForLatencyOnly ? [] : await comparedWithPgbench(context, server, ways)
    context.findings.acceptRate ??= (await loadDeposits(context, database, server, ways.spread, options.seconds)).ratePerSecond
    const wantsLatency = isForLatencyOnly || options.parts.length === 0 || options.parts.includes('latency')
    if (wantsLatency) figures.push(...(await measureLatency(context, server, ways.spread, context.findings.acceptRate)))
    return [...figures, await memoryFigure(isForLatencyOnly ? 'latency' : 'accept', server)]
  } finally {
    await server.stop()
    await database.drop()
  }
}

async function comparedWithPgbench(context: Context, server: ServerProcess, ways: Record<'spread' | 'hot', Template[]>): Promise<Figure[]> {
  const database = context.environment.database('bench_accept')
  const limit = await preparePgbench(context)
  const spread: Measured[] = []
  const hot: Measured[] = []
  const limits: number[] = []
  await loadDeposits(context, database, server, ways.spread, WARM_UP_SECONDS)
  for (let round = 1; round <= ROUNDS; round++) {
    context.say(`accept: round ${round} of ${ROUNDS}`)
    if (limit) limits.push(await limit.measure())
    spread.push(await loadDeposits(context, database, server, ways.spread, context.options.seconds))
    hot.push(await loadDeposits(context, database, server, ways.hot, context.options.seconds))
  }
  const echo = await measureEcho(ways.spread, context.options.seconds)
  await limit?.database.drop()
  const rate = median(spread.map((one) => one.ratePerSecond))
  context.findings.acceptRate = rate
  return [
    {
      name: 'accept: 1,000 applications',
      value: rate,
      unit: 'deposits/s',
      limit: { name: limit ? limit.name : 'no pgbench', value: limit ? median(limits) : Number.NaN },
      pairedRatio: medianRatio(
        spread.map((one) => one.ratePerSecond),
        limits,
      ),
      bar: { kind: 'at least', threshold: SPREAD_BAR },
      note: explain(spread),
    },
    {
      name: 'accept: one application',
      value: median(hot.map((one) => one.ratePerSecond)),
      unit: 'deposits/s',
      limit: { name: '1,000 applications', value: rate },
      pairedRatio: medianRatio(
        hot.map((one) => one.ratePerSecond),
        spread.map((one) => one.ratePerSecond),
      ),
      bar: { kind: 'at least', threshold: HOT_BAR },
      note: explain(hot),
    },
    {
      name: 'accept: CPU of the service per deposit',
      value: median(spread.map(({ cpu, answers }) => (cpu.server * cpu.seconds * 1e6) / answers)),
      unit: 'µs',
      limit: { name: 'bare HTTP echo', value: echo.cpuUs },
      bar: { kind: 'at most', threshold: CPU_BAR },
      note: `the echo: node:http, JSON parsed and written back, the same load, ${Math.round(echo.ratePerSecond)} requests/s`,
    },
  ]
}

type Pgbench = { database: BenchDatabase; name: string; measure(): Promise<number> }

/** Finds the better of two ways to write a deposit and its best number of clients. Undefined: there is no pgbench. */
async function preparePgbench(context: Context): Promise<Pgbench | undefined> {
  const { environment, options } = context
  const program = await findPostgresProgram('pgbench')
  if (!program) {
    context.say('accept: pgbench is not installed (Debian: postgresql-contrib or postgresql-15), so its bar counts as missed')
    return undefined
  }
  context.say('accept: pgbench with several numbers of clients')
  const database = await environment.createDatabase('bench_limit')
  await createPartners(database.pool, APPLICATIONS)
  await database.pool.query('vacuum analyze')
  const trialSeconds = Math.min(2, options.seconds)
  const plain = await runPgbench({
    program,
    environment,
    database,
    script: PLAIN_SCRIPT,
    seconds: trialSeconds,
    clientCounts: CLIENT_COUNTS,
  })
  const oneCall = await runPgbench({
    program,
    environment,
    database,
    script: ONE_CALL_SCRIPT,
    seconds: trialSeconds,
    clientCounts: CLIENT_COUNTS,
  })
  const isPlain = plain.ratePerSecond >= oneCall.ratePerSecond
  const { clients } = isPlain ? plain : oneCall
  const script = isPlain ? PLAIN_SCRIPT : ONE_CALL_SCRIPT
  return {
    database,
    name: `pgbench, ${isPlain ? 'plain statements' : 'one call each'}, ${clients} clients`,
    measure: async () =>
      (await runPgbench({ program, environment, database, script, seconds: options.seconds, clientCounts: [clients] })).ratePerSecond,
  }
}

/** Loads, then holds every answer against the database: as many new transactions as there were right answers. */
export async function loadDeposits(
  { environment }: Context,
  database: BenchDatabase,
  server: ServerProcess,
  templates: Template[],
  seconds: number,
): Promise<Measured> {
  const countBefore = await countTransactions(database)
  const counting = await startCpuCount(server.pid, environment.postgres.pid)
  const result = await runLoad({
    port: server.port,
    connections: CONNECTIONS,
    warmUpMs: 1_000,
    durationMs: seconds * 1_000,
    templates,
    expects: ACCEPTED,
  })
  const cpu = await counting.stop()
  if (result.problems > 0) throw new Error(`${result.problems} deposits were not accepted; the first: ${result.firstProblem}`)
  const written = (await countTransactions(database)) - countBefore
  if (written !== result.answers) throw new Error(`${result.answers} deposits were accepted, but ${written} are in the database`)
  return { ...result, cpu }
}

async function countTransactions({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>('select count(*) from transactions')
  return Number(rows[0]?.count ?? 0)
}

/** CPU use in cores; the rest is the use of other processes. */
function explain(measured: Measured[]): string {
  const part = (name: string, read: (one: Measured) => number) => `${name} ${median(measured.map(read)).toFixed(2)}`
  const rates = measured.map((one) => Math.round(one.ratePerSecond)).join(', ')
  return (
    `rounds ${rates}; cores: ${part('service', (one) => one.cpu.server)}, ${part('PostgreSQL', (one) => one.cpu.postgres)}, ` +
    `${part('load', (one) => one.generatorCpu)}, ${part('whole machine', (one) => one.cpu.machine)}`
  )
}
