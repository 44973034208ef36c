import type { OperatorCode } from '#lib/operators.ts'
import type { SubmissionGate } from './availability/submission-gate.ts'
import type { Connectors, Terms } from './connector.ts'
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
