import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { EDITED_CELLS_MAX } from '#lib/batches/batch-fields.ts'
import { editRowsSchema } from '#lib/schemas/batch.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { discardBatch, excludeRows } from '../edit-batch.ts'
import { BATCH_HEAD, BatchHarness, type Scene } from '../testing/batch-harness.ts'
import { makerOf } from '../testing/make-batch.ts'
import { editRows } from './edit-rows.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

type Rows = Parameters<typeof editRows>[1]['rows']
type Command = Awaited<ReturnType<BatchHarness['command']>>

const LINES = ['2.37E+11;Awa;5000;MOMOCM', '237677209342;Koffi;cinq;MOMOCM', '237677209343;Ada;700;Orange']

async function edit(one: Scene, rows: Rows, change: Partial<Command> = {}) {
  return editRows(harness.deps(), { ...(await harness.command(one)), ...change, rows })
}

async function kindsOf(one: Scene) {
  return (await harness.rowsOf(one)).map(({ problems }) => problems.map(({ kind }) => kind))
}

async function editsOf({ applicationId, batchId }: Scene) {
  const { rows } = await harness.pool.query<{ edits: object }>(
    'select edits from batch_rows where application_id = $1 and batch_id = $2 order by row_number',
    [applicationId, batchId],
  )
  return rows.map(({ edits }) => edits)
}

async function auditOf({ applicationId, batchId }: Scene) {
  const { rows } = await harness.pool.query<{ details: object }>(
    "select details from audit_entries where application_id = $1 and subject = $2 and action = 'batch.rows_edited' order by sequence",
    [applicationId, batchId],
  )
  return rows.map(({ details }) => details)
}

test('ok with the new problems of each row that is named: cells of several rows and fields in one version and one audit entry', async () => {
  const one = await harness.scene(LINES)
  const { version } = await harness.command(one)
  const { file_sha256 } = (await harness.stored(one)) as unknown as { file_sha256: Buffer }
  assert.deepEqual(
    await edit(one, [
      { rowNumber: 2, fields: { phoneNumber: '237677209341', amount: '1,5' } },
      { rowNumber: 4, fields: { operator: 'OMCM' } },
    ]),
    {
      ok: true,
      value: {
        version: version + 1,
        rows: [
          { rowNumber: 2, problems: [{ field: 'amount', kind: 'amount_decimals', values: { currency: 'XAF' } }] },
          { rowNumber: 4, problems: [] },
        ],
      },
    },
  )
  assert.deepEqual(await kindsOf(one), [['amount_decimals'], ['amount_characters'], []])
  const stored = await harness.stored(one)
  assert.deepEqual([stored.version, stored.ready_count, stored.problem_count], [version + 1, 1, 2])
  assert.deepEqual((stored as unknown as { file_sha256: Buffer }).file_sha256, file_sha256)
  assert.deepEqual(await auditOf(one), [{ rows: '2, 4', count: 2, fields: 'phoneNumber, amount, operator', restored: 0 }])
})

test('a row is as in the file again after null, with the problem that the file has; other fields keep what was typed', async () => {
  const one = await harness.scene(LINES)
  must(await edit(one, [{ rowNumber: 2, fields: { phoneNumber: '237677209341', customerName: 'Awa Ba' } }]))
  const restored = must(await edit(one, [{ rowNumber: 2, fields: { phoneNumber: null } }]))
  assert.deepEqual(
    restored.rows[0]?.problems.map(({ kind }) => kind),
    ['phone_digits_lost'],
  )
  assert.deepEqual((await editsOf(one))[0], { customerName: 'Awa Ba' })
})

test('not_found for a row that the batch does not have, and no cell of the others is changed', async () => {
  const one = await harness.scene(LINES)
  const before = await harness.stored(one)
  const rows = [
    { rowNumber: 2, fields: { phoneNumber: '237677209341' } },
    { rowNumber: 9, fields: { amount: '5' } },
  ]
  assert.deepEqual(await edit(one, rows), { ok: false, error: 'not_found' })
  assert.deepEqual(await harness.stored(one), before)
  assert.deepEqual(await editsOf(one), [{}, {}, {}])
  assert.deepEqual(await auditOf(one), [])
})

test('the same answer for a repair that is sent again, which is recorded once; changed_meanwhile once something else was changed', async () => {
  const one = await harness.scene(LINES)
  const command = await harness.command(one)
  const rows = [{ rowNumber: 2, fields: { phoneNumber: '237677209341', amount: '1,5' } }]
  const first = must(await edit(one, rows, command))
  assert.deepEqual(must(await edit(one, rows, command)), first)
  assert.equal((await harness.stored(one)).version, first.version)
  assert.equal((await auditOf(one)).length, 1)
  const other = makerOf(one.applicationId, await makePerson(harness.pool, one.applicationId, ['maker']))
  assert.deepEqual(await edit(one, rows, { ...command, actor: other }), { ok: false, error: 'changed_meanwhile' })
  const others = [{ rowNumber: 2, fields: { phoneNumber: '237677209341', amount: '15' } }]
  assert.deepEqual(await edit(one, others, command), { ok: false, error: 'changed_meanwhile' })
  must(await excludeRows(harness.deps(), { ...(await harness.command(one)), rowNumbers: [3], reason: 'Left' }))
  assert.deepEqual(await edit(one, rows, command), { ok: false, error: 'changed_meanwhile' })
  must(await edit(one, others))
  // The repair that made this version is another one, so the first is not answered in its place.
  const { version } = await harness.command(one)
  assert.deepEqual(await edit(one, rows, { ...command, version: version - 1 }), { ok: false, error: 'changed_meanwhile' })
})

test('ok with the same version and no audit entry for cells that have those values already', async () => {
  const one = await harness.scene(LINES)
  const rows = [{ rowNumber: 3, fields: { amount: '500' } }]
  const { version } = must(await edit(one, rows))
  assert.deepEqual(must(await edit(one, rows)), { version, rows: [{ rowNumber: 3, problems: [] }] })
  assert.deepEqual(must(await edit(one, [{ rowNumber: 4, fields: { amount: null } }])).version, version)
  assert.equal((await auditOf(one)).length, 1)
})

test('changed_meanwhile for all but one of five makers who edit at once; the cells are those of the one', async () => {
  const one = await harness.scene(LINES)
  const command = await harness.command(one)
  const makers = await Promise.all([1, 2, 3, 4, 5].map(() => makePerson(harness.pool, one.applicationId, ['maker'])))
  const results = await Promise.all(
    makers.map((id, index) =>
      edit(one, [{ rowNumber: 3, fields: { amount: `${500 + index}` } }], { ...command, actor: makerOf(one.applicationId, id) }),
    ),
  )
  const accepted = results.flatMap((result, index) => (result.ok ? [index] : []))
  assert.equal(accepted.length, 1)
  assert.deepEqual(
    results.flatMap((result) => (result.ok ? [] : [result.error])),
    Array.from({ length: 4 }, () => 'changed_meanwhile'),
  )
  const stored = await harness.stored(one)
  assert.deepEqual([stored.version, stored.maker_id], [command.version + 1, makers[accepted[0] ?? -1]])
  assert.deepEqual((await editsOf(one))[1], { amount: `${500 + (accepted[0] ?? -1)}` })
})

test('five hundred cells in one repair: every row is checked and compared with the others', async () => {
  const numbers = Array.from({ length: EDITED_CELLS_MAX }, (_, index) => index)
  const one = await harness.scene(numbers.map((index) => `2376770${String(index).padStart(5, '0')};Awa;cinq;MOMOCM`))
  const rows = numbers.map((index) => ({ rowNumber: index + 2, fields: { phoneNumber: '237677209341' } }))
  const place = { batchId: randomUUID(), version: 1 }
  assert.ok(editRowsSchema.safeParse({ ...place, rows }).success)
  const { rows: answered } = must(await edit(one, rows))
  assert.equal(answered.length, EDITED_CELLS_MAX)
  must(
    await edit(
      one,
      rows.map(({ rowNumber }) => ({ rowNumber, fields: { amount: '500' } })),
    ),
  )
  const stored = await harness.stored(one)
  assert.deepEqual([stored.ready_count, stored.problem_count], [EDITED_CELLS_MAX, 0])
  assert.ok((await harness.rowsOf(one)).every(({ warnings }) => warnings.map(({ kind }) => kind).join() === 'duplicate'))
})

test('refused as input: more than 500 cells, a row twice, an unknown field, no cell, a text that is too long', () => {
  const place = { batchId: randomUUID(), version: 1 }
  const rowsOf = (count: number, fields: object) => Array.from({ length: count }, (_, index) => ({ rowNumber: index + 2, fields }))
  const isAllowed = (rows: unknown) => editRowsSchema.safeParse({ ...place, rows }).success
  assert.ok(isAllowed(rowsOf(250, { amount: '5', operator: null })))
  for (const [name, rows] of Object.entries({
    rows: rowsOf(501, { amount: '5' }),
    cells: rowsOf(251, { amount: '5', operator: 'OMCM' }),
    twice: [...rowsOf(1, { amount: '5' }), ...rowsOf(1, { operator: 'OMCM' })],
    unknown: rowsOf(1, { amount: '5', balance: '7' }),
    noField: rowsOf(1, {}),
    none: [],
    long: rowsOf(1, { customerName: 'x'.repeat(501) }),
  }))
    assert.ok(!isAllowed(rows), name)
})

test('not_found for a batch of another application, and nothing of it is changed', async () => {
  const [one, other] = [await harness.scene(LINES), await harness.scene(LINES)]
  const before = await harness.stored(other)
  const rows = [{ rowNumber: 3, fields: { amount: '500' } }]
  assert.deepEqual(await edit(one, rows, { batchId: other.batchId }), { ok: false, error: 'not_found' })
  assert.deepEqual(await edit(other, rows, { actor: one.actor }), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await harness.stored(other), before)
  assert.deepEqual(await editsOf(other), [{}, {}, {}])
})

test('not_a_draft while its columns are not known, once it is submitted and once it is discarded', async () => {
  const rows = [{ rowNumber: 2, fields: { amount: '500' } }]
  const unread = await harness.scene(['x;237677209341;5000;Awa;MOMOCM'], { head: 'Ref;Qui;Paie;Nom de scène;Via' })
  assert.equal((await harness.stored(unread)).state, 'checking')
  const submitted = await harness.scene(['237677209341;Awa;5000;MOMOCM'])
  must(await harness.submit(submitted))
  const discarded = await harness.scene(LINES)
  must(await discardBatch(harness.deps(), await harness.command(discarded)))
  for (const one of [unread, submitted, discarded]) assert.deepEqual(await edit(one, rows), { ok: false, error: 'not_a_draft' })
  assert.deepEqual(
    (await harness.transactionsOf(submitted)).map(({ amount_minor }) => amount_minor),
    [500_000n],
  )
})

test('a field that the file has no column for is taken from what was typed', async () => {
  const one = await harness.scene(['237677209341;Awa;5000'], { head: BATCH_HEAD.split(';').slice(0, 3).join(';') })
  assert.deepEqual(await kindsOf(one), [['operator_missing']])
  must(await edit(one, [{ rowNumber: 2, fields: { operator: 'MOMOCM' } }]))
  assert.deepEqual(await kindsOf(one), [[]])
})
