import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pool } from '#server/database/pool.ts'
import type { DeliveryLogger } from './delivery-loop.ts'
import { type AttemptRecord, type ClaimedDelivery, recordAttempts, returnDeliveries } from './webhook-store.ts'

export type AttemptRecorder = {
  add(record: AttemptRecord): void
  /** Undoes claims of which nothing was sent. When that fails their lease brings them back, as interrupted attempts. */
  giveBack(deliveries: readonly ClaimedDelivery[]): void
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
  let returning: ClaimedDelivery[] = []
  let running: Promise<void> | undefined

  async function giveBackAll(): Promise<void> {
    const batch = returning
    returning = []
    await returnDeliveries(pool, batch).catch((error: unknown) =>
      logger.warn({ err: error }, 'Claimed webhook deliveries could not be given back'),
    )
  }

  async function run(): Promise<void> {
    for (let retryMs = 50; waiting.length + returning.length > 0; ) {
      if (returning.length > 0) await giveBackAll()
      if (waiting.length === 0) continue
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

  /** After the present turn, so that everything that ended in it shares a statement. */
  function begin(): void {
    running ??= nextTurn().then(run)
  }

  return {
    add(record) {
      waiting.push(record)
      begin()
    },
    giveBack(deliveries) {
      if (deliveries.length === 0) return
      returning.push(...deliveries)
      begin()
    },
    async flush(waitMs) {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref())
      await Promise.race([running ?? Promise.resolve(), timeout])
    },
  }
}
