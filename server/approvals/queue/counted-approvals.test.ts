import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { systemClock } from '#server/clock.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { selectRowNotes } from '#server/reports/transaction-search/search-store.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { decide, decideMany } from '../decide.ts'
import { findApproval, listApprovals, readApproval } from './queue.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const LEAVE = {
  blocked: 'update people set is_blocked = true where person_id = $1',
  'who is no longer a member': 'update memberships set is_active = false where person_id = $1',
  'without the checker role': "update memberships set roles = '{finance}' where person_id = $1",
} as const
const RETURN = [
  'update people set is_blocked = false where person_id = $1',
  "update memberships set is_active = true, roles = '{checker}' where person_id = $1",
]

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const checkers = await Promise.all(['a', 'b', 'c'].map(() => makePerson(pool, applicationId, ['checker'])))
  const [first = '', second = '', third = ''] = checkers
  const wait = async (steps: number[] = [2]) => {
    const item = anIntakeItem(applicationId, {
      source: 'person',
      makerId: await makePerson(pool, applicationId, ['maker']),
      bands: [aBand({ steps })],
    })
    await takeIn(pool, [item])
    return item.transactionId
  }
  const viewer = (id: string) => ({ applicationId, id, roles: ['checker'] as Role[], hasSecondFactor: false })
  const row = (id: string, transactionId: string) => findApproval(pool, viewer(id), transactionId)
  const say = async (transactionId: string, checkerId: string, expectedHash?: string) => {
    const result = await decide(decisionDeps(pool), {
      applicationId,
      transactionId,
      checkerId,
      decision: 'validated',
      note: 'Invoice seen',
      through: 'back_office',
      actor: { kind: 'person', id: checkerId },
      ...(expectedHash === undefined ? {} : { expectedHash }),
    })
    return result.ok ? result.value.status : result.error.kind
  }
  return { applicationId, first, second, third, wait, viewer, row, say }
}

for (const [who, leave] of Object.entries(LEAVE)) {
  test(`PENDING_APPROVAL until enough people approved who still may: an approval of a person ${who} does not count`, async () => {
    const { first, second, third, wait, row, say } = await scene()
    const id = await wait()
    await say(id, first)
    const shown = await row(second, id)
    assert.deepEqual([shown?.given, shown?.needed, shown?.decisions[0]?.counts], [1, 2, true])
    await database.pool.query(leave, [first])
    const after = await row(second, id)
    assert.deepEqual([after?.given, after?.needed, after?.decisions[0]?.counts], [0, 2, false])
    assert.equal(await say(id, second, shown?.contentHash), 'content_changed')
    assert.equal(await say(id, second, after?.contentHash), 'PENDING_APPROVAL')
    assert.equal(await say(id, third), 'PENDING')
    // A finished item keeps its counted decisions.
    await database.pool.query(leave, [second])
    const done = await row(third, id)
    assert.deepEqual([done?.given, done?.decisions.map((one) => one.counts)], [2, [true, true, true]])
  })
}

test("the same number of approvals on the transaction's page and in the notes of the list", async () => {
  const { applicationId, first, second, wait, say } = await scene()
  const id = await wait()
  const counted = async () => [
    (await readTransactionDetail(database.pool, applicationId, id))?.approval?.done,
    (await selectRowNotes(database.pool, applicationId, [id]))[0]?.approvalsDone,
  ]
  await say(id, first)
  assert.deepEqual(await counted(), [1, 1])
  await database.pool.query(LEAVE.blocked, [first])
  assert.deepEqual(await counted(), [0, 0])
  await database.pool.query(RETURN[0] ?? '', [first])
  await say(id, second)
  await database.pool.query(LEAVE.blocked, [first])
  assert.deepEqual(await counted(), [2, 2])
})

test('an approval counts again once the person may approve again', async () => {
  const { first, second, wait, say } = await scene()
  const id = await wait()
  await say(id, first)
  await database.pool.query(LEAVE.blocked, [first])
  await database.pool.query(RETURN[0] ?? '', [first])
  assert.equal(await say(id, second), 'PENDING')
})

test('step 1 is open again in list, panel and decision result once its approval no longer counts', async () => {
  const { first, second, third, wait, viewer, row, say } = await scene()
  const id = await wait([1, 1])
  await say(id, first)
  assert.equal((await row(second, id))?.step, 2)
  await database.pool.query(LEAVE.blocked, [first])
  const { rows } = await listApprovals(database.pool, { ...viewer(second), businessZone: 'UTC' }, approvalFilterSchema.parse({}))
  assert.deepEqual(
    rows.map((one) => [one.step, one.given]),
    [[1, 0]],
  )
  const view = await readApproval(database.pool, viewer(third), id, systemClock.now())
  assert.deepEqual([view?.row.given, view?.deciders?.others.length, view?.deciders?.isMe], [0, 1, true])
  const [result] = await decideMany(decisionDeps(database.pool), {
    checker: viewer(second),
    decision: 'validated',
    note: 'Seen',
    items: [{ transactionId: id, contentHash: rows[0]?.contentHash ?? '' }],
  }).then((answer) => (answer.ok ? answer.value : []))
  assert.deepEqual(result, { transactionId: id, kind: 'done', status: 'PENDING_APPROVAL', given: 1, needed: 2 })
  const { rows: steps } = await database.pool.query('select step from approval_decisions where transaction_id = $1 order by decided_at', [
    id,
  ])
  assert.deepEqual(
    steps.map((one) => one.step),
    [1, 1],
  )
})
