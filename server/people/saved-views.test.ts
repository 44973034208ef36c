import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { blockPerson } from './accounts.ts'
import { changeView, deleteView, listViews, saveView } from './saved-views.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

type Owner = { applicationId: string; personId: string }

async function anOwner(applicationId?: string): Promise<Owner> {
  const application = applicationId ?? (await makeApplication(database.pool))
  return { applicationId: application, personId: await makePerson(database.pool, application, ['finance']) }
}

const save = (owner: Owner, name: string, query = '', isShared = false) => saveView(database.pool, { ...owner, name, query, isShared })

async function sharingOf({ applicationId }: Owner): Promise<string[]> {
  const { rows } = await database.pool.query<{ action: string }>(
    "select action from audit_entries where application_id = $1 and action like 'view.%' order by sequence",
    [applicationId],
  )
  return rows.map((row) => row.action)
}

test('the views of a person in that application only, by name; the same name again replaces the filters', async () => {
  const owner = await anOwner()
  const elsewhere = { ...owner, applicationId: await makeApplication(database.pool) }
  await save(owner, 'Wave this month', 'operator=CIWAVE')
  await save(owner, 'Big ones', 'min=100000')
  await save(owner, 'Big ones', 'min=500000')
  const views = await listViews(database.pool, owner)
  assert.deepEqual(
    views.map(({ name, query }) => [name, query]),
    [
      ['Big ones', 'min=500000'],
      ['Wave this month', 'operator=CIWAVE'],
    ],
  )
  assert.deepEqual(await listViews(database.pool, elsewhere), [])
  assert.deepEqual(await sharingOf(owner), [])
})

test('a shared view is listed for the other members with the name of its owner, and no longer once it is not shared', async () => {
  const owner = await anOwner()
  const colleague = await anOwner(owner.applicationId)
  const outsider = await anOwner()
  await save(owner, 'Private', 'status=FAILED')
  await save(owner, 'Month end', 'min=100', true)
  const [view] = await listViews(database.pool, colleague)
  assert.equal(view?.name, 'Month end')
  assert.equal(typeof view.sharedBy, 'string')
  assert.deepEqual(await listViews(database.pool, outsider), [])
  const own = await listViews(database.pool, owner)
  assert.deepEqual(
    own.map(({ name, sharedBy }) => [name, sharedBy]),
    [
      ['Month end', null],
      ['Private', null],
    ],
  )
  must(await changeView(database.pool, { ...owner, viewId: view.viewId, name: 'Month end', isShared: false }))
  assert.deepEqual(await listViews(database.pool, colleague), [])
  assert.deepEqual(await sharingOf(owner), ['view.shared', 'view.unshared'])
})

test('the shared views of a blocked person are no longer offered', async () => {
  const owner = await anOwner()
  const colleague = await anOwner(owner.applicationId)
  await save(owner, 'Mine', '', true)
  must(await blockPerson(database.pool, { personId: owner.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await listViews(database.pool, colleague), [])
})

test('not_found: changing or removing a view of another person, shared or not', async () => {
  const owner = await anOwner()
  const colleague = await anOwner(owner.applicationId)
  const nobody = { ...owner, personId: randomUUID() }
  await save(owner, 'Mine', '', true)
  const [view] = await listViews(database.pool, owner)
  assert.ok(view)
  const { viewId } = view
  for (const other of [colleague, nobody]) {
    assert.deepEqual(await deleteView(database.pool, { ...other, viewId: view.viewId }), { ok: false, error: 'not_found' })
    const change: Parameters<typeof changeView>[1] = { ...other, viewId, name: 'Theirs', isShared: true }
    assert.deepEqual(await changeView(database.pool, change), { ok: false, error: 'not_found' })
  }
  must(await deleteView(database.pool, { ...owner, viewId: view.viewId }))
  assert.deepEqual(await listViews(database.pool, owner), [])
  assert.deepEqual(await sharingOf(owner), ['view.shared', 'view.unshared'])
})

test('name_taken: renaming a view to the name of another; two renames to one name at once leave one of them', async () => {
  const owner = await anOwner()
  for (const name of ['A', 'B', 'C']) await save(owner, name)
  const idOf = async (name: string) => (await listViews(database.pool, owner)).find((view) => view.name === name)?.viewId ?? ''
  const [a, b, c] = [await idOf('A'), await idOf('B'), await idOf('C')]
  assert.deepEqual(await changeView(database.pool, { ...owner, viewId: a, name: 'B', isShared: false }), { ok: false, error: 'name_taken' })
  const both = await Promise.all([b, c].map((viewId) => changeView(database.pool, { ...owner, viewId, name: 'New', isShared: false })))
  assert.equal(both.filter((result) => result.ok).length, 1)
})

test('too_many: the 51st view of a person', async () => {
  const owner = await anOwner()
  for (let n = 0; n < 50; n++) await save(owner, `View ${n}`)
  assert.deepEqual(await save(owner, 'One more'), { ok: false, error: 'too_many' })
  assert.equal((await save(owner, 'View 7', 'status=FAILED')).ok, true)
})
