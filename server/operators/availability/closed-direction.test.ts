import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Connector, SubmitOutcome } from '#server/operators/connector.ts'
import { connectorsWith, OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { listAvailability, storeAvailability } from './availability-store.ts'
import { createSubmissionGate } from './submission-gate.ts'

const exchange = { httpStatus: 401, answer: '{"code":"PIN"}' }
const PIN_REFUSED: SubmitOutcome = { kind: 'not_sent', detail: 'PIN', closesDirection: 'The PIN was refused', exchange }
const PAID: SubmitOutcome = { kind: 'succeeded', exchange }

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
beforeEach(() => harness.database.pool.query('delete from operator_circuits'))
after(() => harness.close())

const termsOf = (settingsVersion: string | undefined) => ({ ...(harness.connectors.get('OMCM')?.terms ?? assert.fail()), settingsVersion })

/** An operator whose settings of version 1 have a wrong PIN. */
function withPin(settingsVersion: string, tries: string[]) {
  const submit: Connector['submit'] = async ({ reference }) => {
    tries.push(reference)
    return settingsVersion === '1' ? PIN_REFUSED : PAID
  }
  return connectorsWith(harness, { terms: termsOf(settingsVersion), submit, query: async () => assert.fail('queried') })
}

const circuit = async () => (await listAvailability(harness.database.pool)).find(({ operator }) => operator === 'OMCM')

test('CLOSED with its reason after one refused PIN: no payout fails, and no process sends another until the settings are saved again', async () => {
  const tries: string[] = []
  const first = harness.startDispatcher({ connectors: withPin('1', tries) })
  const items: IntakeItem[] = [await harness.make({ operator: 'OMCM' })]
  await waitUntil('it is closed', async () => (await circuit())?.fault === 'The PIN was refused')
  for (let count = 0; count < 5; count++) items.push(await harness.make({ operator: 'OMCM' }))
  const attempts = async () => (await Promise.all(items.map((item) => harness.attemptsOf(item)))).flat()
  // One that was running has met no fault itself, and one that starts now reads it.
  const second = harness.startDispatcher({ connectors: withPin('1', tries) })
  await harness.database.pool.query("update operator_work set next_at = now() where operator = 'OMCM' and state = 'queued'")
  const collect = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await waitUntil('the other direction goes on', () => tries.includes(collect.transactionId))
  await Promise.all([first.drain(), second.drain()])
  assert.equal(tries.filter((reference) => reference !== collect.transactionId).length, 1)
  assert.deepEqual(await attempts(), ['submit not_sent'])
  for (const item of items)
    assert.deepEqual([(await harness.read(item)).status, (await harness.workOf(item))?.['state']], ['PENDING', 'queued'])

  await harness.database.pool.query("update operator_work set next_at = now() where operator = 'OMCM' and state = 'queued'")
  const corrected = harness.startDispatcher({ connectors: withPin('2', tries) })
  for (const item of items) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await waitUntil('it is open', async () => (await circuit())?.fault === null)
  await corrected.drain()
})

test('nothing is claimed for a direction that another process closed for a fault of the same settings', async () => {
  const tries: string[] = []
  const submit: Connector['submit'] = async ({ reference }) => {
    tries.push(reference)
    return PAID
  }
  const running = harness.startDispatcher({ connectors: connectorsWith(harness, { terms: termsOf('1'), submit }) })
  const first = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  // It has read what is stored, and reads it no more.
  await waitUntil('the process has started', () => tries.includes(first.transactionId))
  const settings = { operator: 'OMCM', type: 'DEPOSIT', settingsVersion: '1' } as const
  await storeAvailability(harness.database.pool, { ...settings, state: 'CLOSED', fault: 'The PIN was refused' })
  // A report from a process that has met no fault changes nothing.
  await storeAvailability(harness.database.pool, { ...settings, state: 'OPERATIONAL' })
  assert.deepEqual([(await circuit())?.state, (await circuit())?.fault], ['CLOSED', 'The PIN was refused'])
  const item = await harness.make({ operator: 'OMCM' })
  const free = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
  await waitUntil('the other direction is claimed', () => tries.includes(free.transactionId))
  await running.drain()
  assert.deepEqual([tries.includes(item.transactionId), (await harness.workOf(item))?.['attempts']], [false, 0])
})

test('one submission at a time with new settings until one is answered, and none with those that had a fault', () => {
  const direction = ['OMCM', 'DEPOSIT'] as const
  const call = { operator: 'OMCM', type: 'DEPOSIT', kind: 'submit' } as const
  const changes: string[] = []
  const onChange = ({ state, fault }: { state: string; fault?: string | undefined }) => changes.push(`${state} ${fault ?? ''}`.trim())
  const gate = createSubmissionGate({ nowMs: () => 0, onChange })
  const [first, second, third] = [termsOf('1'), termsOf('2'), termsOf('3')]
  assert.equal(gate.free(...direction, first), first.callsMax)
  gate.note({ ...call, outcome: 'not_sent', closesDirection: 'The PIN was refused' }, first)
  // Neither a query that is answered nor a submission that started before opens it.
  gate.note({ ...call, kind: 'query', outcome: 'pending' }, first)
  gate.note({ ...call, outcome: 'succeeded' }, first)
  assert.deepEqual([gate.free(...direction, first), gate.faultOf(...direction, first)], [0, 'The PIN was refused'])
  assert.deepEqual([gate.free(...direction, second), gate.faultOf(...direction, second)], [1, undefined])
  gate.begin(...direction)
  assert.equal(gate.free(...direction, second), 0)
  gate.end(...direction)
  // A call of the earlier settings closes nothing.
  gate.note({ ...call, outcome: 'not_sent', closesDirection: 'The PIN was refused' }, first)
  assert.equal(gate.free(...direction, second), 1)
  gate.note({ ...call, outcome: 'succeeded' }, second)
  assert.ok(gate.free(...direction, second) > 1)
  assert.equal(gate.free(...direction, third), 1)
  assert.deepEqual(changes, ['CLOSED The PIN was refused', 'DELAYED'])
})

test('closed from its start in a process that finds the fault stored', () => {
  const stored = [{ operator: 'OMCM', type: 'DEPOSIT', state: 'CLOSED', fault: 'The PIN was refused', faultVersion: '1' }] as const
  const gate = createSubmissionGate({ stored, nowMs: () => 0 })
  assert.equal(gate.free('OMCM', 'DEPOSIT', termsOf('1')), 0)
  assert.equal(gate.free('OMCM', 'DEPOSIT', termsOf('2')), 1)
})

test('closed from its start, too, where the settings have no version: those of the environment', () => {
  const stored = [{ operator: 'OMCM', type: 'DEPOSIT', state: 'CLOSED', fault: 'The PIN was refused', faultVersion: null }] as const
  const gate = createSubmissionGate({ stored, nowMs: () => 0 })
  assert.equal(gate.free('OMCM', 'DEPOSIT', termsOf(undefined)), 0)
})
