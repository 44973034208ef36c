import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { repairOperatorSchedule } from './repair-operator-schedule.ts'

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

test('work that is scheduled or leased far ahead becomes due, and work within the schedule does not', async () => {
  const far = await harness.make()
  const soon = await harness.make()
  const schedule = (ahead: string, id: string) =>
    harness.database.pool.query('update operator_work set next_at = now() + $1::interval where transaction_id = $2', [ahead, id])
  await schedule('1 year', far.transactionId)
  await schedule('12 hours', soon.transactionId)
  assert.equal(await repairOperatorSchedule(harness.database.pool, harness.connectors, { isSandbox: true }), 1)
  await schedule('1 year', far.transactionId)
  await schedule('66 minutes', soon.transactionId)
  assert.equal(await repairOperatorSchedule(harness.database.pool, harness.connectors, { isSandbox: false }), 1)
  assert.equal(await repairOperatorSchedule(harness.database.pool, harness.connectors, { isSandbox: false }), 0)
  await claimAll(harness.database.pool, 'MOMOCM', 5, 20 * 86_400_000)
  assert.equal(await repairOperatorSchedule(harness.database.pool, harness.connectors, { isSandbox: false }), 1, 'a lease')
  harness.startDispatcher()
  assert.equal((await harness.untilFinal(far)).status, 'SUCCESS')
  assert.equal((await harness.workOf(soon))?.['state'], 'queued')
})
