import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readBatch } from './batches.ts'
import { decide } from './decide.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function openDesk() {
  const applicationId = await makeApplication(database.pool)
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const viewer = { applicationId, id: await makePerson(database.pool, applicationId, ['checker']), hasSecondFactor: false }
  return { applicationId, makerId, viewer }
}

test('each operator of a batch for itself, though two have one currency: rows, amount, fees, and the balance before and after both', async () => {
  const { applicationId, makerId, viewer } = await openDesk()
  await fund(database.pool, applicationId, 'MOMOCM', 3_000_000n)
  const { batchId } = await makeFileBatch(database.pool, {
    applicationId,
    makerId,
    count: 3,
    change: (index) =>
      index < 2
        ? { feesSystemMinor: 5_000n, feesAppMinor: 2_500n }
        : { operator: 'OMCM', phoneNumber: '237699000111', amountMinor: 70_000n },
  })
  const shown = await readBatch(database.pool, viewer, batchId)
  assert.deepEqual(
    shown?.operators.toSorted((left, right) => left.operator.localeCompare(right.operator)),
    [
      {
        operator: 'MOMOCM',
        currency: 'XAF',
        count: 2,
        amount: '10000',
        fees: '150',
        balance: { now: '30000', after: '19850' },
      },
      { operator: 'OMCM', currency: 'XAF', count: 1, amount: '700', fees: '11', balance: { now: '0', after: '-711' } },
    ],
  )
  assert.deepEqual(shown?.sums, [{ currency: 'XAF', count: 3, amount: '10700' }])
})

test('no balance for the operators of a batch that collects', async () => {
  const { applicationId, makerId, viewer } = await openDesk()
  await fund(database.pool, applicationId, 'MOMOCM', 3_000_000n)
  const { batchId } = await makeFileBatch(database.pool, { applicationId, makerId, count: 1, change: () => ({ type: 'COLLECT' }) })
  const shown = await readBatch(database.pool, viewer, batchId)
  assert.deepEqual(
    shown?.operators.map(({ operator, balance }) => [operator, balance]),
    [['MOMOCM', null]],
  )
})

test('the approvals of the row that has the fewest, where a program had only one row approved', async () => {
  const { applicationId, makerId, viewer } = await openDesk()
  const { batchId, items } = await makeFileBatch(database.pool, {
    applicationId,
    makerId,
    count: 2,
    change: () => ({ bands: [aBand({ steps: [2] })] }),
  })
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  const transactionId = items[0]?.transactionId ?? ''
  const decision = { applicationId, transactionId, checkerId, decision: 'validated', note: 'Seen' } as const
  must(await decide(decisionDeps(database.pool), { ...decision, through: 'api', actor: { kind: 'api', id: randomUUID() } }))
  const shown = await readBatch(database.pool, viewer, batchId)
  assert.deepEqual([shown?.given, shown?.needed], [0, 2])
})
