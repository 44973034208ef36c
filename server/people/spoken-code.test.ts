import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { openTestPeople, type TestPeople } from '#server/people/testing/test-people.ts'
import { must } from '#server/testing/partner.ts'
import { findInvitee, listInvitations, listOwnInvitations } from './invitation-store.ts'
import { answerOwnInvitation, renewInvitation } from './invitations.ts'
import { activateMembership, setMembership } from './membership.ts'
import { readMember } from './person-store.ts'
import { findSignedIn, loadActor } from './sign-in/sessions.ts'
import { invitationScene, PASSWORD, SOURCE } from './testing/invitation-scene.ts'

const clock = { now: () => new Date() }
let people: TestPeople
before(async () => {
  people = await openTestPeople(clock)
})
after(() => people.database.drop())
const scene = (email?: string) => invitationScene(people.database.pool, email)

test('no rights for a person who joined until the proposer has entered their code, then the roles that were agreed on', async () => {
  const { pool, applicationId, anna, ben, email, join, codeOf, activate } = await scene()
  const personId = await join()
  assert.equal(must(await people.signIn({ email, password: PASSWORD })).personId, personId)
  assert.deepEqual(await loadActor(pool, personId, applicationId), { ok: false, error: 'not_a_member' })
  assert.deepEqual((await findSignedIn(pool, { personId, epoch: 1, sessionId: randomUUID() }, new Date()))?.memberships, [])
  const code = await codeOf(personId)
  assert.match(code, /^[A-HJKMNP-Z2-9]{6}$/)
  assert.deepEqual(await activate(`${code.slice(0, 3)}-${code.slice(3)} `.toLowerCase()), { ok: true, value: { personId } })
  const member = await readMember(pool, applicationId, personId)
  assert.deepEqual([member?.name, member?.roles, member?.isActive], ['Carine Ngo', ['maker'], true])
  assert.deepEqual([await listInvitations(pool, applicationId), await listOwnInvitations(pool, personId)], [[], []])
  const entries = await listAudit(pool, applicationId, { size: 3 })
  assert.deepEqual(
    entries.map(({ action, actor, subject }) => [action, actor.id, subject]),
    [
      ['person.activated', anna.id, personId],
      ['person.joined', personId, personId],
      ['person.invited', ben.id, email],
    ],
  )
})

test('had_the_link for the code from the person who confirmed and from one who renewed the link, also after the proposer left', async () => {
  const { pool, applicationId, administrator, anna, ben, token, accept, only, codeOf, activate } = await scene()
  const [carl, dora] = [await administrator(), await administrator()]
  await token()
  const renewed = must(await renewInvitation({ pool, clock }, { applicationId, invitationId: (await only()).invitationId, actor: carl }))
  const { personId } = must(await accept(renewed.token))
  const code = await codeOf(personId)
  assert.deepEqual(await activate(code, ben), { ok: false, error: 'had_the_link' })
  assert.deepEqual(await activate(code, carl), { ok: false, error: 'had_the_link' })
  assert.deepEqual(await activate(code, dora), { ok: false, error: 'proposer_only' })
  assert.deepEqual(await activate(code, { ...anna, roles: ['checker', 'maker'] }), { ok: false, error: 'not_permitted' })
  must(await setMembership(pool, { applicationId, personId: anna.id, isActive: false, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await activate(code, ben), { ok: false, error: 'had_the_link' })
  assert.deepEqual(await activate(code, dora), { ok: true, value: { personId } })
  await assert.rejects(
    pool.query('update person_invitations set activated_by = $2 where application_id = $1', [applicationId, ben.id]),
    /activated_by_another/,
  )
})

test('confirmation_ended when the person who confirmed is no longer an administrator or is blocked, too_old after seven days', async () => {
  const one = await scene()
  const code = await one.codeOf(await one.join())
  must(await setMembership(one.pool, { applicationId: one.applicationId, personId: one.ben.id, isActive: false, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await one.activate(code), { ok: false, error: 'confirmation_ended' })
  const other = await scene()
  const codeOfOther = await other.codeOf(await other.join())
  await other.pool.query('update people set is_blocked = true where person_id = $1', [other.ben.id])
  assert.deepEqual(await other.activate(codeOfOther), { ok: false, error: 'confirmation_ended' })
  const two = await scene()
  const personId = await two.join()
  const late = await two.codeOf(personId)
  await two.age(24 * 7)
  assert.deepEqual(await two.activate(late), { ok: false, error: 'too_old' })
  assert.deepEqual(await listOwnInvitations(two.pool, personId), [])
  assert.ok((await two.invite()).ok)
})

test('wrong_spoken_code four times, then too_many_codes and the end of the invitation, also for the right code', async () => {
  const { pool, applicationId, anna, join, codeOf, only, activate } = await scene()
  const personId = await join()
  const code = await codeOf(personId)
  const { invitationId } = await only()
  const wrong = code.startsWith('A') ? 'BBBBBB' : 'AAAAAA'
  for (let tries = 0; tries < 4; tries++) assert.deepEqual(await activate(wrong), { ok: false, error: 'wrong_spoken_code' })
  assert.deepEqual(await activate(''), { ok: false, error: 'too_many_codes' })
  assert.deepEqual(await activateMembership({ pool, clock }, { applicationId, invitationId, spokenCode: code, actor: anna }), {
    ok: false,
    error: 'not_found',
  })
  assert.equal(await readMember(pool, applicationId, personId), undefined)
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.details], ['person.activation_failed', { failures: 5 }])
})

test('combined_roles, and no member, if the settings no longer allow the roles that were agreed on', async () => {
  const { pool, applicationId, invite, accept, codeOf, activate } = await scene()
  await pool.query('update applications set allows_combined_roles = true where application_id = $1', [applicationId])
  const personId = must(await accept(must(await invite(['maker', 'checker', 'administrator'])).token)).personId
  await pool.query('update applications set allows_combined_roles = false where application_id = $1', [applicationId])
  assert.deepEqual(await activate(await codeOf(personId)), { ok: false, error: 'combined_roles' })
  assert.equal(await readMember(pool, applicationId, personId), undefined)
})

test('one membership when the code is entered ten times at once', async () => {
  const { pool, applicationId, anna, join, codeOf, only } = await scene()
  const code = await codeOf(await join())
  const { invitationId } = await only()
  const results = await Promise.all(
    Array.from({ length: 10 }, () => activateMembership({ pool, clock }, { applicationId, invitationId, spokenCode: code, actor: anna })),
  )
  assert.deepEqual(results.map((result) => (result.ok ? 'ok' : result.error)).sort(), [...Array(9).fill('not_found'), 'ok'])
})

test('invited again, and a member with a new code, after the person who confirmed has left', async () => {
  const { pool, applicationId, anna, ben, email, join, only, codeOf, activate, administrator, invite } = await scene()
  const personId = await join()
  assert.deepEqual([(await only()).isConfirmerHere, await findInvitee(pool, applicationId, email)], [true, 'invited'])
  await pool.query('update memberships set is_active = false where application_id = $1 and person_id = $2', [applicationId, ben.id])
  assert.deepEqual(await activate(await codeOf(personId)), { ok: false, error: 'confirmation_ended' })
  assert.deepEqual([(await only()).isConfirmerHere, await findInvitee(pool, applicationId, email)], [false, 'unknown'])
  must(await invite(['maker'], await administrator()))
  const { invitationId } = await only()
  must(await answerOwnInvitation(pool, { personId, accepts: true, invitationId, source: SOURCE }))
  assert.deepEqual(await activate(await codeOf(personId), anna), { ok: true, value: { personId } })
})

test('needed_for_code for a new link to the only one who could enter the code after the proposer has left', async () => {
  const { pool, applicationId, anna, ben, token, accept, only, codeOf, activate, administrator } = await scene()
  await token()
  const { invitationId } = await only()
  const carl = await administrator()
  const renew = (actor: PersonCommandActor) => renewInvitation({ pool, clock }, { applicationId, invitationId, actor })
  await pool.query('update memberships set is_active = false where application_id = $1 and person_id = $2', [applicationId, anna.id])
  assert.deepEqual(await renew(carl), { ok: false, error: 'needed_for_code' })
  const { personId } = must(await accept(must(await renew(ben)).token))
  assert.deepEqual(await activate(await codeOf(personId), ben), { ok: false, error: 'had_the_link' })
  assert.deepEqual(await activate(await codeOf(personId), carl), { ok: true, value: { personId } })
})

test('wrong_spoken_code for a code that differs in its last character only', async () => {
  const { join, codeOf, activate } = await scene()
  const code = await codeOf(await join())
  assert.deepEqual(await activate(code.slice(0, -1) + (code.endsWith('A') ? 'B' : 'A')), { ok: false, error: 'wrong_spoken_code' })
})

test('confirmation_ended once the person who renewed the link has left; the one who confirmed before does not count any more', async () => {
  const { pool, applicationId, administrator, ben, token, accept, only, codeOf, activate } = await scene()
  const carl = await administrator()
  await token()
  const renewed = must(await renewInvitation({ pool, clock }, { applicationId, invitationId: (await only()).invitationId, actor: carl }))
  const { personId } = must(await accept(renewed.token))
  const code = await codeOf(personId)
  const setActive = async (of: PersonCommandActor, isActive: boolean) =>
    must(await setMembership(pool, { applicationId, personId: of.id, isActive, actor: SYSTEM_ACTOR }))
  await setActive(carl, false)
  assert.deepEqual(await activate(code), { ok: false, error: 'confirmation_ended' })
  await setActive(carl, true)
  await setActive(ben, false)
  assert.deepEqual(await activate(code), { ok: true, value: { personId } })
})

test('no proposer named to the person who joined once that administrator has left or was blocked', async () => {
  const { pool, applicationId, anna, join } = await scene()
  const personId = await join()
  const proposer = async () => (await listOwnInvitations(pool, personId))[0]?.proposerName
  const name = (await readMember(pool, applicationId, anna.id))?.name
  assert.equal(await proposer(), name)
  await pool.query('update people set is_blocked = true where person_id = $1', [anna.id])
  assert.equal(await proposer(), null)
  await pool.query('update people set is_blocked = false where person_id = $1', [anna.id])
  must(await setMembership(pool, { applicationId, personId: anna.id, isActive: false, actor: SYSTEM_ACTOR }))
  assert.equal(await proposer(), null)
})

test('confirmation_ended when the person who confirmed has another role now', async () => {
  const { pool, applicationId, ben, join, codeOf, activate } = await scene()
  const code = await codeOf(await join())
  must(await setMembership(pool, { applicationId, personId: ben.id, roles: ['finance'], actor: SYSTEM_ACTOR }))
  assert.deepEqual(await activate(code), { ok: false, error: 'confirmation_ended' })
})

test('had_the_link for the person who joined, who knows the code', async () => {
  const { applicationId, anna, join, codeOf, activate } = await scene()
  const personId = await join()
  const self: PersonCommandActor = { kind: 'person', id: personId, applicationId, roles: ['administrator'] }
  assert.deepEqual(await activate(await codeOf(personId), self), { ok: false, error: 'had_the_link' })
  assert.ok((await activate(await codeOf(personId), anna)).ok)
})
