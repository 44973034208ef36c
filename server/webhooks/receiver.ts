import type { ClaimedDelivery } from './delivery-store.ts'

/** `unknown`: it has not answered yet. `proven`: it answered. `suspect`: its last attempt timed out. */
export type Health = 'unknown' | 'proven' | 'suspect'

/** `answered`: an HTTP status came. `failed`: the attempt ended without one, and without a timeout. */
export type AttemptEnding = 'answered' | 'failed' | 'timed_out'

/** The health of a receiver after each ending of an attempt. A failure takes no time, so it says nothing about slots. */
const HEALTH_AFTER: Record<AttemptEnding, Health | 'unchanged'> = { answered: 'proven', failed: 'unchanged', timed_out: 'suspect' }

/** A claimed delivery that waits for a slot. */
type QueuedDelivery = {
  delivery: ClaimedDelivery
  /** The claim, by the database's clock. */
  claimedAt: Date
  /** When the claim returned, by performance.now(). */
  receivedMs: number
}

/** One process's knowledge of one receiver. */
export type Receiver = {
  target: string
  health: Health
  /** How many attempts may be in progress at once; grows by fractions, so not whole. */
  slots: number
  inFlight: number
  queue: QueuedDelivery[]
  /** Due deliveries may have been left in the database for lack of slots. */
  mayHaveMore: boolean
  lastUsedMs: number
  /** Timeouts since its last answer. */
  timeoutsInRow: number
  /** No other retry of it may be due before this. */
  retryFreeMs: number
}

export const SLOTS_START = 4
/** A proven receiver is claimed ahead of its slots, so that it need not wait for the next claim. */
const AHEAD = 4
/** After this many timeouts in a row a receiver is not slow but hangs: fewer slots do not help it, they only make its own queue longer. */
const HANGS_AFTER = 8
/** Retries of a receiver that times out are due at least so far apart, and at most so much later than their pause says. */
const SPREAD_MS = 500
const SPREAD_MS_MAX = 30_000

export function createReceiver(target: string): Receiver {
  return {
    target,
    health: 'unknown',
    slots: SLOTS_START,
    inFlight: 0,
    queue: [],
    mayHaveMore: false,
    lastUsedMs: performance.now(),
    timeoutsInRow: 0,
    retryFreeMs: 0,
  }
}

/** How many deliveries of it this process holds. */
export function heldBy(receiver: Receiver): number {
  return receiver.inFlight + receiver.queue.length
}

export function healthAfter(receiver: Receiver, ending: AttemptEnding): Health {
  const next = HEALTH_AFTER[ending]
  return next === 'unchanged' ? receiver.health : next
}

/** Adds slots to a receiver that answers: fast while nothing went wrong, by one per round after a timeout, and only if all were in use. */
export function growSlots(receiver: Receiver, slotsMax: number): void {
  receiver.timeoutsInRow = 0
  if (receiver.inFlight + 1 < Math.floor(receiver.slots)) return
  const isRecovering = receiver.health === 'suspect' || receiver.slots < SLOTS_START
  receiver.slots = Math.min(slotsMax, receiver.slots + (isRecovering ? 1 / receiver.slots : 1))
}

/** Halves the slots of a receiver that timed out. One that hangs keeps as many as `slotsOfHanging` allows. */
export function shrinkSlots(receiver: Receiver, slotsOfHanging: number): void {
  receiver.timeoutsInRow++
  const slotsMin = receiver.timeoutsInRow < HANGS_AFTER ? 1 : slotsOfHanging
  receiver.slots = Math.max(slotsMin, Math.floor(receiver.slots / 2))
}

/** How many more deliveries a receiver may receive now; `unlistedEach` is what a receiver may receive that is not known yet. */
export function freeOf(receiver: Receiver, unlistedEach: number): number {
  const held = heldBy(receiver)
  const slots = Math.floor(receiver.slots)
  if (receiver.health === 'suspect') return Math.max(0, slots - held)
  if (receiver.health === 'unknown') return Math.max(0, Math.min(unlistedEach, slots) - held)
  return Math.max(0, (held > 0 || slots > SLOTS_START ? slots * AHEAD : slots) - held)
}

/** By how much the retry of an attempt that timed out now is postponed, so that retries of one receiver come one after another. */
export function takeRetrySpreadMs(receiver: Receiver): number {
  const nowMs = performance.now()
  const spreadMs = Math.min(SPREAD_MS_MAX, Math.max(0, receiver.retryFreeMs - nowMs))
  receiver.retryFreeMs = nowMs + spreadMs + SPREAD_MS
  return Math.round(spreadMs)
}
