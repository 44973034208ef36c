import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startGroupCount } from '#e2e/bench/environment/usage.ts'
import type { Template } from '#e2e/bench/load/plan.ts'
import { runLoad } from '#e2e/bench/load/run-load.ts'

const ECHO_SERVER = fileURLToPath(new URL('echo-server.ts', import.meta.url))

/** Requests per second of a bare echo under the same load as the deposits, and its CPU for each. */
export async function measureEcho(templates: Template[], seconds: number): Promise<{ ratePerSecond: number; cpuUs: number }> {
  const child = fork(ECHO_SERVER, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const [port] = await once(child, 'message')
  try {
    const counting = await startGroupCount({ echo: child.pid === undefined ? [] : [child.pid] })
    const result = await runLoad({
      port: Number(port),
      connections: 256,
      warmUpMs: 500,
      durationMs: seconds * 1_000,
      templates,
      expects: '"webhookUrl"',
    })
    const { us } = await counting.stop()
    return { ratePerSecond: result.ratePerSecond, cpuUs: (us['echo'] ?? Number.NaN) / result.answers }
  } finally {
    child.disconnect()
  }
}
