import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BATCH_HEAD, BatchHarness } from '#server/batches/testing/batch-harness.ts'
import { ALL_CONNECTED, makeBatch, makerOf, snapshotOf } from '#server/batches/testing/make-batch.ts'
import { bookScene } from '#server/testing/beneficiaries/book.ts'
import { must } from '#server/testing/partner.ts'
import { transition } from '#server/transactions/transition.ts'
import { setArchived } from './change-beneficiary.ts'
import { type ListTerms, prepareList } from './prepare-list.ts'
import { readDifference } from './read-difference.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

const PHONES = { awa: '237670000001', paul: '237670000002', binta: '237670000003', kofi: '237670000004' }
const LIST = [`${PHONES.awa};Awa Diop;1000;MOMOCM`, `${PHONES.paul};Paul Mbarga;2000;MOMOCM`, `${PHONES.binta};Binta Sow;1000;MOMOCM`]

type Scene = Awaited<ReturnType<typeof bookScene>>

async function prepare({ applicationId, awa }: Scene, terms: Partial<ListTerms> & Pick<ListTerms, 'source'>) {
  const application = await snapshotOf(harness.pool, applicationId)
  return prepareList(
    { pool: harness.pool, connectors: ALL_CONNECTED },
    { application, actor: makerOf(applicationId, awa.id), name: null, purpose: null, ...terms },
  )
}

/** A list that was sent and paid. */
async function sentList(scene: Scene, lines: readonly string[] = LIST): Promise<string> {
  const { applicationId, awa } = scene
  const batchId = await makeBatch(harness.pool, { applicationId, makerId: awa.id, text: [BATCH_HEAD, ...lines].join('\n') })
  await scene.send(batchId)
  return batchId
}

test('a repeated list has the numbers of the book, leaves archived people out, and pays everybody else as before', async () => {
  const scene = await bookScene(harness)
  const { applicationId, awa, add, set, rowsOf } = scene
  const [first, third] = [
    await add({ name: 'Awa Diop', phoneNumber: PHONES.awa }),
    await add({ name: 'Binta Sow', phoneNumber: PHONES.binta }),
  ]
  const source = { batchId: await sentList(scene) }
  await set({ beneficiaryId: first, name: 'Awa Diop', phoneNumber: '237670000099' })
  must(await setArchived(harness.pool, { applicationId, actor: awa, beneficiaryId: third, isArchived: true }))
  const { batchId } = must(await prepare(scene, { source, purpose: 'November' }))
  assert.deepEqual(await rowsOf(batchId), [
    ['Awa Diop', '237670000099', '100000', 'November'],
    ['Paul Mbarga', PHONES.paul, '200000', 'November'],
  ])
  const difference = await readDifference(harness.pool, applicationId, batchId)
  assert.deepEqual(difference, {
    source: { batchId: source.batchId, name: 'A batch' },
    groupName: null,
    people: 2,
    newPeople: 0,
    leftOut: 1,
    changedNames: 0,
    changedNumbers: 1,
    changedAmounts: 0,
    totals: [{ currency: 'XAF', beforeMinor: '400000', afterMinor: '300000' }],
  })
})

test('a repeated list is a draft of its maker, which nothing has sent', async () => {
  const scene = await bookScene(harness)
  const { batchId } = must(await prepare(scene, { source: { batchId: await sentList(scene) } }))
  const stored = await harness.stored({ applicationId: scene.applicationId, batchId })
  assert.deepEqual([stored.state, stored.maker_id, stored.prepared_by], ['draft', scene.awa.id, [scene.awa.id]])
  const { rows } = await harness.pool.query('select from transactions where batch_id = $1', [batchId])
  assert.equal(rows.length, 0)
})

test('still_open while a payment of the list has not ended; not_found for a draft and for the list of another application', async () => {
  const scene = await bookScene(harness)
  const { applicationId, awa } = scene
  const batchId = await makeBatch(harness.pool, { applicationId, makerId: awa.id, text: [BATCH_HEAD, ...LIST].join('\n') })
  assert.deepEqual(await prepare(scene, { source: { batchId } }), { ok: false, error: 'not_found' })
  await harness.directory.refresh()
  const application = await snapshotOf(harness.pool, applicationId)
  must(await harness.submit({ applicationId, makerId: awa.id, batchId, application, actor: makerOf(applicationId, awa.id) }))
  assert.deepEqual(await prepare(scene, { source: { batchId } }), { ok: false, error: 'still_open' })
  const { rows } = await harness.pool.query<{ transactionId: string }>(
    'select transaction_id as "transactionId" from transactions where application_id = $1 and batch_id = $2',
    [applicationId, batchId],
  )
  const actor = { kind: 'person' as const, id: scene.serge.id }
  await transition(
    harness.pool,
    rows.map((row) => ({ applicationId, ...row, event: 'approved' as const, actor })),
  )
  assert.deepEqual(await prepare(scene, { source: { batchId } }), { ok: false, error: 'still_open' }, 'approved, and without a result')
  assert.deepEqual(await prepare(await bookScene(harness), { source: { batchId } }), { ok: false, error: 'not_found' })
})

test('a group pays the amounts of the book, and the second list names new people, people left out and the change in total', async () => {
  const scene = await bookScene(harness)
  const { applicationId, awa, add, set, rowsOf, send } = scene
  const group = { groupName: 'Salaries', amountMinor: '100000' }
  const first = await add({ name: 'Awa Diop', phoneNumber: PHONES.awa, ...group })
  const second = await add({ name: 'Paul Mbarga', phoneNumber: PHONES.paul, ...group })
  const source = { groupName: 'Salaries' }
  const october = must(await prepare(scene, { source, name: 'October' }))
  assert.equal((await readDifference(harness.pool, applicationId, october.batchId))?.source, null)
  await send(october.batchId)
  await add({ name: 'Binta Sow', phoneNumber: PHONES.binta, groupName: 'Salaries', amountMinor: '104000' })
  await set({ beneficiaryId: first, name: 'Awa Diop', phoneNumber: PHONES.kofi })
  must(await setArchived(harness.pool, { applicationId, actor: awa, beneficiaryId: second, isArchived: true }))
  const november = must(await prepare(scene, { source }))
  assert.deepEqual(await rowsOf(november.batchId), [
    ['Awa Diop', PHONES.kofi, '100000', ''],
    ['Binta Sow', PHONES.binta, '104000', ''],
  ])
  const { people, newPeople, leftOut, changedNumbers, totals } = (await readDifference(harness.pool, applicationId, november.batchId)) ?? {}
  assert.deepEqual([people, newPeople, leftOut, changedNumbers], [2, 1, 1, 1])
  assert.deepEqual(totals, [{ currency: 'XAF', beforeMinor: '200000', afterMinor: '204000' }])
})

test('the difference counts neither a row that its maker left out nor a list of the group that was never submitted', async () => {
  const scene = await bookScene(harness)
  const { applicationId, add, send } = scene
  const group = { groupName: 'Salaries', amountMinor: '100000' }
  await add({ name: 'Awa Diop', phoneNumber: PHONES.awa, ...group })
  const october = must(await prepare(scene, { source: { groupName: 'Salaries' }, name: 'October' }))
  await send(october.batchId)
  await add({ name: 'Paul Mbarga', phoneNumber: PHONES.paul, ...group })
  must(await prepare(scene, { source: { groupName: 'Salaries' }, name: 'Left as a draft' }))
  const november = must(await prepare(scene, { source: { groupName: 'Salaries' } }))
  const difference = () => readDifference(harness.pool, applicationId, november.batchId)
  assert.equal((await difference())?.source?.batchId, october.batchId)
  assert.deepEqual((await difference())?.totals, [{ currency: 'XAF', beforeMinor: '100000', afterMinor: '200000' }])
  await harness.pool.query("update batch_rows set exclusion = 'On leave' where batch_id = $1 and customer_name = 'Paul Mbarga'", [
    november.batchId,
  ])
  const { people, newPeople, totals } = (await difference()) ?? {}
  assert.deepEqual([people, newPeople, totals], [1, 0, [{ currency: 'XAF', beforeMinor: '100000', afterMinor: '100000' }]])
})

test('repeating the list of a group adds its new members with the amounts of the book', async () => {
  const scene = await bookScene(harness)
  const { add, rowsOf, send } = scene
  await add({ name: 'Awa Diop', phoneNumber: PHONES.awa, groupName: 'Salaries', amountMinor: '100000' })
  const october = must(await prepare(scene, { source: { groupName: 'Salaries' }, purpose: 'October' }))
  await send(october.batchId)
  await add({ name: 'Binta Sow', phoneNumber: PHONES.binta, groupName: 'Salaries', amountMinor: '104000' })
  const { batchId } = must(await prepare(scene, { source: { batchId: october.batchId } }))
  assert.deepEqual(await rowsOf(batchId), [
    ['Awa Diop', PHONES.awa, '100000', 'October'],
    ['Binta Sow', PHONES.binta, '104000', ''],
  ])
})

test('a number that went to somebody with another name says nothing about the earlier payee, who is paid as before', async () => {
  const scene = await bookScene(harness)
  const { add, set, rowsOf } = scene
  const source = { batchId: await sentList(scene, [`${PHONES.paul};Paul Mbarga;2000;MOMOCM`]) }
  const other = await add({ name: 'Fatou Kane', phoneNumber: PHONES.paul })
  await set({ beneficiaryId: other, name: 'Fatou Kane', phoneNumber: PHONES.kofi })
  const { batchId } = must(await prepare(scene, { source }))
  assert.deepEqual(await rowsOf(batchId), [['Paul Mbarga', PHONES.paul, '200000', '']])
})

test('the payee at their new number, and not a namesake who has the old one since', async () => {
  const scene = await bookScene(harness)
  const { add, set, rowsOf } = scene
  const payee = await add({ name: 'Awa Diop', phoneNumber: PHONES.awa })
  const source = { batchId: await sentList(scene, [`${PHONES.awa};Awa Diop;1000;MOMOCM`]) }
  await set({ beneficiaryId: payee, name: 'Awa Diop', phoneNumber: '237670000099' })
  await add({ name: 'Awa Diop', phoneNumber: PHONES.awa })
  const { batchId } = must(await prepare(scene, { source }))
  assert.deepEqual(await rowsOf(batchId), [['Awa Diop', '237670000099', '100000', '']])
})

test('a person who had given the number up before the list was sent is not taken for its payee', async () => {
  const scene = await bookScene(harness)
  const { add, set, rowsOf } = scene
  const former = await add({ name: 'Paul Mbarga', phoneNumber: PHONES.paul })
  await set({ beneficiaryId: former, name: 'Paul Mbarga', phoneNumber: PHONES.kofi })
  const source = { batchId: await sentList(scene, [`${PHONES.paul};Paul Mbarga;2000;MOMOCM`]) }
  const { batchId } = must(await prepare(scene, { source }))
  assert.deepEqual(await rowsOf(batchId), [['Paul Mbarga', PHONES.paul, '200000', '']])
})

test('a member without an amount is a row with a problem; nobody for an empty group', async () => {
  const scene = await bookScene(harness)
  await scene.add({ name: 'Awa Diop', phoneNumber: PHONES.awa, groupName: 'Salaries' })
  const { batchId } = must(await prepare(scene, { source: { groupName: 'Salaries' } }))
  const [row] = await harness.rowsOf({ applicationId: scene.applicationId, batchId })
  assert.deepEqual(
    row?.problems.map(({ kind }) => kind),
    ['amount_missing'],
  )
  assert.deepEqual(await prepare(scene, { source: { groupName: 'Nobody' } }), { ok: false, error: 'nobody' })
})
