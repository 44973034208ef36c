import type { Context, Part } from '#e2e/bench/context.ts'
import { loadHistory } from '#e2e/bench/data/history.ts'
import type { BenchDatabase } from '#e2e/bench/environment/environment.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import type { ServerProcess } from '#e2e/bench/environment/server-process.ts'
import { median, medianRatio } from '#e2e/bench/figures.ts'
import { depositTemplates } from '#e2e/bench/load/deposit-templates.ts'
import type { Template } from '#e2e/bench/load/plan.ts'
import { loadDeposits } from './accept.ts'

const APPLICATIONS = 1_000
const ROUNDS = 3
const RATIO_BAR = 0.9

type Place = { database: BenchDatabase; server: ServerProcess; templates: Template[] }

/** Accepted deposits per second with `--size` transactions of history against an empty database, in turns. */
export const acceptHistory: Part = {
  name: 'accept-history',
  isOnRequest: true,
  async run(context) {
    const { size, seconds } = context.options
    const empty = await openPlace(context, 'bench_accept_empty', 0)
    const full = await openPlace(context, 'bench_accept_full', size)
    const rates = { empty: [] as number[], full: [] as number[] }
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        context.say(`accept-history: round ${round} of ${ROUNDS}`)
        rates.empty.push((await measure(context, empty, seconds)).ratePerSecond)
        rates.full.push((await measure(context, full, seconds)).ratePerSecond)
      }
    } finally {
      for (const place of [empty, full]) {
        await place.server.stop()
        await place.database.drop()
      }
    }
    return [
      {
        name: `accept-history: at ${size.toLocaleString('en-GB')}`,
        value: median(rates.full),
        unit: 'deposits/s',
        limit: { name: 'empty', value: median(rates.empty) },
        pairedRatio: medianRatio(rates.full, rates.empty),
        bar: { kind: 'at least', threshold: RATIO_BAR },
      },
    ]
  },
}

function measure(context: Context, { database, server, templates }: Place, seconds: number): ReturnType<typeof loadDeposits> {
  return loadDeposits(context, database, server, templates, seconds)
}

async function openPlace(context: Context, name: string, size: number): Promise<Place> {
  context.say(`${name}: filling with ${size} transactions`)
  const database = await context.environment.createDatabase(name)
  const partners = await createPartners(database.pool, APPLICATIONS)
  const [first] = partners
  if (first && size > 0) await loadHistory(database.pool, first.applicationId, size, context.say)
  await database.pool.query('vacuum analyze')
  const server = await context.environment.startServer({ databaseUrl: database.url })
  return { database, server, templates: depositTemplates(partners, 3) }
}
