import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ViewList } from '#lib/people/saved-views.ts'
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

type Owner = { applicationId: string; personId: string; list: ViewList }

async function anOwner(applicationId?: string): Promise<Owner> {
  const application = applicationId ?? (await makeApplication(database.pool))
  return { applicationId: application, list: 'transactions', personId: await makePerson(database.pool, application, ['finance']) }
}

const NOW = new Date('2026-11-14T09:00:00Z')
const save = (owner: Owner, name: string, query = '', isShared = false, isSentMonthly = false) =>
  saveView(database.pool, { ...owner, name, query, isShared, isSentMonthly }, NOW)
const change = (view: Owner & { viewId: string; name: string; isShared: boolean; isSentMonthly?: boolean }) =>
  changeView(database.pool, { isSentMonthly: false, ...view }, NOW)

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
  must(await change({ ...owner, viewId: view.viewId, name: 'Month end', isShared: false }))
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

test('views of the totals beside those of the transactions: each list has its own, with names of its own', async () => {
  const owner = await anOwner()
  const totals: Owner = { ...owner, list: 'totals' }
  await save(owner, 'Month end', 'min=100')
  await save(totals, 'Month end', 'rows=month')
  await save(totals, 'By day', 'rows=day', true)
  const queriesOf = async (whose: Owner) => (await listViews(database.pool, whose)).map((view) => view.query)
  assert.deepEqual(await queriesOf(owner), ['min=100'])
  assert.deepEqual(await queriesOf(totals), ['rows=day', 'rows=month'])
  const [view] = await listViews(database.pool, totals)
  assert.ok(view)
  const { viewId } = view
  assert.deepEqual(await change({ ...totals, viewId, name: 'Month end', isShared: true }), {
    ok: false,
    error: 'name_taken',
  })
  must(await change({ ...totals, viewId, name: 'Big ones', isShared: true }))
  must(await deleteView(database.pool, { ...totals, viewId }))
  assert.deepEqual(await queriesOf(totals), ['rows=month'])
  assert.deepEqual(await queriesOf(owner), ['min=100'])
})

test('the shared views of a person who is no longer an active member are no longer offered', async () => {
  const owner = await anOwner()
  const colleague = await anOwner(owner.applicationId)
  await save(owner, 'Mine', '', true)
  await database.pool.query('update memberships set is_active = false where application_id = $1 and person_id = $2', [
    owner.applicationId,
    owner.personId,
  ])
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
    assert.deepEqual(await change({ ...other, viewId, name: 'Theirs', isShared: true }), { ok: false, error: 'not_found' })
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
  assert.deepEqual(await change({ ...owner, viewId: a, name: 'B', isShared: false }), { ok: false, error: 'name_taken' })
  const both = await Promise.all([b, c].map((viewId) => change({ ...owner, viewId, name: 'New', isShared: false })))
  assert.equal(both.filter((result) => result.ok).length, 1)
})

test('too_many: the 51st view of a person', async () => {
  const owner = await anOwner()
  for (let n = 0; n < 50; n++) await save(owner, `View ${n}`)
  assert.deepEqual(await save(owner, 'One more'), { ok: false, error: 'too_many' })
  assert.equal((await save(owner, 'View 7', 'status=FAILED')).ok, true)
})

test('monthly sending of totals on and off in the audit record with who switched it, shown to the owner only, and ended with the view', async () => {
  const owner = { ...(await anOwner()), list: 'totals' as const }
  const colleague = { ...(await anOwner(owner.applicationId)), list: 'totals' as const }
  must(await save(owner, 'Fees', 'measure=fees', true, true))
  const sent = async (reader: Owner) => (await listViews(database.pool, reader)).map(({ isSentMonthly }) => isSentMonthly)
  assert.deepEqual([await sent(owner), await sent(colleague)], [[true], [false]])
  const [view] = await listViews(database.pool, owner)
  assert.ok(view)
  must(await change({ ...owner, viewId: view.viewId, name: 'Fees', isShared: true, isSentMonthly: true }))
  must(await change({ ...owner, viewId: view.viewId, name: 'Fees', isShared: false, isSentMonthly: false }))
  assert.deepEqual(await sent(owner), [false])
  must(await change({ ...owner, viewId: view.viewId, name: 'Fees', isShared: false, isSentMonthly: true }))
  must(await deleteView(database.pool, { ...owner, viewId: view.viewId }))
  const { rows } = await database.pool.query<{ action: string; actor: string }>(
    "select action, actor_id as actor from audit_entries where application_id = $1 and action like 'view.sending%' order by sequence",
    [owner.applicationId],
  )
  const [on, off] = ['started', 'ended'].map((end) => ({ action: `view.sending_${end}`, actor: owner.personId }))
  assert.deepEqual(rows, [on, off, on, off])
})

test('only_totals: a view of the transactions is not sent monthly', async () => {
  const owner = await anOwner()
  assert.deepEqual(await save(owner, 'Mine', '', false, true), { ok: false, error: 'only_totals' })
  must(await save(owner, 'Mine'))
  const [view] = await listViews(database.pool, owner)
  const changed = await change({ ...owner, viewId: view?.viewId ?? '', name: 'Mine', isShared: false, isSentMonthly: true })
  assert.deepEqual(changed, { ok: false, error: 'only_totals' })
})
