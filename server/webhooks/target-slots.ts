import type { ClaimedDelivery } from './webhook-store.ts'

/** What one process knows about one receiver. */
export type Target = {
  key: string
  /** How many attempts may be under way at once; grows by fractions, so not whole. */
  slots: number
  inFlight: number
  /** Claimed and waiting for a slot. */
  queue: ClaimedDelivery[]
  standing: Standing
  /** Due deliveries may have been left behind for want of slots. */
  mayHaveMore: boolean
  lastUsedMs: number
  /** Timeouts since its last answer. */
  timeoutsInRow: number
  /** Before this no other retry of it is to be due. */
  retryFreeMs: number
}

/** `unknown`: it has not answered yet; `proven`: it answered; `suspect`: the last thing it did was to let us wait in vain. */
export type Standing = 'unknown' | 'proven' | 'suspect'

/** What the next claim may take: per receiver in `free` and `suspects`, from all others together `defaultRowsMax`. */
export type Allowance = {
  freeDefault: number
  defaultRowsMax: number
  free: Record<string, number>
  suspects: Record<string, number>
  suspectRowsMax: number
  rowsMax: number
}

export type TargetSlots = {
  get(key: string): Target
  find(key: string): Target | undefined
  allowance(rowsMax: number): Allowance
  /** Deliveries that are claimed: under way or waiting for a slot. */
  claimed(): number
  added(target: Target): void
  /** An attempt ended after `durationMs`, or a claim was given back (`outcome` undefined). */
  ended(target: Target, outcome: 'answered' | 'failed' | 'timed_out' | undefined, durationMs?: number): void
  all(): Iterable<Target>
  /** By how much the retry of an attempt that timed out now is put off, so that retries of one receiver come one after another. */
  spreadMs(target: Target): number
  forgetIdle(nowMs: number): void
}

const SLOTS_START = 4
const SLOTS_MAX = 64
/** Receivers that answer at once share so many connections: more of them would each be used too seldom to stay open. */
const SHARED_SLOTS = 512
/** Who takes longer than this needs slots of its own to be served as fast as others. */
const SLOW_MS = 250
const RECENT_MS = 2_000
/** A proven receiver is claimed ahead of its slots, so that it need not wait for the next claim. */
const AHEAD = 4
/** Their retries come in crowds, and each needs a new connection: spread over several claims they disturb nobody. */
const SUSPECT_ROWS_PER_CLAIM = 16
/** A receiver that let so many attempts in a row time out is not slow but hangs: fewer slots do not help it, they only make its own queue longer. */
const HANGS_AFTER = 8
/** Retries of a receiver that times out are due at least so far apart, and at most so much later than their pause says. */
const SPREAD_MS = 500
const SPREAD_MS_MAX = 30_000
const FORGET_AFTER_MS = 15 * 60_000
/**
 * Receivers that are remembered, besides those with work under way. Each claim reads all of them and sends them to the database, so without
 * a limit an application that uses another host name for every transaction would slow down everybody's claims.
 */
const REMEMBERED_MAX = 2_048
const FORGOTTEN_AT_ONCE = 256

/** How many more deliveries a receiver may be given now. */
function freeOf(target: Target, freeDefault: number): number {
  const count = target.inFlight + target.queue.length
  const slots = Math.floor(target.slots)
  if (target.standing === 'suspect') return Math.max(0, slots - count)
  if (target.standing === 'unknown') return Math.max(0, Math.min(freeDefault, slots) - count)
  return Math.max(0, (count > 0 || slots > SLOTS_START ? slots * AHEAD : slots) - count)
}

/**
 * Shares `claimedMax` deliveries at once between receivers (server/webhooks/README.md, Isolation). Each receiver has
 * slots: four at first, more while it answers and uses them all, as far as there are enough for all or it is slow, half after
 * each timeout. Receivers that never answered may hold three quarters of the whole, those that timed out last one half: proven receivers always find room.
 */
export function createTargetSlots(claimedMax: number): TargetSlots {
  const targets = new Map<string, Target>()
  const held: Record<Standing, number> = { unknown: 0, proven: 0, suspect: 0 }
  // Receivers that were used lately, counted at each claim.
  let busy = 1
  // Receivers that hang, counted at each claim too: together they may hold a sixteenth of the whole in slots beyond their first.
  let hanging = 1

  function move(target: Target, standing: Standing): void {
    const count = target.inFlight + target.queue.length
    held[target.standing] -= count
    held[standing] += count
    target.standing = standing
  }

  /** Those that answer go last: what is known of the others is only that they were slow, and that is soon found out again. */
  function forgetSome(): void {
    const idle = [...targets.values()].filter((target) => target.inFlight + target.queue.length === 0)
    const rank = (target: Target) => (target.standing === 'proven' ? 1 : 0)
    idle.sort((left, right) => rank(left) - rank(right) || left.lastUsedMs - right.lastUsedMs)
    for (const target of idle.slice(0, FORGOTTEN_AT_ONCE)) targets.delete(target.key)
  }

  function claimed(): number {
    return held.unknown + held.proven + held.suspect
  }

  return {
    claimed,
    all: () => targets.values(),
    find: (key) => targets.get(key),
    get(key) {
      const known = targets.get(key)
      if (known) return known
      if (targets.size >= REMEMBERED_MAX) forgetSome()
      const target: Target = {
        key,
        slots: SLOTS_START,
        inFlight: 0,
        queue: [],
        standing: 'unknown',
        mayHaveMore: false,
        lastUsedMs: performance.now(),
        timeoutsInRow: 0,
        retryFreeMs: 0,
      }
      targets.set(key, target)
      return target
    },
    added(target) {
      held[target.standing]++
      target.lastUsedMs = performance.now()
    },
    ended(target, outcome, durationMs = 0) {
      const slotsMax = durationMs > SLOW_MS ? SLOTS_MAX : Math.max(SLOTS_START, Math.min(SLOTS_MAX, Math.floor(SHARED_SLOTS / busy)))
      held[target.standing]--
      target.lastUsedMs = performance.now()
      if (outcome === 'timed_out') {
        target.timeoutsInRow++
        const slotsMin = target.timeoutsInRow < HANGS_AFTER ? 1 : Math.max(1, Math.min(SLOTS_START, Math.floor(claimedMax / 16 / hanging)))
        target.slots = Math.max(slotsMin, Math.floor(target.slots / 2))
        move(target, 'suspect')
      } else if (outcome === 'answered') {
        target.timeoutsInRow = 0
        // Grows fast while nothing went wrong, by one per round after a timeout, and only where the slots are the limit.
        const wasFull = target.inFlight + 1 >= Math.floor(target.slots)
        if (wasFull)
          target.slots = Math.min(
            slotsMax,
            target.slots + (target.standing === 'suspect' || target.slots < SLOTS_START ? 1 / target.slots : 1),
          )
        move(target, 'proven')
      }
    },
    allowance(rowsMax) {
      const notProven = held.unknown + held.suspect
      const defaultRowsMax = Math.max(0, Math.floor((claimedMax * 3) / 4) - notProven)
      const freeDefault = notProven >= claimedMax / 4 ? 1 : SLOTS_START
      const recentMs = performance.now() - RECENT_MS
      let recent = 0
      let hung = 0
      const free: Record<string, number> = {}
      const suspects: Record<string, number> = {}
      for (const target of targets.values()) {
        if (target.lastUsedMs > recentMs) recent++
        if (target.standing === 'suspect') hung++
        const mine = freeOf(target, freeDefault)
        if (target.standing === 'suspect') suspects[target.key] = mine
        // Left out where it is what everybody gets, unless there is not enough for everybody.
        else if (mine !== freeDefault || (target.standing === 'proven' && defaultRowsMax < rowsMax)) free[target.key] = mine
      }
      busy = Math.max(1, recent)
      hanging = Math.max(1, hung)
      const suspectRowsMax = Math.max(0, Math.min(SUSPECT_ROWS_PER_CLAIM, Math.floor(claimedMax / 2) - held.suspect))
      return {
        freeDefault,
        defaultRowsMax,
        free,
        suspects,
        suspectRowsMax,
        rowsMax: Math.max(0, Math.min(rowsMax, claimedMax - claimed())),
      }
    },
    spreadMs(target) {
      const nowMs = performance.now()
      const spreadMs = Math.min(SPREAD_MS_MAX, Math.max(0, target.retryFreeMs - nowMs))
      target.retryFreeMs = nowMs + spreadMs + SPREAD_MS
      return Math.round(spreadMs)
    },
    forgetIdle(nowMs) {
      for (const target of targets.values()) {
        if (target.inFlight + target.queue.length === 0 && nowMs - target.lastUsedMs > FORGET_AFTER_MS) targets.delete(target.key)
      }
    },
  }
}
