import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ColumnMapping } from '#lib/reconciliation/statement-columns.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { previewColumns } from '#server/reconciliation/statements/map-columns.ts'
import { createDesk, type Desk } from '#server/reconciliation/testing/reconciliation-desk.ts'
import { csv, xlsx } from '#server/reconciliation/testing/statements.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { confirmChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
let desk: Desk
let serge: PersonCommandActor
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  const id = await makePerson(database.pool, desk.applicationId, ['administrator'])
  serge = { kind: 'person', id, applicationId: desk.applicationId, roles: ['administrator'] }
  await database.pool.query('update applications set requires_second_factor = false')
})
after(() => database.drop())

const WALLET = 'SNFREE'
const HEADER = [
  'Date',
  'Heure',
  'Réf. opération',
  'Libellé',
  'N° client',
  'Débit',
  'Crédit',
  'Frais',
  'Solde',
  'Réf. partenaire',
  'Résultat',
]
const ROWS = [
  ['05/11/2026', '08:15:00', 'FM-1', 'Paiement marchand', '77 123 45 67', '', '5 000', '50', '104 950', '', 'Traité'],
  ['05/11/2026', '9h20', 'FM-2', 'Paiement marchand', '221771234568', '2.500,50', '', '', '102 449,50', '', 'Traité'],
  ['05/11/2026', '10:00', 'FM-3', 'Paiement marchand', '771234569', '', '900', '9', '', '', 'Non abouti'],
  ['13/11/2026', '10:00', 'FM-4', 'Frais mensuels', '', '100', '', '', '', '', 'Traité'],
  ['13/11/2026', 'midi', 'FM-5', 'Paiement marchand', '', '', '1', '', '', '', 'Traité'],
]
const file = (rows = ROWS, header = HEADER) => csv([['FREE MONEY'], ['Relevé du', '13/11/2026'], header, ...rows], ';')
const MAPPING: ColumnMapping = {
  columns: { time: 0, clock: 1, operatorId: 2, type: 3, phone: 4, debit: 5, credit: 6, fee: 7, balance: 8, ourId: 9, status: 10 },
  dateOrder: 'day_first',
  zone: 'wallet',
  amountIs: 'gross',
  paidWords: ['traité'],
  failedWords: ['non abouti'],
}

const propose = (header: readonly string[], mapping: unknown, wallet = WALLET) =>
  proposeChange(database.pool, {
    applicationId: desk.applicationId,
    kind: 'statement.columns',
    input: { wallet, header, mapping },
    actor: desk.actor,
  })
const confirm = (changeId: string, actor: PersonCommandActor) =>
  confirmChange({ pool: database.pool, clock: systemClock }, { applicationId: desk.applicationId, changeId, actor })
const now = new Date('2026-11-25T00:00:00Z')

test('not refused: an unknown header waits, is shown as it would be read, and is read once another person has confirmed it', async () => {
  const { fileId } = await desk.upload(WALLET, file())
  await desk.work()
  const waiting = await desk.read(fileId)
  assert.equal(waiting.state, 'unmapped')
  assert.deepEqual(waiting.problem?.sample?.[2], HEADER)
  const preview = must(
    await previewColumns(database.pool, { applicationId: desk.applicationId, fileId, headerAt: 2, mapping: MAPPING, now }),
  )
  assert.deepEqual(
    preview.lines.map(({ at, kind, amount, fee, operatorId, phone }) => [at, kind, amount, fee, operatorId, phone]),
    [
      ['2026-11-05T08:15:00.000Z', 'payment', '5000', '50', 'FM-1', '221771234567'],
      ['2026-11-05T09:20:00.000Z', 'payment', '-2500.5', '0', 'FM-2', '221771234568'],
      ['2026-11-05T10:00:00.000Z', 'failed', '900', '0', 'FM-3', '221771234569'],
      ['2026-11-13T10:00:00.000Z', 'fee', '-100', '0', 'FM-4', null],
    ],
  )
  assert.deepEqual(preview.bad, [{ row: 8, problem: 'time' }])
  const { changeId } = must(await propose(HEADER, MAPPING))
  assert.equal((await confirm(changeId, desk.actor)).ok, false)
  await desk.work()
  assert.equal((await desk.read(fileId)).state, 'unmapped')
  const [shown] = (await listChanges(database.pool, { applicationId: desk.applicationId, kinds: ['statement.columns'], actor: serge }))
    .changes
  assert.deepEqual([shown?.after['column_credit'], shown?.after['paidWords']], ['7. Crédit', 'traité'])
  must(await confirm(changeId, serge))
  await desk.work()
  const ready = await desk.read(fileId)
  assert.deepEqual([ready.state, ready.format, ready.lineCount, ready.failedCount, ready.badCount], ['ready', 'mapped', 4, 1, 1])
  assert.deepEqual([ready.inMinor, ready.outMinor], [495_000n, 260_050n])
})

test('read automatically: the next file with this header, in capitals, with another separator, as a workbook with more rows', async () => {
  const more = [...ROWS.slice(0, 2), ['14/11/2026', '07:00', 'FM-9', 'Paiement marchand', '771234567', '', '10', '', '', '', 'Traité']]
  const upper = HEADER.map((name) => name.toUpperCase())
  const files = [csv([upper, ...more]), csv([HEADER, ...more], '\t'), await xlsx([HEADER, ...more])]
  for (const content of files) {
    const { fileId } = await desk.upload(WALLET, content)
    await desk.work()
    const read = await desk.read(fileId)
    assert.deepEqual([read.state, read.lineCount, read.problem], ['ready', 3, null])
  }
})

test('not read: another wallet with this header, a column more, and two columns that changed places', async () => {
  const moved = HEADER.with(5, 'Crédit').with(6, 'Débit')
  for (const [wallet, header] of [
    ['SNOM-collect', HEADER],
    [WALLET, [...HEADER, 'Taxe']],
    [WALLET, moved],
  ] as const) {
    const { fileId } = await desk.upload(wallet, file(ROWS, [...header]))
    await desk.work()
    assert.equal((await desk.read(fileId)).state, 'unmapped')
  }
})

test('refused: a known header, one column for two things, an amount without a direction, and a word for both results', async () => {
  const known = ['Transaction ID', 'Transaction Date', 'Description', 'Status', 'Transaction Amount', 'Credit/Debit', 'Fee', 'Balance']
  const codeOf = async (...input: Parameters<typeof propose>) => {
    const result = await propose(...input)
    return result.ok ? 'proposed' : result.error
  }
  assert.deepEqual(await codeOf(known, { ...MAPPING, columns: { time: 1, amount: 4 } }), { code: 'refused', reason: 'known_header' })
  for (const mapping of [
    { ...MAPPING, columns: { time: 0, amount: 0 } },
    { ...MAPPING, columns: { time: 0, credit: 6 } },
    { ...MAPPING, columns: { time: 0 } },
    { ...MAPPING, failedWords: ['Traité '] },
    { ...MAPPING, columns: { time: 0, amount: 80 } },
  ])
    assert.equal(await codeOf(HEADER, mapping), 'invalid')
})

test('checked again: a file whose columns two people said otherwise between its check and its import', async () => {
  const { fileId } = await desk.upload(
    WALLET,
    file([['15/11/2026', '08:00', 'FM-20', 'Paiement', '771234567', '', '100', '1', '', '', 'Traité']]),
  )
  await desk.work()
  assert.equal((await desk.read(fileId)).inMinor, 9_900n)
  await database.pool.query(`update statement_files set state = 'importing' where file_id = $1`, [fileId])
  const net: ColumnMapping = { ...MAPPING, amountIs: 'net' }
  must(await confirm(must(await propose(HEADER, net)).changeId, serge))
  await desk.work()
  const again = await desk.read(fileId)
  assert.deepEqual([again.state, again.inMinor], ['ready', 10_000n])
})
