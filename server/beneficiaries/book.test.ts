import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAudit } from '#server/audit/read-audit.ts'
import { BatchHarness } from '#server/batches/testing/batch-harness.ts'
import { bookScene } from '#server/testing/beneficiaries/book.ts'
import { must } from '#server/testing/partner.ts'
import { findBeneficiary, listByText, listGroups, selectPage } from './beneficiary-store.ts'
import { changePlace, setArchived } from './change-beneficiary.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

const AWA = { name: 'Awa Diop', phoneNumber: '237670000001' }
const PAUL = { name: 'Paul Biya', phoneNumber: '237670000002' }

test('a first number is in the book only after a second person has confirmed it, never the same one', async () => {
  const { applicationId, awa, propose, confirm } = await bookScene(harness)
  const input = { ...AWA, operator: 'MOMOCM', groupName: null, amountMinor: null }
  const { changeId } = must(await propose('beneficiary.add', input))
  assert.equal((await selectPage(harness.pool, applicationId, { q: '', group: undefined, isArchived: false, page: 0 })).total, 0)
  assert.deepEqual(await confirm(changeId, awa), { ok: false, error: 'own_proposal' })
  must(await confirm(changeId))
  const present = await findBeneficiary(harness.pool, { applicationId, beneficiaryId: changeId })
  assert.deepEqual([present?.name, present?.phoneNumber], [AWA.name, AWA.phoneNumber])
})

test('not_permitted: a checker proposes nobody, and a finance officer confirms nobody', async () => {
  const { serge, actorOf, propose, confirm } = await bookScene(harness)
  const input = { ...AWA, operator: 'MOMOCM', groupName: null, amountMinor: null }
  assert.deepEqual(await propose('beneficiary.add', input, serge), { ok: false, error: 'not_permitted' })
  const { changeId } = must(await propose('beneficiary.add', input))
  assert.deepEqual(await confirm(changeId, await actorOf(['finance'])), { ok: false, error: 'not_permitted' })
})

test('a changed number pays the earlier one until it is confirmed; both are in the audit record', async () => {
  const { applicationId, add, propose, confirm } = await bookScene(harness)
  const beneficiaryId = await add(AWA)
  const numberNow = async () => (await findBeneficiary(harness.pool, { applicationId, beneficiaryId }))?.phoneNumber
  const { changeId } = must(
    await propose('beneficiary.set', { beneficiaryId, name: AWA.name, operator: 'MOMOCM', phoneNumber: '+237 670 00 00 09' }),
  )
  assert.equal(await numberNow(), AWA.phoneNumber)
  must(await confirm(changeId))
  assert.equal(await numberNow(), '237670000009')
  const entry = (await listAudit(harness.pool, applicationId, { size: 50 })).find(({ action }) => action === 'beneficiary.set')
  assert.deepEqual([entry?.details['phoneNumberBefore'], entry?.details['phoneNumber']], [AWA.phoneNumber, '237670000009'])
})

test('number_in_book where a proposal gives a person the number of another one', async () => {
  const { add, propose } = await bookScene(harness)
  const beneficiaryId = await add(AWA)
  await add({ name: 'Paul Mbarga', phoneNumber: '237670000009' })
  const proposed = await propose('beneficiary.set', { beneficiaryId, name: AWA.name, operator: 'MOMOCM', phoneNumber: '237670000009' })
  assert.ok(!proposed.ok && typeof proposed.error === 'object')
  assert.equal(proposed.error.reason, 'number_in_book')
  must(await propose('beneficiary.set', { beneficiaryId, name: 'Awa Sow', operator: 'MOMOCM', phoneNumber: AWA.phoneNumber }))
})

test('the database refuses a number that two people did not confirm, and never forgets one', async () => {
  const { applicationId, add } = await bookScene(harness)
  const beneficiaryId = await add(AWA)
  const { pool } = harness
  await assert.rejects(
    pool.query("update beneficiaries set phone_number = '237670000077' where application_id = $1 and beneficiary_id = $2", [
      applicationId,
      beneficiaryId,
    ]),
    /two people have not agreed/,
  )
  await assert.rejects(pool.query('update beneficiary_numbers set confirmed_by = proposed_by where application_id = $1', [applicationId]))
  await assert.rejects(pool.query('delete from beneficiary_numbers where application_id = $1', [applicationId]))
})

test('refused: an incomplete number, a number of another country, and one that somebody in the book has in its earlier form', async () => {
  const { add, propose } = await bookScene(harness)
  const refusal = async (operator: string, phoneNumber: string) => {
    const proposed = await propose('beneficiary.add', { name: 'X', operator, phoneNumber, groupName: null, amountMinor: null })
    return proposed.ok || typeof proposed.error === 'string' ? proposed : proposed.error.reason
  }
  assert.equal(await refusal('MOMOCM', '23767000000'), 'wrong_number')
  assert.equal(await refusal('MOMOCM', '221770000001'), 'wrong_number')
  await add({ name: 'Kofi', operator: 'BJMTN', phoneNumber: '2290197000001' })
  assert.equal(await refusal('BJMTN', '2290197000001'), 'number_in_book')
})

test('one person changes group and amount, and what they were is on record; a checker may not', async () => {
  const { applicationId, awa, serge, add } = await bookScene(harness)
  const beneficiaryId = await add({ ...AWA, groupName: 'Salaries', amountMinor: '10000' })
  const change = { applicationId, beneficiaryId, groupName: 'Bonus', amountMinor: 25_000n }
  assert.deepEqual(await changePlace(harness.pool, { ...change, actor: serge }), { ok: false, error: 'not_permitted' })
  must(await changePlace(harness.pool, { ...change, actor: awa }))
  assert.deepEqual(await listGroups(harness.pool, applicationId), [{ groupName: 'Bonus', count: 1 }])
  const entry = (await listAudit(harness.pool, applicationId, { size: 50 })).find(({ action }) => action === 'beneficiary.changed')
  assert.deepEqual(entry?.details, {
    name: AWA.name,
    group: 'Bonus',
    amountMinor: '25000',
    groupBefore: 'Salaries',
    amountMinorBefore: '10000',
  })
})

test('an archived person frees the number, and comes back with it only while nobody else has it', async () => {
  const { applicationId, awa, add } = await bookScene(harness)
  const beneficiaryId = await add(AWA)
  const archive = (isArchived: boolean, id = beneficiaryId) =>
    setArchived(harness.pool, { applicationId, actor: awa, beneficiaryId: id, isArchived })
  must(await archive(true))
  const other = await add({ name: 'Binta', phoneNumber: AWA.phoneNumber })
  assert.deepEqual(await archive(false), { ok: false, error: 'number_in_book' })
  must(await archive(true, other))
  must(await archive(false))
  assert.equal((await findBeneficiary(harness.pool, { applicationId, beneficiaryId }))?.isArchived, false)
})

test('not_permitted: a checker archives nobody', async () => {
  const { applicationId, serge, add } = await bookScene(harness)
  const beneficiaryId = await add(AWA)
  const archived = await setArchived(harness.pool, { applicationId, actor: serge, beneficiaryId, isArchived: true })
  assert.deepEqual(archived, { ok: false, error: 'not_permitted' })
})

test('found by a part of the name without accents, by digits of the number and by group, in pages and never in another application', async () => {
  const { applicationId, add } = await bookScene(harness)
  await add({ ...AWA, name: 'Aïssatou Ndiaye', groupName: 'Salaries' })
  await add(PAUL)
  const names = async (filter: { q?: string; group?: string }) => {
    const { rows } = await selectPage(harness.pool, applicationId, {
      q: filter.q ?? '',
      group: filter.group,
      isArchived: false,
      page: 0,
    })
    return rows.map(({ name }) => name)
  }
  assert.deepEqual(await names({}), ['Aïssatou Ndiaye', 'Paul Biya'])
  assert.deepEqual(await names({ q: 'AISSA' }), ['Aïssatou Ndiaye'])
  assert.deepEqual(await names({ q: '670 00 00 02' }), ['Paul Biya'])
  assert.deepEqual(await names({ group: 'Salaries' }), ['Aïssatou Ndiaye'])
  assert.deepEqual(await names({ q: '%' }), [])
  assert.deepEqual(
    (await listByText(harness.pool, applicationId, 'biy', 5)).map(({ name }) => name),
    ['Paul Biya'],
  )
  assert.deepEqual(await listByText(harness.pool, (await bookScene(harness)).applicationId, 'biy', 5), [])
})
