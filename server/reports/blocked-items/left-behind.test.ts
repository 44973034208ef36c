import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { blockPerson } from '#server/people/accounts.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { leavesAnything, readLeftBehind } from './read-left-behind.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const person = (roles: Role[]) => makePerson(pool, applicationId, roles)
  const wait = async (steps: number[], overrides: Partial<IntakeItem> = {}) => {
    const item = anIntakeItem(applicationId, { bands: [aBand({ steps })], ...overrides })
    await takeIn(pool, [item])
    return item.transactionId
  }
  const left = async (personId: string, lost: Role[] = ['checker']) => {
    const { items, itemCount } = await readLeftBehind(pool, { applicationId, personId, lost })
    assert.equal(items.length, itemCount)
    return items.map(({ id }) => id).sort()
  }
  return { applicationId, person, wait, left }
}

test('every waiting transaction for the only checker, none while a second one can decide', async () => {
  const { person, wait, left } = await scene()
  const anna = await person(['checker'])
  const ids = [await wait([1]), await wait([1])].sort()
  assert.deepEqual(await left(anna), ids)
  assert.deepEqual(await left(anna, ['maker']), [])
  const ben = await person(['checker'])
  assert.deepEqual(await left(anna), [])
  must(await blockPerson(database.pool, { personId: ben, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await left(anna), ids)
})

test('items that the other checker made or that need both are left behind, but not those that need more than there are', async () => {
  const { person, wait, left } = await scene()
  const anna = await person(['checker'])
  const ben = await person(['checker', 'maker'])
  const madeByBen = await wait([1], { source: 'person', makerId: ben, actor: { kind: 'person', id: ben } })
  const needsBoth = await wait([1, 1])
  await wait([1])
  // Without anybody who could decide it, with or without Anna.
  await wait([2, 1])
  assert.deepEqual(await left(anna), [madeByBen, needsBoth].sort())
  assert.deepEqual(await left(ben), [needsBoth])
})

test('a batch as one item, by its strictest row, with its number of rows and its sum', async () => {
  const { applicationId, person } = await scene()
  const makerId = await person(['maker'])
  const anna = await person(['checker'])
  const { batchId } = await makeFileBatch(database.pool, { applicationId, makerId, count: 3 })
  const { items } = await readLeftBehind(database.pool, { applicationId, personId: anna, lost: ['checker'] })
  assert.deepEqual(
    items.map(({ kind, id, rowCount, others }) => ({ kind, id, rowCount, others })),
    [{ kind: 'batch', id: batchId, rowCount: 3, others: 0 }],
  )
})

test('a batch that the only other checker prepared and another person submitted is left behind', async () => {
  const { applicationId, person } = await scene()
  const [makerId, anna, ben] = [await person(['maker']), await person(['checker']), await person(['checker', 'maker'])]
  const { batchId } = await makeFileBatch(database.pool, { applicationId, makerId, count: 1 })
  const left = () => readLeftBehind(database.pool, { applicationId, personId: anna, lost: ['checker'] })
  assert.deepEqual((await left()).items, [])
  await database.pool.query('update batches set prepared_by = $2 where batch_id = $1', [batchId, [ben, makerId]])
  assert.deepEqual(
    (await left()).items.map(({ id, others }) => ({ id, others })),
    [{ id: batchId, others: 0 }],
  )
})

test('what a program started whose password the only other checker received is left behind', async () => {
  const { applicationId, person, wait, left } = await scene()
  const [anna, ben] = [await person(['checker']), await person(['checker', 'engineer'])]
  const apiUserId = randomUUID()
  await database.pool.query(
    `insert into api_users (application_id, api_user_id, username, password_hash) values ($1, $2::uuid, $2::uuid::text, 'x')`,
    [applicationId, apiUserId],
  )
  const started = await wait([1], { actor: { kind: 'api', id: apiUserId } })
  assert.deepEqual(await left(anna), [])
  await database.pool.query('update api_users set password_holders = $2 where api_user_id = $1', [apiUserId, [ben]])
  await wait([1])
  assert.deepEqual(await left(anna), [started])
})

test('own proposals, and the changes that only this administrator could confirm', async () => {
  const { applicationId, person } = await scene()
  const actor = async (): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await person(['administrator']),
    applicationId,
    roles: ['administrator'],
  })
  const [anna, ben] = [await actor(), await actor()]
  const maker = await person(['maker'])
  const propose = async (by: PersonCommandActor, input: { network: string }) =>
    must(await proposeChange(database.pool, { applicationId, kind: 'address.allow', input: { ...input, note: '' }, actor: by })).changeId
  const [own, bens] = [await propose(anna, { network: '192.0.2.1' }), await propose(ben, { network: '192.0.2.2' })]
  const lost: Role[] = ['administrator']
  const left = async () => {
    const { proposals, onlyTheyConfirm } = await readLeftBehind(database.pool, { applicationId, personId: anna.id, lost })
    return [proposals.map(({ changeId }) => changeId), onlyTheyConfirm.map(({ changeId }) => changeId)]
  }
  assert.deepEqual(await left(), [[own], [bens]])
  await actor()
  assert.deepEqual(await left(), [[own], []])
  assert.deepEqual(await readLeftBehind(database.pool, { applicationId, personId: maker, lost }), {
    items: [],
    itemCount: 0,
    proposals: [],
    onlyTheyConfirm: [],
    draftCount: 0,
    batchDraftCount: 0,
  })
})

test('true for a change that takes the only checker away, false for one that leaves the role, and for a blocked person', async () => {
  const { applicationId, person, wait } = await scene()
  const anna = await person(['checker', 'finance'])
  await wait([1])
  const leaves = (roles: Role[], isActive = true) =>
    leavesAnything(database.pool, { applicationId, kind: 'person.roles', input: { personId: anna, roles, isActive } })
  assert.deepEqual([await leaves(['finance']), await leaves(['checker'], false), await leaves(['checker'])], [true, true, false])
  assert.equal(await leavesAnything(database.pool, { applicationId, kind: 'person.second_factor_reset', input: { personId: anna } }), false)
  must(await blockPerson(database.pool, { personId: anna, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.equal(await leaves(['finance']), false)
})

test('nothing of another application', async () => {
  const here = await scene()
  const elsewhere = await scene()
  const anna = await here.person(['checker'])
  await elsewhere.wait([1])
  assert.deepEqual(await here.left(anna), [])
})

test('the twenty oldest items and the number of all, for a hundred that wait', async () => {
  const { applicationId, person } = await scene()
  const anna = await person(['checker'])
  const waiting = Array.from({ length: 100 }, () => anIntakeItem(applicationId, { bands: [aBand()] }))
  await takeIn(database.pool, waiting)
  const { items, itemCount } = await readLeftBehind(database.pool, { applicationId, personId: anna, lost: ['checker'] })
  assert.deepEqual([items.length, itemCount], [20, 100])
})
