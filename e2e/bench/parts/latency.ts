import type { Context } from '#e2e/bench/context.ts'
import type { ServerProcess } from '#e2e/bench/environment/server-process.ts'
import type { Figure } from '#e2e/bench/figures.ts'
import { ACCEPTED } from '#e2e/bench/load/deposit-templates.ts'
import type { Template } from '#e2e/bench/load/plan.ts'
import { runLoad } from '#e2e/bench/load/run-load.ts'

const SHARES = [0.1, 0.7]
const CONNECTIONS = 256

/**
 * How long a deposit takes at a share of the maximum. Requests are due at fixed times, regardless of the answers, and each is
 * timed from when it was due: a pause of the service counts for all that had to wait behind it.
 */
export async function measureLatency(
  context: Context,
  server: ServerProcess,
  templates: Template[],
  maximumRate: number,
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const share of SHARES) {
    const ratePerSecond = Math.max(1, Math.round(maximumRate * share))
    context.say(`latency: ${ratePerSecond} deposits/s`)
    const result = await runLoad({
      port: server.port,
      connections: CONNECTIONS,
      warmUpMs: 1_000,
      durationMs: context.options.seconds * 1_000,
      ratePerSecond,
      templates,
      expects: ACCEPTED,
    })
    if (result.problems > 0) throw new Error(`${result.problems} deposits were not accepted; the first: ${result.firstProblem}`)
    const name = `latency: ${share * 100} % of the maximum`
    figures.push(
      {
        name: `${name}, p50`,
        value: result.p50Us / 1_000,
        unit: 'ms',
        note: `${ratePerSecond} deposits/s requested; the load itself was late by ${(result.latenessP50Us / 1_000).toFixed(1)} ms (median)`,
      },
      { name: `${name}, p99`, value: result.p99Us / 1_000, unit: 'ms' },
    )
  }
  return figures
}
