import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { RepairKind } from '#lib/batches/batch-fields.ts'
import { connectedTo } from '#server/testing/connected.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { assignColumns, decideRepair, discardBatch, excludeRows } from './edit-batch.ts'
import { editRows } from './rows/edit-rows.ts'
import { submitBatch } from './submit-batch.ts'
import { BatchHarness } from './testing/batch-harness.ts'
import { makeBatch, makerOf } from './testing/make-batch.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

test('problems and sums of every row, and nothing is started', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM', '2.37E+11;Koffi;5000;MOMOCM', '237699123456;Awa;700;Orange Cameroun'])
  const batch = await harness.stored(one)
  assert.deepEqual([batch.state, batch.ready_count, batch.problem_count], ['draft', 2, 1])
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ problems }) => problems.map(({ kind }) => kind)),
    [[], ['phone_digits_lost'], []],
  )
  assert.deepEqual(await harness.transactionsOf(one), [])
})

test('warnings from one statement: duplicates in the file, paid lately, another name than last time; spelling does not matter', async () => {
  const phoneNumber = '237677209341'
  const one = await harness.scene(
    [
      `${phoneNumber};Clarisse Mbarga;5000;MOMOCM`,
      `${phoneNumber};Clarisse Mbarga;5000;MOMOCM`,
      '22997123456;Koffi;100;BJMTN',
      '2290197123456;Koffi;100;BJMTN',
      '237670000001;MBARGA clarissé;1;MOMOCM',
      '237670000002;Jean Talla;1;MOMOCM',
      '237670000003;Clarisse Mbala;1;MOMOCM',
    ],
    {
      transactions: [{ phoneNumber, amountMinor: 500_000n }, ...[1, 2, 3].map((end) => ({ phoneNumber: `23767000000${end}` }))],
    },
  )
  await harness.pool.query(
    "update transactions set status = 'SUCCESS', final_at = now() where application_id = $1 and phone_number <> $2",
    [one.applicationId, phoneNumber],
  )
  await decideRepair(harness.deps(), { ...(await harness.command(one)), repair: 'benin', isAccepted: true })
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ warnings }) => warnings.map(({ kind }) => kind)),
    [['duplicate', 'paid'], ['duplicate', 'paid'], ['duplicate'], ['duplicate'], [], ['name'], ['name']],
  )
})

test('accepted repairs of one kind change the rows; undone, the rows are as in the file', async () => {
  const one = await harness.scene(['22997123456;Koffi;100;BJMTN', '677209341;Awa;1.500;MOMOCM'])
  const decide = async (repair: RepairKind, isAccepted: boolean) =>
    must(await decideRepair(harness.deps(), { ...(await harness.command(one)), repair, isAccepted }))
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ repairs }) => repairs.map(({ kind }) => kind)),
    [['benin'], ['dial_code', 'thousands']],
  )
  await decide('benin', true)
  await decide('dial_code', true)
  await decide('thousands', true)
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ phone_number, problems }) => [phone_number, problems]),
    [
      ['2290197123456', []],
      ['237677209341', []],
    ],
  )
  const accepted = (await harness.stored(one)).content_hash
  await decide('benin', false)
  assert.equal((await harness.rowsOf(one))[0]?.phone_number, '22997123456')
  // The same person under both numbers: it is the same payment.
  assert.deepEqual((await harness.stored(one)).content_hash, accepted)
})

test('an edited row is checked at once, also against the others; null returns to the cell of the file', async () => {
  const one = await harness.scene(['2.37E+11;Awa;5000;MOMOCM', '237677209341;Awa;5000;MOMOCM'])
  must(
    await editRows(harness.deps(), {
      ...(await harness.command(one)),
      rows: [{ rowNumber: 2, fields: { phoneNumber: '+237 677 20 93 41' } }],
    }),
  )
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ problems, warnings }) => [problems.length, warnings.map(({ kind }) => kind)]),
    [
      [0, ['duplicate']],
      [0, ['duplicate']],
    ],
  )
  must(await editRows(harness.deps(), { ...(await harness.command(one)), rows: [{ rowNumber: 2, fields: { phoneNumber: null } }] }))
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ problems, warnings }) => [problems.length, warnings.length]),
    [
      [1, 0],
      [0, 0],
    ],
  )
})

test('a problem that names the amounts that the operator takes, for an amount that is no multiple; corrected, the row is ready', async () => {
  const one = await harness.scene(['237677209341;Awa;5003;MOMOCM'])
  const connectors = connectedTo(undefined, { 'MOMOCM:DEPOSIT': { minimumMinor: 100_00n, multipleMinor: 5_00n } })
  const edit = async (amount: string) =>
    must(await editRows(harness.deps(connectors), { ...(await harness.command(one)), rows: [{ rowNumber: 2, fields: { amount } }] }))
  await edit('5004')
  const values = { minimum: '100', maximum: '9999999995', multiple: '5', currency: 'XAF' }
  assert.deepEqual((await harness.rowsOf(one))[0]?.problems, [{ field: 'amount', kind: 'amount_multiples', values }])
  await edit('5005')
  assert.deepEqual((await harness.rowsOf(one))[0]?.problems, [])
})

test('ok with the same version and no audit entry for an exclusion that changes nothing, and not_found for a row that is not there', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM'])
  must(await excludeRows(harness.deps(), { ...(await harness.command(one)), rowNumbers: [2], reason: 'Left' }))
  const command = await harness.command(one)
  assert.deepEqual(await excludeRows(harness.deps(), { ...command, rowNumbers: [2], reason: 'Left' }), {
    ok: true,
    value: { version: command.version },
  })
  assert.equal((await harness.stored(one)).version, command.version)
  const { rowCount } = await harness.pool.query("select 1 from audit_entries where subject = $1 and action = 'batch.rows_excluded'", [
    one.batchId,
  ])
  assert.equal(rowCount, 1)
  assert.deepEqual(await excludeRows(harness.deps(), { ...command, rowNumbers: [9], reason: 'Left' }), { ok: false, error: 'not_found' })
})

test('rows that are left out are not submitted, and can be taken in again', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM', '237677209342;Koffi;700;MOMOCM'])
  must(await excludeRows(harness.deps(), { ...(await harness.command(one)), rowNumbers: [2, 3], reason: 'Left' }))
  assert.equal((await harness.stored(one)).ready_count, 0)
  assert.deepEqual(await harness.submit(one), { ok: false, error: 'nothing_to_submit' })
  must(await excludeRows(harness.deps(), { ...(await harness.command(one)), rowNumbers: [3], reason: null }))
  must(await harness.submit(one))
  assert.deepEqual(
    (await harness.transactionsOf(one)).map(({ amount_minor }) => amount_minor),
    [70_000n],
  )
})

test('columns that a person assigned are used for the next file with the same headers', async () => {
  const lines = ['x;237677209341;5000;Awa;MOMOCM']
  const head = 'Ref;Bénéficiaire no;Paie;Qui;Via'
  const one = await harness.scene(lines, { head })
  assert.equal((await harness.stored(one)).state, 'checking')
  const columns = { phoneNumber: 1, amount: 2, customerName: 3, operator: 4 }
  assert.deepEqual(
    await assignColumns(harness.deps(), { ...(await harness.command(one)), columns: { ...columns, country: 9 }, defaultOperator: null }),
    {
      ok: false,
      error: 'no_such_column',
    },
  )
  must(await assignColumns(harness.deps(), { ...(await harness.command(one)), columns, defaultOperator: null }))
  assert.deepEqual([(await harness.stored(one)).state, (await harness.stored(one)).ready_count], ['draft', 1])
  const again = await makeBatch(harness.pool, { ...one, text: ['REF;beneficiaire no;paie;qui;via', ...lines].join('\n') })
  assert.deepEqual(
    [(await harness.stored({ ...one, batchId: again })).state, (await harness.stored({ ...one, batchId: again })).ready_count],
    ['draft', 1],
  )
})

test('not_permitted, changed_meanwhile, not_a_draft and not_found from every command; nothing is changed', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM'])
  const place = await harness.command(one)
  const run = async (change: Partial<typeof place>) => {
    const input = { ...place, ...change }
    const results = await Promise.all([
      editRows(harness.deps(), { ...input, rows: [{ rowNumber: 2, fields: { customerName: 'X' } }] }),
      excludeRows(harness.deps(), { ...input, rowNumbers: [2], reason: 'x' }),
      decideRepair(harness.deps(), { ...input, repair: 'benin', isAccepted: true }),
      assignColumns(harness.deps(), { ...input, columns: { phoneNumber: 0, customerName: 1, amount: 2 }, defaultOperator: null }),
      submitBatch({ ...harness.deps(), wakeSubmitter: () => undefined }, { ...input, repeatReason: null }),
      discardBatch(harness.deps(), input),
    ])
    return [...new Set(results.map((result) => (result.ok ? 'ok' : result.error)))]
  }
  const checker = {
    kind: 'person' as const,
    id: await makePerson(harness.pool, one.applicationId, ['checker']),
    applicationId: one.applicationId,
    roles: ['checker' as const],
  }
  assert.deepEqual(await run({ actor: checker }), ['not_permitted'])
  assert.deepEqual(await run({ version: place.version - 1 }), ['changed_meanwhile'])
  assert.deepEqual(await run({ batchId: randomUUID() }), ['not_found'])
  assert.deepEqual(await harness.stored(one), { ...(await harness.stored(one)), version: place.version, state: 'draft' })
  must(await harness.submit(one))
  assert.deepEqual(await run({ version: (await harness.stored(one)).version }), ['not_a_draft'])
})

test('another maker continues a batch and becomes its maker; everybody who uploaded, changed or submitted it is named once', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM'])
  const uploader = (await harness.stored(one)).maker_id
  const [editor, other] = [
    await makePerson(harness.pool, one.applicationId, ['maker']),
    await makePerson(harness.pool, one.applicationId, ['maker']),
  ]
  for (const [person, customerName] of [
    [editor, 'Awa D'],
    [uploader, 'Awa'],
    [editor, 'Awa D'],
  ] as const) {
    const command = { ...(await harness.command(one)), actor: makerOf(one.applicationId, person) }
    must(await editRows(harness.deps(), { ...command, rows: [{ rowNumber: 2, fields: { customerName } }] }))
  }
  must(await harness.submit({ ...one, actor: makerOf(one.applicationId, other) }))
  assert.deepEqual(
    (await harness.transactionsOf(one)).map(({ maker_id }) => maker_id),
    [other],
  )
  assert.deepEqual((await harness.stored(one)).prepared_by, [uploader, editor, other])
})

test('a discarded batch keeps no row and cannot be changed', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM'])
  must(await discardBatch(harness.deps(), await harness.command(one)))
  assert.deepEqual([(await harness.stored(one)).state, (await harness.rowsOf(one)).length], ['discarded', 0])
})
