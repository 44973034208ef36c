import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/permissions.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/list-audit.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { openTestPeople, type TestPeople } from '#server/people/testing/test-people.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { createPerson } from './create-person.ts'
import { findInvitation } from './find-invitation.ts'
import { findInvitee, listInvitations } from './invitation-queries.ts'
import { invitePerson } from './invite-person.ts'
import { readMember } from './person-queries.ts'
import { renewInvitation } from './renew-invitation.ts'
import { withdrawInvitation } from './withdraw-invitation.ts'

const PASSWORD = 'a long enough password'
let people: TestPeople
before(async () => {
  people = await openTestPeople({ now: () => new Date() })
})
after(() => people.database.drop())

async function scene() {
  const { pool } = people.database
  const applicationId = await makeApplication(pool)
  const administrator = async (): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(pool, applicationId, ['administrator']),
    applicationId,
    roles: ['administrator'],
  })
  const [anna, ben] = [await administrator(), await administrator()]
  const email = `${randomUUID()}@example.com`
  const invite = (roles: Role[] = ['maker'], actor = ben) =>
    withTransaction(pool, (trx) => invitePerson(trx, { applicationId, email, name: 'Carine', roles, proposedBy: anna.id, actor }))
  const token = async () => must(await invite()).token ?? assert.fail('a new person has a link')
  const accept = (of: string, password = PASSWORD, name = 'Carine Ngo') => acceptInvitation(pool, { token: of, name, password })
  const age = (hours: number) =>
    pool.query(
      'update person_invitations set expires_at = expires_at - make_interval(hours => $2), created_at = created_at - make_interval(hours => $2) where application_id = $1',
      [applicationId, hours],
    )
  const only = async () => (await listInvitations(pool, applicationId))[0] ?? assert.fail('there is an invitation')
  return { pool, applicationId, anna, ben, email, invite, token, accept, age, only }
}

test('a member with the roles that were agreed on, who signs in with the chosen password; the link works once', async () => {
  const { pool, applicationId, anna, ben, email, token, accept } = await scene()
  const link = await token()
  const { personId, isNew } = must(await accept(link))
  assert.ok(isNew)
  assert.equal(must(await people.signIn({ email, password: PASSWORD })).personId, personId)
  const member = await readMember(pool, applicationId, personId)
  assert.deepEqual([member?.name, member?.roles, member?.isActive], ['Carine Ngo', ['maker'], true])
  assert.deepEqual(await accept(link, 'another long password'), { ok: false, error: 'used' })
  assert.deepEqual(await listInvitations(pool, applicationId), [])
  const [joined, invited] = await listAudit(pool, applicationId, { size: 2 })
  assert.deepEqual([joined?.action, joined?.actor.id, joined?.details['proposedBy']], ['person.joined', personId, anna.id])
  assert.deepEqual([invited?.action, invited?.actor.id, invited?.subject], ['person.invited', ben.id, email])
})

test('one person and one success when a link is used ten times at once', async () => {
  const { email, pool, token, accept } = await scene()
  const link = await token()
  const results = await Promise.all(Array.from({ length: 10 }, () => accept(link)))
  assert.deepEqual(results.map((result) => (result.ok ? 'ok' : result.error)).sort(), ['ok', ...Array(9).fill('used')])
  assert.equal((await pool.query('select 1 from people where email = $1', [email])).rowCount, 1)
})

test('expired 24 hours after the link was made, valid again with a new one, whose predecessor is unknown', async () => {
  const { pool, applicationId, ben, token, accept, age, only } = await scene()
  const first = await token()
  assert.ok((await findInvitation(pool, first, { locks: false })).ok)
  await age(24)
  assert.deepEqual(await accept(first), { ok: false, error: 'expired' })
  const { invitationId } = await only()
  const renewed = must(await renewInvitation(pool, { applicationId, invitationId, actor: ben }))
  assert.deepEqual(await accept(first), { ok: false, error: 'unknown' })
  assert.ok((await accept(renewed.token)).ok)
})

test('own_proposal for a new link to the person’s proposer, too_old after seven days, not_found in another application', async () => {
  const { pool, applicationId, anna, ben, token, age, only } = await scene()
  await token()
  const { invitationId } = await only()
  const renew = (actor: PersonCommandActor, of = applicationId) => renewInvitation(pool, { applicationId: of, invitationId, actor })
  assert.deepEqual(await renew(anna), { ok: false, error: 'own_proposal' })
  const elsewhere = await scene()
  assert.deepEqual(await renew(elsewhere.ben, elsewhere.applicationId), { ok: false, error: 'not_found' })
  assert.deepEqual(await renew({ ...ben, roles: ['checker', 'maker', 'finance'] }), { ok: false, error: 'not_permitted' })
  await age(24 * 7)
  assert.deepEqual(await renew(ben), { ok: false, error: 'too_old' })
})

test('used for the link of an invitation that was withdrawn; the person can be invited again', async () => {
  const { pool, applicationId, anna, token, accept, only, invite } = await scene()
  const link = await token()
  const { invitationId } = await only()
  assert.ok((await withdrawInvitation(pool, { applicationId, invitationId, actor: anna })).ok)
  assert.deepEqual(await accept(link), { ok: false, error: 'used' })
  assert.deepEqual(await withdrawInvitation(pool, { applicationId, invitationId, actor: anna }), { ok: false, error: 'not_found' })
  assert.ok((await invite()).ok)
})

test('invited while a link is valid, replaced once it has expired', async () => {
  const { pool, applicationId, email, token, age, accept } = await scene()
  await token()
  assert.equal(await findInvitee(pool, applicationId, email), 'invited')
  await age(25)
  assert.equal(await findInvitee(pool, applicationId, email), 'unknown')
  assert.ok((await accept(await token())).ok)
  assert.equal(await findInvitee(pool, applicationId, email), 'member')
})

test('a member at once, without a link and with the name and password they have, for a person of another application', async () => {
  const { pool, applicationId, email, invite } = await scene()
  const elsewhere = await makeApplication(pool)
  const created = must(
    await createPerson(pool, { applicationId: elsewhere, email, name: 'Own Name', roles: ['finance'], actor: SYSTEM_ACTOR }),
  )
  assert.equal(must(await invite()).token, null)
  const member = await readMember(pool, applicationId, created.personId)
  assert.deepEqual([member?.name, member?.roles], ['Own Name', ['maker']])
  assert.ok((await people.signIn({ email, password: created.password ?? '' })).ok)
  assert.deepEqual(await invite(), { ok: false, error: 'already_member' })
})

test('the password of an account that was made after the invitation stays; the link only adds the membership', async () => {
  const { pool, applicationId, email, token, accept } = await scene()
  const link = await token()
  const elsewhere = await makeApplication(pool)
  const created = must(await createPerson(pool, { applicationId: elsewhere, email, name: 'Own', roles: ['maker'], actor: SYSTEM_ACTOR }))
  const accepted = must(await accept(link))
  assert.deepEqual([accepted.isNew, accepted.personId], [false, created.personId])
  assert.deepEqual(await people.signIn({ email, password: PASSWORD }), { ok: false, error: { kind: 'wrong_credentials' } })
  assert.ok((await people.signIn({ email, password: created.password ?? '' })).ok)
  assert.deepEqual((await readMember(pool, applicationId, created.personId))?.roles, ['maker'])
})

test('invalid_name, password_too_short or unknown, and nobody created, for input that is not right', async () => {
  const { pool, email, token, accept } = await scene()
  const link = await token()
  assert.deepEqual(await accept(link, 'short'), { ok: false, error: 'password_too_short' })
  assert.deepEqual(await accept(link, 'x'.repeat(1_025)), { ok: false, error: 'password_too_short' })
  assert.deepEqual(await accept(link, PASSWORD, ' '), { ok: false, error: 'invalid_name' })
  assert.deepEqual(await accept(link, PASSWORD, 'a\0b'), { ok: false, error: 'invalid_name' })
  for (const wrong of ['', 'x', `${link}x`, link.toLowerCase(), '\0', 'x'.repeat(100_000)]) {
    assert.deepEqual(await accept(wrong), { ok: false, error: 'unknown' })
  }
  assert.equal((await pool.query('select 1 from people where email = $1', [email])).rowCount, 0)
})

test('not_permitted when the proposer of the person confirms, also by a direct write', async () => {
  const { pool, anna, invite, token } = await scene()
  assert.deepEqual(await invite(['maker'], anna), { ok: false, error: 'not_permitted' })
  await token()
  await assert.rejects(pool.query('update person_invitations set confirmed_by = proposed_by where proposed_by = $1', [anna.id]), /check/)
})

test('the token of a link in no row of the database, only its digest', async () => {
  const { pool, token } = await scene()
  const link = await token()
  const { rows } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  )
  for (const { name } of rows) {
    const found = await pool.query(`select 1 from ${name} as t where position($1 in t::text) > 0 limit 1`, [link])
    assert.equal(found.rowCount, 0, name)
  }
  assert.ok(rows.length > 50)
})
