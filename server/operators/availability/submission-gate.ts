import type { Availability } from '#lib/availability.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { QueryOutcome, SubmitOutcome, Terms } from '#server/operators/connector.ts'
import { afterBad, afterGood, CIRCUIT_RULES, type Circuit, type CircuitRules, newCircuit, slotsOf } from './circuit.ts'

export type StoredAvailability = { operator: OperatorCode; type: TransactionType; state: Availability }

type SubmissionGateOptions = {
  /** The states that the last process stored. */
  stored?: readonly StoredAvailability[]
  rules?: CircuitRules
  /** A monotonic time in milliseconds. */
  nowMs(): number
  /** Called when the availability of a direction changes. */
  onChange?(change: StoredAvailability): void
}

/** Limits how many submissions to each operator and direction are under way and begin per second: as agreed, and as the operator answers. */
export type SubmissionGate = {
  /** How many submissions may begin now. */
  free(operator: OperatorCode, type: TransactionType, terms: Terms): number
  begin(operator: OperatorCode, type: TransactionType): void
  /** Called once for each submission that began. */
  end(operator: OperatorCode, type: TransactionType): void
  /** What an answer says about the operator. */
  note(call: { operator: OperatorCode; type: TransactionType; kind: 'submit' | 'query'; outcome: Outcome['kind'] }, terms: Terms): void
}

type Outcome = SubmitOutcome | QueryOutcome
type Direction = { circuit: Circuit; underWay: number; tokens: number; refilledAtMs: number }

export function createSubmissionGate({ stored = [], rules = CIRCUIT_RULES, nowMs, onChange }: SubmissionGateOptions): SubmissionGate {
  const directions = new Map<string, Direction>()

  function directionOf(operator: OperatorCode, type: TransactionType): Direction {
    const key = `${operator} ${type}`
    const known = directions.get(key)
    if (known) return known
    const state = stored.find((one) => one.operator === operator && one.type === type)?.state
    const direction = { circuit: newCircuit(rules, state), underWay: 0, tokens: 1, refilledAtMs: nowMs() }
    directions.set(key, direction)
    return direction
  }

  return {
    free(operator, type, terms) {
      const direction = directionOf(operator, type)
      const slots = slotsOf(direction.circuit, terms.callsMax, nowMs()) - direction.underWay
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
    note({ operator, type, kind, outcome }, { callsMax }) {
      const isGood = outcome !== 'unknown' && outcome !== 'not_sent'
      // A query that is lost is asked again and holds nothing up.
      if (!isGood && kind === 'query') return
      const direction = directionOf(operator, type)
      const before = direction.circuit.state
      direction.circuit = isGood
        ? afterGood(direction.circuit, kind, callsMax, nowMs())
        : afterBad(direction.circuit, rules, callsMax, nowMs())
      const { state } = direction.circuit
      if (state !== before) onChange?.({ operator, type, state })
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
