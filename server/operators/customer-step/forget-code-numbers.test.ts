import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { holdNumber, releaseNumber, storeRefusedCode } from './customer-code-store.ts'
import { forgetCodeNumbers } from './enter-code.ts'

const HOUR_MS = 3_600_000

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('a number is forgotten a day after its last payment and its last refused code, and no earlier', async () => {
  const { pool } = database
  const payments = ['22676000001', '22676000002'].map((phoneNumber) => ({
    transactionId: randomUUID(),
    operator: 'BFOM' as const,
    phoneNumber,
  }))
  for (const payment of payments) assert.equal(await holdNumber(pool, payment), undefined)
  const [refused, other] = payments
  assert.ok(refused && other)
  await storeRefusedCode(pool, refused)
  for (const payment of payments) await releaseNumber(pool, payment)
  // The first payment of the number was 23 hours before its last refused code.
  await pool.query("update customer_code_numbers set held_until = held_until - interval '23 hours'")
  const countAfter = async (hours: number) => {
    await forgetCodeNumbers(pool, new Date(Date.now() + hours * HOUR_MS))
    const { rows } = await pool.query<{ phone: string }>('select phone_number as phone from customer_code_numbers order by 1')
    return rows.map(({ phone }) => phone)
  }
  assert.deepEqual(await countAfter(0), ['22676000001', '22676000002'])
  assert.deepEqual(await countAfter(2), ['22676000001'])
  assert.deepEqual(await countAfter(25), [])
})
