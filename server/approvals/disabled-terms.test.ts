import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { type DecisionCommand, decide, decideMany } from './decide.ts'
import { findApprovals } from './queue/queue.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const DISABLE = {
  application_disabled: 'update applications set is_enabled = false where application_id = $1',
  service_disabled: "insert into transfer_services (application_id, operator, type, is_enabled) values ($1, 'MOMOCM', 'DEPOSIT', false)",
} as const

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const id = await makePerson(pool, applicationId, ['checker'])
  const checker = { applicationId, id, roles: ['checker'] as Role[], hasSecondFactor: false }
  const wait = async (count: number, band: Parameters<typeof aBand>[0] = {}) => {
    const items = Array.from({ length: count }, () => anIntakeItem(applicationId, { bands: [aBand(band)] }))
    await takeIn(pool, items)
    return items.map((item) => item.transactionId)
  }
  const say = (transactionId: string, overrides: Partial<DecisionCommand> = {}) =>
    decide(decisionDeps(pool), {
      applicationId,
      transactionId,
      checkerId: id,
      decision: 'validated',
      note: 'Invoice seen',
      through: 'back_office',
      actor: { kind: 'person', id },
      ...overrides,
    })
  return { applicationId, checker, wait, say }
}

for (const [kind, disable] of Object.entries(DISABLE)) {
  test(`${kind} for one approval, through the API, for the first of two and for a list; rejecting stays possible`, async () => {
    const { applicationId, checker, wait, say } = await scene()
    const [one = '', two = '', three = ''] = await wait(3)
    const [joint = ''] = await wait(1, { steps: [2] })
    await database.pool.query(disable, [applicationId])
    for (const id of [one, joint]) {
      const refused = await say(id)
      assert.deepEqual(refused, { ok: false, error: { kind, operator: 'MOMOCM', type: 'DEPOSIT' } })
    }
    const throughApi = await say(one, { through: 'api', actor: { kind: 'api', id: null } })
    assert.ok(!throughApi.ok && throughApi.error.kind === kind)
    const rows = await findApprovals(database.pool, checker, [one, two])
    assert.deepEqual(
      rows.map((row) => [row.canApprove, row.canReject]),
      [
        [kind, true],
        [kind, true],
      ],
    )
    const answer = await decideMany(decisionDeps(database.pool), { checker, decision: 'validated', note: 'Seen', items: rows })
    assert.ok(answer.ok)
    assert.deepEqual(
      answer.value.map((result) => (result.kind === 'refused' ? result.reason : result.kind)),
      [kind, kind],
    )
    const rejected = await say(three, { decision: 'rejected' })
    assert.equal(rejected.ok && rejected.value.status, 'FAILED')
    const { rows: decisions } = await database.pool.query('select transaction_id from approval_decisions where application_id = $1', [
      applicationId,
    ])
    assert.deepEqual(decisions, [{ transaction_id: three }])
  })
}

test('PENDING after its approval while only the other direction of its operator is switched off', async () => {
  const { applicationId, wait, say } = await scene()
  const [deposit = ''] = await wait(1)
  await database.pool.query(
    "insert into transfer_services (application_id, operator, type, is_enabled) values ($1, 'MOMOCM', 'COLLECT', false)",
    [applicationId],
  )
  const approved = await say(deposit)
  assert.equal(approved.ok && approved.value.status, 'PENDING')
})

test('application_disabled or PENDING, and no other result, while the application is switched off and on', async () => {
  const { applicationId, wait, say } = await scene()
  const ids = await wait(40)
  const [results] = await Promise.all([
    Promise.all(ids.map((id) => say(id))),
    (async () => {
      for (let turn = 0; turn < 60; turn++)
        await database.pool.query('update applications set is_enabled = not is_enabled where application_id = $1', [applicationId])
    })(),
  ])
  for (const result of results) assert.ok(result.ok ? result.value.status === 'PENDING' : result.error.kind === 'application_disabled')
})
