import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Pool } from '#server/database/pool.ts'
import { isDataError } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { backoffMs } from '#server/retry.ts'
import { type AttemptRecord, type ClaimedDelivery, recordAttempts, returnDeliveries } from './delivery-store.ts'
import type { AttemptOutcome } from './send-webhook.ts'

export type DeliveryLogger = Pick<Logger, 'info' | 'warn' | 'error'>

type RecorderOptions = {
  pool: Pool
  gapsMs: readonly number[]
  logger: DeliveryLogger
  /** Called with how many attempts ended with each outcome, after the commit. */
  onRecorded?: (outcome: AttemptOutcome, count: number) => void
}

const BATCH_MAX = 500
const RETRY_BACKOFF = { firstMs: 50, maxMs: 5_000 }

/**
 * Records outcomes, one statement at a time: while one batch commits, the next collects. A statement that fails because of the database is
 * retried until it succeeds, because a lost outcome would send the same webhook once more. One that fails because of its content is
 * recorded row by row, so that a row that the database refuses never delays the others.
 */
export class AttemptRecorder {
  readonly #options: RecorderOptions
  #waiting: AttemptRecord[] = []
  #returning: ClaimedDelivery[] = []
  #running: Promise<void> | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  add(record: AttemptRecord): void {
    this.#waiting.push(record)
    this.#begin()
  }

  /** Undoes claims of which nothing was sent. If that fails, their lease returns them, as interrupted attempts. */
  returnClaims(deliveries: readonly ClaimedDelivery[]): void {
    if (deliveries.length === 0) return
    this.#returning.push(...deliveries)
    this.#begin()
  }

  /** Resolves when everything added so far is committed, or after `waitMs`. */
  async flush(waitMs: number): Promise<void> {
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref())
    await Promise.race([this.#running ?? Promise.resolve(), timeout])
  }

  /** After the present turn, so that everything that ended in it shares a statement. */
  #begin(): void {
    this.#running ??= nextTurn().then(() => this.#run())
  }

  async #run(): Promise<void> {
    for (let failures = 0; this.#waiting.length + this.#returning.length > 0; ) {
      await this.#returnAll()
      const batch = this.#waiting.slice(0, BATCH_MAX)
      if (batch.length === 0) continue
      try {
        await this.#record(batch)
        this.#waiting = this.#waiting.slice(batch.length)
        failures = 0
      } catch (error) {
        reportUnexpected('webhooks: record', error, {
          logger: this.#options.logger,
          attempts: this.#waiting.length,
          message: 'Webhook outcomes could not be recorded; trying again',
        })
        const pauseMs = backoffMs(++failures, RETRY_BACKOFF)
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref())
      }
    }
    this.#running = undefined
  }

  async #returnAll(): Promise<void> {
    if (this.#returning.length === 0) return
    const batch = this.#returning
    this.#returning = []
    await returnDeliveries(this.#options.pool, batch).catch((error: unknown) =>
      reportUnexpected('webhooks: return', error, {
        logger: this.#options.logger,
        message: 'Claimed webhook deliveries could not be returned; they are claimed again when their lease ends',
      }),
    )
  }

  async #record(batch: readonly AttemptRecord[]): Promise<void> {
    const { pool, gapsMs, onRecorded } = this.#options
    try {
      await recordAttempts(pool, batch, gapsMs)
      for (const [outcome, count] of countByOutcome(batch)) onRecorded?.(outcome, count)
    } catch (error) {
      if (!isDataError(error)) throw error
      await this.#recordApart(batch, error)
    }
  }

  /** Rows that were recorded before the database failed are recorded again by the next try: recording twice changes nothing. */
  async #recordApart(batch: readonly AttemptRecord[], error: unknown): Promise<void> {
    const [only] = batch
    if (batch.length > 1) {
      for (const one of batch) await this.#record([one])
    } else if (only?.detail || only?.responseStart) {
      // The receiver's text is the only part that comes from outside.
      await this.#record([{ ...only, detail: null, responseStart: null }])
    } else {
      reportUnexpected('webhooks: record one', error, {
        logger: this.#options.logger,
        transactionId: only?.transactionId,
        message: 'A webhook outcome was refused by the database and is not recorded',
      })
    }
  }
}

function countByOutcome(batch: readonly AttemptRecord[]): Map<AttemptOutcome, number> {
  const counts = new Map<AttemptOutcome, number>()
  for (const { outcome } of batch) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return counts
}
