import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { type ScriptedOperator, sayNotFound, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { listAvailability } from './availability-store.ts'
import { CIRCUIT_RULES } from './submission-gate.ts'

const HASTY = { ...CIRCUIT_RULES, delayedAfter: 3, closedAfter: 6, closedAfterMs: 0, trialPauseMs: 100, trialPauseMsMax: 200 }

let operator: ScriptedOperator
let harness: OperatorHarness
let isDown = true
/** Deposits that were submitted at the same moment; the most there were. */
let inProgressMax = 0
before(async () => {
  let inProgress = 0
  operator = await startScriptedOperator({
    submit(asked) {
      if (asked.transfer.direction === 'DEPOSIT' && isDown) return void asked.response.writeHead(500).end()
      inProgressMax = Math.max(inProgressMax, ++inProgress)
      setTimeout(() => {
        inProgress--
        sayTransfer(asked, 'SUCCESS')
      }, 20)
    },
    query: sayNotFound,
  })
  harness = await OperatorHarness.open({ elsewhere: { OMCM: operator.url }, dispatcher: { circuitRules: HASTY } })
})
after(async () => {
  await harness.close()
  await operator.close()
})

const stateOf = async (type: 'COLLECT' | 'DEPOSIT') =>
  (await listAvailability(harness.database.pool)).find((row) => row.operator === 'OMCM' && row.type === type)?.state

test('CLOSED for one direction whose submissions fail, while the other one goes on; then everything in order, without a surge', async () => {
  const failing = await Promise.all(Array.from({ length: 8 }, () => harness.make({ operator: 'OMCM', type: 'DEPOSIT' })))
  const dispatcher = harness.startDispatcher()
  await waitUntil('deposits are CLOSED', async () => (await stateOf('DEPOSIT')) === 'CLOSED')
  const waiting: IntakeItem[] = []
  for (let count = 0; count < 40; count++) waiting.push(await harness.make({ operator: 'OMCM', type: 'DEPOSIT' }))
  const before = operator.submitted.length
  const collect = await harness.make({ operator: 'OMCM', type: 'COLLECT', amountMinor: 500_000n })
  assert.equal((await harness.untilFinal(collect)).status, 'SUCCESS')
  assert.ok(operator.submitted.length - before <= 6, 'only trials are submitted while it is CLOSED')
  assert.equal(await stateOf('COLLECT'), undefined)

  // Another process begins where this one stops.
  await dispatcher.drain()
  inProgressMax = 0
  isDown = false
  const tried = [...operator.submitted]
  harness.startDispatcher({ submissionsMax: 30 })
  for (const item of [...failing, ...waiting]) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await waitUntil('deposits are OPERATIONAL', async () => (await stateOf('DEPOSIT')) === 'OPERATIONAL')
  const untried = waiting.map((item) => item.transactionId).filter((reference) => !tried.includes(reference))
  const places = operator.submitted.slice(tried.length).map((reference) => untried.indexOf(reference))
  // Several are in progress at once, so neighbours may change places.
  places
    .filter((place) => place >= 0)
    .forEach((place, index) => assert.ok(Math.abs(place - index) <= 30, `${place} was sent as number ${index}`))
  assert.ok(inProgressMax <= 30, `${inProgressMax} at once`)
})
