import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { repairOperatorSchedule } from './repair-operator-schedule.ts'

let room: OperatorHarness
before(async () => {
  room = await OperatorHarness.open()
})
after(() => room.close())

test('work that a clock which ran ahead has put off for a year is done; what waits by schedule goes on waiting', async () => {
  const far = await room.make()
  const soon = await room.make()
  const schedule = (ahead: string, id: string) =>
    room.database.pool.query('update operator_work set next_at = now() + $1::interval where transaction_id = $2', [ahead, id])
  await schedule('1 year', far.transactionId)
  await schedule('12 hours', soon.transactionId)
  assert.equal(await repairOperatorSchedule(room.database.pool, room.connectors, { isSandbox: true }), 1)
  await schedule('1 year', far.transactionId)
  await schedule('66 minutes', soon.transactionId)
  assert.equal(await repairOperatorSchedule(room.database.pool, room.connectors, { isSandbox: false }), 1)
  assert.equal(await repairOperatorSchedule(room.database.pool, room.connectors, { isSandbox: false }), 0)
  room.startDispatcher()
  assert.equal((await room.untilFinal(far)).status, 'SUCCESS')
  assert.equal((await room.workOf(soon))?.['state'], 'queued')
})
