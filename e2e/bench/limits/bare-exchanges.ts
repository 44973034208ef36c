import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Simulators } from '#e2e/bench/environment/simulators.ts'
import { OPERATORS } from '#lib/operators/operators.ts'

const PROGRAM = fileURLToPath(new URL('bare-service.ts', import.meta.url))

/** The service without what makes it one: the HTTP exchanges of each transaction alone. */
export async function startBareService({ places }: Simulators): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const child = fork(PROGRAM, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const [port] = await once(child, 'message')
  child.send(places.map((place) => ({ ...place, currency: OPERATORS[place.operator].country.currency })))
  const exited = once(child, 'exit')
  return {
    port: Number(port),
    pid: child.pid ?? 0,
    async stop() {
      child.disconnect()
      await exited
    },
  }
}
