import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import en from '#lib/i18n/en.json' with { type: 'json' }
import { createTranslate } from '#lib/i18n/translate.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { readFile } from '#server/batches/read-file/read-file.ts'
import { BatchHarness } from '#server/batches/testing/batch-harness.ts'
import { readImportedPeople } from '#server/changes/imported-people.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { previewPeople } from '#server/reports/beneficiaries/preview-import.ts'
import { bookScene } from '#server/testing/beneficiaries/book.ts'
import { must } from '#server/testing/partner.ts'
import { findBeneficiary, selectPage } from '../beneficiary-store.ts'
import { changePlace } from '../change-beneficiary.ts'
import { digestOf } from './imported-person.ts'
import { readPeople } from './read-people.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

const WORDS = { t: createTranslate('en', en), locale: 'en', timeZone: 'UTC' } as const

/** A book with Awa, Paul and Kofi, and short ways to import a file into it. */
async function importScene() {
  const { pool } = harness
  const scene = await bookScene(harness)
  const { applicationId, awa } = scene
  const ids = {
    awa: await scene.add({ name: 'Awa Diop', phoneNumber: '237670000001', groupName: 'Salaries', amountMinor: '500000' }),
    paul: await scene.add({ name: 'Paul Mbarga', phoneNumber: '237670000002' }),
    kofi: await scene.add({ name: 'Kofi Aka', phoneNumber: '237670000003' }),
  }
  const read = async (lines: readonly string[]) => {
    const file = must(await readFile(Buffer.from(lines.join('\n'))))
    return readPeople(pool, applicationId, file, 'MOMOCM')
  }
  const propose = async (lines: readonly string[]) => {
    const people = must(await read(lines)).people.map(({ person }) => person)
    const input = { fileName: 'book.csv', fileSha256: digestOf(people), people }
    return proposeChange(pool, { applicationId, kind: 'beneficiary.import', input, actor: awa })
  }
  const book = async () => {
    const { rows } = await selectPage(pool, applicationId, { q: '', group: undefined, isArchived: false, page: 0 })
    return rows.map(({ name, phoneNumber, groupName, amountMinor }) => [name, phoneNumber, groupName, amountMinor])
  }
  return { ...scene, pool, ids, read, propose, book }
}

const FILE = [
  'Name;Phone number;Group;Amount',
  // Unchanged, another number, another name, another group, new.
  'Awa Diop;237670000001;;',
  'Paul Mbarga;237 670 00 00 22;;',
  'Kofi A. Aka;237670000003;;',
  'Mariam Fotso;670000004;Salaries;25000',
]

test('one proposal for the whole file: nothing changes until a second person confirms it, and then everything does', async () => {
  const { applicationId, awa, serge, pool, ids, propose, confirm, book } = await importScene()
  const before = await book()
  const { changeId } = must(await propose(FILE))
  assert.deepEqual(await book(), before)
  assert.deepEqual(await confirm(changeId, awa), { ok: false, error: 'own_proposal' })
  const [waiting] = (await listChanges(pool, { applicationId, kinds: ['beneficiary.import'], actor: serge })).changes
  assert.partialDeepStrictEqual(waiting?.after, { newPeople: 1, changedNumbers: 1, changedNames: 1, changedPlaces: null })
  assert.deepEqual(
    (await readImportedPeople(pool, applicationId, changeId))?.map(({ effect, phoneNumber, present }) => [
      effect,
      phoneNumber,
      present?.phoneNumber ?? null,
    ]),
    [
      ['number', '237670000022', '237670000002'],
      ['name', '237670000003', '237670000003'],
      ['new', '237670000004', null],
    ],
  )
  must(await confirm(changeId))
  assert.deepEqual(await book(), [
    ['Awa Diop', '237670000001', 'Salaries', 500_000n],
    ['Kofi A. Aka', '237670000003', null, null],
    ['Mariam Fotso', '237670000004', 'Salaries', 2_500_000n],
    ['Paul Mbarga', '237670000022', null, null],
  ])
  assert.equal((await findBeneficiary(pool, { applicationId, beneficiaryId: ids.paul }))?.phoneNumber, '237670000022')
  const { rows } = await pool.query(
    'select distinct proposed_by, confirmed_by from beneficiary_numbers where application_id = $1 and import_id = $2',
    [applicationId, changeId],
  )
  assert.deepEqual(rows, [{ proposed_by: awa.id, confirmed_by: serge.id }])
  const entry = (await listAudit(pool, applicationId, { size: 50 })).find(({ action }) => action === 'beneficiary.imported')
  assert.partialDeepStrictEqual(entry?.details, { new: 1, number: 1, name: 1, place: 0 })
  assert.deepEqual(
    (await readImportedPeople(pool, applicationId, changeId))?.map(({ effect, present }) => [effect, present]),
    [
      ['changed', null],
      ['changed', null],
      ['new', null],
    ],
  )
})

test('the same file again changes nothing, and every row counts as unchanged', async () => {
  const { propose, confirm, read } = await importScene()
  must(await confirm(must(await propose(FILE)).changeId))
  const again = must(await read(FILE))
  assert.deepEqual([again.people, again.unchanged, again.leftOut], [[], 4, []])
})

test('a group or an amount alone keeps the agreed name and number, and an empty cell keeps what the book has', async () => {
  const { pool, applicationId, ids, propose, confirm, book } = await importScene()
  const numbers = () => pool.query('select from beneficiary_numbers where application_id = $1', [applicationId])
  const before = (await numbers()).rowCount
  must(await confirm(must(await propose(['Name;Phone number;Group;Amount', 'Awa Diop;237670000001;;7000'])).changeId))
  assert.equal((await numbers()).rowCount, before)
  assert.deepEqual((await book())[0], ['Awa Diop', '237670000001', 'Salaries', 700_000n])
  assert.equal((await findBeneficiary(pool, { applicationId, beneficiaryId: ids.awa }))?.amountMinor, 700_000n)
})

test('changed_meanwhile: somebody of the file is changed in the book before it is confirmed; the file still waits and changes nobody', async () => {
  const { pool, applicationId, awa, ids, propose, confirm, book } = await importScene()
  const { changeId } = must(await propose(FILE))
  must(await changePlace(pool, { applicationId, actor: awa, beneficiaryId: ids.paul, groupName: 'Drivers', amountMinor: null }))
  const before = await book()
  assert.deepEqual(await confirm(changeId), { ok: false, error: 'changed_meanwhile' })
  assert.deepEqual(await book(), before)
})

test('refused: a number of the file is given to somebody else before it is confirmed', async () => {
  const { add, propose, confirm } = await importScene()
  const { changeId } = must(await propose(FILE))
  await add({ name: 'Somebody Else', phoneNumber: '237670000004' })
  assert.partialDeepStrictEqual(await confirm(changeId), { ok: false, error: { code: 'refused', reason: 'number_in_book' } })
})

test('refused: the new number of somebody in the file is given to somebody else before it is confirmed', async () => {
  const { add, propose, confirm, book } = await importScene()
  const { changeId } = must(await propose(FILE))
  await add({ name: 'Somebody Else', phoneNumber: '237670000022' })
  const before = await book()
  assert.partialDeepStrictEqual(await confirm(changeId), { ok: false, error: { code: 'refused', reason: 'number_in_book' } })
  assert.deepEqual(await book(), before)
})

test('rows that cannot be read or attributed are left out, each with its reason, and never change the book', async () => {
  const { add, read } = await importScene()
  await add({ name: 'Jean Ba', phoneNumber: '237670000011' })
  await add({ name: 'Jean Ba', phoneNumber: '237670000012' })
  const found = must(
    await read([
      'Name;Phone number;Operator;Amount',
      'No Number;;;',
      'Twice One;237670000050;;',
      'Twice Two;237670000050;;',
      'Jean Ba;237670000051;;',
      'Awa Diop;237670000002;;',
      '=cmd();123;;',
      'Wrong Place;22177000000;MOMOCM;',
      'Zero;237670000052;;0',
    ]),
  )
  assert.deepEqual(
    found.people.map(({ person }) => person.name),
    ['Twice One'],
  )
  assert.deepEqual(
    found.leftOut.map(({ rowNumber, problem }) => [rowNumber, problem.kind]),
    [
      [2, 'phone_missing'],
      [4, 'twice'],
      [5, 'namesakes'],
      [6, 'number_of_other'],
      [7, 'phone_length'],
      [8, 'phone_length'],
      [9, 'amount_not_positive'],
    ],
  )
  const { problems, problemFile } = previewPeople(WORDS, found)
  assert.equal(problems[3]?.reason, 'In the book this is the number of Paul Mbarga. Change it there first.')
  assert.match(problemFile, /^'=cmd\(\),123,,,,7,/m)
})

test('a namesake of somebody who is in the file with their own number is a new person', async () => {
  const { read } = await importScene()
  const found = must(await read(['Name;Phone number', 'Awa Diop;237670000001', 'Awa Diop;237670000077']))
  assert.deepEqual(
    found.people.map(({ person }) => [person.beneficiaryId, person.phoneNumber]),
    [[null, '237670000077']],
  )
})

test('unknown_columns and too_many_people: the file as a whole is refused', async () => {
  const { read } = await importScene()
  assert.deepEqual(await read(['Amount;Phone number', '100;237670000001']), { ok: false, error: 'unknown_columns' })
  const many = Array.from({ length: 1_001 }, (_, index) => `Person ${index};23767${String(1_000_000 + index)}`)
  assert.deepEqual(await read(['Name;Phone number', ...many]), { ok: false, error: 'too_many_people' })
})

test('unknown_beneficiary: a proposal that names somebody of another application; nothing waits', async () => {
  const [{ ids }, { pool, applicationId, awa }] = [await importScene(), await importScene()]
  const people = [
    { beneficiaryId: ids.paul, name: 'Paul Mbarga', operator: 'MOMOCM', phoneNumber: '237670000077', groupName: null, amountMinor: null },
  ]
  const input = { fileName: 'a.csv', fileSha256: '0'.repeat(64), people }
  const proposed = await proposeChange(pool, { applicationId, kind: 'beneficiary.import', input, actor: awa })
  assert.partialDeepStrictEqual(proposed, { ok: false, error: { code: 'refused', reason: 'unknown_beneficiary' } })
})

test('invalid: a proposal with a number twice, or with more people than a file may change', async () => {
  const { pool, applicationId, awa } = await importScene()
  const one = { beneficiaryId: null, name: 'A B', operator: 'MOMOCM', phoneNumber: '237670000099', groupName: null, amountMinor: null }
  const propose = (people: unknown[]) =>
    proposeChange(pool, {
      applicationId,
      kind: 'beneficiary.import',
      input: { fileName: 'a.csv', fileSha256: '0'.repeat(64), people },
      actor: awa,
    })
  assert.deepEqual(await propose([one, { ...one, name: 'C D' }]), { ok: false, error: 'invalid' })
  const many = Array.from({ length: 1_001 }, (_, index) => ({ ...one, phoneNumber: `23767${String(1_000_000 + index)}` }))
  assert.deepEqual(await propose(many), { ok: false, error: 'invalid' })
})
