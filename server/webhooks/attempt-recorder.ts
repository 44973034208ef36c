import type { Pool } from '#server/database/pool.ts'
import type { DeliveryLogger } from './delivery-loop.ts'
import { type AttemptRecord, recordAttempts } from './webhook-store.ts'

export type AttemptRecorder = {
  add(record: AttemptRecord): void
  /** Resolves when everything added so far is committed, or when `waitMs` are over. */
  flush(waitMs: number): Promise<void>
}

const BATCH_MAX = 500
const RETRY_MS_MAX = 5_000

/**
 * Writes outcomes down, one statement at a time: while one batch commits the next collects. A statement that fails is
 * tried again until it succeeds: an outcome that is lost would make a receiver hear the same thing once more.
 */
export function createAttemptRecorder(pool: Pool, gapsMs: readonly number[], logger: DeliveryLogger): AttemptRecorder {
  let waiting: AttemptRecord[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    for (let retryMs = 50; waiting.length > 0; ) {
      const batch = waiting.slice(0, BATCH_MAX)
      try {
        await recordAttempts(pool, batch, gapsMs)
        waiting = waiting.slice(batch.length)
        retryMs = 50
      } catch (error) {
        logger.warn({ err: error, attempts: waiting.length }, 'Webhook outcomes could not be recorded; trying again')
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref())
        retryMs = Math.min(RETRY_MS_MAX, retryMs * 2)
      }
    }
    running = undefined
  }

  return {
    add(record) {
      waiting.push(record)
      // After the present turn, so that everything that ended in it shares a statement.
      running ??= Promise.resolve().then(run)
    },
    async flush(waitMs) {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref())
      await Promise.race([running ?? Promise.resolve(), timeout])
    },
  }
}
