import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { afterBad, afterGood, CIRCUIT_RULES, type Circuit, newCircuit, slotsOf } from './submission-gate.ts'

const CALLS_MAX = 64
const bad = (circuit: Circuit, nowMs: number) => afterBad(circuit, CIRCUIT_RULES, CALLS_MAX, nowMs)
const good = (circuit: Circuit, nowMs: number) => afterGood(circuit, 'submit', CALLS_MAX, nowMs)

/** Twenty failures in ten seconds. */
function closed(): Circuit {
  let circuit = newCircuit(CIRCUIT_RULES)
  for (let count = 0; count < 20; count++) circuit = bad(circuit, count * 500)
  return circuit
}

test('OPERATIONAL after failures that others answers interrupt', () => {
  let circuit = newCircuit(CIRCUIT_RULES)
  for (let count = 0; count < 1_000; count++) circuit = count % 4 === 3 ? good(circuit, count * 500) : bad(circuit, count * 500)
  assert.deepEqual([circuit.state, slotsOf(circuit, CALLS_MAX, 0)], ['OPERATIONAL', CALLS_MAX])
})

test('DELAYED with half of the slots after five failures in a row, and not CLOSED by a burst of them', () => {
  let circuit = newCircuit(CIRCUIT_RULES)
  for (let count = 0; count < 5; count++) circuit = bad(circuit, 0)
  assert.deepEqual([circuit.state, slotsOf(circuit, CALLS_MAX, 0)], ['DELAYED', 32])
  for (let count = 0; count < 59; count++) circuit = bad(circuit, 10)
  assert.deepEqual([circuit.state, slotsOf(circuit, CALLS_MAX, 10)], ['DELAYED', 1])
})

test('CLOSED after twenty failures in a row over five seconds; one trial after a pause that doubles up to its maximum', () => {
  let circuit = closed()
  assert.equal(circuit.state, 'CLOSED')
  assert.equal(slotsOf(circuit, CALLS_MAX, circuit.trialAtMs - 1), 0)
  const pausesMs: number[] = []
  for (let count = 0; count < 6; count++) {
    const trialAtMs = circuit.trialAtMs
    assert.equal(slotsOf(circuit, CALLS_MAX, trialAtMs), 1)
    circuit = bad(circuit, trialAtMs)
    pausesMs.push(circuit.trialAtMs - trialAtMs)
  }
  assert.deepEqual(pausesMs, [4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test('no longer pause for failures of calls that started before the circuit was closed', () => {
  const circuit = closed()
  assert.equal(bad(circuit, circuit.trialAtMs - 1).trialAtMs, circuit.trialAtMs)
})

test('one slot more for each good submission after an outage; all of them after sixteen', () => {
  let circuit = good(closed(), 20_000)
  const slots = [slotsOf(circuit, CALLS_MAX, 20_000)]
  while (circuit.state === 'DELAYED') {
    circuit = good(circuit, 20_000)
    slots.push(slotsOf(circuit, CALLS_MAX, 20_000))
  }
  assert.deepEqual(slots, [...Array.from({ length: 14 }, (_, index) => index + 2), CALLS_MAX])
})

test('no reopening by a query that is answered while submissions fail', () => {
  const circuit = closed()
  assert.equal(afterGood(circuit, 'query', CALLS_MAX, circuit.trialAtMs + 1).state, 'CLOSED')
})

test('trials after the shortest pause while queries are answered: only some submissions may be what the operator cannot take', () => {
  let circuit = bad(closed(), 20_000)
  for (let count = 0; count < 4; count++) {
    circuit = afterGood(circuit, 'query', CALLS_MAX, circuit.trialAtMs - 1)
    const { trialAtMs } = circuit
    circuit = bad(circuit, trialAtMs)
    assert.equal(circuit.trialAtMs - trialAtMs, CIRCUIT_RULES.trialPauseMs)
  }
  const { trialAtMs } = circuit
  assert.equal(bad(circuit, trialAtMs).trialAtMs - trialAtMs, CIRCUIT_RULES.trialPauseMs * 2)
})

test('never more slots than agreed and never stuck: a trial always comes', () => {
  const call = fc.record({ isGood: fc.boolean(), kind: fc.constantFrom('submit' as const, 'query' as const), pauseMs: fc.nat(3_000) })
  fc.assert(
    fc.property(fc.array(call, { maxLength: 300 }), (calls) => {
      let circuit = newCircuit(CIRCUIT_RULES)
      let nowMs = 0
      for (const { isGood, kind, pauseMs } of calls) {
        nowMs += pauseMs
        if (isGood) circuit = afterGood(circuit, kind, CALLS_MAX, nowMs)
        else if (kind === 'submit') circuit = bad(circuit, nowMs)
        assert.ok(slotsOf(circuit, CALLS_MAX, nowMs) <= CALLS_MAX)
        assert.ok(slotsOf(circuit, CALLS_MAX, nowMs + CIRCUIT_RULES.trialPauseMsMax) >= 1)
      }
    }),
  )
})
