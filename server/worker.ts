import { setTimeout as delay } from 'node:timers/promises'
import { Logger as GraphileLogger, parseCronItems, type Runner, run } from 'graphile-worker'
import { z } from 'zod'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from './logger.ts'
import { reportUnexpected } from './report-unexpected.ts'
import { backoffMs } from './retry.ts'

/** A task that runs on a schedule, once for the whole installation however many workers there are. */
export type ScheduledTask = {
  name: string
  /** A crontab pattern in UTC, to the minute. */
  schedule: string
  /** What the payload must be; a payload that is not is refused before the task sees it. */
  run(payload: unknown): Promise<void>
}

type Worker = { stop(): Promise<void> }

type WorkerOptions = { pool: Pool; logger: Logger; preparesStatements: boolean; tasks: ScheduledTask[] }

/** Each scheduled run carries the instant it was due at. */
const duePayloadSchema = z.looseObject({ _cron: z.object({ ts: z.iso.datetime() }) })
type DuePayload = { dueAt: Date }

const RESTART_BACKOFF = { firstMs: 1_000, maxMs: 8_000 }
/** A run this long was a success: the next pause is the first again. */
const SUCCESS_MS = 60_000
const STOP_LIMIT_MS = 5_000

/** A task of the table, with its payload parsed. */
export function scheduledTask(name: string, schedule: string, work: (payload: DuePayload) => Promise<void>): ScheduledTask {
  return {
    name,
    schedule,
    run: (payload) => work({ dueAt: new Date(duePayloadSchema.parse(payload)._cron.ts) }),
  }
}

/**
 * Runs the scheduled tasks with graphile-worker. The hot paths (dispatch, polling, webhooks) are not jobs: they claim
 * rows of their own tables with leases. A database that goes away stops nothing for good: the worker starts again.
 */
export function startWorker(options: WorkerOptions): Worker {
  let isStopping = false
  let runner: Runner | undefined
  const loop = keepRunning()

  async function keepRunning(): Promise<void> {
    for (let attempt = 1; !isStopping; attempt++) {
      const startedMs = performance.now()
      try {
        runner = await startRunner(options)
        // Asked to stop while it was starting.
        if (isStopping) await runner.stop()
        await runner.promise
      } catch (error) {
        reportUnexpected('worker: run', error, { message: 'The job worker lost its database; it is started again' })
      }
      if (performance.now() - startedMs > SUCCESS_MS) attempt = 1
      if (!isStopping) await delay(backoffMs(attempt, RESTART_BACKOFF))
    }
  }

  return {
    async stop() {
      isStopping = true
      await runner
        ?.stop()
        .catch((error: unknown) => reportUnexpected('worker: stop', error, { message: 'The job worker could not be stopped in order' }))
      await Promise.race([loop, delay(STOP_LIMIT_MS, undefined, { ref: false })])
    },
  }
}

function startRunner({ pool, logger, preparesStatements, tasks }: WorkerOptions): Promise<Runner> {
  return run({
    pgPool: pool,
    // One more than the tasks that may take minutes (removing old rows, sealing, sending webhooks again), so that those of each minute are on time.
    concurrency: 4,
    noHandleSignals: true,
    noPreparedStatements: !preparesStatements,
    logger: new GraphileLogger((scope) => (level, message) => {
      if (level === 'error' || level === 'warning') logger.warn({ scope }, message)
    }),
    taskList: Object.fromEntries(tasks.map((task) => [task.name, (payload: unknown) => task.run(payload)])),
    parsedCronItems: parseCronItems(
      tasks.map((task) => ({ task: task.name, match: task.schedule, options: { backfillPeriod: 0, maxAttempts: 3 } })),
    ),
  })
}
