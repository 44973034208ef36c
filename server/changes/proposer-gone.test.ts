import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { blockPerson } from '#server/people/accounts.ts'
import { setMembership } from '#server/people/membership.ts'
import { readMember } from '#server/people/person-store.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { confirmChange, refuseChange } from './decide-change.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Anna, an administrator and checker, has proposed that a maker becomes a checker; Ben can confirm it. */
async function scene() {
  const applicationId = await makeApplication(database.pool)
  const actorOf = async (roles: Role[]): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(database.pool, applicationId, roles),
    applicationId,
    roles,
  })
  const [anna, ben] = [await actorOf(['administrator', 'checker']), await actorOf(['administrator'])]
  const personId = await makePerson(database.pool, applicationId, ['maker'])
  const input = { personId, roles: ['checker'], isActive: true }
  const { changeId } = must(await proposeChange(database.pool, { applicationId, kind: 'person.roles', input, actor: anna }))
  return {
    applicationId,
    anna,
    ben,
    changeId,
    confirm: () => confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor: ben }),
    rolesNow: async () => (await readMember(database.pool, applicationId, personId))?.roles,
  }
}

const LOSSES: readonly [string, (applicationId: string, personId: string) => Promise<unknown>][] = [
  ['was blocked', (_, personId) => blockPerson(database.pool, { personId, isBlocked: true, actor: SYSTEM_ACTOR })],
  [
    'left the application',
    (applicationId, personId) => setMembership(database.pool, { applicationId, personId, isActive: false, actor: SYSTEM_ACTOR }),
  ],
  [
    'is no longer an administrator',
    (applicationId, personId) => setMembership(database.pool, { applicationId, personId, roles: ['checker'], actor: SYSTEM_ACTOR }),
  ],
]

for (const [what, lose] of LOSSES) {
  test(`proposer_gone and nothing changed when the proposer ${what} after the proposal; it can still be refused`, async () => {
    const { applicationId, anna, ben, changeId, confirm, rolesNow } = await scene()
    await lose(applicationId, anna.id)
    assert.deepEqual(await confirm(), { ok: false, error: 'proposer_gone' })
    assert.deepEqual(await rolesNow(), ['maker'])
    assert.ok((await refuseChange(database.pool, { applicationId, changeId, reason: 'Anna has left', actor: ben })).ok)
  })
}

test('proposer_gone when the administrator who named a deputy for somebody else is no longer one', async () => {
  const { applicationId, anna, ben } = await scene()
  const { pool } = database
  const [absentId, deputyId] = [await makePerson(pool, applicationId, ['checker']), await makePerson(pool, applicationId, ['maker'])]
  await pool.query('update people set totp_enabled_at = now() where person_id = $1', [deputyId])
  const day = addDays(utcDayOf(new Date()), 1)
  const input = { absentId, deputyId, from: day, until: day }
  const { changeId } = must(await proposeChange(pool, { applicationId, kind: 'person.deputy', input, actor: anna }))
  await setMembership(pool, { applicationId, personId: anna.id, roles: ['checker'], actor: SYSTEM_ACTOR })
  const confirmed = await confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor: ben })
  assert.deepEqual(confirmed, { ok: false, error: 'proposer_gone' })
})

for (const [what, lose] of LOSSES) {
  test(`not_permitted and nothing changed when the person who confirms ${what} after their request began`, async () => {
    const { applicationId, ben, confirm, rolesNow } = await scene()
    await lose(applicationId, ben.id)
    assert.deepEqual(await confirm(), { ok: false, error: 'not_permitted' })
    assert.deepEqual(await rolesNow(), ['maker'])
  })
}

test('confirmed when the proposer does not have the role that the change grants, or was blocked and is back', async () => {
  const { applicationId, anna, confirm, rolesNow } = await scene()
  await blockPerson(database.pool, { personId: anna.id, isBlocked: true, actor: SYSTEM_ACTOR })
  await blockPerson(database.pool, { personId: anna.id, isBlocked: false, actor: SYSTEM_ACTOR })
  await setMembership(database.pool, { applicationId, personId: anna.id, roles: ['administrator'], actor: SYSTEM_ACTOR })
  assert.ok((await confirm()).ok)
  assert.deepEqual(await rolesNow(), ['checker'])
})

test('either proposer_gone or confirmed before the block, when both happen at once', async () => {
  for (let round = 0; round < 8; round++) {
    const { anna, confirm, rolesNow } = await scene()
    const [confirmed, blocked] = await Promise.all([
      confirm(),
      blockPerson(database.pool, { personId: anna.id, isBlocked: true, actor: SYSTEM_ACTOR }),
    ])
    assert.ok(blocked.ok)
    assert.deepEqual(await rolesNow(), confirmed.ok ? ['checker'] : ['maker'])
    if (!confirmed.ok) assert.equal(confirmed.error, 'proposer_gone')
  }
})
