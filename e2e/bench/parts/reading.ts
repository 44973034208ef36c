import type { Context, Part } from '#e2e/bench/context.ts'
import { memoryFigure } from '#e2e/bench/context.ts'
import { type History, loadHistory } from '#e2e/bench/data/history.ts'
import { PAGE_QUESTIONS, type Question, type QuestionKind, RANGE_QUESTIONS } from '#e2e/bench/data/questions.ts'
import { createPartners, type Partner } from '#e2e/bench/environment/partners.ts'
import type { ServerProcess } from '#e2e/bench/environment/server-process.ts'
import { type Figure, median, medianRatio, percentile } from '#e2e/bench/figures.ts'
import { type Client, createClient } from '#e2e/bench/load/client.ts'
import { formatMinor } from '#lib/money/money.ts'
import type { Pool } from '#server/database/pool.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'

const SMALL_SIZE = 10_000
const CHECKS = 12
const WARM_UP = 200
const ROUNDS = 5
const P50_RATIO_BAR = 1.3
const RATIO_BAR = 1.5

type Filled = { history: History; pool: Pool; server: ServerProcess; partner: Partner }
type Place = Filled & { client: Client }
type Places = { small: Place; large: Place }
/** Milliseconds of each answer. */
type Times = { small: number[]; large: number[] }

/** p99 of random pages of the three lists, on the large data set against the small one. */
export const pages: Part = { name: 'pages', run: (context) => measureReading(context, 'pages', PAGE_QUESTIONS) }

/** The same for totals over random ranges of ten years. */
export const totals: Part = { name: 'totals', run: (context) => measureReading(context, 'totals', RANGE_QUESTIONS) }

/** Filling takes longest, so both parts share the two databases. */
const opened = new WeakMap<Context['environment'], Promise<Places>>()

async function measureReading(context: Context, part: string, kinds: QuestionKind[]): Promise<Figure[]> {
  const places = opened.get(context.environment) ?? openBoth(context)
  opened.set(context.environment, places)
  const { small, large } = await places
  const figures: Figure[] = []
  for (const kind of kinds) {
    context.say(`${part}: ${kind.name}`)
    for (const place of [small, large]) await checkAnswers(place, kind)
    for (let turn = 0; turn < WARM_UP; turn++) for (const place of [small, large]) await place.client.get(kind.ask(place.history).path)
    const rounds: Times[] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push(await takeTurns({ small, large }, kind, (context.options.seconds * 2) / ROUNDS))
    const p99s = (size: keyof Times) => rounds.map((times) => percentile(times[size], 99))
    const p50s = (size: keyof Times) => rounds.map((times) => median(times[size]))
    figures.push({
      name: `${part}: ${kind.name}, p50 at ${large.history.size.toLocaleString('en-GB')}`,
      value: median(p50s('large')),
      unit: 'ms',
      limit: { name: `p50 at ${SMALL_SIZE.toLocaleString('en-GB')}`, value: median(p50s('small')) },
      pairedRatio: medianRatio(p50s('large'), p50s('small')),
      bar: { kind: 'at most', threshold: P50_RATIO_BAR },
    })
    figures.push({
      name: `${part}: ${kind.name}, p99 at ${large.history.size.toLocaleString('en-GB')}`,
      value: median(p99s('large')),
      unit: 'ms',
      limit: { name: `p99 at ${SMALL_SIZE.toLocaleString('en-GB')}`, value: median(p99s('small')) },
      pairedRatio: medianRatio(p99s('large'), p99s('small')),
      bar: { kind: 'at most', threshold: RATIO_BAR },
      note: `median of the p99 of ${ROUNDS} rounds, ${rounds.flatMap((times) => times.large).length} questions each, in turns`,
    })
  }
  return [...figures, await memoryFigure(part, large.server)]
}

async function openBoth(context: Context): Promise<Places> {
  const small = await openPlace(context, 'bench_small', SMALL_SIZE)
  const differences = await verifyBooks(small.pool)
  if (differences.length > 0) throw new Error(`The data set does not balance: ${JSON.stringify(differences[0])}`)
  const large = await openPlace(context, 'bench_large', context.options.size)
  // Connected only now: filling takes longer than an idle connection is kept.
  return { small: connectTo(small), large: connectTo(large) }
}

function connectTo(filled: Filled): Place {
  return { ...filled, client: createClient(filled.server.port, filled.partner) }
}

async function openPlace(context: Context, name: string, size: number): Promise<Filled> {
  context.say(`${name}: filling with ${size} transactions`)
  const { pool, url } = await context.environment.createDatabase(name)
  const [partner] = await createPartners(pool, 1)
  if (!partner) throw new Error('There is no partner')
  const history = await loadHistory(pool, partner.applicationId, size, context.say)
  const server = await context.environment.startServer({ databaseUrl: url })
  return { history, pool, server, partner }
}

/** The questions alternate, so that other load on the machine affects both sides equally. */
async function takeTurns({ small, large }: Places, kind: QuestionKind, seconds: number): Promise<Times> {
  const times: Times = { small: [], large: [] }
  const endMs = performance.now() + seconds * 1_000
  while (performance.now() < endMs) {
    times.small.push(await timeOne(small, kind))
    times.large.push(await timeOne(large, kind))
  }
  return times
}

async function timeOne({ client, history }: Place, kind: QuestionKind): Promise<number> {
  const { path } = kind.ask(history)
  const startedMs = performance.now()
  await client.get(path)
  return performance.now() - startedMs
}

/** Holds some answers against the raw rows. Throws at the first that is wrong. */
async function checkAnswers({ client, history, pool }: Place, kind: QuestionKind): Promise<void> {
  for (let check = 0; check < CHECKS; check++) {
    const question = kind.ask(history)
    const answered = essenceOf(await client.get(question.path))
    const expected = await askDatabase(pool, question)
    if (answered !== expected) throw new Error(`${question.path} answered ${answered.slice(0, 200)} instead of ${expected.slice(0, 200)}`)
  }
}

async function askDatabase(pool: Pool, { sql, values }: Question): Promise<string> {
  const { rows } = await pool.query<{ answer: string }>(sql, values)
  const answer = rows[0]?.answer ?? ''
  return answer.includes(' ') ? answer : formatMinor(BigInt(answer))
}

/** Count and ids of a page; a total is what it is. */
function essenceOf(body: string): string {
  if (!body.startsWith('{')) return body
  const page: { content: { id: string }[]; totalElements: number } = JSON.parse(body)
  return [page.totalElements, page.content.map((one) => one.id).join(' ')].join(' ')
}
