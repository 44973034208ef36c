import type { ClaimedDelivery, ClaimLimitsRow, FreeSlots } from './delivery-store.ts'

/** How much the next claim may take. */
export type Allowance = {
  limits: Pick<ClaimLimitsRow, 'rows_max' | 'suspect_rows_max' | 'unlisted_each' | 'unlisted_rows_max'>
  slots: FreeSlots
}

const SLOTS_MAX = 64
/** Receivers that answer quickly share this many connections: more of them would each be used too seldom to stay open. */
const SHARED_SLOTS = 512
/** A receiver that takes longer than this needs slots of its own to be served as fast as others. */
const SLOW_MS = 250
const RECENT_MS = 2_000
/** Many retries of suspects are due at once, and each needs a new connection: spread over several claims they delay no others. */
const SUSPECT_ROWS_PER_CLAIM = 16
const FORGET_AFTER_MS = 15 * 60_000
/**
 * Receivers that are remembered, besides those with work in progress. Each claim reads all of them and sends them to the database, so
 * without a limit an application that uses another host name for every transaction would slow down all claims.
 */
const REMEMBERED_MAX = 2_048
const FORGOTTEN_AT_ONCE = 256

/**
 * Shares `claimedMax` deliveries at once between receivers (DECISIONS.md, Isolation). Each receiver has slots: four at first, more while it
 * answers and uses them all, half after each timeout. Receivers that never answered may hold three quarters of the whole, suspects one half:
 * proven receivers always find a free slot.
 */
export class ReceiverSlots {
  readonly #claimedMax: number
  readonly #receivers = new Map<string, Receiver>()
  readonly #held: Record<Health, number> = { unknown: 0, proven: 0, suspect: 0 }
  /** Receivers that were used lately, and receivers that are suspects, both counted at each claim. */
  #busy = 1
  #suspects = 1

  constructor(claimedMax: number) {
    this.#claimedMax = claimedMax
  }

  find(target: string): Receiver | undefined {
    return this.#receivers.get(target)
  }

  get(target: string): Receiver {
    const known = this.#receivers.get(target)
    if (known) return known
    if (this.#receivers.size >= REMEMBERED_MAX) this.#forgetSome()
    const receiver = createReceiver(target)
    this.#receivers.set(target, receiver)
    return receiver
  }

  all(): Iterable<Receiver> {
    return this.#receivers.values()
  }

  /** Deliveries that are claimed: in progress or waiting for a slot. */
  claimed(): number {
    return this.#held.unknown + this.#held.proven + this.#held.suspect
  }

  /** A delivery was claimed. */
  added(receiver: Receiver): void {
    this.#held[receiver.health]++
    receiver.lastUsedMs = performance.now()
  }

  /** A claimed delivery was returned without an attempt. */
  returned(receiver: Receiver): void {
    this.#held[receiver.health]--
    receiver.lastUsedMs = performance.now()
  }

  /** An attempt ended. */
  ended(receiver: Receiver, ending: AttemptEnding, durationMs: number): void {
    this.returned(receiver)
    if (ending === 'timed_out') shrinkSlots(receiver, this.#slotsOfHanging())
    if (ending === 'answered') growSlots(receiver, this.#slotsMax(durationMs))
    this.#setHealth(receiver, healthAfter(receiver, ending))
  }

  allowance(rowsMax: number): Allowance {
    this.#countReceivers()
    const notProven = this.#held.unknown + this.#held.suspect
    const unlistedRowsMax = Math.max(0, Math.floor((this.#claimedMax * 3) / 4) - notProven)
    const unlistedEach = notProven >= this.#claimedMax / 4 ? 1 : SLOTS_START
    const free: Record<string, number> = {}
    const suspects: Record<string, number> = {}
    for (const receiver of this.#receivers.values()) {
      const mine = freeOf(receiver, unlistedEach)
      if (receiver.health === 'suspect') suspects[receiver.target] = mine
      // Left out if it is what every receiver may have, unless there is not enough for all.
      else if (mine !== unlistedEach || (receiver.health === 'proven' && unlistedRowsMax < rowsMax)) free[receiver.target] = mine
    }
    return {
      limits: {
        rows_max: Math.max(0, Math.min(rowsMax, this.#claimedMax - this.claimed())),
        suspect_rows_max: Math.max(0, Math.min(SUSPECT_ROWS_PER_CLAIM, Math.floor(this.#claimedMax / 2) - this.#held.suspect)),
        unlisted_each: unlistedEach,
        unlisted_rows_max: unlistedRowsMax,
      },
      slots: { free, suspects },
    }
  }

  /**
   * The receivers for which no webhook may be claimed when it is written: a claim shares what is left among them. Undefined if that is true
   * of receivers that are not known yet, too.
   */
  busyTargets(): string[] | undefined {
    const notProven = this.#held.unknown + this.#held.suspect
    if (notProven >= this.#claimedMax / 4 || this.claimed() >= this.#claimedMax / 2) return undefined
    const busy: string[] = []
    for (const receiver of this.#receivers.values()) {
      if (receiver.isBehind || receiver.health === 'suspect' || freeOf(receiver, SLOTS_START) === 0) busy.push(receiver.target)
    }
    return busy
  }

  forgetIdle(nowMs: number): void {
    for (const receiver of this.#receivers.values()) {
      if (heldBy(receiver) === 0 && nowMs - receiver.lastUsedMs > FORGET_AFTER_MS) this.#receivers.delete(receiver.target)
    }
  }

  /** Those that answer go last: all that is known of the others is that they were slow, and that is soon known again. */
  #forgetSome(): void {
    const idle = [...this.#receivers.values()].filter((receiver) => heldBy(receiver) === 0)
    const rank = (receiver: Receiver) => (receiver.health === 'proven' ? 1 : 0)
    idle.sort((left, right) => rank(left) - rank(right) || left.lastUsedMs - right.lastUsedMs)
    for (const receiver of idle.slice(0, FORGOTTEN_AT_ONCE)) this.#receivers.delete(receiver.target)
  }

  #setHealth(receiver: Receiver, health: Health): void {
    const held = heldBy(receiver)
    this.#held[receiver.health] -= held
    this.#held[health] += held
    receiver.health = health
  }

  #countReceivers(): void {
    const recentMs = performance.now() - RECENT_MS
    let busy = 0
    let suspects = 0
    for (const receiver of this.#receivers.values()) {
      if (receiver.lastUsedMs > recentMs) busy++
      if (receiver.health === 'suspect') suspects++
    }
    this.#busy = Math.max(1, busy)
    this.#suspects = Math.max(1, suspects)
  }

  #slotsMax(durationMs: number): number {
    if (durationMs > SLOW_MS) return SLOTS_MAX
    return Math.max(SLOTS_START, Math.min(SLOTS_MAX, Math.floor(SHARED_SLOTS / this.#busy)))
  }

  /** Suspects together may hold a sixteenth of the whole in slots beyond their first. */
  #slotsOfHanging(): number {
    return Math.max(1, Math.min(SLOTS_START, Math.floor(this.#claimedMax / 16 / this.#suspects)))
  }
}

/** `unknown`: it has not answered yet. `proven`: it answered. `suspect`: its last attempt timed out. */
type Health = 'unknown' | 'proven' | 'suspect'

/** `answered`: an HTTP status came. `failed`: the attempt ended without one, and without a timeout. */
export type AttemptEnding = 'answered' | 'failed' | 'timed_out'

/** The health of a receiver after each ending of an attempt. A failure takes no time, so it says nothing about slots. */
const HEALTH_AFTER: Record<AttemptEnding, Health | 'unchanged'> = { answered: 'proven', failed: 'unchanged', timed_out: 'suspect' }

/** A claimed delivery that waits for a slot. */
export type QueuedDelivery = {
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
  /** Deliveries were left in the database for it: newer ones wait until a claim has taken those. */
  isBehind: boolean
  lastUsedMs: number
  /** Timeouts since its last answer. */
  timeoutsInRow: number
  /** No other retry of it may be due before this. */
  retryFreeMs: number
}

const SLOTS_START = 4
/** A proven receiver is claimed ahead of its slots, so that it need not wait for the next claim. */
const AHEAD = 4
/** After this many timeouts in a row a receiver is not slow but hangs: fewer slots do not help it, they only make its own queue longer. */
const HANGS_AFTER = 8
/** Retries of a receiver that times out are due at least so far apart, and at most so much later than their pause says. */
const SPREAD_MS = 500
const SPREAD_MS_MAX = 30_000

function createReceiver(target: string): Receiver {
  return {
    target,
    health: 'unknown',
    slots: SLOTS_START,
    inFlight: 0,
    queue: [],
    mayHaveMore: false,
    isBehind: false,
    lastUsedMs: performance.now(),
    timeoutsInRow: 0,
    retryFreeMs: 0,
  }
}

/** How many deliveries of it this process holds. */
function heldBy(receiver: Receiver): number {
  return receiver.inFlight + receiver.queue.length
}

function healthAfter(receiver: Receiver, ending: AttemptEnding): Health {
  const next = HEALTH_AFTER[ending]
  return next === 'unchanged' ? receiver.health : next
}

/** Adds slots to a receiver that answers: fast while nothing went wrong, by one per round after a timeout, and only if all were in use. */
function growSlots(receiver: Receiver, slotsMax: number): void {
  receiver.timeoutsInRow = 0
  if (receiver.inFlight + 1 < Math.floor(receiver.slots)) return
  const isRecovering = receiver.health === 'suspect' || receiver.slots < SLOTS_START
  receiver.slots = Math.min(slotsMax, receiver.slots + (isRecovering ? 1 / receiver.slots : 1))
}

/** Halves the slots of a receiver that timed out. One that hangs keeps as many as `slotsOfHanging` allows. */
function shrinkSlots(receiver: Receiver, slotsOfHanging: number): void {
  receiver.timeoutsInRow++
  const slotsMin = receiver.timeoutsInRow < HANGS_AFTER ? 1 : slotsOfHanging
  receiver.slots = Math.max(slotsMin, Math.floor(receiver.slots / 2))
}

/** How many more deliveries a receiver may receive now; `unlistedEach` is what a receiver may receive that is not known yet. */
function freeOf(receiver: Receiver, unlistedEach: number): number {
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
