import { cpus } from 'node:os'
import type { Context, Part } from '#e2e/bench/context.ts'
import { createPartners } from '#e2e/bench/environment/partners.ts'
import type { Figure } from '#e2e/bench/figures.ts'
import { ACCEPTED, depositTemplates } from '#e2e/bench/load/deposit-templates.ts'
import { runLoad } from '#e2e/bench/load/run-load.ts'
import { explainFlow, measureLayout, withFlowSetting } from './flow.ts'

const COUNTS = [1, 2, 4]
const APPLICATIONS = 1_000
const CONNECTIONS = 256

/** The gain from more processes, as far as the machine has cores: web processes to accept, web and worker processes to the flow. */
export const scale: Part = {
  name: 'scale',
  isOnRequest: true,
  async run(context) {
    const counts = COUNTS.filter((count) => count <= cpus().length)
    return [...(await scaleAccept(context, counts)), ...(await scaleFlow(context, counts))]
  },
}

async function scaleAccept({ environment, options, say }: Context, counts: number[]): Promise<Figure[]> {
  const database = await environment.createDatabase('bench_scale')
  try {
    const templates = depositTemplates(await createPartners(database.pool, APPLICATIONS), 3)
    await database.pool.query('vacuum analyze')
    const rates: number[] = []
    for (const count of counts) {
      say(`scale: accept with ${count} web processes`)
      const server = await environment.startServer({ databaseUrl: database.url, environment: { WEB_CONCURRENCY: String(count) } })
      try {
        const durationMs = options.seconds * 1_000
        const plan = { port: server.port, connections: CONNECTIONS, warmUpMs: 1_000, durationMs, templates, expects: ACCEPTED }
        const result = await runLoad(plan)
        if (result.problems > 0) throw new Error(`${result.problems} deposits were not accepted; the first: ${result.firstProblem}`)
        rates.push(result.ratePerSecond)
      } finally {
        await server.stop()
      }
    }
    return toFigures('accept', 'deposits/s', counts, rates, [])
  } finally {
    await database.drop()
  }
}

function scaleFlow(context: Context, counts: number[]): Promise<Figure[]> {
  return withFlowSetting(context, async (setting) => {
    const rates: number[] = []
    const notes: string[] = []
    for (const count of counts) {
      const measured = await measureLayout(setting, { role: 'split', webs: count, workers: count })
      rates.push(measured.completedPerSecond)
      notes.push(explainFlow(measured))
    }
    return toFigures('flow', 'transactions/s', counts, rates, notes)
  })
}

/** Each compared with the one before: what the further processes added. */
function toFigures(what: string, unit: string, counts: number[], rates: number[], notes: string[]): Figure[] {
  return counts.map((count, index) => {
    const [before, beforeCount] = [rates[index - 1], counts[index - 1]]
    return {
      name: `scale: ${what} with ${count} processes of each role`,
      value: rates[index] ?? Number.NaN,
      unit,
      ...(before !== undefined && { limit: { name: `with ${beforeCount}`, value: before } }),
      ...(notes[index] !== undefined && { note: notes[index] }),
    }
  })
}
