import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'

const PAST = new Date('2026-07-01T08:00:00.000Z')

let sandbox: TestDatabase
let production: TestDatabase
before(async () => {
  sandbox = await createTestDatabase({ mode: 'sandbox' })
  production = await createTestDatabase({ mode: 'production' })
})
after(async () => {
  await sandbox.drop()
  await production.drop()
})

/** Takes one collect in, in a transaction with these settings, and returns its creation time. */
async function createdAt(database: TestDatabase, simulatedTime: Date | null, at?: Date): Promise<Date | undefined> {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT', ...(at && { at }) })
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    if (simulatedTime) await client.query("select set_config('countersign.simulated_time', $1, true)", [simulatedTime.toISOString()])
    await takeIn(client, [item])
    const { rows } = await client.query<{ created_at: Date }>('select created_at from transactions where application_id = $1', [
      applicationId,
    ])
    return rows[0]?.created_at
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test("the database's clock without a simulated time", async () => {
  const beforeMs = Date.now()
  const at = await createdAt(production, null)
  assert.ok(at && Math.abs(at.getTime() - beforeMs) < 60_000, String(at))
})

test("a sandbox's simulated time", async () => {
  assert.deepEqual(await createdAt(sandbox, PAST), PAST)
})

test("an item's own time in a sandbox that simulates its time", async () => {
  const own = new Date('2026-06-30T08:00:00.000Z')
  assert.deepEqual(await createdAt(sandbox, PAST, own), own)
})

test("42501 for an item's own time in a sandbox that does not simulate its time", async () => {
  await assert.rejects(createdAt(sandbox, null, PAST), { code: '42501' })
})

test('42501 in production, for a simulated time and for an own time', async () => {
  await assert.rejects(createdAt(production, PAST), { code: '42501' })
  await assert.rejects(createdAt(production, null, PAST), { code: '42501' })
  await assert.rejects(createdAt(production, PAST, PAST), { code: '42501' })
})

test('42501 in a database that is not stamped', async () => {
  const unstamped = await createTestDatabase()
  try {
    await assert.rejects(createdAt(unstamped, PAST, PAST), { code: '42501' })
  } finally {
    await unstamped.drop()
  }
})
