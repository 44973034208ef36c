import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { timelineOf } from '#lib/payments/transactions/transaction-timeline.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readOverview } from './read-overview.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

/** A FAILED transaction about which a callback said SUCCESS, and what the operator said when it was asked. */
async function contradicted(answer?: string): Promise<IntakeItem> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...item, event: 'failed', message: 'x', actor: SYSTEM_ACTOR }])
  const said = ['succeeded', ...(answer === undefined ? [] : [answer])]
  for (const [place, each] of said.entries())
    await database.pool.query(
      `insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
         values ($1, $2, $3, $4, $5, 'FAILED', 200, 'words', clock_timestamp())`,
      [applicationId, item.transactionId, place + 1, place === 0 ? 'callback' : 'query', each],
    )
  return item
}

async function detailOf(item: IntakeItem) {
  return (await readTransactionDetail(database.pool, applicationId, item.transactionId)) ?? assert.fail()
}

test("a detail and its timeline hold the contradiction and the operator's answer about it", async () => {
  const answers = [undefined, 'failed', 'succeeded', 'pending', 'not_found', 'unknown']
  const states = ['asking', 'confirmed', 'repeated', 'unclear', 'unclear', 'unclear']
  for (const [place, answer] of answers.entries()) {
    const detail = await detailOf(await contradicted(answer))
    assert.deepEqual([detail.contradiction?.said, detail.contradiction?.state], ['succeeded', states[place]])
    assert.deepEqual(
      detail.attempts.map(({ kind, outcome }) => `${kind} ${outcome}`),
      ['callback succeeded', ...(answer === undefined ? [] : [`query ${answer}`])],
    )
    assert.equal(timelineOf(detail).filter((item) => item.kind === 'operator').length, answer === undefined ? 1 : 2)
  }
})

test('null for the contradiction of a transaction that nothing contradicts', async () => {
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  assert.equal((await detailOf(item)).contradiction, null)
})

test('the overview counts contradictions until the operator confirms the stored result', async () => {
  applicationId = await makeApplication(database.pool)
  await contradicted('failed')
  const open = [await contradicted('succeeded'), await contradicted('unknown'), await contradicted(undefined)]
  const more = await Promise.all(Array.from({ length: 4 }, () => contradicted('pending')))
  const reader = { applicationId, id: randomUUID(), hasSecondFactor: true, roles: ['finance' as const] }
  const { finance } = await readOverview(database.pool, { ...reader, businessZone: 'UTC' }, 30, new Date())
  assert.ok(finance)
  const { contradictions } = finance
  assert.equal(contradictions.count, open.length + more.length)
  assert.equal(contradictions.newest.length, 5)
  const ids = contradictions.newest.map((each) => each.transactionId)
  for (const item of more) assert.ok(ids.includes(item.transactionId))
  assert.deepEqual(
    contradictions.newest.map((each) => each.at),
    contradictions.newest
      .map((each) => each.at)
      .toSorted()
      .toReversed(),
  )
  const other = await readOverview(
    database.pool,
    { businessZone: 'UTC', ...reader, applicationId: await makeApplication(database.pool) },
    30,
    new Date(),
  )
  assert.deepEqual(other.finance?.contradictions, { count: 0, isMore: false, newest: [] })
})

test('isDenied for what the operator accepted and then denied', async () => {
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  const work = async (set: string) => {
    await database.pool.query(`update operator_work set ${set} where application_id = $1 and transaction_id = $2`, [
      applicationId,
      item.transactionId,
    ])
    return (await detailOf(item)).work?.isDenied
  }
  assert.equal(await work("state = 'submitted', accepted_at = now()"), false)
  assert.equal(await work("state = 'unconfirmed', unconfirmed_since = now(), absent_since = now()"), true)
  assert.equal(await work('accepted_at = null'), false)
})
