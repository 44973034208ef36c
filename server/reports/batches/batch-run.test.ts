import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BatchStage } from '#lib/batches/batch-stage.ts'
import type { Role } from '#lib/people/permissions.ts'
import { batchListSchema } from '#lib/schemas/page-address.ts'
import { listBatchRows, readBatch } from '#server/approvals/batches.ts'
import { decideBatch } from '#server/approvals/decide-batch.ts'
import { recallBatch } from '#server/approvals/recall.ts'
import { storeBatchEnds } from '#server/batches/store-batch-ends.ts'
import { pauseBatch } from '#server/operators/batch-run/control-batch.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { listBatches, readBatchResults } from './read-batch.ts'
import { readBatchRun } from './read-batch-run.ts'

let database: TestDatabase
let applicationId: string
let makerId: string
let checkerId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000_000n)
  makerId = await makePerson(database.pool, applicationId, ['maker'])
  checkerId = await makePerson(database.pool, applicationId, ['checker'])
})
after(() => database.drop())

const run = (batchId: string, id: string, roles: Role[]) => readBatchRun(database.pool, { applicationId, id, roles }, batchId)

const NOTHING = { failed: false, returned: false, unsubmitted: false }

test('each row in one place with exact sums, through the whole run, and only what this person may do', async () => {
  const { pool } = database
  const { batchId, items } = await makeFileBatch(pool, { applicationId, makerId, count: 6 })
  const waiting = await run(batchId, makerId, ['maker'])
  assert.deepEqual([waiting?.state, waiting?.operators[0]?.places.waiting], ['waiting', { count: 6, amount: '30000' }])
  assert.deepEqual(waiting?.can, { pause: false, resume: false, plan: false, stop: false, recall: true, repeat: NOTHING })
  const shown = await readBatch(pool, { applicationId, id: checkerId, hasSecondFactor: false }, batchId)
  assert.ok(shown)
  must(
    await decideBatch(decisionDeps(pool), {
      checker: { applicationId, id: checkerId, hasSecondFactor: false },
      batchId,
      decision: 'validated',
      note: 'Seen',
      excluded: [{ transactionId: items[5]?.transactionId ?? '', reason: 'Unknown' }],
      hash: shown.hash,
      shownAt: new Date(shown.shownAt),
    }),
  )
  const person = { kind: 'person', id: checkerId, applicationId, roles: ['checker'] } as const
  must(await pauseBatch(decisionDeps(pool), { applicationId, batchId, person, reason: 'Look again' }))
  const paused = await run(batchId, makerId, ['maker'])
  assert.deepEqual([paused?.state, paused?.changed?.reason], ['paused', 'Look again'])
  assert.deepEqual(paused?.can, {
    pause: false,
    resume: false,
    plan: false,
    stop: true,
    recall: false,
    repeat: { ...NOTHING, returned: true },
  })
  assert.equal((await run(batchId, checkerId, ['checker']))?.can.resume, true)
  assert.equal((await run(batchId, checkerId, ['finance']))?.can.stop, false)
  const end = (index: number, event: 'succeeded' | 'failed') => ({
    applicationId,
    transactionId: items[index]?.transactionId ?? '',
    event,
    message: 'Numéro invalide',
    actor: SYSTEM_ACTOR,
  })
  await transition(pool, [end(0, 'succeeded'), end(1, 'failed')])
  const figures = (await run(batchId, makerId, ['maker']))?.operators[0]?.places
  assert.deepEqual(figures, {
    failed: { count: 1, amount: '5000' },
    paused: { count: 3, amount: '15000' },
    rejected: { count: 1, amount: '5000' },
    succeeded: { count: 1, amount: '5000' },
  })
  await transition(pool, [end(2, 'succeeded'), end(3, 'failed'), end(4, 'succeeded')])
  const finished = await run(batchId, makerId, ['maker'])
  assert.deepEqual([finished?.state, finished?.retryable, finished?.can.repeat.failed], ['finished', 2, true])
  assert.deepEqual(
    finished?.decisions.map((one) => [one.decision, one.count]),
    [
      ['validated', 5],
      ['rejected', 1],
    ],
  )
  const places: string[] = []
  for await (const part of readBatchResults(pool, applicationId, batchId)) places.push(...part.map((row) => row.place))
  assert.deepEqual(places, ['succeeded', 'failed', 'succeeded', 'failed', 'succeeded', 'rejected'])
  const elsewhere = await makeApplication(pool)
  assert.equal(await readBatchRun(pool, { applicationId: elsewhere, id: makerId, roles: ['maker'] }, batchId), undefined)
})

test('one stage from its first row that waits to its last that ends, the same before and after the ends are stored, by which the list filters', async () => {
  const { pool } = database
  const { batchId, items } = await makeFileBatch(pool, { applicationId, makerId, count: 3 })
  const listed = async (stage?: BatchStage) => {
    const { batches } = await listBatches(pool, applicationId, batchListSchema.parse({ ...(stage && { state: stage }) }))
    return batches.find((batch) => batch.batchId === batchId)
  }
  const move = (index: number, event: 'approved' | 'succeeded' | 'failed' | 'rejected') => ({
    applicationId,
    transactionId: items[index]?.transactionId ?? '',
    event,
    ...(event === 'failed' || event === 'rejected' ? { message: 'Numéro invalide' } : {}),
    actor: event === 'approved' || event === 'rejected' ? ({ kind: 'person', id: checkerId } as const) : SYSTEM_ACTOR,
  })
  assert.deepEqual([(await listed())?.stage, (await listed())?.places], ['waiting', { waiting: 3 }])
  await transition(pool, [move(0, 'approved'), move(1, 'approved'), move(2, 'rejected')])
  assert.equal((await listed())?.stage, 'running')
  assert.equal(await storeBatchEnds(pool), 1, 'only the batch of the test before has ended')
  await transition(pool, [move(0, 'succeeded'), move(1, 'failed')])
  const { rows: people } = await pool.query<{ name: string }>('select name from people where person_id = $1', [checkerId])
  const ended = { succeeded: 1, failed: 1, rejected: 1, by: people[0]?.name }
  assert.deepEqual([(await listed())?.stage, (await listed())?.places], ['partly', ended])
  assert.equal(await storeBatchEnds(pool), 1)
  assert.equal(await storeBatchEnds(pool), 0)
  assert.deepEqual([(await listed('partly'))?.stage, (await listed('partly'))?.places], ['partly', ended])
  assert.equal(await listed('running'), undefined)
  assert.deepEqual((await run(batchId, makerId, ['maker']))?.stage, 'partly')
})

test('a batch that was rejected or recalled says so with who and why, and is not finished or rejected alike', async () => {
  const { pool } = database
  const rejected = await makeFileBatch(pool, { applicationId, makerId, count: 2 })
  const shown = await readBatch(pool, { applicationId, id: checkerId, hasSecondFactor: false }, rejected.batchId)
  assert.deepEqual(shown?.ends, [])
  must(
    await decideBatch(decisionDeps(pool), {
      checker: { applicationId, id: checkerId, hasSecondFactor: false },
      batchId: rejected.batchId,
      decision: 'rejected',
      note: 'Wrong month',
      excluded: [],
      hash: shown?.hash ?? '',
      shownAt: new Date(shown?.shownAt ?? 0),
    }),
  )
  const recalled = await makeFileBatch(pool, { applicationId, makerId, count: 2 })
  must(await recallBatch(decisionDeps(pool), { applicationId, batchId: recalled.batchId, makerId, reason: 'Sent twice' }))
  const of = async (batchId: string) => {
    const found = await run(batchId, makerId, ['maker'])
    return [
      found?.stage,
      found?.ends.map(({ event, reason, count }) => ({ event, reason, count })),
      Object.keys(found?.operators[0]?.places ?? {}),
    ]
  }
  assert.deepEqual(await of(rejected.batchId), ['rejected', [{ event: 'rejected', reason: 'Wrong month', count: 2 }], ['rejected']])
  assert.deepEqual(await of(recalled.batchId), ['recalled', [{ event: 'recalled', reason: 'Sent twice', count: 2 }], ['recalled']])
})

test('the rows of each filter with the flags of single payments, in the order of the file', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000_000n)
  // Paid before, and a payment of the same amount that waits.
  const known = anIntakeItem(applicationId, { phoneNumber: '237690000001' })
  const twin = anIntakeItem(applicationId, { phoneNumber: '237690000001' })
  await takeIn(pool, [known, twin])
  await transition(pool, [{ applicationId, transactionId: known.transactionId, event: 'succeeded', actor: SYSTEM_ACTOR }])
  const { batchId, items } = await makeFileBatch(pool, {
    applicationId,
    makerId,
    count: 4,
    change: (index) =>
      index === 0 ? { phoneNumber: '237690000001', customerName: 'Clarisse Mbarga' } : index === 1 ? { amountMinor: 5_000_000n } : {},
  })
  const viewer = { applicationId, id: checkerId, hasSecondFactor: false }
  const shown = await readBatch(pool, viewer, batchId)
  assert.deepEqual(shown?.flags, { flagged: 4, first: 3, large: 1, duplicate: 1 })
  assert.deepEqual(shown?.canDecide, 'not_a_checker')
  const idsOf = async (filter: 'all' | 'first' | 'large' | 'duplicate') =>
    (await listBatchRows(pool, viewer, batchId, { filter, page: 0 }))?.rows.map((row) => row.transactionId)
  const ids = items.map((item) => item.transactionId)
  assert.deepEqual(await idsOf('all'), ids)
  assert.deepEqual(await idsOf('first'), ids.slice(1))
  assert.deepEqual(await idsOf('large'), [ids[1]])
  assert.deepEqual(await idsOf('duplicate'), [ids[0]])
  assert.deepEqual((await listBatchRows(pool, viewer, batchId, { filter: 'all', page: 1 }))?.rows, [])
})
