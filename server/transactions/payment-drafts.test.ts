import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from './intake.ts'
import { DRAFTS_MAX, deleteDraft, findDraft, listDrafts, saveDraft } from './payments.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function anOwner() {
  const applicationId = await makeApplication(database.pool)
  return { applicationId, personId: await makePerson(database.pool, applicationId, ['maker']) }
}

const content = (customerName: string) => ({
  type: 'DEPOSIT',
  country: 'CAMEROON',
  operator: '',
  phoneNumber: '2376',
  customerName,
  purpose: '',
  amount: '',
})
const namesOf = async (owner: Awaited<ReturnType<typeof anOwner>>) =>
  (await listDrafts(database.pool, owner)).map((draft) => draft.content.customerName)

test('the drafts of a person in that application only, the newest first; the same identity again replaces what was typed', async () => {
  const owner = await anOwner()
  const [first, second] = [randomUUID(), randomUUID()]
  await saveDraft(database.pool, { ...owner, externalId: first, originId: null, content: content('A') })
  await saveDraft(database.pool, { ...owner, externalId: second, originId: null, content: content('B') })
  await saveDraft(database.pool, { ...owner, externalId: first, originId: second, content: content('A2') })
  assert.deepEqual(await namesOf(owner), ['A2', 'B'])
  assert.equal((await findDraft(database.pool, owner, first))?.originId, second)
  const other = { ...owner, personId: randomUUID() }
  assert.deepEqual([await namesOf(other), await findDraft(database.pool, other, first)], [[], undefined])
  assert.deepEqual(await namesOf({ ...owner, applicationId: await makeApplication(database.pool) }), [])
})

test('too_many: one more than a person may have, while those that exist can still be saved', async () => {
  const owner = await anOwner()
  const ids = Array.from({ length: DRAFTS_MAX }, () => randomUUID())
  for (const externalId of ids) await saveDraft(database.pool, { ...owner, externalId, originId: null, content: content('x') })
  const more = { ...owner, externalId: randomUUID(), originId: null, content: content('y') }
  assert.deepEqual(await saveDraft(database.pool, more), { ok: false, error: 'too_many' })
  assert.equal((await saveDraft(database.pool, { ...more, externalId: ids[0] ?? '' })).ok, true)
  assert.equal((await deleteDraft(database.pool, { ...owner, externalId: ids[1] ?? '' })).ok, true)
  assert.equal((await saveDraft(database.pool, more)).ok, true)
})

test('no room taken by drafts of payments that were sent', async () => {
  const owner = await anOwner()
  const sent = Array.from({ length: DRAFTS_MAX }, () => anIntakeItem(owner.applicationId, { type: 'COLLECT' }))
  await takeIn(database.pool, sent)
  for (const { externalId } of sent) await saveDraft(database.pool, { ...owner, externalId, originId: null, content: content('x') })
  assert.equal((await saveDraft(database.pool, { ...owner, externalId: randomUUID(), originId: null, content: content('y') })).ok, true)
  assert.deepEqual(await namesOf(owner), ['y'])
})

test('not_found: deleting the draft of another person, or one that is gone', async () => {
  const owner = await anOwner()
  const externalId = randomUUID()
  await saveDraft(database.pool, { ...owner, externalId, originId: null, content: content('Mine') })
  const other = { ...owner, personId: randomUUID(), externalId }
  assert.deepEqual(await deleteDraft(database.pool, other), { ok: false, error: 'not_found' })
  assert.equal((await deleteDraft(database.pool, { ...owner, externalId })).ok, true)
  assert.deepEqual(await deleteDraft(database.pool, { ...owner, externalId }), { ok: false, error: 'not_found' })
})

test('not listed: a draft that was sent, and one that another version wrote', async () => {
  const owner = await anOwner()
  const sent = anIntakeItem(owner.applicationId, { type: 'COLLECT' })
  await saveDraft(database.pool, { ...owner, externalId: sent.externalId, originId: null, content: content('Sent') })
  await takeIn(database.pool, [sent])
  await database.pool.query(
    `insert into payment_drafts (application_id, person_id, external_id, content) values ($1, $2, gen_random_uuid(), '{"later": 1}')`,
    [owner.applicationId, owner.personId],
  )
  assert.deepEqual(await namesOf(owner), [])
})
