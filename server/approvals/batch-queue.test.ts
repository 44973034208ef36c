import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { batchListSchema } from '#lib/schemas/page-address.ts'
import { listBatches } from '#server/reports/batches/read-batch.ts'
import { countWaiting } from '#server/reports/waiting/read-waiting.ts'
import { type BatchDesk, openBatchDesk } from '#server/testing/batches/batch-desk.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { aBand, anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { listApprovals } from './queue/queue.ts'

let desk: BatchDesk
before(async () => {
  desk = await openBatchDesk()
})
after(() => desk.close())

test('one item of the queue, the counts and the badge for a batch, and none of its rows', async () => {
  const application = await makeApplication(desk.pool)
  const [maker, checker] = await Promise.all([
    makePerson(desk.pool, application, ['maker']),
    makePerson(desk.pool, application, ['checker']),
  ])
  const { batchId } = await makeFileBatch(desk.pool, {
    applicationId: application,
    makerId: maker,
    count: 7,
    change: (index) => (index === 0 ? { operator: 'BJMTN', phoneNumber: '2290197000000' } : {}),
  })
  await takeIn(desk.pool, [anIntakeItem(application, { source: 'person', makerId: maker, bands: [aBand()] })])
  const read = (id: string, name: 'mine' | 'others' | 'made') =>
    listApprovals(
      desk.pool,
      { applicationId: application, businessZone: 'UTC', id, hasSecondFactor: true },
      approvalFilterSchema.parse({ queue: name }),
    )
  const mine = await read(checker, 'mine')
  assert.deepEqual([mine.rows.length, mine.total, mine.counts], [1, 1, { mine: 2, others: 0, made: 0 }])
  const [batch, ...others] = mine.batches
  assert.deepEqual([batch?.batchId, batch?.name, batch?.count, batch?.canDecide, others.length], [batchId, 'Salaries', 7, true, 0])
  assert.deepEqual(batch?.sums, [
    { currency: 'XAF', count: 6, amount: '30000' },
    { currency: 'XOF', count: 1, amount: '5000' },
  ])
  assert.equal(
    (await countWaiting(desk.pool, { applicationId: application, id: checker, roles: ['checker'], runsInstallation: false })).pages
      .approvals ?? 0,
    2,
  )
  const made = await read(maker, 'made')
  assert.deepEqual([made.batches.length, made.counts.made, (await read(maker, 'others')).batches.length], [1, 2, 0])
})

test('a batch whose rows are still being started is listed with the count and the sums of its submission', async () => {
  const { batchId } = await desk.makeBatch({ count: 2, state: 'submitting' })
  const sums = [
    { operator: 'MOMOCM', count: 5, amountMinor: '700000', feeMinor: '0' },
    { operator: 'OMCM', count: 2, amountMinor: '300000', feeMinor: '0' },
    { operator: 'SNWAVE', count: 1, amountMinor: '50000', feeMinor: '0' },
  ]
  await desk.pool.query('update batches set sums = $2 where batch_id = $1', [batchId, JSON.stringify(sums)])
  const listed = (await desk.queue(desk.ada, { queue: 'others' })).batches.find((batch) => batch.batchId === batchId)
  assert.deepEqual(
    [listed?.count, listed?.canDecide, listed?.sums],
    [
      8,
      'submitting',
      [
        { currency: 'XAF', count: 7, amount: '10000' },
        { currency: 'XOF', count: 1, amount: '500' },
      ],
    ],
  )
})

test('in the decided queue with the sums of its submission and its checkers in order, and in that of no other days: a batch after its second approval', async () => {
  const { batchId } = await desk.makeBatch({
    count: 3,
    change: () => ({ bands: [aBand({ steps: [2] })] }),
  })
  for (const checker of [desk.ben, desk.ada]) must(await desk.say(batchId, checker))
  await desk.pool.query('update batches set sums = $2 where batch_id = $1', [
    batchId,
    JSON.stringify([
      { operator: 'MOMOCM', count: 2, amountMinor: '40000' },
      { operator: 'BJMTN', count: 1, amountMinor: '50000' },
      { operator: 'OMCM', count: 1, amountMinor: '30000' },
    ]),
  ])
  const decided = (filter: object) => desk.queue(desk.ada, { queue: 'decided', ...filter })
  const names = await Promise.all([desk.ben, desk.ada].map((id) => nameOf(id)))
  const [newest] = (await decided({})).batches
  assert.deepEqual([newest?.batchId, newest?.decided?.by], [batchId, names])
  assert.deepEqual(newest?.sums, [
    { currency: 'XAF', count: 3, amount: '700' },
    { currency: 'XOF', count: 1, amount: '500' },
  ])
  assert.deepEqual((await decided({ to: '2020-01-01' })).batches, [])
})

test('all its checkers in the order of their approvals: a batch after its third one', async () => {
  const { batchId } = await desk.makeBatch({ count: 2, change: () => ({ bands: [aBand({ steps: [3] })] }) })
  const third = await makePerson(desk.pool, desk.applicationId, ['checker'])
  const order = [desk.ben, third, desk.ada]
  for (const [index, checker] of order.entries()) {
    await desk.pool.query('update people set name = $2 where person_id = $1', [checker, `Checker ${index}`])
    must(await desk.say(batchId, checker))
  }
  const [newest] = (await desk.queue(desk.ada, { queue: 'decided' })).batches
  assert.deepEqual([newest?.batchId, newest?.decided?.by], [batchId, ['Checker 0', 'Checker 1', 'Checker 2']])
})

test('each checker once, although their program decided on every row at a time of its own', async () => {
  const { batchId } = await desk.makeBatch({ count: 3 })
  await desk.pool.query(
    `insert into approval_decisions (application_id, transaction_id, checker_id, maker_id, decision, note, through, decided_at, batch_id)
       select t.application_id, t.transaction_id, c.id, t.maker_id, 'validated', 'Seen', 'api',
              now() + row_number() over (order by c.place, t.sequence) * interval '1 second', t.batch_id
         from transactions t cross join unnest($2::uuid[]) with ordinality as c (id, place) where t.batch_id = $1`,
    [batchId, [desk.ben, desk.ada]],
  )
  const names = await Promise.all([desk.ben, desk.ada].map((id) => nameOf(id)))
  const { batches } = await desk.queue(desk.ada, { queue: 'decided' })
  assert.deepEqual(batches.find((batch) => batch.batchId === batchId)?.decided?.by, names)
  const listed = await listBatches(desk.pool, desk.applicationId, batchListSchema.parse({}))
  assert.deepEqual(listed.batches.find((batch) => batch.batchId === batchId)?.decidedBy, names)
})

async function nameOf(personId: string): Promise<string> {
  const { rows } = await desk.pool.query<{ name: string }>('select name from people where person_id = $1', [personId])
  return rows[0]?.name ?? ''
}
