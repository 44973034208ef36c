import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Connector, SubmitOutcome } from '#server/operators/connector.ts'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { aBand, anIntakeItem } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createIntake, type Intake, type IntakeItem, type ReservedSlots } from '#server/transactions/intake.ts'
import type { Dispatcher, DispatcherOptions } from './dispatcher.ts'

const exchange = { httpStatus: 200, answer: '{}' }
const ACCEPTED: SubmitOutcome = { kind: 'accepted', exchange }
/** Longer than a test. */
const NEVER_MS = 600_000

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())
// Work that another test left would take the only slot.
beforeEach(() => harness.database.pool.query('delete from operator_work'))

/** An application's deposit at OMCM that is not stored yet. */
const aDeposit = (overrides: Partial<IntakeItem> = {}) => anIntakeItem(harness.applicationId, { operator: 'OMCM', ...overrides })

/** An intake with a dispatcher that claims nothing without being asked, so that what is submitted was claimed when it was stored. */
async function startBoth(
  submit: Connector['submit'],
  overrides: Partial<DispatcherOptions> = {},
): Promise<{ intake: Intake; dispatcher: Dispatcher }> {
  const connectors = connectorsWith(harness, { submit, query: async () => ({ kind: 'pending', exchange }) })
  const dispatcher = harness.startDispatcher({
    connectors,
    idlePollMs: NEVER_MS,
    pollDelaysMs: [NEVER_MS],
    leaseMs: undefined,
    ...overrides,
  })
  await waitUntil('the dispatcher runs', async () => {
    const reserved = dispatcher.reserveSlots([])
    reserved?.submit([])
    return reserved !== undefined
  })
  return { intake: createIntake({ pool: harness.database.pool, reserveSlots: dispatcher.reserveSlots }), dispatcher }
}

const stateOf = async (item: IntakeItem) => (await harness.workOf(item))?.['state']

/** Stores what an intake of a process stores that has a free slot and ends before its call. */
async function storeAndEnd(item: IntakeItem, leaseMs: number): Promise<void> {
  const route = harness.connectors.get(item.operator)?.terms.routes.get(item.type) ?? assert.fail()
  const claim = { route, leaseMs, firstQueryMs: 0, enquiryDelayMs: undefined, settingsVersion: undefined }
  const reserveSlots = (): ReservedSlots => ({ claims: [claim], submit: () => undefined })
  await createIntake({ pool: harness.database.pool, reserveSlots }).submit(item)
}

test('the claim of a new transaction is committed with it, before the operator receives the submission', async () => {
  const item = aDeposit()
  const seen: unknown[] = []
  const { intake, dispatcher } = await startBoth(async ({ reference }) => {
    const work = await harness.workOf(item)
    seen.push([reference, work?.['state'], work?.['is_claimed'], work?.['attempts'], work?.['submissions'], work?.['submit_number']])
    return ACCEPTED
  })
  assert.equal((await intake.submit(item)).kind, 'created')
  await waitUntil('the answer is recorded', async () => (await stateOf(item)) === 'submitted')
  await dispatcher.drain()
  assert.deepEqual(seen, [[item.transactionId, 'submitting', true, 1, 1, 1]])
  assert.deepEqual(await harness.attemptsOf(item), ['submit accepted'])
})

test('one execution, after two denials, for a new transaction whose process died between its commit and its call', async () => {
  const item = anIntakeItem(harness.applicationId)
  await storeAndEnd(item, 1)
  const dispatcher = harness.startDispatcher()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await dispatcher.drain()
  const attempts = await harness.attemptsOf(item)
  assert.deepEqual(attempts.slice(0, 4), ['submit interrupted', 'query not_found', 'query not_found', 'submit accepted'])
  await harness.compareBooks()
})

test('no call by another process for a new transaction whose claim has not ended', async () => {
  const item = aDeposit()
  await storeAndEnd(item, NEVER_MS)
  const submitted: string[] = []
  const { intake, dispatcher } = await startBoth(async ({ reference }) => {
    submitted.push(reference)
    return ACCEPTED
  })
  const later = aDeposit()
  await intake.submit(later)
  dispatcher.wake()
  await waitUntil('the later one is submitted', async () => (await stateOf(later)) === 'submitted')
  await dispatcher.drain()
  assert.deepEqual(submitted, [later.transactionId])
  assert.equal(await stateOf(item), 'submitting')
})

test('no submission by a process whose commit took as long as its lease', async () => {
  const item = aDeposit()
  let submitted = 0
  const { intake, dispatcher } = await startBoth(
    async () => {
      submitted++
      return ACCEPTED
    },
    { leaseMs: 300 },
  )
  await intake.submit(item)
  await waitUntil('the row is returned', async () => (await stateOf(item)) === 'queued')
  await dispatcher.drain()
  assert.deepEqual([submitted, await harness.attemptsOf(item)], [0, ['submit not_sent']])
})

test('what finds no free slot is submitted when one is free, the oldest first, and nothing newer overtakes it', async () => {
  const answers: PromiseWithResolvers<SubmitOutcome>[] = []
  const submitted: string[] = []
  const { intake, dispatcher } = await startBoth(
    ({ reference }) => {
      submitted.push(reference)
      const answer = Promise.withResolvers<SubmitOutcome>()
      answers.push(answer)
      return answer.promise
    },
    { submissionsMax: 1 },
  )
  const items = [aDeposit(), aDeposit(), aDeposit()]
  for (const item of items) await intake.submit(item)
  assert.deepEqual(await Promise.all(items.map(stateOf)), ['submitting', 'queued', 'queued'])
  for (const [index, item] of items.entries()) {
    await waitUntil('the next one is submitted', async () => submitted.length > index)
    assert.equal(submitted[index], item.transactionId)
    answers[index]?.resolve(ACCEPTED)
  }
  await dispatcher.drain()
  assert.equal(submitted.length, 3)
})

test('the only slot is free again after a repetition, a conflict, an approval that waits, and a deposit without funds', async () => {
  const submitted: string[] = []
  const { intake, dispatcher } = await startBoth(
    async ({ reference }) => {
      submitted.push(reference)
      return ACCEPTED
    },
    { submissionsMax: 1 },
  )
  const first = aDeposit()
  await intake.submit(first)
  await waitUntil('the first one is submitted', async () => (await stateOf(first)) === 'submitted')
  const others = [
    { ...first, transactionId: aDeposit().transactionId },
    { ...first, amountMinor: 1n },
    aDeposit({ amountMinor: 10n ** 15n }),
    aDeposit({ bands: [aBand()] }),
  ]
  const kinds = []
  for (const item of others) kinds.push((await intake.submit(item)).kind)
  assert.deepEqual(kinds, ['existing', 'conflict', 'created', 'created'])
  const last = aDeposit()
  await intake.submit(last)
  await waitUntil('the last one is submitted', async () => (await stateOf(last)) === 'submitted')
  await dispatcher.drain()
  assert.deepEqual(submitted, [first.transactionId, last.transactionId])
  assert.deepEqual(await harness.attemptsOf(last), ['submit accepted'])
})

test('the only slot is free again after a transaction that the database refuses', async () => {
  const { intake, dispatcher } = await startBoth(async () => ACCEPTED, { submissionsMax: 1 })
  await assert.rejects(intake.submit(aDeposit({ amountMinor: -1n })))
  const item = aDeposit()
  await intake.submit(item)
  await waitUntil('it is submitted', async () => (await stateOf(item)) === 'submitted')
  await dispatcher.drain()
})

test('queued, not claimed, at an operator whose direction another process closed for a fault of these settings', async () => {
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  let submitted = 0
  const { intake, dispatcher } = await startBoth(async () => ACCEPTED, {
    connectors: connectorsWith(harness, {
      terms: { ...terms, settingsVersion: 'v7' },
      submit: async () => {
        submitted++
        return ACCEPTED
      },
    }),
  })
  await harness.database.pool.query(
    `insert into operator_circuits (operator, type, state, since, fault, fault_version)
       values ('OMCM', 'DEPOSIT', 'CLOSED', now(), 'wrong PIN', 'v7')`,
  )
  const item = aDeposit()
  await intake.submit(item)
  assert.equal(await stateOf(item), 'queued')
  await dispatcher.drain()
  assert.equal(submitted, 0)
  await harness.database.pool.query('delete from operator_circuits')
})

test('queued, not claimed, for an operator that is switched off', async () => {
  const off = { get: () => undefined, has: () => false, limitsOf: () => undefined, operators: () => [] }
  const { intake, dispatcher } = await startBoth(async () => ACCEPTED, { connectors: off })
  const item = aDeposit()
  await intake.submit(item)
  assert.equal(await stateOf(item), 'queued')
  await dispatcher.drain()
})

test('a drain waits for the commit of what has a slot, and for its call; later transactions are queued', async () => {
  const answer = Promise.withResolvers<SubmitOutcome>()
  const { intake, dispatcher } = await startBoth(() => answer.promise)
  const item = aDeposit()
  const stored = intake.submit(item)
  // The batch starts in a later turn of the event loop.
  await waitUntil('it is stored', async () => (await stateOf(item)) !== undefined)
  let isDrained = false
  const drained = dispatcher.drain().then(() => {
    isDrained = true
  })
  const later = aDeposit()
  await intake.submit(later)
  assert.deepEqual([isDrained, await stateOf(later)], [false, 'queued'])
  answer.resolve(ACCEPTED)
  await Promise.all([stored, drained])
  assert.equal(await stateOf(item), 'submitted')
})
