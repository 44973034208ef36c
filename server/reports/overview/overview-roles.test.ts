import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ROLES, type Role } from '#lib/people/permissions.ts'
import { decide } from '#server/approvals/decide.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { saveDraft } from '#server/transactions/payments.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readOverview } from './read-overview.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function readAs(applicationId: string, id: string, roles: readonly Role[]) {
  return readOverview(database.pool, { businessZone: 'UTC', applicationId, id, roles, hasSecondFactor: true }, 7, new Date())
}

test('one part per role of the person, and null for every other role', async () => {
  const applicationId = await makeApplication(database.pool)
  const parts = ['checker', 'finance', 'maker', 'administrator'] as const
  for (const roles of [['checker'], ['finance'], ['maker'], ['administrator'], ['maker', 'checker'], ROLES] as const) {
    const id = await makePerson(database.pool, applicationId, [...roles])
    const overview = await readAs(applicationId, id, roles)
    assert.deepEqual(
      parts.filter((role) => overview[role] !== null),
      parts.filter((role) => (roles as readonly Role[]).includes(role)),
    )
  }
})

test("a maker's waiting, returned and failed transactions with their reasons, returned ones until they are sent again, drafts, and nobody else's", async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const [maker, other, checker] = await Promise.all([
    makePerson(pool, applicationId, ['maker']),
    makePerson(pool, applicationId, ['maker']),
    makePerson(pool, applicationId, ['checker']),
  ])
  const create = (makerId: string) => anIntakeItem(applicationId, { source: 'person', makerId, bands: [aBand()] })
  const [waiting, rejected, failed, recalled] = [create(maker), create(maker), create(maker), create(maker)]
  await takeIn(pool, [waiting, rejected, failed, recalled, create(other)])
  const decision = { applicationId, checkerId: checker, through: 'back_office' as const, actor: { kind: 'person' as const, id: checker } }
  const deps = decisionDeps(pool)
  const said = [
    await decide(deps, { ...decision, transactionId: rejected.transactionId, decision: 'rejected', note: 'Wrong account' }),
    await decide(deps, { ...decision, transactionId: failed.transactionId, decision: 'validated', note: 'Seen' }),
  ]
  assert.ok(said.every((result) => result.ok))
  await transition(pool, [
    { ...failed, event: 'failed', message: 'No such account', reason: 'PAYER_NOT_FOUND', actor: SYSTEM_ACTOR },
    { ...recalled, event: 'recalled', message: 'My mistake', actor: { kind: 'person', id: maker } },
  ])
  const { maker: own } = await readAs(applicationId, maker, ['maker'])
  assert.ok(own)
  assert.equal(own.waiting.count, 1)
  const shown = ({ count, newest }: typeof own.returned) => [count, newest.map(({ transactionId, message }) => [transactionId, message])]
  assert.deepEqual(shown(own.returned), [1, [[rejected.transactionId, 'Wrong account']]])
  assert.deepEqual(shown(own.failed), [1, [[failed.transactionId, 'No such account']]])
  assert.equal(own.drafts, 0)
  await takeIn(pool, [{ ...create(maker), originId: rejected.transactionId }])
  const content = { type: 'DEPOSIT', country: '', operator: '', phoneNumber: '', customerName: '', purpose: '', amount: '' }
  await saveDraft(pool, { applicationId, personId: maker, externalId: crypto.randomUUID(), originId: null, content })
  const { maker: after } = await readAs(applicationId, maker, ['maker'])
  assert.deepEqual([after?.waiting.count, after?.returned.count, after?.drafts], [2, 0, 1])
  const { maker: others } = await readAs(applicationId, other, ['maker'])
  assert.deepEqual([others?.waiting.count, others?.returned.count, others?.failed.count], [1, 0, 0])
})

test('a balance below its alert, and none that is not', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const id = await makePerson(pool, applicationId, ['finance'])
  await fund(pool, applicationId, 'MOMOCM', 500_00n)
  await fund(pool, applicationId, 'OMCM', 500_00n)
  await pool.query(
    `insert into balance_thresholds (application_id, operator, threshold_minor, set_by)
       values ($1, 'MOMOCM', 50001, $2), ($1, 'OMCM', 50000, $2), ($1, 'SNWAVE', 1, $2)`,
    [applicationId, id],
  )
  const { finance } = await readAs(applicationId, id, ['finance'])
  assert.deepEqual(finance?.lowBalances, [
    { operator: 'MOMOCM', currency: 'XAF', deposit: '500', threshold: '500.01' },
    { operator: 'SNWAVE', currency: 'XOF', deposit: '0', threshold: '0.01' },
  ])
})
