import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { listCustomers, suggestBeneficiaries } from './customers.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  for (const operator of ['MOMOCM', 'BJMTN'] as const) await fund(pool, applicationId, operator, 100_000_000n)
  const pay = async (overrides: Partial<IntakeItem>, event?: 'succeeded' | 'failed') => {
    const item = anIntakeItem(applicationId, overrides)
    await takeIn(pool, [item])
    if (event) await transition(pool, [{ applicationId, transactionId: item.transactionId, event, actor: { kind: 'operator', id: null } }])
    await listCustomers(pool)
  }
  const suggest = async (typed: string, type: 'DEPOSIT' | 'COLLECT' = 'DEPOSIT') =>
    (await suggestBeneficiaries(pool, applicationId, { typed, type }, 5)).map(({ customerName, phoneNumber, last }) => [
      customerName,
      phoneNumber,
      last && `${last.amount} ${last.currency} ${last.operator}`,
    ])
  return { applicationId, pay, suggest }
}

test('the last payment of this type to somebody, by name and by number; null if nothing succeeded', async () => {
  const { pay, suggest } = await scene()
  const awa = { customerName: 'Awa Sow', phoneNumber: '237677000001' }
  await pay({ ...awa, amountMinor: 100_000n }, 'succeeded')
  await pay({ ...awa, amountMinor: 250_000n }, 'succeeded')
  await pay({ ...awa, amountMinor: 900_000n }, 'failed')
  await pay({ ...awa, amountMinor: 700_000n, type: 'COLLECT' }, 'succeeded')
  await pay({ customerName: 'Awa Diop', phoneNumber: '237677000002' })
  const expected = ['Awa Sow', '237677000001', '2500 XAF MOMOCM']
  for (const typed of ['sow', 'awa so', '677000001', '+237 677 00 00 01']) assert.deepEqual(await suggest(typed), [expected], typed)
  assert.deepEqual(await suggest('sow', 'COLLECT'), [['Awa Sow', '237677000001', '7000 XAF MOMOCM']])
  assert.deepEqual(await suggest('diop'), [['Awa Diop', '237677000002', null]])
})

test('payments to the other form of a number of Benin', async () => {
  const { pay, suggest } = await scene()
  await pay({ customerName: 'Kossi Adjovi', phoneNumber: '22997451208', operator: 'BJMTN', amountMinor: 300_000n }, 'succeeded')
  await pay({ customerName: 'Kossi Adjovi', phoneNumber: '2290197451208', operator: 'BJMTN' })
  const found = await suggest('kossi')
  assert.deepEqual(
    found.map(([, phone, last]) => [phone, last]).toSorted(),
    [
      ['22997451208', '3000 XOF BJMTN'],
      ['2290197451208', '3000 XOF BJMTN'],
    ].toSorted(),
  )
})

test('nothing of another application', async () => {
  const { pay } = await scene()
  await pay({ customerName: 'Secretly Mine', phoneNumber: '237677000003' }, 'succeeded')
  const { suggest } = await scene()
  for (const typed of ['secretly', '237677000003']) assert.deepEqual(await suggest(typed), [], typed)
})
