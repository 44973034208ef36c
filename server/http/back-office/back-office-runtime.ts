import type { Clock } from '#lib/time.ts'
import type { Config } from '#server/config.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'

/** What signing in and reading the actor need of the process; a part of the whole Runtime, which lives on a floor above. */
export type BackOfficeRuntime = {
  config: Pick<Config, 'publicUrl' | 'sessionSecret' | 'isSandbox' | 'dataDirectory'>
  pool: Pool
  clock: Clock
  logger: Logger
}

const KEY = Symbol.for('countersign.runtime')

/**
 * The one live runtime of the process. Next bundles its own copies of our modules, so it hangs on globalThis. Throws where
 * no process made one (a build): pages only run inside `server/main.ts`.
 */
export function backOfficeRuntime(): BackOfficeRuntime {
  const runtime = (globalThis as { [KEY]?: BackOfficeRuntime })[KEY]
  if (!runtime) throw new Error('No runtime: the back office is served by server/main.ts')
  return runtime
}
