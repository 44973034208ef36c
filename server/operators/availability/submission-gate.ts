import type { Availability } from '#lib/availability.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { QueryOutcome, SubmitOutcome, Terms } from '#server/operators/connector.ts'
import { afterBad, afterGood, CIRCUIT_RULES, type Circuit, type CircuitRules, newCircuit, slotsOf } from './circuit.ts'

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
  underWay: number
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
      underWay: 0,
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
      const slots = (direction.isProven ? slotsMax : Math.min(slotsMax, 1)) - direction.underWay
      const perSecond = terms.submissionsPerSecondMax
      return Math.max(0, perSecond === undefined ? slots : Math.min(slots, Math.floor(refill(direction, perSecond, nowMs()))))
    },
    begin(operator, type) {
      const direction = directionOf(operator, type)
      direction.underWay++
      direction.tokens--
    },
    end(operator, type) {
      directionOf(operator, type).underWay--
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
