import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBudget, type BodyOwner } from './body-budget.ts'

const KB = 1_024
const one: BodyOwner = { kind: 'application', id: 'one' }
const other: BodyOwner = { kind: 'application', id: 'other' }
const here: BodyOwner = { kind: 'address', id: '192.0.2.1' }
const there: BodyOwner = { kind: 'address', id: '192.0.2.2' }
const LIMITS = { totalMax: 100, applicationMax: 60, addressesMax: 30, addressMax: 20 }

/** How many bytes this owner can take at once beside what is held. */
function roomFor(budget: BodyBudget, owner: BodyOwner): number {
  let bytes = 0
  for (let more = 1; more <= 200; more++) {
    const hold = budget.open(owner)
    if (hold.raiseTo(more)) bytes = more
    hold.release()
  }
  return bytes
}

test('up to its own share for each caller, also after it was taken and returned many times', () => {
  const budget = new BodyBudget(LIMITS)
  for (let round = 0; round < 3; round++)
    assert.deepEqual(
      [one, other, here, there].map((owner) => roomFor(budget, owner)),
      [60, 60, 20, 20],
    )
  assert.equal(budget.heldBytes, 0)
})

test('what others leave: of the whole for an application, and of the share of all addresses for an address', () => {
  const budget = new BodyBudget(LIMITS)
  assert.ok(budget.open(one).raiseTo(55))
  assert.deepEqual([roomFor(budget, one), roomFor(budget, other), roomFor(budget, here)], [5, 45, 20])
  assert.ok(budget.open(here).raiseTo(18))
  assert.deepEqual([roomFor(budget, here), roomFor(budget, there), roomFor(budget, other)], [2, 12, 27])
  // An application does not use up the share of the addresses, nor they that of an application.
  assert.equal(roomFor(budget, one), 5)
})

test('a hold only grows, counts what it grows by, and is unchanged where there is no room', () => {
  const budget = new BodyBudget(LIMITS)
  const hold = budget.open(one)
  for (const [bytes, isTaken, held] of [
    [10, true, 10],
    [4, true, 10],
    [60, true, 60],
    [61, false, 60],
  ] as const)
    assert.deepEqual([hold.raiseTo(bytes), budget.heldBytes], [isTaken, held])
  for (let call = 0; call < 2; call++) hold.release()
  assert.deepEqual([budget.heldBytes, roomFor(budget, one)], [0, 60])
})

test('no more than a packet of 64 KB at a time while the process is short of memory', () => {
  let isShort = true
  const budget = new BodyBudget({ isMemoryShort: () => isShort })
  const hold = budget.open(one)
  assert.equal(hold.raiseTo(64 * KB + 1), false)
  assert.deepEqual([hold.raiseTo(64 * KB), hold.raiseTo(128 * KB)], [true, true])
  isShort = false
  assert.equal(hold.raiseTo(1_024 * KB), true)
})

test('16 MB of all bodies, 8 MB of an application, 5 MB of all addresses and 4 MB of one, unless other limits are set', () => {
  const MB = 1_024 * KB
  const budget = new BodyBudget()
  const take = (owner: BodyOwner, bytes: number) => budget.open(owner).raiseTo(bytes)
  assert.deepEqual([take(one, 8 * MB + 1), take(here, 4 * MB + 1)], [false, false])
  assert.deepEqual([take(one, 8 * MB), take(here, 4 * MB)], [true, true])
  assert.deepEqual([take(there, MB + 1), take(there, MB)], [false, true])
  assert.deepEqual([take(other, 3 * MB + 1), take(other, 3 * MB)], [false, true])
})
