import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Terms } from '#server/operators/connector.ts'
import { createSubmissionGate, type StoredAvailability } from './submission-gate.ts'

const TERMS: Terms = { routes: new Map([['COLLECT', 'test']]), callsMax: 8, submissionsPerSecondMax: undefined, submitTimeoutMs: 10_000 }

test('as many submissions at once as agreed, in each direction', () => {
  const gate = createSubmissionGate({ nowMs: () => 0 })
  for (let count = 0; count < 8; count++) gate.begin('MOMOCM', 'COLLECT')
  assert.deepEqual(
    [gate.free('MOMOCM', 'COLLECT', TERMS), gate.free('MOMOCM', 'DEPOSIT', TERMS), gate.free('BJMTN', 'COLLECT', TERMS)],
    [0, 8, 8],
  )
  gate.end('MOMOCM', 'COLLECT')
  assert.equal(gate.free('MOMOCM', 'COLLECT', TERMS), 1)
})

test('as many submissions per second as agreed, and never more than one second saved up', () => {
  let nowMs = 0
  const gate = createSubmissionGate({ nowMs: () => nowMs })
  const terms = { ...TERMS, callsMax: 64, submissionsPerSecondMax: 4 }
  let begun = 0
  const beginAll = () => {
    for (let free = gate.free('MOMOCM', 'COLLECT', terms); free > 0; free--) {
      gate.begin('MOMOCM', 'COLLECT')
      gate.end('MOMOCM', 'COLLECT')
      begun++
    }
  }
  beginAll()
  for (; nowMs < 10_000; nowMs += 50) beginAll()
  assert.ok(begun >= 40 && begun <= 41, `${begun} in ten seconds`)
  nowMs += 3_600_000
  assert.equal(gate.free('MOMOCM', 'COLLECT', terms), 4)
})

test('the stored availability at the start, and each change reported once', () => {
  const changes: StoredAvailability[] = []
  const stored: StoredAvailability[] = [{ operator: 'MOMOCM', type: 'COLLECT', state: 'CLOSED' }]
  const gate = createSubmissionGate({ stored, nowMs: () => 0, onChange: (change) => changes.push(change) })
  assert.equal(gate.free('MOMOCM', 'COLLECT', TERMS), 1)
  for (let count = 0; count < 10; count++) gate.note({ operator: 'MOMOCM', type: 'COLLECT', kind: 'submit', outcome: 'accepted' }, TERMS)
  assert.deepEqual(
    changes.map(({ state }) => state),
    ['DELAYED', 'OPERATIONAL'],
  )
})

test('OPERATIONAL although queries are lost: they are asked again and hold nothing up', () => {
  const gate = createSubmissionGate({ nowMs: () => 0 })
  for (let count = 0; count < 100; count++) gate.note({ operator: 'MOMOCM', type: 'COLLECT', kind: 'query', outcome: 'unknown' }, TERMS)
  assert.equal(gate.free('MOMOCM', 'COLLECT', TERMS), 8)
})
