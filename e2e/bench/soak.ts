// `npm run soak -- [--minutes 30]`: half of the maximum of the flow for so long, with operators that are late, refuse and hang now and
// then. Nothing may grow except the history. See README.md beside this file.
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openEnvironment } from '#e2e/bench/environment/environment.ts'
import { startFlowService } from '#e2e/bench/environment/start-flow-service.ts'
import { residentMb } from '#e2e/bench/environment/usage.ts'
import { type FlowSetting, OPERATOR_DELAY_MS, play, withFlowSetting } from '#e2e/bench/parts/flow.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Context } from './context.ts'
import { median } from './figures.ts'

/** Of the requests to the operators. */
const BAD_DAY_SHARE = 0.01
const SAMPLE_EVERY_MS = 30_000
/** Caches fill and PostgreSQL's tables reach their size until then. */
const SETTLED_AFTER_MINUTES = 10
const GROWTH_MAX = 1.1
const DRAIN_LIMIT_MS = 15 * 60_000

type Sample = {
  minute: number
  memoryMb: number
  /** Transactions that are not final, and webhooks that are due. */
  open: number
  due: number
  deadRows: number
  transactions: number
  bytesEach: number
  delayP50Ms: number
  delayP99Ms: number
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } })
const minutes = Number(values.minutes)
if (!(minutes >= 1 && minutes <= 10_000)) throw new Error('--minutes must be a number from 1 to 10,000.')

const environment = await openEnvironment()
process.once('SIGINT', () => void environment.close().finally(() => process.exit(130)))
try {
  const context: Context = {
    environment,
    options: { parts: [], size: 0, seconds: 4, deposits: 0, jsonFile: undefined },
    findings: {},
    say: (line) => void process.stderr.write(`${line}\n`),
  }
  const measure = async (setting: FlowSetting) => {
    await soak(setting, context)
    return []
  }
  await withFlowSetting(context, measure, BAD_DAY_SHARE)
} finally {
  await environment.close()
}

async function soak(setting: FlowSetting, context: Context): Promise<void> {
  const service = await startFlowService(setting, { role: 'all' })
  try {
    const long = { durationMs: 20_000, drainLimitMs: DRAIN_LIMIT_MS }
    const { completedPerSecond } = await play(setting, service, undefined, long)
    const rate = completedPerSecond / 2
    context.say(`soak: ${Math.round(rate)} transactions/s for ${minutes} minutes`)
    const samples: Sample[] = []
    const ending = new AbortController()
    const sampling = takeSamples(setting.database.pool, service.pids[0] ?? 0, samples, ending.signal)
    await play(setting, service, rate, { ...long, durationMs: minutes * 60_000 }).finally(() => ending.abort())
    await sampling
    process.exitCode = report(samples) ? 0 : 1
  } finally {
    await service.stop()
  }
}

async function takeSamples(pool: Pool, pid: number, samples: Sample[], ending: AbortSignal): Promise<void> {
  const startedMs = performance.now()
  // Measurements after the load say nothing about it. Ends early if the load has failed.
  const isOver = () =>
    delay(SAMPLE_EVERY_MS, performance.now() - startedMs + SAMPLE_EVERY_MS > minutes * 60_000, { signal: ending }).catch(() => true)
  while (!(await isOver())) {
    const sample = await takeSample(pool, pid, (performance.now() - startedMs) / 60_000)
    samples.push(sample)
    process.stdout.write(
      `${Object.entries(sample)
        .map(([name, value]) => `${name} ${value.toFixed(name === 'minute' ? 1 : 0)}`)
        .join(', ')}\n`,
    )
  }
}

async function takeSample(pool: Pool, pid: number, minute: number): Promise<Sample> {
  const { rows } = await pool.query<Record<'open' | 'due' | 'dead' | 'transactions' | 'bytes', bigint> & { p50: number; p99: number }>(
    `select (select coalesce(sum(pending_count), 0)::bigint from application_counters) as open,
            (select count(*) from webhook_deliveries where state = 'due') as due,
            (select coalesce(sum(n_dead_tup), 0)::bigint from pg_stat_user_tables) as dead,
            (select coalesce(sum(transaction_count), 0)::bigint from application_counters) as transactions,
            pg_database_size(current_database()) as bytes, recent.p50, recent.p99
       from (select coalesce(percentile_cont(0.5) within group (order by took_ms), 0) as p50,
                    coalesce(percentile_cont(0.99) within group (order by took_ms), 0) as p99
               from (select extract(epoch from d.finished_at - t.created_at)::float8 * 1000 as took_ms
                       from webhook_deliveries d join transactions t using (application_id, transaction_id)
                       where d.finished_at > now() - interval '10 seconds') each) recent`,
  )
  const [row] = rows
  if (!row) throw new Error('The database returned no sample')
  const transactions = Number(row.transactions)
  return {
    minute,
    memoryMb: await residentMb(pid),
    open: Number(row.open),
    due: Number(row.due),
    deadRows: Number(row.dead),
    transactions,
    bytesEach: Number(row.bytes) / transactions,
    delayP50Ms: row.p50 - OPERATOR_DELAY_MS,
    delayP99Ms: row.p99 - OPERATOR_DELAY_MS,
  }
}

/** Compares the first half of the settled time with the second. True: nothing grew. */
function report(samples: Sample[]): boolean {
  const settled = samples.filter(({ minute }) => minute >= SETTLED_AFTER_MINUTES)
  const compared = settled.length >= 4 ? settled : samples
  if (compared.length < 4) {
    process.stdout.write('The soak was too short to compare anything.\n')
    return true
  }
  const half = compared.length >> 1
  const names = ['memoryMb', 'open', 'due', 'deadRows', 'bytesEach', 'delayP50Ms', 'delayP99Ms'] as const
  const results = names.map((name) => {
    const before = median(compared.slice(0, half).map((sample) => sample[name]))
    const after = median(compared.slice(half).map((sample) => sample[name]))
    const hasGrown = after > before * GROWTH_MAX
    process.stdout.write(
      `${name.padEnd(12)}${before.toFixed(0).padStart(10)} then ${after.toFixed(0).padStart(10)}${hasGrown ? '  GREW' : ''}\n`,
    )
    return hasGrown
  })
  return !results.includes(true)
}
