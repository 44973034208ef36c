import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { readMember } from '#server/people/person-store.ts'
import { countWaiting, readWaiting } from '#server/reports/waiting/read-waiting.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { collectSecret } from './collect-secret.ts'
import { confirmChange, refuseChange } from './decide-change.ts'
import { listChanges, listChangesElsewhere, readConfirmation } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
let installation: string
before(async () => {
  database = await createTestDatabase()
  installation = await makeApplication(database.pool)
  await database.pool.query('update applications set runs_installation = true where application_id = $1', [installation])
})
after(() => database.drop())

async function actorOf(applicationId: string, ...roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** An application with one administrator and a maker, and an administrator of the installation. */
async function scene() {
  const applicationId = await makeApplication(database.pool)
  const [alone, installer] = [await actorOf(applicationId, 'administrator'), await actorOf(installation, 'administrator')]
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const propose = async (kind: Parameters<typeof proposeChange>[1]['kind'], input: unknown, actor = alone) =>
    must(await proposeChange(database.pool, { applicationId, kind, input, actor })).changeId
  const promote = () => propose('person.roles', { personId: makerId, roles: ['checker'], isActive: true })
  const confirm = (changeId: string, actor: PersonCommandActor) =>
    confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor })
  const rolesOf = async () => (await readMember(database.pool, applicationId, makerId))?.roles
  return { applicationId, alone, installer, makerId, propose, promote, confirm, rolesOf }
}

test('what the only administrator proposes is confirmed by one of the installation, and both are in the audit record of the application', async () => {
  const { applicationId, alone, installer, promote, confirm, rolesOf } = await scene()
  const changeId = await promote()
  assert.deepEqual(await confirm(changeId, alone), { ok: false, error: 'own_proposal' })
  assert.ok((await confirm(changeId, installer)).ok)
  assert.deepEqual(await rolesOf(), ['checker'])
  const [confirmed] = await listAudit(database.pool, applicationId, { size: 1 })
  assert.deepEqual([confirmed?.action, confirmed?.actor.id], ['change.confirmed', installer.id])
  assert.deepEqual([confirmed?.details['proposedBy'], confirmed?.details['memberOf']], [alone.id, installation])
  assert.equal((await verifyAuditChain(database.pool, applicationId)).ok, true)
})

test('refused by an administrator of the installation, with a reason that the proposer reads and a record that says where the person belongs', async () => {
  const { applicationId, alone, installer, promote, rolesOf } = await scene()
  const changeId = await promote()
  assert.ok((await refuseChange(database.pool, { applicationId, changeId, reason: 'Call me first', actor: installer })).ok)
  assert.deepEqual(await rolesOf(), ['maker'])
  const { changes } = await listChanges(database.pool, { applicationId, kinds: ['person.roles'], actor: alone })
  assert.deepEqual([changes[0]?.state, changes[0]?.reason], ['refused', 'Call me first'])
  const [refused] = await listAudit(database.pool, applicationId, { size: 1 })
  assert.deepEqual([refused?.action, refused?.actor.id, refused?.details['memberOf']], ['change.refused', installer.id, installation])
})

test('confirmed_there as soon as a second administrator of the application may decide', async () => {
  const { applicationId, installer, promote, confirm, rolesOf } = await scene()
  const changeId = await promote()
  const second = await actorOf(applicationId, 'administrator')
  assert.deepEqual(await confirm(changeId, installer), { ok: false, error: 'confirmed_there' })
  const elsewhere = await listChangesElsewhere(database.pool, installer)
  assert.ok(!elsewhere.some((change) => change.changeId === changeId))
  assert.ok((await confirm(changeId, second)).ok)
  assert.deepEqual(await rolesOf(), ['checker'])
})

test('not_found for administrators of any other application, not_permitted for other roles of the installation and suspended administrators', async () => {
  const { installer, promote, confirm, rolesOf } = await scene()
  const changeId = await promote()
  const stranger = await actorOf(await makeApplication(database.pool), 'administrator')
  assert.deepEqual(await confirm(changeId, stranger), { ok: false, error: 'not_found' })
  for (const role of ['finance', 'engineer', 'checker', 'maker'] as const) {
    assert.deepEqual(await confirm(changeId, await actorOf(installation, role)), { ok: false, error: 'not_permitted' })
  }
  await database.pool.query('update memberships set is_active = false where person_id = $1', [installer.id])
  assert.deepEqual(await confirm(changeId, installer), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await rolesOf(), ['maker'])
})

test('not_permitted for finance of the installation, who may confirm money in their own application only', async () => {
  const { installer, propose, confirm } = await scene()
  const changeId = await propose('withdrawal.minimum', { currency: 'XAF', minimumMinor: '100000' })
  assert.deepEqual(await confirm(changeId, await actorOf(installation, 'finance')), { ok: false, error: 'not_permitted' })
  assert.ok((await confirm(changeId, installer)).ok)
})

test('confirmed by an administrator of the installation while the only other administrator of the application is blocked', async () => {
  const { applicationId, installer, promote, confirm, rolesOf } = await scene()
  const { id } = await actorOf(applicationId, 'administrator')
  await database.pool.query('update people set is_blocked = true where person_id = $1', [id])
  assert.ok((await confirm(await promote(), installer)).ok)
  assert.deepEqual(await rolesOf(), ['checker'])
})

test('own_proposal and about_you for a person of both applications', async () => {
  const { applicationId, alone, confirm, propose, promote, makerId } = await scene()
  const member = (personId: string) =>
    database.pool.query(`insert into memberships (application_id, person_id, roles) values ($1, $2, '{administrator}')`, [
      installation,
      personId,
    ])
  const changeId = await promote()
  await member(alone.id)
  await member(makerId)
  assert.deepEqual(await confirm(changeId, { ...alone, applicationId: installation }), { ok: false, error: 'own_proposal' })
  const maker: PersonCommandActor = { kind: 'person', id: makerId, applicationId: installation, roles: ['administrator'] }
  assert.deepEqual(await confirm(changeId, maker), { ok: false, error: 'about_you' })
  const key = await propose('key.create', { name: 'Shop' })
  assert.deepEqual(
    (await listChangesElsewhere(database.pool, maker))
      .filter(({ application }) => application.applicationId === applicationId)
      .map((change) => change.changeId),
    [key, changeId],
  )
})

test('a key whose confirmation ends with the role in the installation, and is collected while it lasts', async () => {
  const { applicationId, alone, installer, propose, confirm } = await scene()
  const collect = (changeId: string) =>
    collectSecret({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor: alone })
  const [first, second] = [await propose('key.create', { name: 'One' }), await propose('key.create', { name: 'Two' })]
  assert.ok((await confirm(first, installer)).ok && (await confirm(second, installer)).ok)
  assert.match(must(await collect(first)).value, /^csk_/)
  await database.pool.query(`update memberships set roles = '{finance}' where person_id = $1`, [installer.id])
  assert.deepEqual(await collect(second), { ok: false, error: 'confirmation_ended' })
})

test('code_required where either application requires the second factor', async () => {
  for (const requiring of ['application', 'installation'] as const) {
    const { applicationId, installer, promote, confirm, rolesOf } = await scene()
    const changeId = await promote()
    const id = requiring === 'application' ? applicationId : installation
    await database.pool.query('update applications set requires_second_factor = true where application_id = $1', [id])
    assert.deepEqual(await confirm(changeId, installer), { ok: false, error: 'code_required' })
    await database.pool.query('update applications set requires_second_factor = false where application_id = $1', [id])
    assert.deepEqual(await rolesOf(), ['maker'])
  }
})

test('listed and counted for administrators of the installation alone, with the name of the application', async () => {
  const { applicationId, alone, installer, promote } = await scene()
  const changeId = await promote()
  const finance = await actorOf(installation, 'finance')
  const waits = async (actor: PersonCommandActor) => {
    const reader = { ...actor, runsInstallation: actor.applicationId === installation }
    const { groups, pages } = await readWaiting(database.pool, reader)
    assert.deepEqual((await countWaiting(database.pool, reader)).pages, pages)
    return groups.find(({ group }) => group === 'changesElsewhere')?.items.filter(({ id }) => id === changeId) ?? []
  }
  const [item] = await waits(installer)
  const { rows } = await database.pool.query<{ name: string }>('select name from applications where application_id = $1', [applicationId])
  assert.equal(item?.name, rows[0]?.name)
  assert.deepEqual([await waits(finance), await waits(alone)], [[], []])
  assert.deepEqual(await readConfirmation(database.pool, { applicationId, kinds: ['person.roles'], actor: alone }), {
    isAlone: false,
    isConfirmedElsewhere: true,
    needsNobody: false,
  })
})

test('no_second_person where the installation has nobody but the proposer', async () => {
  const { applicationId, alone } = await scene()
  await database.pool.query('update memberships set is_active = false where application_id = $1', [installation])
  const input = { personId: await makePerson(database.pool, applicationId, ['maker']), roles: ['checker'], isActive: true }
  const result = await proposeChange(database.pool, { applicationId, kind: 'person.roles', input, actor: alone })
  assert.deepEqual(result, { ok: false, error: 'no_second_person' })
})
