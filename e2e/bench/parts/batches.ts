import { openCrowd, type Visit } from '#e2e/bench/batches/crowd.ts'
import { measureRound, ROWS, type Round, runTasks } from '#e2e/bench/batches/round.ts'
import type { Context, Part } from '#e2e/bench/context.ts'
import { memoryFigure } from '#e2e/bench/context.ts'
import { loadHistory } from '#e2e/bench/data/history.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import { type Figure, median, medianRatio, percentile } from '#e2e/bench/figures.ts'
import { Person } from '#e2e/crash/people.ts'
import type { Role } from '#lib/people/permissions.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { createPerson } from '#server/people/accounts.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { buildPages } from '#server/testing/service/build-pages.ts'

const ROUNDS = 5
const CHECK_BAR_MS = 3_000
const RATE_BAR = 2_000
const PAGE_BAR_MS = 150
const DECISION_BAR_MS = 1_000

/**
 * A maker and a checker work with files of 10,000 payments while other people use the pages of the same application, all in one process,
 * as a small installation runs it. Undisturbed pages and those during a submission take turns.
 */
export const batches: Part = { name: 'batches', isOnRequest: true, run: measureBatches }

async function measureBatches(context: Context): Promise<Figure[]> {
  const { environment, options } = context
  context.say('batches: building the pages where they changed')
  await buildPages()
  context.say(`batches: filling with ${options.size} transactions`)
  const { pool, url } = await environment.createDatabase('bench_batches')
  const [partner] = await createPartners(pool, 1)
  if (!partner) throw new Error('There is no partner')
  const { applicationId } = partner
  await loadHistory(pool, applicationId, options.size, context.say)
  await runTasks(pool)
  const server = await environment.startServer({ databaseUrl: url, role: 'web' })
  const baseUrl = `http://127.0.0.1:${server.port}`
  const { rows } = await pool.query<{ slug: string }>('select slug from applications where application_id = $1', [applicationId])
  const slug = rows[0]?.slug ?? ''
  const personWith = (roles: Role[]) => signInAs(pool, baseUrl, { applicationId, slug, roles })
  const [maker, checker] = await Promise.all([personWith(['maker']), personWith(['checker'])])
  const crowd = await openCrowd(pool, baseUrl, applicationId)
  try {
    const scene = { pool, applicationId, maker, checker, crowd, serverPid: server.pid, postmasterPid: environment.postgres.pid }
    context.say('batches: warming up')
    await measureRound(scene, 0, options.seconds)
    // As autovacuum does: until then some plans are from when the tables of decisions and open work were empty.
    await pool.query('vacuum analyze')
    const rounds: Round[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      context.say(`batches: round ${round} of ${ROUNDS}`)
      rounds.push(await measureRound(scene, round, options.seconds))
    }
    const [difference] = await verifyBooks(pool)
    if (difference) throw new Error(`The books differ after the batches: ${JSON.stringify(difference)}`)
    return [...figuresOf(rounds), await memoryFigure('batches', server)]
  } finally {
    await crowd.close()
  }
}

async function signInAs(
  pool: Pool,
  baseUrl: string,
  { applicationId, slug, roles }: { applicationId: string; slug: string; roles: Role[] },
) {
  const email = `${roles.join('-')}@bench.example`
  const person = await createPerson(pool, { applicationId, email, name: 'Awa Diop', roles, actor: SYSTEM_ACTOR })
  if (!person.ok) throw new Error(`There is no person for the batches: ${person.error}`)
  return Person.signIn(baseUrl, slug, { email, password: person.value.password ?? '' })
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const of = <Name extends keyof Round>(name: Name) => rounds.map((round) => round[name])
  const timesOf = (visits: readonly Visit[]) => visits.map((visit) => visit.ms)
  const quiet = timesOf(of('quiet').flat())
  const busy = timesOf(of('busy').flat())
  const p99s = (visits: readonly Visit[][]) => visits.map((round) => percentile(timesOf(round), 99))
  const slowest = of('busy')
    .flat()
    .sort((left, right) => right.ms - left.ms)
    .slice(0, 5)
    .map(({ address, ms }) => `${Math.round(ms)} ms ${address}`)
  const list = (values: number[]) => values.map((value) => Math.round(value)).join(', ')
  const rounded = `median of ${rounds.length} files of ${ROWS.toLocaleString('en-GB')} rows`
  return [
    {
      name: 'batches: read and checked',
      value: median(of('checkMs')),
      unit: 'ms',
      bar: { kind: 'at most', threshold: CHECK_BAR_MS },
      note: `${rounded}: ${list(of('checkMs'))}`,
    },
    {
      name: 'batches: submitted',
      value: median(of('rowsPerSecond')),
      unit: 'rows/s',
      bar: { kind: 'at least', threshold: RATE_BAR },
      note: `${rounded}: ${list(of('rowsPerSecond'))}; the process ${median(of('serverCores')).toFixed(2)} cores, PostgreSQL ${median(of('postgresCores')).toFixed(2)}`,
    },
    {
      name: 'batches: pages of other people during a submission, p99',
      value: percentile(busy, 99),
      unit: 'ms',
      bar: { kind: 'at most', threshold: PAGE_BAR_MS },
      note: `p50 ${median(busy).toFixed(1)} ms, ${busy.length} answers; undisturbed p99 ${percentile(quiet, 99).toFixed(1)} ms, p50 ${median(quiet).toFixed(1)} ms, ${quiet.length} answers; median of the rounds' ratios of p99 ${medianRatio(p99s(of('busy')), p99s(of('quiet'))).toFixed(2)}; slowest: ${slowest.join(', ')}`,
    },
    {
      name: 'batches: decided',
      value: median(of('decisionMs')),
      unit: 'ms',
      bar: { kind: 'at most', threshold: DECISION_BAR_MS },
      note: `${rounded}: ${list(of('decisionMs'))}; shown in ${list(of('readMs'))}`,
    },
  ]
}
