import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { createSubmissionGate } from '#server/operators/availability/submission-gate.ts'
import type { Terms } from '#server/operators/connector.ts'
import type { ClaimedWork, FreeSlots } from '../operator-work-store.ts'
import { ClaimSlots, createWakeSignal, laneOf, writeBeforeMs } from './claim-slots.ts'

const BOTH: TransactionType[] = ['COLLECT', 'DEPOSIT']

function slotsFor({ directions = BOTH, callsMax = 8, queriesMax = 6, submissionsMax = 64 } = {}): ClaimSlots {
  const terms: Terms = {
    routes: new Map(directions.map((type) => [type, 'test'])),
    callsMax,
    submissionsPerSecondMax: undefined,
    submitTimeoutMs: 10_000,
  }
  const operators: OperatorCode[] = ['OMCM']
  const connectors = { operators: () => operators, get: () => ({ terms }) }
  return new ClaimSlots({ connectors, queriesMax, submissionsMax }, createSubmissionGate({ nowMs: () => 0 }))
}

function claimed(count: number, foundState: ClaimedWork['foundState'], type: TransactionType = 'DEPOSIT'): ClaimedWork[] {
  return Array.from({ length: count }, () => ({
    applicationId: 'a',
    transactionId: 't',
    operator: 'OMCM' as const,
    foundState,
    number: 1,
    submissions: 1,
    queries: 0,
    isRepeated: false,
    leaseEndsAtMs: 0,
    route: 'test',
    operatorReference: null,
    operatorReferenceOther: null,
    operatorToken: null,
    type,
    currency: 'XAF' as const,
    amountMinor: 100n,
    phoneNumber: '237690000000',
    customerName: 'Ama',
    result: null,
  }))
}

const offered = (free: readonly FreeSlots[]) => Object.fromEntries(free.map(({ lane, slotsMax }) => [lane, slotsMax]))

test('the lane of its direction for work that was not submitted, and begun for all other work', () => {
  const lanes = claimed(1, 'queued', 'COLLECT').map(laneOf)
  const others = (['submitting', 'submitted', 'awaiting_code'] as const).flatMap((state) => claimed(1, state, 'COLLECT').map(laneOf))
  assert.deepEqual([lanes, new Set(others)], [['COLLECT'], new Set(['begun'])])
})

test('half of each lane offered where nothing is known to wait, all of it where the last claim filled its lane, begun work included', () => {
  const slots = slotsFor()
  const first = slots.beginClaim('all')
  assert.deepEqual(offered(first), { begun: 3, COLLECT: 4, DEPOSIT: 4 })
  // More may be waiting: the half that was kept free is claimed next, once.
  assert.equal(slots.endClaim(first, [...claimed(3, 'submitted'), ...claimed(4, 'queued')]), true)
  const second = slots.beginClaim('all')
  assert.deepEqual(offered(second), { begun: 6, COLLECT: 4, DEPOSIT: 8 })
  assert.equal(slots.endClaim(second, [...claimed(6, 'submitted'), ...claimed(8, 'queued')]), false)
  // A claim that does not fill its lane has read all that waited.
  const third = slots.beginClaim('all')
  assert.equal(slots.endClaim(third, claimed(2, 'submitted')), false)
  assert.deepEqual(offered(slots.beginClaim('all')), { begun: 3, COLLECT: 4, DEPOSIT: 4 })
})

test('begun work always, and of submissions only the lanes in which something waits, in a claim of what is wanted', () => {
  const slots = slotsFor({ callsMax: 1 })
  assert.deepEqual(offered(slots.beginClaim('wanted')), { begun: 3 })
  slots.endClaim([], [])
  assert.ok(slots.reserve('OMCM', 'DEPOSIT'))
  assert.equal(slots.reserve('OMCM', 'DEPOSIT'), undefined)
  slots.end('OMCM', 'DEPOSIT')
  assert.deepEqual(offered(slots.beginClaim('wanted')), { begun: 3, DEPOSIT: 1 })
})

test('no slot reserved that a claim was offered until that claim has ended, also when it failed', () => {
  const slots = slotsFor()
  const free = slots.beginClaim('all')
  for (let count = 0; count < 4; count++) assert.ok(slots.reserve('OMCM', 'DEPOSIT'), `slot ${count + 1} of the free half`)
  assert.equal(slots.reserve('OMCM', 'DEPOSIT'), undefined)
  for (let count = 0; count < 3; count++) assert.ok(slots.beginQuery('OMCM'))
  assert.equal(slots.beginQuery('OMCM'), false)
  assert.equal(slots.endClaim(free, undefined), false)
  for (let count = 0; count < 3; count++) assert.ok(slots.beginQuery('OMCM'))
  assert.equal(slots.beginQuery('OMCM'), false, 'six queries at once')
  slots.end('OMCM', 'begun')
  assert.ok(slots.beginQuery('OMCM'))
  assert.equal(slots.beginQuery('OMCM'), false)
})

test('nothing reserved past those that wait: once a lane had no free slot, its next claim comes first', () => {
  const slots = slotsFor({ callsMax: 2 })
  assert.ok(slots.reserve('OMCM', 'COLLECT') && slots.reserve('OMCM', 'COLLECT'))
  assert.equal(slots.reserve('OMCM', 'COLLECT'), undefined)
  assert.equal(slots.end('OMCM', 'COLLECT'), true, 'more may be waiting')
  assert.equal(slots.reserve('OMCM', 'COLLECT'), undefined, 'behind what waits')
  assert.ok(slots.reserve('OMCM', 'DEPOSIT'), 'the other lane does not wait')
  const free = slots.beginClaim('wanted')
  assert.equal(offered(free)['COLLECT'], 1)
  slots.endClaim(free, [])
  assert.ok(slots.reserve('OMCM', 'COLLECT'))
  assert.equal(slots.end('OMCM', 'COLLECT'), false)
})

test('no slot for a direction that is out of service, and no more than the process allows', () => {
  const slots = slotsFor({ directions: ['COLLECT'], callsMax: 8, submissionsMax: 3 })
  assert.deepEqual(offered(slots.beginClaim('all')), { begun: 3, COLLECT: 2 })
  assert.equal(slots.reserve('OMCM', 'DEPOSIT'), undefined)
})

test('a lease of a submission that leaves 9.5 s before its last writing, then all of the answer time; 20 s for begun work', () => {
  const leases = Object.fromEntries(
    slotsFor()
      .beginClaim('all')
      .map(({ lane, leaseMs }) => [lane, leaseMs]),
  )
  assert.deepEqual(leases, { begun: 20_000, COLLECT: 20_000, DEPOSIT: 20_000 })
  const submitTimeoutMs = 60_000
  const leaseEndsAtMs = 1_000_000
  const writtenMs = writeBeforeMs({ leaseEndsAtMs }, { submitTimeoutMs })
  assert.equal(writtenMs, leaseEndsAtMs - 60_500)
})

test('a wait ends with a notification, at once with an earlier one, and otherwise after its time', async (context) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  context.after(() => mock.timers.reset())
  const signal = createWakeSignal()
  const ended: string[] = []
  const wait = (name: string) => signal.wait(1_000).then(() => void ended.push(name))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  signal.notify()
  await wait('kept')
  const second = wait('notified')
  await turn()
  assert.deepEqual(ended, ['kept'])
  signal.notify()
  await second
  const third = wait('timed')
  mock.timers.tick(999)
  await turn()
  assert.deepEqual(ended, ['kept', 'notified'])
  mock.timers.tick(1)
  await third
  assert.deepEqual(ended, ['kept', 'notified', 'timed'])
})
