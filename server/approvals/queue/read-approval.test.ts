import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { systemClock } from '#server/clock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { decide } from '../decide.ts'
import { readApproval } from './queue.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('deciders are the active checkers who neither made the transaction nor decided; null once it no longer waits', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const person = (roles: Role[]) => makePerson(pool, applicationId, roles)
  const both = await person(['maker', 'checker'])
  const [first, second, blocked, left] = await Promise.all(['a', 'b', 'c', 'd'].map(() => person(['checker'])))
  const finance = await person(['finance'])
  for (const [id, name] of [
    [first, 'Awa'],
    [second, 'Jean'],
  ])
    await pool.query('update people set name = $2 where person_id = $1', [id, name])
  await pool.query('update people set is_blocked = true where person_id = $1', [blocked])
  await pool.query('update memberships set is_active = false where person_id = $1', [left])
  const item = anIntakeItem(applicationId, { source: 'person', makerId: both, bands: [aBand({ steps: [2] })] })
  await takeIn(pool, [item])

  const decidersFor = async (id: string | undefined, _roles: Role[]) =>
    (await readApproval(pool, { applicationId, id: id ?? '', hasSecondFactor: false }, item.transactionId, systemClock.now()))?.deciders
  const say = async (checkerId: string | undefined) => {
    const said = await decide(decisionDeps(pool), {
      applicationId,
      transactionId: item.transactionId,
      checkerId: checkerId ?? '',
      decision: 'validated',
      note: 'Seen',
      through: 'back_office',
      actor: { kind: 'person', id: checkerId ?? '' },
    })
    assert.ok(said.ok)
  }
  assert.deepEqual(await decidersFor(finance, ['finance']), { isMe: false, others: ['Awa', 'Jean'] })
  assert.deepEqual(await decidersFor(first, ['checker']), { isMe: true, others: ['Jean'] })
  assert.deepEqual(await decidersFor(both, ['maker', 'checker']), { isMe: false, others: ['Awa', 'Jean'] })
  await say(first)
  assert.deepEqual(await decidersFor(first, ['checker']), { isMe: false, others: ['Jean'] })
  await say(second)
  assert.equal(await decidersFor(finance, ['finance']), null)
})
