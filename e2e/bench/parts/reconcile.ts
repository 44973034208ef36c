import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runTasks } from '#e2e/bench/batches/round.ts'
import type { Context, Part } from '#e2e/bench/context.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import { startSimulators } from '#e2e/bench/environment/simulators.ts'
import { startFlowService } from '#e2e/bench/environment/start-flow-service.ts'
import { type MeasuredCpu, startCpuCount, startMemoryWatch } from '#e2e/bench/environment/usage.ts'
import type { Figure } from '#e2e/bench/figures.ts'
import { startSink } from '#e2e/bench/limits/sink.ts'
import { ACCEPTED, flowTemplates } from '#e2e/bench/load/deposit-templates.ts'
import type { LoadResult, Template } from '#e2e/bench/load/plan.ts'
import { runLoad } from '#e2e/bench/load/run-load.ts'
import { DAYS, loadCollects } from '#e2e/bench/reconcile/collects.ts'
import { uploadPieces, writeStatement } from '#e2e/bench/reconcile/statement-file.ts'
import { Person } from '#e2e/crash/people.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { NO_STATEMENT_LIMIT_MS, type Pool, withStatementLimit } from '#server/database/pool.ts'
import { createPerson } from '#server/people/accounts.ts'
import { sealTotals } from '#server/reports/totals/seal-totals.ts'
import { buildPages } from '#server/testing/service/build-pages.ts'

const WALLET = 'MOMOCM-collect'
const APPLICATIONS = 50
/** Payments that partners start meanwhile, and that operators answer. */
const RATE_PER_SECOND = 50
const CONNECTIONS = 32
const OPERATOR_DELAY_MS = 600
const WARM_UP_MS = 10_000
/** Each quiet measurement, in multiples of `--seconds`: 1,000 payments by default, so that ten are above the p99. */
const QUIET_FACTOR = 5
const LIMIT_MS = 20 * 60_000
const POLL_MS = 50
/** For a million lines. */
const LINES_OF_BAR = 1_000_000
const SECONDS_BAR = 75
const MEMORY_BAR_MB = 400
const P99_BAR = 1.5

/**
 * A statement of `--size` lines of as many payments: stored and matched by one process, as a small installation runs it, while partners start
 * payments. Their acceptance is measured before, meanwhile and after.
 */
export const reconcile: Part = { name: 'reconcile', isOnRequest: true, run: measureReconcile }

type Scene = { context: Context; pool: Pool; applicationId: string; port: number; pid: number; templates: Template[] }
type Worked = { checkSeconds: number; importSeconds: number; memoryMb: number; accepted: LoadResult; cpu: MeasuredCpu }

async function measureReconcile(context: Context): Promise<Figure[]> {
  const { environment, options } = context
  context.say('reconcile: building the pages where they changed')
  await buildPages()
  const database = await environment.createDatabase('bench_reconcile')
  const { pool } = database
  const partners = await createPartners(pool, APPLICATIONS)
  const [installation] = partners
  if (!installation) throw new Error('There is no partner')
  const { applicationId } = installation
  await pool.query('update applications set runs_installation = true where application_id = $1', [applicationId])
  const firstMs = Math.floor(Date.now() / DAY_MS - DAYS - 1) * DAY_MS
  await withStatementLimit(NO_STATEMENT_LIMIT_MS, async () => {
    await loadCollects(pool, { applicationId, size: options.size, firstMs, say: context.say })
    await runTasks(pool)
    await sealTotals(pool)
    await pool.query('vacuum analyze')
  })
  const file = path.join(environment.folder, 'statement.csv')
  await writeStatement(file, options.size, firstMs)
  const sink = await startSink()
  const simulators = await startSimulators({ folder: environment.folder, count: 1, delayMs: OPERATOR_DELAY_MS })
  const service = await startFlowService({ context, database, simulators }, { role: 'all' })
  try {
    const templates = flowTemplates(partners, 13, sink.healthy(10))
    const scene: Scene = { context, pool, applicationId, port: service.port, pid: service.pids[0] ?? 0, templates }
    const person = await signInFinance(scene)
    const uploadedMs = performance.now()
    const fileId = await uploadPieces(person, WALLET, file)
    context.say(`reconcile: uploaded in ${Math.round((performance.now() - uploadedMs) / 1_000)} s`)
    const before = await accept(scene, { warmUpMs: WARM_UP_MS, durationMs: options.seconds * QUIET_FACTOR * 1_000 })
    const worked = await work(scene, person, fileId)
    const after = await accept(scene, { warmUpMs: 1_000, durationMs: options.seconds * QUIET_FACTOR * 1_000 })
    await checkMatches(scene)
    return figuresOf(options.size, worked, [before, after])
  } finally {
    await service.stop()
    await simulators.stop()
    sink.close()
  }
}

async function signInFinance({ pool, applicationId, port }: Scene): Promise<Person> {
  const email = 'finance@bench.example'
  const person = await createPerson(pool, { applicationId, email, name: 'Awa Diop', roles: ['finance'], actor: SYSTEM_ACTOR })
  if (!person.ok) throw new Error(`There is no person for the statement: ${person.error}`)
  const { rows } = await pool.query<{ slug: string }>('select slug from applications where application_id = $1', [applicationId])
  return Person.signIn(`http://127.0.0.1:${port}`, rows[0]?.slug ?? '', { email, password: person.value.password ?? '' })
}

async function accept(
  { port, templates }: Scene,
  { warmUpMs, durationMs, ending }: { warmUpMs: number; durationMs: number; ending?: AbortSignal },
): Promise<LoadResult> {
  const plan = { port, connections: CONNECTIONS, warmUpMs, durationMs, ratePerSecond: RATE_PER_SECOND, templates, expects: ACCEPTED }
  const result = await runLoad(plan, ending)
  if (result.problems > 0) throw new Error(`${result.problems} payments were not accepted; the first: ${result.firstProblem}`)
  return result
}

/** From the completed upload to the imported file; the person decides at once. */
async function work(scene: Scene, person: Person, fileId: string): Promise<Worked> {
  const { context, pid } = scene
  const ending = new AbortController()
  const accepting = accept(scene, { warmUpMs: 0, durationMs: LIMIT_MS, ending: ending.signal })
  // Reported by the await below, also if the work fails first.
  accepting.catch(() => undefined)
  const memory = startMemoryWatch(pid)
  const counting = await startCpuCount(pid, context.environment.postgres.pid)
  const startedMs = performance.now()
  try {
    await person.request(`statements/${fileId}/complete`, { method: 'POST', headers: { 'content-type': 'application/octet-stream' } })
    await untilState(scene, fileId, 'ready')
    const checkedMs = performance.now()
    context.say(`reconcile: checked in ${((checkedMs - startedMs) / 1_000).toFixed(1)} s`)
    const decided = await person.act('importStatement', { fileId }, fileId)
    if (!decided?.ok) throw new Error(`The statement was not imported: ${JSON.stringify(decided)}`)
    await untilState(scene, fileId, 'imported')
    const importedMs = performance.now()
    context.say(`reconcile: imported in ${((importedMs - checkedMs) / 1_000).toFixed(1)} s`)
    const [cpu, memoryMb] = [await counting.stop(), await memory.stop()]
    ending.abort()
    const seconds = { checkSeconds: (checkedMs - startedMs) / 1_000, importSeconds: (importedMs - checkedMs) / 1_000 }
    return { ...seconds, memoryMb, cpu, accepted: await accepting }
  } finally {
    ending.abort()
    await memory.stop()
  }
}

async function untilState({ pool }: Scene, fileId: string, wanted: 'ready' | 'imported'): Promise<void> {
  const limitMs = performance.now() + LIMIT_MS
  while (performance.now() < limitMs) {
    const { rows } = await pool.query<{ state: string; problem: unknown }>(
      'select state, problem from statement_files where file_id = $1',
      [fileId],
    )
    if (rows[0]?.state === wanted) return
    if (rows[0]?.state === 'refused') throw new Error(`The statement was refused: ${JSON.stringify(rows[0].problem)}`)
    await delay(POLL_MS)
  }
  throw new Error(`The statement was not ${wanted} within ${LIMIT_MS / 60_000} minutes`)
}

/** Every line is stored once and matched with its own payment. */
async function checkMatches({ pool, context, applicationId }: Scene): Promise<void> {
  const { rows } = await pool.query<{ lines: bigint; matched: bigint }>(
    `select (select count(*) from statement_lines) as lines,
            count(*) filter (where lpad(to_hex(l.operator_id::bigint - 20000000000), 12, '0')
                                   = left(replace(m.transaction_id::text, '-', ''), 12)) as matched
       from line_matches m join statement_lines l using (application_id, line_id) where application_id = $1`,
    [applicationId],
  )
  const [found] = rows
  if (Number(found?.lines) !== context.options.size || Number(found?.matched) !== context.options.size)
    throw new Error(`${found?.lines} lines were stored and ${found?.matched} matched, of ${context.options.size}`)
}

function figuresOf(size: number, worked: Worked, quiet: readonly LoadResult[]): Figure[] {
  const { checkSeconds, importSeconds, memoryMb, accepted, cpu } = worked
  const quietP99Ms = quiet.reduce((sum, { p99Us }) => sum + p99Us, 0) / quiet.length / 1_000
  const cores = `the process ${cpu.server.toFixed(2)} cores, PostgreSQL ${cpu.postgres.toFixed(2)}, the machine ${cpu.machine.toFixed(2)}`
  const lines = `${size.toLocaleString('en-GB')} lines`
  return [
    {
      name: `reconcile: ${lines} stored and matched`,
      value: checkSeconds + importSeconds,
      unit: 's',
      // A smaller statement has the same bar per line.
      bar: { kind: 'at most', threshold: (SECONDS_BAR * size) / LINES_OF_BAR },
      note: `checked in ${checkSeconds.toFixed(1)} s, imported and matched in ${importSeconds.toFixed(1)} s; ${cores}`,
    },
    {
      name: 'reconcile: most memory of the process',
      value: memoryMb,
      unit: 'MB',
      bar: { kind: 'at most', threshold: MEMORY_BAR_MB },
    },
    {
      name: 'reconcile: acceptance meanwhile, p99',
      value: accepted.p99Us / 1_000,
      unit: 'ms',
      limit: { name: 'before and after', value: quietP99Ms },
      bar: { kind: 'at most', threshold: P99_BAR },
      note:
        `${RATE_PER_SECOND} payments/s; p50 ${(accepted.p50Us / 1_000).toFixed(1)} ms meanwhile, ` +
        `${quiet.map(({ p50Us, p99Us }) => `p50 ${(p50Us / 1_000).toFixed(1)} ms and p99 ${(p99Us / 1_000).toFixed(1)} ms`).join(' before, ')} after`,
    },
  ]
}
