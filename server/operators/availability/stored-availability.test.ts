import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Availability } from '#lib/operators/operator-outcomes.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { storeAvailability } from './availability-store.ts'
import { listDisturbed } from './disturbed.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** A state, the fault that closed it, and the version of the settings that have the fault. */
type Stored = [state: Availability, fault: string | null, version: string | null]

for (const [from, [state, fault, settingsVersion], to] of [
  [null, ['DELAYED', null, '1'], 'DELAYED since now, logged'],
  [['OPERATIONAL', null, null], ['OPERATIONAL', null, '1'], 'OPERATIONAL since before'],
  [['DELAYED', null, null], ['OPERATIONAL', null, '1'], 'OPERATIONAL since now, logged'],
  [['DELAYED', null, null], ['CLOSED', null, '1'], 'CLOSED since now, logged'],
  [['DELAYED', null, null], ['CLOSED', 'PIN', '1'], 'CLOSED for PIN of 1 since now, logged'],
  // It was closed already, now for a fault of ours.
  [['CLOSED', null, null], ['CLOSED', 'PIN', '1'], 'CLOSED for PIN of 1 since before, logged'],
  // Only other settings open it, whatever a process says that has not met the fault.
  [['CLOSED', 'PIN', '1'], ['OPERATIONAL', null, '1'], 'CLOSED for PIN of 1 since before'],
  [['CLOSED', 'PIN', '1'], ['CLOSED', null, '1'], 'CLOSED for PIN of 1 since before'],
  [['CLOSED', 'PIN', '1'], ['OPERATIONAL', null, '2'], 'OPERATIONAL since now, logged'],
  [['CLOSED', 'PIN', '1'], ['CLOSED', 'PIN', '1'], 'CLOSED for PIN of 1 since before'],
  [['CLOSED', 'PIN', '1'], ['CLOSED', 'key', '1'], 'CLOSED for key of 1 since before, logged'],
  [['CLOSED', 'PIN', '1'], ['CLOSED', 'PIN', '2'], 'CLOSED for PIN of 2 since before, logged'],
] as [Stored | null, Stored, string][]) {
  const found = from === null ? 'nothing' : from.filter(Boolean).join(' ')
  test(`${to} after ${state} ${fault ?? ''} of settings ${settingsVersion} is reported where ${found} was stored`, async () => {
    const { pool } = database
    await pool.query('delete from operator_circuits; delete from operator_availability')
    if (from)
      await pool.query(
        `insert into operator_circuits (operator, type, state, since, fault, fault_version) values ('OMCM', 'DEPOSIT', $1, '2026-01-01', $2, $3)`,
        from,
      )
    await storeAvailability(pool, {
      operator: 'OMCM',
      type: 'DEPOSIT',
      state,
      fault: fault ?? undefined,
      settingsVersion: settingsVersion ?? undefined,
    })
    const { rows } = await pool.query<{ text: string }>(
      `select concat(c.state, ' for ' || c.fault, ' of ' || c.fault_version, case when c.since = '2026-01-01' then ' since before' else ' since now' end,
           case when exists (select from operator_availability) then ', logged' end) as text from operator_circuits c`,
    )
    assert.deepEqual(
      rows.map(({ text }) => text),
      [to],
    )
  })
}

test('DELAYED or CLOSED, with the time and the fault: the directions that an application may use; nothing of those that are off or in service', async () => {
  const { pool } = database
  await pool.query('delete from operator_circuits; delete from operator_availability')
  const [applicationId, otherId] = [await makeApplication(pool), await makeApplication(pool)]
  for (const [operator, type, state, fault] of [
    ['MOMOCM', 'COLLECT', 'DELAYED', null],
    ['MOMOCM', 'DEPOSIT', 'CLOSED', 'PIN'],
    ['OMCM', 'COLLECT', 'CLOSED', null],
    ['OMCM', 'DEPOSIT', 'DELAYED', null],
    ['BFOM', 'COLLECT', 'OPERATIONAL', null],
  ])
    await pool.query(
      `insert into operator_circuits (operator, type, state, since, fault, fault_version) values ($1, $2, $3, '2026-01-01', $4, 'v' || $4)`,
      [operator, type, state, fault],
    )
  for (const [application, operator, type, isEnabled] of [
    [applicationId, 'MOMOCM', 'COLLECT', true],
    [applicationId, 'OMCM', 'COLLECT', false],
    [otherId, 'MOMOCM', 'DEPOSIT', false],
  ])
    await pool.query(
      'insert into transfer_services (application_id, operator, type, is_enabled, enforces_limits) values ($1, $2, $3, $4, false)',
      [application, operator, type, isEnabled],
    )
  const describe = async (id: string) =>
    (await listDisturbed(pool, id)).map(({ operator, type, state, since, fault }) =>
      [operator, type, state, since.slice(0, 4), fault].join(' '),
    )
  assert.deepEqual(await describe(applicationId), [
    'MOMOCM COLLECT DELAYED 2026 ',
    'MOMOCM DEPOSIT CLOSED 2026 PIN',
    'OMCM DEPOSIT DELAYED 2026 ',
  ])
  assert.deepEqual(await describe(otherId), ['MOMOCM COLLECT DELAYED 2026 ', 'OMCM COLLECT CLOSED 2026 ', 'OMCM DEPOSIT DELAYED 2026 '])
})
