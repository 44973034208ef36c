import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Config } from '#server/config.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import { type Pool, withStatementLimit } from '#server/database/pool.ts'
import { RELEASE } from '#server/database/release.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { deleteProcess, type ReportedProcess, upsertProcess } from './process-store.ts'

const REPORT_MS = 15_000
const STATEMENT_LIMIT_MS = 5_000
/** An end must not wait for a database that is away. */
const FAREWELL_LIMIT_MS = 1_000

type Reporting = { stop(): Promise<void> }

/** Reports every 15 s that this process runs, for the page Installation, until it stops. A report that fails is left out. */
export function reportProcess(pool: Pool, config: Pick<Config, 'role' | 'webConcurrency' | 'workerConcurrency'>): Reporting {
  const process_: ReportedProcess = {
    processId: randomUUID(),
    role: roleOf(config),
    host: hostname(),
    pid: process.pid,
    release: RELEASE.number,
  }
  let reporting: Promise<void> | undefined
  function report(): void {
    // A commit may wait for a standby longer than the pause.
    reporting ??= attempt(() => withStatementLimit(STATEMENT_LIMIT_MS, () => upsertProcess(pool, process_))).finally(() => {
      reporting = undefined
    })
  }
  report()
  const timer = setInterval(report, REPORT_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await reporting
      await attempt(() => withStatementLimit(FAREWELL_LIMIT_MS, () => deleteProcess(pool, process_.processId)))
    },
  }
}

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    // Ignored: others report that the database is away, and this process is shown as silent meanwhile.
    if (!isDatabaseAway(error)) reportUnexpected('process: report', error, { message: 'This process could not report that it runs' })
  }
}

/** The work of the process itself, without its child processes. */
function roleOf({ role, webConcurrency, workerConcurrency }: Parameters<typeof reportProcess>[1]): ReportedProcess['role'] {
  const isWeb = role !== 'worker' && webConcurrency === 1
  const isWorker = role !== 'web' && workerConcurrency === 1
  if (isWeb && isWorker) return 'all'
  if (isWeb) return 'web'
  return isWorker ? 'worker' : 'parent'
}
