import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { EDITED_CELLS_MAX } from '#lib/batches/batch-fields.ts'
import { BATCH_PAGE_SIZE } from '#lib/batches/batches.ts'
import { batchCellsSchema } from '#lib/schemas/batch.ts'
import { excludeRows } from '#server/batches/edit-batch.ts'
import { editRows } from '#server/batches/rows/edit-rows.ts'
import { BATCH_HEAD, BatchHarness, type Scene } from '#server/batches/testing/batch-harness.ts'
import { must } from '#server/testing/partner.ts'
import { readBatchRows } from './read-batch.ts'
import { readBatchCells, readProblemPages } from './read-cells.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

const cellsOf = async (one: Scene, query: object) => readBatchCells(harness.pool, one, batchCellsSchema.parse(query))
const numbersOf = async (one: Scene, query: object) => (await cellsOf(one, query))?.cells.map(({ rowNumber }) => rowNumber)

const LINES = [
  '237677209341;Awa;cinq;MOMOCM',
  '237677209342;Koffi;700;MOMOCM',
  '237677209343;Ada;cinq;Mobile',
  '237677209344;Yao;cinq mille;MOMOCM',
  '237677209345;Ama;;MOMOCM',
  '237677209346;Efo;cinq;MOMOCM',
]

test('the cells of one field from a row on, in the order of the file, with what was typed; only those that the filter shows', async () => {
  const one = await harness.scene(LINES)
  must(await editRows(harness.deps(), { ...(await harness.command(one)), rows: [{ rowNumber: 5, fields: { amount: 'six' } }] }))
  assert.deepEqual(await cellsOf(one, { field: 'amount', from: 4 }), {
    cells: [
      { rowNumber: 4, name: 'Ada', value: 'cinq', edit: null },
      { rowNumber: 5, name: 'Yao', value: 'six', edit: 'six' },
      { rowNumber: 6, name: 'Ama', value: '', edit: null },
      { rowNumber: 7, name: 'Efo', value: 'cinq', edit: null },
    ],
    total: 4,
  })
  assert.deepEqual(await numbersOf(one, { field: 'amount', show: 'all' }), [2, 3, 4, 5, 6, 7])
  // The file has no column for the country.
  assert.deepEqual((await cellsOf(one, { field: 'country', show: 'all', from: 7 }))?.cells[0]?.value, '')
})

test('the cells with the same value and the same problem, without rows that were left out', async () => {
  const one = await harness.scene(LINES)
  must(await excludeRows(harness.deps(), { ...(await harness.command(one)), rowNumbers: [7], reason: 'Left' }))
  assert.deepEqual(await numbersOf(one, { field: 'amount', kind: 'amount_characters', value: 'cinq' }), [2, 4])
  assert.deepEqual(await numbersOf(one, { field: 'amount', kind: 'amount_missing' }), [6])
  assert.deepEqual(await numbersOf(one, { field: 'amount', kind: 'amount_decimals', value: 'cinq' }), [])
})

test('as many cells as one repair may change, and how many there are', async () => {
  const one = await harness.scene(Array.from({ length: EDITED_CELLS_MAX + 7 }, () => '237677209341;Awa;cinq;MOMOCM'))
  const cells = await cellsOf(one, { field: 'amount', kind: 'amount_characters', value: 'cinq' })
  assert.deepEqual([cells?.cells.length, cells?.total], [EDITED_CELLS_MAX, EDITED_CELLS_MAX + 7])
})

test('nothing for a batch of another application, and for one that was submitted', async () => {
  const [one, other] = [await harness.scene(LINES), await harness.scene(LINES)]
  assert.equal(await cellsOf({ ...one, batchId: other.batchId }, { field: 'amount' }), undefined)
  must(await harness.submit(one))
  assert.equal(await cellsOf(one, { field: 'amount' }), undefined)
})

test('the nearest pages with a problem, of the list that is shown', async () => {
  const lines = Array.from({ length: 5 * BATCH_PAGE_SIZE }, () => '237677209341;Awa;700;MOMOCM')
  lines[3] = '237677209341;Awa;cinq;MOMOCM'
  lines[4 * BATCH_PAGE_SIZE] = '237677209341;Awa;cinq;MOMOCM'
  const one = await harness.scene(lines)
  const pages = (show: 'all' | 'problems', page: number) => readProblemPages(harness.pool, one, { show, page })
  assert.deepEqual(await pages('all', 0), { previous: null, next: 4 })
  assert.deepEqual(await pages('all', 2), { previous: 0, next: 4 })
  assert.deepEqual(await pages('all', 4), { previous: 0, next: null })
  assert.deepEqual(await pages('problems', 0), { previous: null, next: null })
})

test('the value of the file beside each one that was typed in its place', async () => {
  const one = await harness.scene(LINES.slice(0, 1), { head: BATCH_HEAD })
  must(
    await editRows(harness.deps(), { ...(await harness.command(one)), rows: [{ rowNumber: 2, fields: { amount: '5', country: 'CMR' } }] }),
  )
  const columns = { phoneNumber: 0, customerName: 1, amount: 2, operator: 3 }
  const [row] = await readBatchRows(harness.pool, { ...one, columns }, { show: 'all', page: 0 })
  assert.deepEqual(row?.inFile, { amount: 'cinq', country: '' })
})
