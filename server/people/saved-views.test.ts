import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { deleteView, listViews, saveView } from './saved-views.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function anOwner() {
  const applicationId = await makeApplication(database.pool)
  return { applicationId, personId: await makePerson(database.pool, applicationId, ['finance']) }
}

test('the views of a person in that application only, by name; the same name again replaces the filters', async () => {
  const owner = await anOwner()
  const elsewhere = { ...owner, applicationId: await makeApplication(database.pool) }
  await saveView(database.pool, { ...owner, name: 'Wave this month', query: 'operator=CIWAVE' })
  await saveView(database.pool, { ...owner, name: 'Big ones', query: 'min=100000' })
  await saveView(database.pool, { ...owner, name: 'Big ones', query: 'min=500000' })
  const views = await listViews(database.pool, owner)
  assert.deepEqual(
    views.map(({ name, query }) => [name, query]),
    [
      ['Big ones', 'min=500000'],
      ['Wave this month', 'operator=CIWAVE'],
    ],
  )
  assert.deepEqual(await listViews(database.pool, elsewhere), [])
})

test('not_found: removing the view of another person', async () => {
  const owner = await anOwner()
  const other = { ...owner, personId: randomUUID() }
  await saveView(database.pool, { ...owner, name: 'Mine', query: '' })
  const [view] = await listViews(database.pool, owner)
  assert.ok(view)
  assert.deepEqual(await deleteView(database.pool, { ...other, viewId: view.viewId }), { ok: false, error: 'not_found' })
  assert.equal((await deleteView(database.pool, { ...owner, viewId: view.viewId })).ok, true)
  assert.deepEqual(await listViews(database.pool, owner), [])
})

test('too_many: the 51st view of a person', async () => {
  const owner = await anOwner()
  for (let n = 0; n < 50; n++) await saveView(database.pool, { ...owner, name: `View ${n}`, query: '' })
  assert.deepEqual(await saveView(database.pool, { ...owner, name: 'One more', query: '' }), { ok: false, error: 'too_many' })
  assert.equal((await saveView(database.pool, { ...owner, name: 'View 7', query: 'status=FAILED' })).ok, true)
})
