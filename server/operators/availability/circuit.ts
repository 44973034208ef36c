import type { Availability } from '#lib/availability.ts'

export type CircuitRules = {
  /** Calls without a usable answer in a row after which fewer are made at once. */
  delayedAfter: number
  /** The same, after which none are made; only if the first of them is at least `closedAfterMs` ago. */
  closedAfter: number
  closedAfterMs: number
  /** The pause before the first trial, and the longest one. It doubles after each trial that fails. */
  trialPauseMs: number
  trialPauseMsMax: number
}

export const CIRCUIT_RULES: CircuitRules = {
  delayedAfter: 5,
  closedAfter: 20,
  closedAfterMs: 5_000,
  trialPauseMs: 2_000,
  trialPauseMsMax: 30_000,
}

/** This many at once without trouble: the others may follow, and an operator with little traffic does not stay DELAYED for hours. */
const TROUBLE_FREE_SLOTS = 16

/** Whether calls to one operator in one direction are worth making. Times are milliseconds of one clock. */
export type Circuit = {
  readonly state: Availability
  /** Concurrent submissions allowed while DELAYED. */
  readonly slots: number
  /** Calls without a usable answer since the last good one. */
  readonly badInARow: number
  readonly firstBadAtMs: number
  /** While CLOSED: when the next trial may begin, and the pause after it. */
  readonly trialAtMs: number
  readonly pauseMs: number
  /** While CLOSED: a query was answered since the last trial, so that only some submissions may be what the operator cannot take. */
  readonly isAnswering: boolean
}

/** A circuit in the state that the last process left, or OPERATIONAL. One that was CLOSED begins with a trial. */
export function newCircuit(rules: CircuitRules, state: Availability = 'OPERATIONAL'): Circuit {
  return { state, slots: 1, badInARow: 0, firstBadAtMs: 0, trialAtMs: 0, pauseMs: rules.trialPauseMs, isAnswering: false }
}

/** How many submissions may be in progress now, of `callsMax` that the operator allows. */
export function slotsOf(circuit: Circuit, callsMax: number, nowMs: number): number {
  if (circuit.state === 'OPERATIONAL') return callsMax
  if (circuit.state === 'DELAYED') return Math.min(circuit.slots, callsMax)
  return nowMs >= circuit.trialAtMs ? 1 : 0
}

/**
 * After a call that the operator answered. One slot more for each good submission: what waited is sent without a surge. A query that is
 * answered while the circuit is CLOSED only allows a trial, and the pause after it does not become longer.
 */
export function afterGood(circuit: Circuit, kind: 'submit' | 'query', callsMax: number, nowMs: number): Circuit {
  if (circuit.state === 'OPERATIONAL') return circuit.badInARow === 0 || kind === 'query' ? circuit : { ...circuit, badInARow: 0 }
  if (kind === 'query') {
    if (circuit.state !== 'CLOSED') return circuit
    return { ...circuit, isAnswering: true, trialAtMs: nowMs >= circuit.trialAtMs ? nowMs : circuit.trialAtMs }
  }
  const slots = circuit.state === 'CLOSED' ? 2 : circuit.slots + 1
  return { ...circuit, state: slots >= Math.min(callsMax, TROUBLE_FREE_SLOTS) ? 'OPERATIONAL' : 'DELAYED', slots, badInARow: 0 }
}

/** After a submission without a usable answer: a timeout, a broken connection, an HTTP 5xx, a refused credential. */
export function afterBad(circuit: Circuit, rules: CircuitRules, callsMax: number, nowMs: number): Circuit {
  const badInARow = circuit.badInARow + 1
  const firstBadAtMs = circuit.badInARow === 0 ? nowMs : circuit.firstBadAtMs
  const counted = { ...circuit, badInARow, firstBadAtMs }
  if (circuit.state === 'CLOSED') {
    // Calls that started before it closed say nothing about the trial.
    if (nowMs < circuit.trialAtMs) return counted
    const pauseMs = circuit.isAnswering ? rules.trialPauseMs : Math.min(circuit.pauseMs * 2, rules.trialPauseMsMax)
    return { ...counted, trialAtMs: nowMs + pauseMs, pauseMs, isAnswering: false }
  }
  if (badInARow >= rules.closedAfter && nowMs - firstBadAtMs >= rules.closedAfterMs)
    return { ...counted, state: 'CLOSED', slots: 1, trialAtMs: nowMs + rules.trialPauseMs, pauseMs: rules.trialPauseMs, isAnswering: false }
  // One call alone is lost at any operator now and then.
  if (circuit.state === 'DELAYED')
    return badInARow < 2 ? counted : { ...counted, slots: Math.max(1, Math.floor(Math.min(circuit.slots, callsMax) / 2)) }
  return badInARow >= rules.delayedAfter ? { ...counted, state: 'DELAYED', slots: Math.max(1, Math.floor(callsMax / 2)) } : counted
}
