import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AttemptRecorder } from './attempt-recorder.ts'
import type { Claim, ClaimedDelivery } from './delivery-store.ts'
import { type AttemptEnding, type Receiver, takeRetrySpreadMs } from './receiver.ts'
import type { ReceiverSlots } from './receiver-slots.ts'
import type { SendResult } from './send-webhook.ts'

type AttemptStarterOptions = {
  slots: ReceiverSlots
  recorder: AttemptRecorder
  /** Makes one attempt. Must not reject. */
  attemptDelivery(delivery: ClaimedDelivery): Promise<SendResult>
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
  #isStarting = false
  #isStopped = false
  #onIdle: (() => void) | undefined

  constructor(options: AttemptStarterOptions) {
    this.#options = options
  }

  add(claim: Claim): void {
    const { slots } = this.#options
    const receivedMs = performance.now()
    const receivers = new Set<Receiver>()
    for (const delivery of claim.deliveries) {
      const receiver = slots.get(delivery.target)
      receiver.queue.push({ delivery, claimedAt: claim.claimedAt, receivedMs })
      receiver.mayHaveMore = true
      slots.added(receiver)
      receivers.add(receiver)
    }
    if (this.#isStopped) return this.#returnQueued(receivers)
    for (const receiver of receivers) (receiver.health === 'proven' ? this.#provenReceivers : this.#unprovenReceivers).add(receiver)
    if (!this.#isStarting) void this.#startInTurns()
  }

  /** Starts nothing more and returns what was not started. Resolves when no attempt is in progress. */
  async stop(): Promise<void> {
    const { slots } = this.#options
    this.#isStopped = true
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
