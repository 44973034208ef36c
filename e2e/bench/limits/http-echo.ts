import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startGroupCount } from '#e2e/bench/environment/usage.ts'
import type { Template } from '#e2e/bench/load/plan.ts'
import { runLoad } from '#e2e/bench/load/run-load.ts'

const ECHO_SERVER = fileURLToPath(new URL('echo-server.ts', import.meta.url))

/** Its few functions are compiled much sooner than those of the service. */
const WARM_UP_MS = 2_000

/** Requests per second of a bare echo under the same load as the deposits, and its CPU for each. */
export async function measureEcho(templates: Template[], seconds: number): Promise<{ ratePerSecond: number; cpuUs: number }> {
  const child = fork(ECHO_SERVER, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const [port] = await once(child, 'message')
  const load = (durationMs: number) =>
    runLoad({ port: Number(port), connections: 256, warmUpMs: 500, durationMs, templates, expects: '"webhookUrl"' })
  try {
    await load(WARM_UP_MS)
    const counting = await startGroupCount({ echo: child.pid === undefined ? [] : [child.pid] })
    const result = await load(seconds * 1_000)
    const { us } = await counting.stop()
    return { ratePerSecond: result.ratePerSecond, cpuUs: (us['echo'] ?? Number.NaN) / result.answers }
  } finally {
    child.disconnect()
  }
}
