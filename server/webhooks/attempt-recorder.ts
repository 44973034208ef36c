import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Pool } from '#server/database/pool.ts'
import { isDataError } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { backoffMs } from '#server/retry.ts'
import type { AttemptOutcome } from './send-webhook.ts'
import { type AttemptRecord, type ClaimedDelivery, recordAttempts, returnDeliveries } from './webhook-store.ts'

export type DeliveryLogger = Pick<Logger, 'info' | 'warn' | 'error'>

export type AttemptRecorder = {
  add(record: AttemptRecord): void
  /** Undoes claims of which nothing was sent. When that fails their lease brings them back, as interrupted attempts. */
  giveBack(deliveries: readonly ClaimedDelivery[]): void
  /** Resolves when everything added so far is committed, or when `waitMs` are over. */
  flush(waitMs: number): Promise<void>
}

export type RecorderOptions = {
  pool: Pool
  gapsMs: readonly number[]
  logger: DeliveryLogger
  /** Told how many attempts ended with each outcome, after the commit. */
  onRecorded?: (outcome: AttemptOutcome, count: number) => void
}

const BATCH_MAX = 500
const RETRY_BACKOFF = { firstMs: 50, maxMs: 5_000 }

/**
 * Writes outcomes down, one statement at a time: while one batch commits the next collects. A statement that fails because of the
 * database is tried again until it succeeds: an outcome that is lost would make a receiver hear the same thing once more. One that
 * fails because of what is in it is written row by row, so that a row the database refuses never holds up the others.
 */
export function createAttemptRecorder({ pool, gapsMs, logger, onRecorded }: RecorderOptions): AttemptRecorder {
  let waiting: AttemptRecord[] = []
  let returning: ClaimedDelivery[] = []
  let running: Promise<void> | undefined

  async function giveBackAll(): Promise<void> {
    const batch = returning
    returning = []
    await returnDeliveries(pool, batch).catch((error: unknown) =>
      reportUnexpected('webhooks: return', error, { logger, message: 'Claimed webhook deliveries could not be returned' }),
    )
  }

  async function record(batch: readonly AttemptRecord[]): Promise<void> {
    try {
      await recordAttempts(pool, batch, gapsMs)
      for (const [outcome, count] of countByOutcome(batch)) onRecorded?.(outcome, count)
    } catch (error) {
      if (!isDataError(error)) throw error
      await recordApart(batch, error)
    }
  }

  /** What was written in part before the database failed is written again by the next try: recording twice changes nothing. */
  async function recordApart(batch: readonly AttemptRecord[], error: unknown): Promise<void> {
    const [only] = batch
    if (batch.length > 1) {
      for (const one of batch) await record([one])
    } else if (only?.detail) {
      // The words of the receiver are the only part that comes from outside.
      await record([{ ...only, detail: null }])
    } else {
      reportUnexpected('webhooks: refused outcome', error, {
        logger,
        transactionId: only?.transactionId,
        message: 'A webhook outcome was refused by the database and is not recorded',
      })
    }
  }

  async function run(): Promise<void> {
    for (let failures = 1; waiting.length + returning.length > 0; ) {
      if (returning.length > 0) await giveBackAll()
      if (waiting.length === 0) continue
      const batch = waiting.slice(0, BATCH_MAX)
      try {
        await record(batch)
        waiting = waiting.slice(batch.length)
        failures = 1
      } catch (error) {
        reportUnexpected('webhooks: record', error, {
          logger,
          attempts: waiting.length,
          message: 'Webhook outcomes could not be recorded; trying again',
        })
        await delay(backoffMs(failures++, RETRY_BACKOFF), undefined, { ref: false })
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

function countByOutcome(batch: readonly AttemptRecord[]): Map<AttemptOutcome, number> {
  const counts = new Map<AttemptOutcome, number>()
  for (const { outcome } of batch) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return counts
}
