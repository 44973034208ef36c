import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { changeApplication } from '#server/applications/terms.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { setMembership } from '#server/people/membership.ts'
import { readMember } from '#server/people/person-store.ts'
import { findRevisions } from '#server/reports/overview/overview-store.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { confirmChange, refuseChange, withdrawChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function actorOf(applicationId: string, roles: Role[] = ['administrator', 'checker']): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** An application with two administrators and a maker. */
async function scene() {
  const applicationId = await makeApplication(database.pool)
  const [anna, ben] = [await actorOf(applicationId), await actorOf(applicationId)]
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const propose = (input: unknown = { personId: makerId, roles: ['checker'], isActive: true }, actor = anna) =>
    proposeChange(database.pool, { applicationId, kind: 'person.roles', input, actor })
  const confirm = (changeId: string, actor: PersonCommandActor) =>
    confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor })
  return {
    applicationId,
    anna,
    ben,
    makerId,
    propose,
    confirm,
    rolesOf: async () => (await readMember(database.pool, applicationId, makerId))?.roles,
  }
}

async function proposed(result: ReturnType<typeof proposeChange>): Promise<string> {
  const value = await result
  assert.ok(value.ok, JSON.stringify(value))
  return value.value.changeId
}

test('unchanged until the second administrator confirms, changed and audited with both people afterwards', async () => {
  const { applicationId, anna, ben, propose, confirm, rolesOf } = await scene()
  const changeId = await proposed(propose())
  assert.deepEqual(await rolesOf(), ['maker'])
  assert.ok((await confirm(changeId, ben)).ok)
  assert.deepEqual(await rolesOf(), ['checker'])
  const entries = await listAudit(database.pool, applicationId, { size: 10 })
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor.id]),
    [
      ['change.confirmed', ben.id],
      ['person.membership_changed', ben.id],
      ['change.proposed', anna.id],
    ],
  )
  assert.ok((await verifyAuditChain(database.pool, applicationId)).ok)
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['person.roles'], actor: anna })
  assert.deepEqual([listed?.state, listed?.decidedBy?.personId, listed?.mayDecide], ['confirmed', ben.id, 'decided'])
})

test('own_proposal for the proposer, also by a direct write to the table', async () => {
  const { applicationId, anna, propose, confirm, rolesOf } = await scene()
  const changeId = await proposed(propose())
  assert.deepEqual(await confirm(changeId, anna), { ok: false, error: 'own_proposal' })
  await assert.rejects(
    database.pool.query(
      `update proposed_changes set outcome = 'confirmed', decided_by = proposed_by, decided_at = now() where application_id = $1`,
      [applicationId],
    ),
    /two_people_make_a_change/,
  )
  assert.deepEqual(await rolesOf(), ['maker'])
})

test('about_you for the person whose roles would change, as proposer and as second person', async () => {
  const { applicationId, anna, ben, propose, confirm } = await scene()
  assert.deepEqual(await propose({ personId: anna.id, roles: ['maker'], isActive: true }), { ok: false, error: 'about_you' })
  const carl = await actorOf(applicationId)
  const changeId = await proposed(propose({ personId: ben.id, roles: ['checker'], isActive: true }))
  assert.deepEqual(await confirm(changeId, ben), { ok: false, error: 'about_you' })
  assert.ok((await confirm(changeId, carl)).ok)
})

test('any role granted by two administrators who do not hold it', async () => {
  const { ben, propose, confirm, makerId, rolesOf } = await scene()
  const changeId = await proposed(propose({ personId: makerId, roles: ['finance', 'engineer'], isActive: true }))
  assert.ok((await confirm(changeId, ben)).ok)
  assert.deepEqual(await rolesOf(), ['finance', 'engineer'])
})

test('combined_roles for maker, checker and administrator in one person, unless the settings allow it', async () => {
  const { applicationId, ben, propose, confirm, makerId, rolesOf } = await scene()
  const all = { personId: makerId, roles: ['maker', 'checker', 'administrator'], isActive: true }
  const refused = { ok: false, error: { code: 'refused', reason: 'combined_roles' } }
  const allow = (isAllowed: boolean) =>
    changeApplication(database.pool, { applicationId, change: { allowsCombinedRoles: isAllowed }, actor: SYSTEM_ACTOR })
  assert.deepEqual(await propose(all), refused)
  must(await allow(true))
  const changeId = await proposed(propose(all))
  must(await allow(false))
  assert.deepEqual(await confirm(changeId, ben), refused)
  must(await allow(true))
  assert.ok((await confirm(changeId, ben)).ok)
  assert.deepEqual(await rolesOf(), ['maker', 'checker', 'administrator'])
  // A person who has all three may keep them, and may be removed; getting them back takes the settings again.
  must(await allow(false))
  const set = (isActive: boolean) => setMembership(database.pool, { applicationId, personId: makerId, isActive, actor: SYSTEM_ACTOR })
  assert.ok((await set(true)).ok)
  assert.ok((await set(false)).ok)
  assert.deepEqual(await set(true), { ok: false, error: 'combined_roles' })
})

test('allowed in a sandbox: maker, checker and administrator in one person', async () => {
  const sandbox = await createTestDatabase({ mode: 'sandbox' })
  const applicationId = await makeApplication(sandbox.pool)
  const personId = await makePerson(sandbox.pool, applicationId, ['maker'])
  const roles = ['maker', 'checker', 'administrator'] as const
  const set = await setMembership(sandbox.pool, { applicationId, personId, roles, actor: SYSTEM_ACTOR })
  await sandbox.drop()
  assert.ok(set.ok)
})

test('not_permitted for every other role, as proposer and as second person', async () => {
  const { applicationId, propose, confirm, makerId } = await scene()
  const changeId = await proposed(propose())
  for (const role of ['maker', 'checker', 'finance'] as const) {
    const actor = await actorOf(applicationId, [role])
    assert.deepEqual(await propose({ personId: makerId, roles: [role], isActive: true }, actor), { ok: false, error: 'not_permitted' })
    assert.deepEqual(await confirm(changeId, actor), { ok: false, error: 'not_permitted' })
  }
})

test('no_second_person in an application with one administrator', async () => {
  const applicationId = await makeApplication(database.pool)
  const anna = await actorOf(applicationId)
  const input = { personId: await makePerson(database.pool, applicationId, ['maker']), roles: ['checker'], isActive: true }
  const result = await proposeChange(database.pool, { applicationId, kind: 'person.roles', input, actor: anna })
  assert.deepEqual(result, { ok: false, error: 'no_second_person' })
})

test('already_proposed for a second proposal about one person, until the first one ends', async () => {
  const { applicationId, anna, propose } = await scene()
  const changeId = await proposed(propose())
  assert.deepEqual(await propose(), { ok: false, error: 'already_proposed' })
  assert.ok((await withdrawChange(database.pool, { applicationId, changeId, actor: anna })).ok)
  assert.ok((await propose()).ok)
})

test('changed_meanwhile when the values that both people saw have changed', async () => {
  const { applicationId, ben, makerId, propose, confirm } = await scene()
  const changeId = await proposed(propose())
  await database.pool.query(`update memberships set roles = '{maker,finance}' where application_id = $1 and person_id = $2`, [
    applicationId,
    makerId,
  ])
  assert.deepEqual(await confirm(changeId, ben), { ok: false, error: 'changed_meanwhile' })
})

test('a higher proposal number for open pages of the application when a proposal is made, refused, withdrawn or confirmed', async () => {
  const [{ applicationId, anna, ben, propose, confirm }, elsewhere] = [await scene(), await scene()]
  const numberOf = async (id: string) => (await findRevisions(database.pool, [id])).get(id)?.proposalNumber
  let before = await numberOf(applicationId)
  async function assertRisen(): Promise<void> {
    const now = await numberOf(applicationId)
    assert.ok(now !== undefined && before !== undefined && now > before)
    before = now
  }
  const changeId = await proposed(propose())
  await assertRisen()
  must(await refuseChange(database.pool, { applicationId, changeId, reason: 'No', actor: ben }))
  await assertRisen()
  const second = await proposed(propose())
  await assertRisen()
  must(await withdrawChange(database.pool, { applicationId, changeId: second, actor: anna }))
  await assertRisen()
  const third = await proposed(propose())
  await assertRisen()
  must(await confirm(third, ben))
  await assertRisen()
  assert.equal(await numberOf(elsewhere.applicationId), 0n)
})

test('not_open after seven days', async () => {
  const { applicationId, ben, propose, confirm, rolesOf } = await scene()
  const changeId = await proposed(propose())
  await database.pool.query(`update proposed_changes set expires_at = now() where change_id = $1`, [changeId])
  assert.deepEqual(await confirm(changeId, ben), { ok: false, error: 'not_open' })
  assert.deepEqual(await rolesOf(), ['maker'])
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['person.roles'], actor: ben })
  assert.equal(listed?.state, 'expired')
})

test('one of two confirmations at the same moment makes the change, the other gets not_open', async () => {
  const { applicationId, ben, propose, confirm } = await scene()
  const carl = await actorOf(applicationId)
  const changeId = await proposed(propose())
  const results = await Promise.all([confirm(changeId, ben), confirm(changeId, carl)])
  assert.deepEqual(results.map((result) => (result.ok ? 'ok' : result.error)).sort(), ['not_open', 'ok'])
  const entries = await listAudit(database.pool, applicationId, { size: 10 })
  assert.equal(entries.filter(({ action }) => action === 'person.membership_changed').length, 1)
})

test('unchanged after a refusal, whose reason the proposer sees', async () => {
  const { applicationId, anna, ben, propose, confirm, rolesOf } = await scene()
  const changeId = await proposed(propose())
  const refuse = (reason: string) => refuseChange(database.pool, { applicationId, changeId, reason, actor: ben })
  assert.deepEqual(await refuse(' '), { ok: false, error: 'invalid_reason' })
  assert.ok((await refuse('She leaves on Friday')).ok)
  assert.deepEqual(await confirm(changeId, ben), { ok: false, error: 'not_open' })
  assert.deepEqual(await rolesOf(), ['maker'])
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['person.roles'], actor: anna })
  assert.deepEqual([listed?.state, listed?.reason], ['refused', 'She leaves on Friday'])
})

test('an audit entry for a refusal and for a withdrawal: by whom, about what and why', async () => {
  const { applicationId, anna, ben, propose } = await scene()
  const refused = await proposed(propose())
  must(await refuseChange(database.pool, { applicationId, changeId: refused, reason: ' Not yet ', actor: ben }))
  const withdrawn = await proposed(propose())
  must(await withdrawChange(database.pool, { applicationId, changeId: withdrawn, actor: anna }))
  const entries = (await listAudit(database.pool, applicationId, { size: 10 })).filter(({ action }) => /refused|withdrawn/.test(action))
  assert.deepEqual(
    entries.map(({ action, actor, subject, details }) => [action, actor.id, subject, details['kind'], details['reason']]),
    [
      ['change.withdrawn', anna.id, withdrawn, 'person.roles', undefined],
      ['change.refused', ben.id, refused, 'person.roles', 'Not yet'],
    ],
  )
  assert.deepEqual(
    entries.map(({ details }) => [typeof details['subject'], details['proposedBy']]),
    [
      ['string', undefined],
      ['string', anna.id],
    ],
  )
})

test('not_found for a change of another application', async () => {
  const here = await scene()
  const elsewhere = await scene()
  const changeId = await proposed(here.propose())
  assert.deepEqual(await elsewhere.confirm(changeId, elsewhere.ben), { ok: false, error: 'not_found' })
  assert.deepEqual(await here.confirm(randomUUID(), here.ben), { ok: false, error: 'not_found' })
})

test('not_found for a withdrawal by anybody but the proposer, and by the proposer in the name of another application', async () => {
  const { applicationId, anna, ben, propose } = await scene()
  const changeId = await proposed(propose())
  for (const actor of [ben, { ...anna, applicationId: await makeApplication(database.pool) }])
    assert.deepEqual(await withdrawChange(database.pool, { applicationId, changeId, actor }), { ok: false, error: 'not_found' })
  assert.ok((await withdrawChange(database.pool, { applicationId, changeId, actor: anna })).ok)
  assert.deepEqual(await withdrawChange(database.pool, { applicationId, changeId, actor: anna }), { ok: false, error: 'not_open' })
})

test('invalid_reason for a refusal without a reason, with one of 501 characters and with text that cannot be stored', async () => {
  const { applicationId, ben, propose } = await scene()
  const changeId = await proposed(propose())
  const refuse = (reason: string) => refuseChange(database.pool, { applicationId, changeId, reason, actor: ben })
  for (const reason of ['', ' \n', 'x'.repeat(501), 'a\0b']) assert.deepEqual(await refuse(reason), { ok: false, error: 'invalid_reason' })
  assert.ok((await refuse(` ${'x'.repeat(500)} `)).ok)
})

test('listed for seven days with what each person may do, then as decided for everybody, and free to be proposed again', async () => {
  const { applicationId, anna, ben, propose } = await scene()
  const [carl, checker] = [await actorOf(applicationId), await actorOf(applicationId, ['checker'])]
  const changeId = await proposed(propose({ personId: ben.id, roles: ['checker'], isActive: true }))
  const seenBy = async (actor: PersonCommandActor) =>
    (await listChanges(database.pool, { applicationId, kinds: ['person.roles'], actor })).changes[0] ?? assert.fail('it is listed')
  const seen = async () => Promise.all([anna, ben, carl, checker].map(async (actor) => (await seenBy(actor)).mayDecide))
  assert.deepEqual(await seen(), ['own_proposal', 'about_you', true, 'not_permitted'])
  const { proposedAt, expiresAt } = await seenBy(carl)
  assert.equal(Date.parse(expiresAt) - Date.parse(proposedAt), 7 * 24 * 3_600_000)
  await database.pool.query('update proposed_changes set expires_at = now() where change_id = $1', [changeId])
  assert.deepEqual(await seen(), ['decided', 'decided', 'decided', 'decided'])
  await proposed(propose({ personId: ben.id, roles: ['checker'], isActive: true }))
})

test('no_second_person when the only other administrator is the person whose roles would change', async () => {
  const { ben, propose } = await scene()
  assert.deepEqual(await propose({ personId: ben.id, roles: ['checker'], isActive: true }), { ok: false, error: 'no_second_person' })
})
