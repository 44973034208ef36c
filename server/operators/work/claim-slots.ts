import type { OperatorCode } from '#lib/operators/operators.ts'
import { withJitterMs } from '#server/retry.ts'
import type { SubmissionGate } from '../availability/submission-gate.ts'
import type { Connectors, Terms } from '../connector.ts'
import type { ClaimedWork, FreeSlots, Lane } from './operator-work-store.ts'

/** Calls of one lane. The connections of an operator suffice for all lanes together. */
const CALLS_MAX = 64

/** From the claim of a submission to its last chance to be written: tokens, keys, a first step, a connection. */
const PREPARATION_MS = 9_500
/** From the last answer that is waited for to the end of the lease: the answer is recorded meanwhile. */
const RECORDING_MS = 500
/** Of everything but submissions. No money moves if a second process makes the same query. */
const BEGUN_LEASE_MS = 20_000

type ClaimSlotsOptions = { connectors: Connectors; queriesMax?: number; submissionsMax?: number; leaseMs?: number }

/** How much of each lane of each operator may be claimed now. */
type ClaimSlots = {
  free(gate: SubmissionGate): FreeSlots[]
  begin(gate: SubmissionGate, operator: OperatorCode, lane: Lane): void
  /** Returns whether more may be waiting in the lane. */
  end(gate: SubmissionGate, operator: OperatorCode, lane: Lane): boolean
  noteClaim(free: readonly FreeSlots[], claimed: readonly ClaimedWork[]): void
}

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

export function createClaimSlots(options: ClaimSlotsOptions): ClaimSlots {
  const queriesMax = options.queriesMax ?? CALLS_MAX
  const submissionsMax = options.submissionsMax ?? CALLS_MAX
  const begun = new Map<OperatorCode, number>()
  /** Lanes that filled their slots may have more waiting: the end of any of their calls then requests the next claim. */
  const backlogged = new Set<string>()
  return {
    free(gate) {
      return options.connectors.operators().flatMap((operator) => {
        const terms = options.connectors.get(operator)?.terms
        if (!terms) return []
        const agreed = { ...terms, callsMax: Math.min(terms.callsMax, submissionsMax) }
        const lanes: FreeSlots[] = [
          {
            operator,
            lane: 'begun',
            route: null,
            slotsMax: queriesMax - (begun.get(operator) ?? 0),
            leaseMs: options.leaseMs ?? BEGUN_LEASE_MS,
            enquiryDelayMs: undefined,
          },
        ]
        const { enquiryDelayMs, settingsVersion } = terms
        const leaseMs = options.leaseMs ?? PREPARATION_MS + terms.submitTimeoutMs + RECORDING_MS
        // Nothing is claimed for a direction that was taken out of service: it waits until it is back.
        for (const [type, route] of terms.routes)
          lanes.push({ operator, lane: type, route, slotsMax: gate.free(operator, type, agreed), leaseMs, enquiryDelayMs, settingsVersion })
        return lanes.filter(({ slotsMax }) => slotsMax > 0)
      })
    },
    begin(gate, operator, lane) {
      if (lane === 'begun') begun.set(operator, (begun.get(operator) ?? 0) + 1)
      else gate.begin(operator, lane)
    },
    end(gate, operator, lane) {
      if (lane === 'begun') begun.set(operator, (begun.get(operator) ?? 1) - 1)
      else gate.end(operator, lane)
      return backlogged.has(`${operator} ${lane}`)
    },
    noteClaim(free, claimed) {
      const counts = Map.groupBy(claimed, (work) => `${work.operator} ${laneOf(work)}`)
      for (const { operator, lane, slotsMax } of free) {
        const key = `${operator} ${lane}`
        if ((counts.get(key)?.length ?? 0) >= slotsMax) backlogged.add(key)
        else backlogged.delete(key)
      }
    },
  }
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
