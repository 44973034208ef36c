import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'

const PROGRAM = fileURLToPath(new URL('../../../server/operators/simulator/main.ts', import.meta.url))
const SECRET = 'a secret that the simulated operators know'

/** The operators, in processes of their own. */
export type Simulators = {
  pids: number[]
  /** Where each operator listens. */
  places: { operator: OperatorCode; url: string; secret: string }[]
  stop(): Promise<void>
}

/** Starts `count` simulators, which share the operators, so that none of them is what limits the measurement. */
export async function startSimulators(options: {
  folder: string
  count: number
  delayMs: number
  badDayShare?: number
}): Promise<Simulators> {
  const children = Array.from({ length: options.count }, (_, index) => {
    const args = ['--folder', path.join(options.folder, `simulator-${index}`), '--delay-ms', String(options.delayMs)]
    return fork(PROGRAM, [...args, '--bad-day', String(options.badDayShare ?? 0)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { PATH: process.env['PATH'], SIMULATOR_SECRET: SECRET, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
  })
  // The simulator sends where it listens and nothing else.
  const urls = await Promise.all(children.map(async (child) => ((await once(child, 'message'))[0] as { url: string }).url))
  return {
    pids: children.flatMap(({ pid }) => pid ?? []),
    places: OPERATOR_CODES.map((operator, index) => ({ operator, url: urls[index % urls.length] ?? '', secret: SECRET })),
    async stop() {
      await Promise.all(
        children.map(async (child) => {
          const exited = once(child, 'exit')
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill('SIGTERM')
          await exited
        }),
      )
    },
  }
}

/** The settings with which a service reaches these operators. */
export function settingsOf({ places }: Simulators): Record<string, string> {
  return Object.fromEntries(
    places.flatMap(({ operator, url, secret }) => [
      [`OPERATOR_${operator}_BASE_URL`, url],
      [`OPERATOR_${operator}_SECRET`, secret],
    ]),
  )
}
