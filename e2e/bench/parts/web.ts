import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context, Part } from '#e2e/bench/context.ts'
import { memoryFigure } from '#e2e/bench/context.ts'
import { loadHistory } from '#e2e/bench/data/history.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import { type Figure, median, percentile } from '#e2e/bench/figures.ts'
import { questionsOfFees, WEB_QUESTIONS, type WebQuestion } from '#e2e/bench/web/pages.ts'
import { openVisitor, type Timing, type Visitor } from '#e2e/bench/web/visitor.ts'
import { ROUTES } from '#e2e/roles/access-table.ts'
import { findRoutes } from '#e2e/roles/find-endpoints.ts'
import { measureEmptyPage, measurePageScripts, SCRIPT_BAR } from '#e2e/web/page-javascript.ts'
import type { Pool } from '#server/database/pool.ts'
import { listCustomers } from '#server/reports/customers/customers.ts'
import { LATE_MAX } from '#server/reports/totals/money-figures.ts'
import { addFeeDays } from '#server/reports/totals/seal-totals.ts'
import { addFees, findFeeMark } from '#server/reports/totals/totals-store.ts'
import { buildPages } from '#server/testing/service/build-pages.ts'

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const TIME_BAR_MS = 150
const WARM_UP = 5
const REQUESTS_MIN = 40
/** Pages that need a step before them, or only lead on. */
const NOT_MEASURED = new Set(['/', '/sign-in/second-factor', '/sign-in'])

/**
 * The pages of the back office on the production build, over an application with the large data set: how long a page and its data
 * take from the request to the last byte, and how much JavaScript each page loads against an empty page of the same Next.
 */
export const web: Part = { name: 'web', isOnRequest: true, run: measureWeb }

async function measureWeb(context: Context): Promise<Figure[]> {
  const { environment, options } = context
  context.say('web: building the pages where they changed')
  await buildPages()
  context.say(`web: filling with ${options.size} transactions`)
  const { pool, url } = await environment.createDatabase('bench_web')
  const [partner] = await createPartners(pool, 1)
  if (!partner) throw new Error('There is no partner')
  await loadHistory(pool, partner.applicationId, options.size, context.say)
  const { rows } = await pool.query<{ id: string }>('select transaction_id as id from transactions where application_id = $1 limit 1', [
    partner.applicationId,
  ])
  const transactionId = rows[0]?.id ?? ''
  const server = await environment.startServer({ databaseUrl: url, role: 'web' })
  const baseUrl = `http://127.0.0.1:${server.port}`
  const visitor = await openVisitor(pool, baseUrl, partner.applicationId)
  try {
    await listCustomers(pool)
    const measure = (questions: readonly WebQuestion[]) => measureTimes(context, visitor, transactionId, questions)
    const times = await measure(questionsOfFees('while no fee is summed'))
    await addFeesUntilLate(pool, partner.applicationId)
    times.push(...(await measure(questionsOfFees(`with ${LATE_MAX} fees added one by one`))))
    await addFeeDays(pool)
    times.push(...(await measure(WEB_QUESTIONS)))
    const scripts = await measureScripts(context, visitor, baseUrl, transactionId)
    return [...times, ...scripts, await memoryFigure('web', server)]
  } finally {
    await visitor.close()
  }
}

/** Leaves as many transactions without a sum of their fees as pages add one by one at most. */
async function addFeesUntilLate(pool: Pool, applicationId: string): Promise<void> {
  let { behind } = await findFeeMark(pool, applicationId)
  while (behind > LATE_MAX) behind -= await addFees(pool, applicationId, Math.min(20_000, Number(behind - LATE_MAX)))
}

async function measureTimes(
  context: Context,
  visitor: Visitor,
  transactionId: string,
  questions: readonly WebQuestion[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { name, page, data } of questions) {
    context.say(`web: ${name}`)
    const rest = (address: string) => address.replace('$', transactionId)
    if (page !== undefined) figures.push(...(await timeFigures(context, visitor, `web: ${name}, page`, `/${visitor.slug}${rest(page)}`)))
    if (data) figures.push(...(await timeFigures(context, visitor, `web: ${name}, data`, `/api/back-office/${visitor.slug}${rest(data)}`)))
  }
  return figures
}

async function timeFigures(context: Context, visitor: Visitor, name: string, address: string): Promise<Figure[]> {
  for (let turn = 0; turn < WARM_UP; turn++) await visitor.time(address)
  const timings: Timing[] = []
  const endMs = performance.now() + context.options.seconds * 1_000
  while (timings.length < REQUESTS_MIN || performance.now() < endMs) timings.push(await visitor.time(address))
  const whole = timings.map((timing) => timing.wholeMs)
  const first = timings.map((timing) => timing.firstByteMs)
  return [
    {
      name: `${name}, p99`,
      value: percentile(whole, 99),
      unit: 'ms',
      bar: { kind: 'at most', threshold: TIME_BAR_MS },
      note: `p50 ${median(whole).toFixed(1)} ms; first byte p50 ${median(first).toFixed(1)} ms, p99 ${percentile(first, 99).toFixed(1)} ms; ${timings.length} requests`,
    },
  ]
}

async function measureScripts(context: Context, visitor: Visitor, baseUrl: string, transactionId: string): Promise<Figure[]> {
  context.say('web: JavaScript of each page and of an empty one')
  const empty = await measureEmptyPage(ROOT)
  const examples: Record<string, string> = { application: visitor.slug, transactionId, operator: 'MOMOCM', topic: 'collect', version: '1' }
  const figures: Figure[] = []
  for (const { name, kind } of await findRoutes()) {
    const pattern = name.slice(4)
    if (kind !== 'page' || NOT_MEASURED.has(pattern)) continue
    // The form of a payment has an identity in its address; without one it redirects.
    const address = (ROUTES[name]?.address ?? pattern).replaceAll(/\[(\w+)\]/g, (whole, example: string) => examples[example] ?? whole)
    // The data of this run has no batch, and tools of the sandbox exist only there.
    if (address.includes('[') || ROUTES[name]?.allowed === 404) continue
    const { status } = await fetch(baseUrl + address, { headers: { cookie: visitor.cookie }, redirect: 'manual' })
    // The receiver of this run's webhooks is nobody, so that a transaction may have none.
    if (status === 404) continue
    figures.push(scriptFigure(pattern, (await measurePageScripts(baseUrl, address, visitor.cookie)).bytes, empty.bytes))
  }
  figures.push(scriptFigure('/sign-in', (await measurePageScripts(baseUrl, '/sign-in')).bytes, empty.bytes))
  return figures
}

function scriptFigure(pattern: string, bytes: number, emptyBytes: number): Figure {
  return {
    name: `web: JavaScript of ${pattern}`,
    value: bytes / 1_000,
    unit: 'kB gzip',
    limit: { name: 'an empty page', value: emptyBytes / 1_000 },
    bar: { kind: 'at most', threshold: SCRIPT_BAR },
  }
}
