import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadPlan, LoadResult } from './plan.ts'

const GENERATOR = fileURLToPath(new URL('generator.ts', import.meta.url))

/** Runs one plan in a process of its own, at most until `ending` is aborted. Throws when the generator dies. */
export function runLoad(plan: LoadPlan, ending?: AbortSignal): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(GENERATOR, { execArgv: ['--disable-warning=ExperimentalWarning'] })
    let result: LoadResult | undefined
    child.once('message', (message) => {
      // The generator sends this and nothing else.
      result = message as LoadResult
    })
    child.once('error', reject)
    child.once('exit', (code) => (result ? resolve(result) : reject(new Error(`The load generator ended with code ${code}`))))
    child.send(plan)
    ending?.addEventListener('abort', () => child.connected && child.send('end'), { once: true })
  })
}
