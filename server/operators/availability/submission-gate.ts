import type { Availability } from '#lib/availability.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { QueryOutcome, SubmitOutcome, Terms } from '#server/operators/connector.ts'
import { afterBad, afterGood, CIRCUIT_RULES, type Circuit, type CircuitRules, newCircuit, slotsOf } from './circuit.ts'

/** What the last process stored. `fault`: why it is closed for the settings of `faultVersion`. */
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

/** Limits how many submissions to each operator and direction are under way and begin per second: as agreed, and as the operator answers. */
export type SubmissionGate = {
  /** How many submissions may begin now. */
  free(operator: OperatorCode, type: TransactionType, terms: Terms): number
  begin(operator: OperatorCode, type: TransactionType): void
  /** Called once for each submission that began. */
  end(operator: OperatorCode, type: TransactionType): void
  /** Why nothing may be sent with these settings; undefined if it may. */
  faultOf(operator: OperatorCode, type: TransactionType, terms: Terms): string | undefined
  /** What an answer says about the operator. `closesDirection`: nothing more is sent until the settings are saved again. */
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

  function change(direction: Direction, circuit: Circuit, call: NotedCall, { settingsVersion }: Terms): void {
    const before = direction.circuit.state
    direction.circuit = circuit
    const { operator, type, closesDirection: fault } = call
    if (fault !== undefined || circuit.state !== before) onChange?.({ operator, type, state: circuit.state, fault, settingsVersion })
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
      const { operator, type, kind, outcome, closesDirection } = call
      const direction = directionOf(operator, type)
      // A call that began with earlier settings says nothing about these.
      const isOutdated = direction.settingsVersion !== undefined && direction.settingsVersion !== terms.settingsVersion
      if (closesDirection !== undefined) {
        if (isOutdated) return
        direction.fault = { reason: closesDirection, settingsVersion: terms.settingsVersion }
        return change(direction, newCircuit(rules, 'CLOSED'), call, terms)
      }
      // Calls that began before it was closed for a fault say nothing about the fault.
      if (direction.fault) return
      const isGood = outcome !== 'unknown' && outcome !== 'not_sent'
      // A query that is lost is asked again and holds nothing up.
      if (!isGood && kind === 'query') return
      if (isGood && kind === 'submit' && !isOutdated) direction.isProven = true
      const after = isGood
        ? afterGood(direction.circuit, kind, terms.callsMax, nowMs())
        : afterBad(direction.circuit, rules, terms.callsMax, nowMs())
      change(direction, after, call, terms)
    },
  }
}

/** At most one second's worth is saved up. */
function refill(direction: Direction, perSecond: number, atMs: number): number {
  const gained = ((atMs - direction.refilledAtMs) / 1_000) * perSecond
  direction.tokens = Math.min(Math.max(1, perSecond), Math.max(0, direction.tokens) + gained)
  direction.refilledAtMs = atMs
  return direction.tokens
}
