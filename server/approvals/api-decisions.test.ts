import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { type DecisionCommand, decide } from './decide.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const [checkerId, otherId] = [await makePerson(pool, applicationId, ['checker']), await makePerson(pool, applicationId, ['checker'])]
  const [starter, other] = [randomUUID(), randomUUID()]
  const wait = async (band: Parameters<typeof aBand>[0], overrides: Partial<IntakeItem> = {}) => {
    const item = anIntakeItem(applicationId, { actor: { kind: 'api', id: starter }, bands: [aBand(band)], ...overrides })
    await takeIn(pool, [item])
    return item.transactionId
  }
  const say = async (transactionId: string, apiUserId: string, overrides: Partial<DecisionCommand> = {}) => {
    const result = await decide(decisionDeps(pool), {
      applicationId,
      transactionId,
      checkerId,
      decision: 'validated',
      note: 'Checked by phone',
      through: 'api',
      actor: { kind: 'api', id: apiUserId },
      ...overrides,
    })
    return result.ok ? result.value.status : result.error.kind
  }
  const inBackOffice = (personId: string): Partial<DecisionCommand> => ({
    checkerId: personId,
    through: 'back_office',
    actor: { kind: 'person', id: personId },
  })
  return { applicationId, checkerId, otherId, starter, other, wait, say, inBackOffice }
}

test('api_may_not_decide where the rule does not allow it, for both decisions and in every state; people decide in the back office', async () => {
  const { checkerId, starter, other, wait, say, inBackOffice } = await scene()
  const id = await wait({ apiMayDecide: false })
  for (const apiUserId of [starter, other]) {
    assert.equal(await say(id, apiUserId), 'api_may_not_decide')
    assert.equal(await say(id, apiUserId, { decision: 'rejected' }), 'api_may_not_decide')
  }
  assert.equal(await say(id, starter, { checkerId: randomUUID() }), 'not_a_checker')
  assert.equal(await say(id, starter, inBackOffice(checkerId)), 'PENDING')
  assert.equal(await say(id, other), 'api_may_not_decide')
})

test('PENDING through the API where the rule allows it and one checker is enough, also for the API user that started it', async () => {
  const { starter, wait, say } = await scene()
  assert.equal(await say(await wait({ apiMayDecide: true }), starter), 'PENDING')
})

test('started_by_api_user for the API user that started a transaction for two people; another one and people in the back office count', async () => {
  const { checkerId, otherId, starter, other, wait, say, inBackOffice } = await scene()
  for (const steps of [[2], [1, 1]]) {
    const id = await wait({ apiMayDecide: true, steps })
    assert.equal(await say(id, starter), 'started_by_api_user')
    assert.equal(await say(id, other), 'PENDING_APPROVAL')
    assert.equal(await say(id, starter, { checkerId: otherId }), 'started_by_api_user')
    assert.equal(await say(id, other, { checkerId: otherId }), 'PENDING')
  }
  const mixed = await wait({ apiMayDecide: true, steps: [2] })
  assert.equal(await say(mixed, starter, inBackOffice(checkerId)), 'PENDING_APPROVAL')
  assert.equal(await say(mixed, starter, { checkerId: otherId, decision: 'rejected' }), 'FAILED')
})

test('started_by_api_user even where the rule asks one checker for a code, and code_required for any other API user', async () => {
  const { starter, other, wait, say } = await scene()
  const id = await wait({ apiMayDecide: true, needsCode: true })
  assert.equal(await say(id, starter, { hasFreshCode: true }), 'started_by_api_user')
  assert.equal(await say(id, other), 'code_required')
})

test('PENDING through the API for a payment that a person prepared and two people approve: no program started it', async () => {
  const { applicationId, otherId, starter, wait, say } = await scene()
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const id = await wait({ apiMayDecide: true, steps: [2] }, { source: 'person', makerId, actor: { kind: 'person', id: makerId } })
  assert.equal(await say(id, starter), 'PENDING_APPROVAL')
  assert.equal(await say(id, starter, { checkerId: otherId }), 'PENDING')
})

test('api_may_decide is stored with the item at intake', async () => {
  const { wait } = await scene()
  const ids = [await wait({ apiMayDecide: true }), await wait({ apiMayDecide: false })]
  const { rows } = await database.pool.query('select transaction_id, api_may_decide from approval_items where transaction_id = any ($1)', [
    ids,
  ])
  assert.deepEqual(
    new Map(rows.map((row) => [row.transaction_id, row.api_may_decide])),
    new Map([
      [ids[0], true],
      [ids[1], false],
    ]),
  )
})
