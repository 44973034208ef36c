import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { isDataError } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { backoffMs } from '#server/retry.ts'
import { type AttemptRecord, type Claim, type ClaimedDelivery, recordAttempts, returnDeliveries } from './delivery-store.ts'
import { type AttemptEnding, type QueuedDelivery, type Receiver, type ReceiverSlots, takeRetrySpreadMs } from './receiver-slots.ts'
import { type AttemptOutcome, NOTHING_ANSWERED, type Sender, type SendResult } from './send/send-webhook.ts'
import { signWebhook, type WebhookSecret, webhookIdOf, webhookPayload } from './send/sign-webhook.ts'

type AttemptStarterOptions = {
  slots: ReceiverSlots
  recorder: AttemptRecorder
  /** Makes one attempt. Must not reject. */
  attemptDelivery(delivery: ClaimedDelivery): Promise<SendResult>
  /** Resolves when a webhook of this transaction may be sent; undefined: now. Must not reject. */
  untilAnswered?: ((transactionId: string) => Promise<void> | undefined) | undefined
  /** A claim older than this is returned instead of sent: its attempt could outlast the lease. */
  claimAgeMsMax: number
  /** A receiver has a free slot, and more may be due for it. */
  onFreeSlot(target: string): void
}

/** Attempts started in one turn of the event loop: over connections that are open, and to receivers that need new ones. */
const BEGUN_PER_TURN = 32
const UNPROVEN_PER_TURN = 4
/** The largest value of the column: a service that was off for a month was late by more. */
const WAITED_MS_MAX = 2 ** 31 - 1

/** Begins the attempts of claimed deliveries as their receivers have slots, and passes each outcome to the recorder. */
export class AttemptStarter {
  readonly #options: AttemptStarterOptions
  /** Receivers with claimed deliveries that were not looked at yet. */
  readonly #provenReceivers = new Set<Receiver>()
  readonly #unprovenReceivers = new Set<Receiver>()
  readonly #keptBack = new Set<QueuedDelivery>()
  #isStarting = false
  #isStopped = false
  #onIdle: (() => void) | undefined

  constructor(options: AttemptStarterOptions) {
    this.#options = options
  }

  /** Takes what a claim found; the receivers may have more due. */
  addClaim(claim: Claim): void {
    for (const { target } of claim.deliveries) this.#options.slots.get(target).mayHaveMore = true
    this.add(claim)
  }

  add(claim: Pick<Claim, 'claimedAt' | 'deliveries'>): void {
    const receivedMs = performance.now()
    const receivers = new Set<Receiver>()
    for (const delivery of claim.deliveries) {
      const queued = { delivery, claimedAt: claim.claimedAt, receivedMs }
      const answered = this.#options.untilAnswered?.(delivery.transactionId)
      // Once stopped, nothing is kept back: what a claim in progress still found is returned with the rest.
      if (answered && !this.#isStopped) this.#keepBack(queued, answered)
      else receivers.add(this.#enqueue(queued))
    }
    this.#startQueued(receivers)
  }

  #keepBack(queued: QueuedDelivery, answered: Promise<void>): void {
    this.#keptBack.add(queued)
    void answered.then(() => {
      if (this.#keptBack.delete(queued)) this.#startQueued([this.#enqueue(queued)])
    })
  }

  #enqueue(queued: QueuedDelivery): Receiver {
    const { slots } = this.#options
    const receiver = slots.get(queued.delivery.target)
    receiver.queue.push(queued)
    slots.added(receiver)
    return receiver
  }

  #startQueued(receivers: Iterable<Receiver>): void {
    if (this.#isStopped) return this.#returnQueued(receivers)
    for (const receiver of receivers) (receiver.health === 'proven' ? this.#provenReceivers : this.#unprovenReceivers).add(receiver)
    if (!this.#isStarting) void this.#startInTurns()
  }

  /** Starts nothing more and returns what was not started. Resolves when no attempt is in progress. */
  async stop(): Promise<void> {
    const { slots, recorder } = this.#options
    this.#isStopped = true
    recorder.returnClaims([...this.#keptBack].map(({ delivery }) => delivery))
    this.#keptBack.clear()
    this.#returnQueued(slots.all())
    if (slots.claimed() === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  /** Hundreds of new connections take their time: receivers that answer go first, and answers are handled in between. */
  async #startInTurns(): Promise<void> {
    this.#isStarting = true
    while (this.#provenReceivers.size + this.#unprovenReceivers.size > 0) {
      await nextTurn()
      this.#startSome(this.#provenReceivers, BEGUN_PER_TURN)
      this.#startSome(this.#unprovenReceivers, UNPROVEN_PER_TURN)
    }
    this.#isStarting = false
  }

  #startSome(receivers: Set<Receiver>, countMax: number): void {
    let begun = 0
    for (const receiver of receivers) {
      receivers.delete(receiver)
      begun += this.#startOf(receiver)
      if (begun >= countMax) return
    }
  }

  /** Begins as many attempts as the receiver has slots. Returns how many. */
  #startOf(receiver: Receiver): number {
    const { slots, recorder, claimAgeMsMax } = this.#options
    const slotsNow = Math.floor(receiver.slots)
    let begun = 0
    while (receiver.inFlight < slotsNow && !this.#isStopped) {
      const queued = receiver.queue.shift()
      if (!queued) return begun
      const ageMs = performance.now() - queued.receivedMs
      if (ageMs > claimAgeMsMax) {
        recorder.returnClaims([queued.delivery])
        slots.returned(receiver)
        continue
      }
      receiver.inFlight++
      begun++
      void this.#attempt(receiver, queued.delivery, new Date(queued.claimedAt.getTime() + ageMs))
    }
    // A receiver that hangs keeps nothing in memory: another process, or a later claim, may find that it answers again.
    if (receiver.health === 'suspect' && receiver.queue.length > 0) this.#returnQueued([receiver])
    return begun
  }

  async #attempt(receiver: Receiver, delivery: ClaimedDelivery, startedAt: Date): Promise<void> {
    const { slots, recorder } = this.#options
    const result = await this.#options.attemptDelivery(delivery)
    const ending = endingOf(result)
    receiver.inFlight--
    slots.ended(receiver, ending, result.durationMs)
    recorder.add({
      applicationId: delivery.applicationId,
      transactionId: delivery.transactionId,
      resendNumber: delivery.resendNumber,
      number: delivery.number,
      startedAt,
      waitedMs: Math.min(WAITED_MS_MAX, Math.max(0, startedAt.getTime() - delivery.dueAt.getTime())),
      spreadMs: ending === 'timed_out' && delivery.resendNumber === null ? takeRetrySpreadMs(receiver) : 0,
      ...result,
    })
    this.#startOf(receiver)
    this.#noteFreeSlot(receiver)
  }

  #noteFreeSlot(receiver: Receiver): void {
    if (this.#isStopped) {
      if (this.#options.slots.claimed() === 0) this.#onIdle?.()
    } else if (receiver.mayHaveMore && receiver.queue.length < receiver.slots * 2) {
      receiver.mayHaveMore = false
      this.#options.onFreeSlot(receiver.target)
    }
  }

  #returnQueued(receivers: Iterable<Receiver>): void {
    const { slots, recorder } = this.#options
    for (const receiver of receivers) {
      const queue = receiver.queue.splice(0)
      for (const _queued of queue) slots.returned(receiver)
      recorder.returnClaims(queue.map(({ delivery }) => delivery))
    }
  }
}

function endingOf({ outcome, httpStatus }: SendResult): AttemptEnding {
  if (outcome.startsWith('timeout')) return 'timed_out'
  return httpStatus === null ? 'failed' : 'answered'
}

export type AttemptDependencies = {
  clock: Clock
  logger: DeliveryLogger
  /** The signing secrets of an application; expired ones are ignored. */
  secretsFor(applicationId: string): readonly WebhookSecret[]
  /** Whether an application wants `transactionStatus` as a copy of `status`. */
  copiesStatusFor(applicationId: string): boolean
}

/** Builds, signs and sends one webhook. Never rejects. */
export async function attemptDelivery(
  sender: Sender,
  dependencies: AttemptDependencies,
  delivery: ClaimedDelivery,
  moreHeaders?: Record<string, string>,
): Promise<SendResult> {
  const { clock, logger, secretsFor, copiesStatusFor } = dependencies
  try {
    const body = webhookPayload(delivery, copiesStatusFor(delivery.applicationId))
    const headers = signWebhook(webhookIdOf(delivery.transactionId), body, secretsFor(delivery.applicationId), clock.now())
    return await sender.send(delivery.url, moreHeaders ? { ...headers, ...moreHeaders } : headers, body)
  } catch (error) {
    // A bug, but the slot and the schedule must survive it.
    reportUnexpected('webhooks: send', error, {
      logger,
      transactionId: delivery.transactionId,
      message: 'A webhook attempt could not be made',
    })
    return { outcome: 'connection_error', httpStatus: null, detail: 'The attempt could not be made.', durationMs: 0, ...NOTHING_ANSWERED }
  }
}

export type DeliveryLogger = Pick<Logger, 'info' | 'warn' | 'error'>

type RecorderOptions = {
  pool: Pool
  gapsMs: readonly number[]
  logger: DeliveryLogger
  /** Called with how many attempts ended with each outcome, after the commit. */
  onRecorded?: (outcome: AttemptOutcome, count: number) => void
  /** From the beginning of one statement to the next. */
  recordGapMs?: number
}

const BATCH_MAX = 500
const RETRY_BACKOFF = { firstMs: 50, maxMs: 5_000 }
/**
 * The slot of the receiver is free already and nobody waits for the record, so a few rows are
 * not worth a statement each. A process that is killed meanwhile sends the webhooks again whose outcomes were not recorded yet.
 */
const RECORD_GAP_MS = 50

/**
 * Records outcomes, one statement at a time: while one batch commits, the next collects, for at least 50 ms. A statement that fails because of the database is
 * retried until it succeeds, because a lost outcome would send the same webhook once more. One that fails because of its content is
 * recorded row by row, so that a row that the database refuses never delays the others.
 */
export class AttemptRecorder {
  readonly #options: RecorderOptions
  #waiting: AttemptRecord[] = []
  #returning: ClaimedDelivery[] = []
  #running: Promise<void> | undefined
  #mayRecordAtMs = 0
  /** Ends the wait for more outcomes. */
  #hurry: (() => void) | undefined
  #isFlushing = false

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
    this.#isFlushing = true
    this.#hurry?.()
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
      await this.#collect()
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

  async #collect(): Promise<void> {
    if (this.#waiting.length === 0) return
    const restMs = this.#mayRecordAtMs - performance.now()
    if (restMs > 0 && this.#waiting.length < BATCH_MAX && !this.#isFlushing) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restMs)
        this.#hurry = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#hurry = undefined
    }
    this.#mayRecordAtMs = performance.now() + (this.#options.recordGapMs ?? RECORD_GAP_MS)
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
