import type { Availability } from '#lib/operators/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { QueryOutcome, SubmitOutcome, Terms } from '../connector.ts'

/** The availability that the last process stored. `fault`: why it is closed for the settings of `faultVersion`. */
export type StoredAvailability = {
  operator: OperatorCode
  type: TransactionType
  state: Availability
  fault?: string | null
  faultVersion?: string | null
}

/** The availability of a direction from now on, as a process with these settings sees it. */
export type AvailabilityChange = {
  operator: OperatorCode
  type: TransactionType
  state: Availability
  fault?: string | undefined
  settingsVersion?: string | undefined
}

type SubmissionGateOptions = {
  /** The states that the last process stored. */
  stored?: readonly StoredAvailability[]
  rules?: CircuitRules
  /** A monotonic time in milliseconds. */
  nowMs(): number
  /** Called when the availability of a direction changes. */
  onChange?(change: AvailabilityChange): void
}

/** Limits how many submissions to each operator and direction run at once and start per second: as agreed, and as the operator answers. */
export type SubmissionGate = {
  /** How many submissions may begin now. */
  free(operator: OperatorCode, type: TransactionType, terms: Terms): number
  begin(operator: OperatorCode, type: TransactionType): void
  /** Called once for each submission that started. */
  end(operator: OperatorCode, type: TransactionType): void
  /** Why nothing may be sent with these settings; undefined if it may. */
  faultOf(operator: OperatorCode, type: TransactionType, terms: Terms): string | undefined
  /** Notes what an answer says about the operator. `closesDirection`: nothing more is sent until the settings are saved again. */
  note(call: NotedCall, terms: Terms): void
}

type NotedCall = {
  operator: OperatorCode
  type: TransactionType
  kind: 'submit' | 'query'
  outcome: (SubmitOutcome | QueryOutcome)['kind']
  closesDirection?: string | undefined
}
type Direction = {
  circuit: Circuit
  inProgress: number
  tokens: number
  refilledAtMs: number
  settingsVersion: string | undefined
  /** The settings of this version had a fault. */
  fault: { reason: string; settingsVersion: string | undefined } | undefined
  /** False until the operator has answered a submission with new settings: one at a time, because several wrong PINs lock an account. */
  isProven: boolean
}

export function createSubmissionGate({ stored = [], rules = CIRCUIT_RULES, nowMs, onChange }: SubmissionGateOptions): SubmissionGate {
  const directions = new Map<string, Direction>()

  function directionOf(operator: OperatorCode, type: TransactionType): Direction {
    const key = `${operator} ${type}`
    const known = directions.get(key)
    if (known) return known
    const found = stored.find((one) => one.operator === operator && one.type === type)
    const fault = found?.fault ? { reason: found.fault, settingsVersion: found.faultVersion ?? undefined } : undefined
    const direction: Direction = {
      circuit: newCircuit(rules, found?.state),
      inProgress: 0,
      tokens: 1,
      refilledAtMs: nowMs(),
      settingsVersion: undefined,
      fault,
      isProven: fault === undefined,
    }
    directions.set(key, direction)
    return direction
  }

  /** The same, after a look at whether its settings have changed. */
  function directionWith(operator: OperatorCode, type: TransactionType, { settingsVersion }: Terms): Direction {
    const direction = directionOf(operator, type)
    if (direction.settingsVersion !== undefined && direction.settingsVersion !== settingsVersion) direction.isProven = false
    direction.settingsVersion = settingsVersion
    if (direction.fault && direction.fault.settingsVersion !== settingsVersion) {
      direction.fault = undefined
      direction.isProven = false
      direction.circuit = newCircuit(rules, 'CLOSED')
    }
    return direction
  }

  return {
    free(operator, type, terms) {
      const direction = directionWith(operator, type, terms)
      if (direction.fault) return 0
      const slotsMax = slotsOf(direction.circuit, terms.callsMax, nowMs())
      const slots = (direction.isProven ? slotsMax : Math.min(slotsMax, 1)) - direction.inProgress
      const perSecond = terms.submissionsPerSecondMax
      return Math.max(0, perSecond === undefined ? slots : Math.min(slots, Math.floor(refill(direction, perSecond, nowMs()))))
    },
    begin(operator, type) {
      const direction = directionOf(operator, type)
      direction.inProgress++
      direction.tokens--
    },
    end(operator, type) {
      directionOf(operator, type).inProgress--
    },
    faultOf(operator, type, { settingsVersion }) {
      const { fault } = directionOf(operator, type)
      return fault?.settingsVersion === settingsVersion ? fault?.reason : undefined
    },
    note(call, terms) {
      const { operator, type, closesDirection: fault } = call
      const direction = directionOf(operator, type)
      const before = direction.circuit.state
      if (!noteAnswer(direction, call, terms, { rules, nowMs: nowMs() })) return
      const { state } = direction.circuit
      if (fault !== undefined || state !== before) onChange?.({ operator, type, state, fault, settingsVersion: terms.settingsVersion })
    },
  }
}

/** Changes a direction as an answer says. False if the answer says nothing about it. */
function noteAnswer(
  direction: Direction,
  call: NotedCall,
  terms: Terms,
  { rules, nowMs }: { rules: CircuitRules; nowMs: number },
): boolean {
  const { kind, outcome, closesDirection } = call
  // A call that started with earlier settings says nothing about these.
  const isOutdated = direction.settingsVersion !== undefined && direction.settingsVersion !== terms.settingsVersion
  if (closesDirection !== undefined) {
    if (isOutdated) return false
    direction.fault = { reason: closesDirection, settingsVersion: terms.settingsVersion }
    direction.circuit = newCircuit(rules, 'CLOSED')
    return true
  }
  // Calls that started before it was closed for a fault say nothing about the fault.
  if (direction.fault) return false
  const isGood = outcome !== 'unknown' && outcome !== 'not_sent'
  // A lost query is repeated and holds nothing up.
  if (!isGood && kind === 'query') return false
  if (isGood && kind === 'submit' && !isOutdated) direction.isProven = true
  direction.circuit = isGood
    ? afterGood(direction.circuit, kind, terms.callsMax, nowMs)
    : afterBad(direction.circuit, rules, terms.callsMax, nowMs)
  return true
}

/** At most one second's worth is saved up. */
function refill(direction: Direction, perSecond: number, atMs: number): number {
  const gained = ((atMs - direction.refilledAtMs) / 1_000) * perSecond
  direction.tokens = Math.min(Math.max(1, perSecond), Math.max(0, direction.tokens) + gained)
  direction.refilledAtMs = atMs
  return direction.tokens
}

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
