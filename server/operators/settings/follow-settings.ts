import { AMOUNT_SETTINGS_NAME } from '#lib/operators/operator-settings.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { OperatorSettings } from './operator-settings.ts'
import { readAllSettings, readSettingsVersion } from './operator-settings-store.ts'

type FollowOptions = {
  pool: Pool
  /** The settings of operators that have none in the database: those of the environment or of the sandbox. */
  defaults: readonly OperatorSettings[]
  /** Called with all settings, at the beginning and after each change. */
  onChange(settings: readonly (OperatorSettings & { version?: bigint; id?: string })[]): void
  pollIntervalMs?: number
}

/** Keeps up with the settings in the database: a change is in force within a second. Throws if the first reading fails. */
export async function followSettings({
  pool,
  defaults,
  onChange,
  pollIntervalMs = 500,
}: FollowOptions): Promise<{ close(): Promise<void> }> {
  let version: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let inProgress: Promise<void> = Promise.resolve()

  async function refresh(): Promise<void> {
    const found = await readSettingsVersion(pool)
    if (found === version) return
    const stored = await readAllSettings(pool, report)
    const own = new Set(stored.filter(({ protocol }) => protocol !== AMOUNT_SETTINGS_NAME).map(({ operator }) => operator))
    onChange([...stored, ...defaults.filter(({ operator }) => !own.has(operator))])
    version = found
  }

  function schedule(): void {
    if (isClosed) return
    timer = setTimeout(() => {
      inProgress = refresh().catch(report).finally(schedule)
    }, pollIntervalMs)
    timer.unref()
  }

  await refresh()
  schedule()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await inProgress
    },
  }
}

function report(error: unknown): void {
  reportUnexpected('operators: settings', error, {
    message: 'The settings of the operators could not be read; the last ones stay in force',
  })
}
