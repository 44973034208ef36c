import type { OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { SubmissionGate } from '#server/operators/availability/submission-gate.ts'
import type { Terms } from '#server/operators/connector.ts'
import { withJitterMs } from '#server/retry.ts'
import type { ClaimedWork, FreeSlots, Lane } from '../operator-work-store.ts'

/** Calls of one lane. The connections of an operator suffice for all lanes together. */
const CALLS_MAX = 64

/** From the claim of a submission to its last chance to be written: tokens, keys, a first step, a connection. */
const PREPARATION_MS = 9_500
/** From the last answer that is waited for to the end of the lease: the answer is recorded meanwhile. */
const RECORDING_MS = 500
/** Of everything but submissions. No money moves if a second process makes the same query. */
const BEGUN_LEASE_MS = 20_000

/** The connectors of this process; only their terms count here. */
type TermsByOperator = { operators(): OperatorCode[]; get(operator: OperatorCode): { readonly terms: Terms } | undefined }

type ClaimSlotsOptions = { connectors: TermsByOperator; queriesMax?: number; submissionsMax?: number; leaseMs?: number }

/** `wanted`: what has started, and the lanes that have something waiting as far as this process knows. */
type ClaimScope = 'all' | 'wanted'

type SubmissionSlots = FreeSlots & { route: string }

/**
 * The last moment at which a call that moves money may be written, on the clock of `performance.now()`: its whole answer is then waited for
 * within the lease, so that no other process takes the row over while the operator works on it.
 */
export function writeBeforeMs(
  { leaseEndsAtMs }: Pick<ClaimedWork, 'leaseEndsAtMs'>,
  { submitTimeoutMs }: Pick<Terms, 'submitTimeoutMs'>,
): number {
  return leaseEndsAtMs - submitTimeoutMs - RECORDING_MS
}

/** Submissions of each direction and everything else have slots of their own: what hangs fills only those. */
export function laneOf(work: ClaimedWork): Lane {
  return work.foundState === 'queued' ? work.type : 'begun'
}

/** How much of each lane of each operator may be claimed or reserved now. */
export class ClaimSlots {
  readonly #options: ClaimSlotsOptions
  readonly #gate: SubmissionGate
  readonly #begun = new Map<OperatorCode, number>()
  /** Lanes that filled their slots may have more waiting: the end of any of their calls then requests the next claim. */
  readonly #backlogged = new Set<string>()
  /** Lanes in which a transaction is being stored without a slot: the next claim reads them. */
  readonly #wanted = new Set<string>()
  readonly #offered = new Map<string, number>()

  constructor(options: ClaimSlotsOptions, gate: SubmissionGate) {
    this.#options = options
    this.#gate = gate
  }

  /** Offers free slots to a claim. Until `endClaim` they are not reserved for anything else. */
  beginClaim(scope: ClaimScope): FreeSlots[] {
    const free = this.#options.connectors.operators().flatMap((operator) => this.#lanesOf(operator, scope))
    this.#wanted.clear()
    for (const { operator, lane, slotsMax } of free) this.#offered.set(keyOf(operator, lane), slotsMax)
    return free
  }

  /** `claimed`: undefined if the claim failed. Returns whether more may be waiting for which slots are free. */
  endClaim(free: readonly FreeSlots[], claimed: readonly ClaimedWork[] | undefined): boolean {
    this.#offered.clear()
    if (!claimed) return false
    const counts = Map.groupBy(claimed, (work) => keyOf(work.operator, laneOf(work)))
    let wasHalved = false
    for (const { operator, lane, slotsMax } of free) {
      const key = keyOf(operator, lane)
      const isFull = (counts.get(key)?.length ?? 0) >= slotsMax
      if (isFull && !this.#backlogged.has(key)) wasHalved = true
      if (isFull) this.#backlogged.add(key)
      else this.#backlogged.delete(key)
    }
    return wasHalved
  }

  /**
   * Takes a slot for a transaction that is not stored yet; undefined if none is free, or if others wait for one, and then it has to wait
   * behind them. `end` frees the slot.
   */
  reserve(operator: OperatorCode, type: TransactionType): SubmissionSlots | undefined {
    const key = keyOf(operator, type)
    const slots = this.#submissionSlots(operator, type)
    if (slots && !this.#backlogged.has(key) && slots.slotsMax > (this.#offered.get(key) ?? 0)) {
      this.#gate.begin(operator, type)
      return slots
    }
    this.#backlogged.add(key)
    this.#wanted.add(key)
    return undefined
  }

  /** Takes a slot for a query that no claim found; false if none is free. `end` frees the slot. */
  beginQuery(operator: OperatorCode): boolean {
    const isFree = this.#begunSlots(operator).slotsMax > (this.#offered.get(keyOf(operator, 'begun')) ?? 0)
    if (isFree) this.begin(operator, 'begun')
    return isFree
  }

  begin(operator: OperatorCode, lane: Lane): void {
    if (lane === 'begun') this.#begun.set(operator, (this.#begun.get(operator) ?? 0) + 1)
    else this.#gate.begin(operator, lane)
  }

  /** Returns whether more may be waiting in the lane. */
  end(operator: OperatorCode, lane: Lane): boolean {
    if (lane === 'begun') this.#begun.set(operator, (this.#begun.get(operator) ?? 1) - 1)
    else this.#gate.end(operator, lane)
    return this.#backlogged.has(keyOf(operator, lane))
  }

  #lanesOf(operator: OperatorCode, scope: ClaimScope): FreeSlots[] {
    const isWaiting = (lane: Lane) => this.#wanted.has(keyOf(operator, lane)) || this.#backlogged.has(keyOf(operator, lane))
    const lanes = [
      this.#begunSlots(operator),
      ...TRANSACTION_TYPES.map((type) => (scope === 'all' || isWaiting(type) ? this.#submissionSlots(operator, type) : undefined)),
    ]
    return lanes.flatMap((slots) => {
      if (!slots || slots.slotsMax <= 0) return []
      // Where probably nothing waits, half of the slots stay free for transactions and callbacks that come during the claim.
      return isWaiting(slots.lane) ? slots : { ...slots, slotsMax: Math.ceil(slots.slotsMax / 2) }
    })
  }

  #begunSlots(operator: OperatorCode): FreeSlots {
    const slotsMax = (this.#options.queriesMax ?? CALLS_MAX) - (this.#begun.get(operator) ?? 0)
    const leaseMs = this.#options.leaseMs ?? BEGUN_LEASE_MS
    return { operator, lane: 'begun', route: null, slotsMax, leaseMs, enquiryDelayMs: undefined }
  }

  /** Undefined for a direction that was taken out of service: nothing is sent until it is back. */
  #submissionSlots(operator: OperatorCode, type: TransactionType): SubmissionSlots | undefined {
    const terms = this.#options.connectors.get(operator)?.terms
    const route = terms?.routes.get(type)
    if (!terms || route === undefined) return undefined
    const { enquiryDelayMs, settingsVersion } = terms
    const leaseMs = this.#options.leaseMs ?? PREPARATION_MS + terms.submitTimeoutMs + RECORDING_MS
    const callsMax = Math.min(terms.callsMax, this.#options.submissionsMax ?? CALLS_MAX)
    const slotsMax = this.#gate.free(operator, type, { ...terms, callsMax })
    return { operator, lane: type, route, slotsMax, leaseMs, enquiryDelayMs, settingsVersion }
  }
}

function keyOf(operator: OperatorCode, lane: Lane): string {
  return `${operator} ${lane}`
}

/** Lets a loop wait until it is notified or the time has passed. A notification while nothing waits is kept for the next wait. */
type WakeSignal = { notify(): void; wait(timeoutMs: number): Promise<void> }

export function createWakeSignal(): WakeSignal {
  let isNotified = false
  let open: (() => void) | undefined
  return {
    notify() {
      isNotified = true
      open?.()
    },
    async wait(timeoutMs) {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          open = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      open = undefined
      isNotified = false
    },
  }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** How long after each query the next one is made; the last one repeats. In milliseconds. */
export const POLL_DELAYS_MS: readonly number[] = [
  2 * SECOND,
  4 * SECOND,
  8 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  20 * MINUTE,
  40 * MINUTE,
  60 * MINUTE,
]

/** Milliseconds until the next query after `queriesMade` of them. `random` returns a number in [0, 1). */
export function pollDelayMs(queriesMade: number, random: () => number, delaysMs: readonly number[] = POLL_DELAYS_MS): number {
  const delayMs = delaysMs[Math.min(queriesMade, delaysMs.length - 1)] ?? 0
  return Math.round(withJitterMs(delayMs, random))
}

/** Milliseconds until a reference that the operator does not know is sent again: none for the first two times, then longer ones. */
export function resubmitDelayMs(submissionsMade: number, random: () => number, delaysMs: readonly number[] = POLL_DELAYS_MS): number {
  return submissionsMade < 3 ? 0 : pollDelayMs(submissionsMade, random, delaysMs)
}

/** The index in the schedule beyond which the pauses of an unreachable operator do not grow: five minutes. */
const UNREACHABLE_INDEX_MAX = 7

/** Milliseconds until a submission that was not sent is retried: no money is at risk, so the pauses stay short. */
export function unsentDelayMs(submissionsMade: number, random: () => number, delaysMs: readonly number[] = POLL_DELAYS_MS): number {
  return pollDelayMs(Math.min(Math.max(0, submissionsMade - 1), UNREACHABLE_INDEX_MAX), random, delaysMs)
}
