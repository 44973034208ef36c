import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BatchHarness } from '#server/batches/testing/batch-harness.ts'
import { setArchived } from '#server/beneficiaries/change-beneficiary.ts'
import { bookScene } from '#server/testing/beneficiaries/book.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { listCustomers } from './customers.ts'
import { suggestPayees } from './suggest-payees.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

test('people of the book come first, under their name there, and archived ones only as earlier customers', async () => {
  const { pool } = harness
  const { applicationId, awa, add } = await bookScene(harness)
  const suggest = async (typed: string) => {
    const found = await suggestPayees(pool, applicationId, { typed, type: 'DEPOSIT' }, 5)
    return found.map(({ customerName, phoneNumber, bookOperator }) => [customerName, phoneNumber, bookOperator])
  }
  for (const [customerName, phoneNumber] of [
    ['Awa D', '237670000001'],
    ['Awa Fall', '237670000002'],
  ] as const)
    await takeIn(pool, [anIntakeItem(applicationId, { customerName, phoneNumber })])
  await listCustomers(pool)
  const beneficiaryId = await add({ name: 'Awa Diop', phoneNumber: '237670000001' })
  assert.deepEqual(await suggest('awa'), [
    ['Awa Diop', '237670000001', 'MOMOCM'],
    ['Awa Fall', '237670000002', null],
  ])
  assert.deepEqual(await suggest('23767000000'), await suggest('awa'))
  must(await setArchived(pool, { applicationId, actor: awa, beneficiaryId, isArchived: true }))
  assert.deepEqual((await suggest('awa')).toSorted(), [
    ['Awa D', '237670000001', null],
    ['Awa Fall', '237670000002', null],
  ])
})
