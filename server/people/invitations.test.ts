import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { openTestPeople, type TestPeople } from '#server/people/testing/test-people.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createPerson } from './accounts.ts'
import { findInvitee, listInvitations, listOwnInvitations } from './invitation-store.ts'
import { answerOwnInvitation, findInvitation, invitePerson, renewInvitation, withdrawInvitation } from './invitations.ts'
import { activateMembership, setMembership } from './membership.ts'
import { readMember } from './person-store.ts'
import { findSignedIn, noteSessionUse } from './sign-in/sessions.ts'
import { invitationScene, PASSWORD, SOURCE } from './testing/invitation-scene.ts'

const clock = { now: () => new Date() }
let people: TestPeople
before(async () => {
  people = await openTestPeople(clock)
})
after(() => people.database.drop())
const scene = (email?: string) => invitationScene(people.database.pool, email)

test('the administrator named in the record and in the list whose address and browser a new person joined from', async () => {
  const { pool, applicationId, ben, join, only } = await scene()
  const session = { personId: ben.id, epoch: 1, sessionId: randomUUID(), startedAt: new Date(), endsAt: new Date(Date.now() + 60_000) }
  await noteSessionUse(pool, { ...session, ...SOURCE, notedAt: null }, new Date())
  await join({ ...SOURCE, userAgent: `${SOURCE.userAgent}\0` })
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.details['joinedLike']], ['person.joined', ben.id])
  assert.equal((await only()).joinedLikeName, (await readMember(pool, applicationId, ben.id))?.name)
  const other = await scene()
  await other.join({ ...SOURCE, userAgent: 'Another browser' })
  assert.equal((await other.only()).joinedLikeName, null)
})

test('one person and one success when a link is used ten times at once', async () => {
  const { email, pool, token, accept } = await scene()
  const link = await token()
  const results = await Promise.all(Array.from({ length: 10 }, () => accept(link)))
  assert.deepEqual(results.map((result) => (result.ok ? 'ok' : result.error)).sort(), ['ok', ...Array(9).fill('used')])
  assert.equal((await pool.query('select 1 from people where email = $1', [email])).rowCount, 1)
})

test('used, and no account, when the invitation is withdrawn at the moment at which its link is used', async () => {
  const { pool, email, token, accept } = await scene()
  const link = await token()
  const withdrawing = await pool.connect()
  try {
    await withdrawing.query('begin')
    await withdrawing.query('update person_invitations set withdrawn_at = now() where email = $1', [email])
    const accepting = accept(link)
    await waitUntil('the acceptance waits', async () => {
      const { rowCount } = await pool.query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")
      return rowCount === 1
    })
    await withdrawing.query('commit')
    assert.deepEqual(await accepting, { ok: false, error: 'used' })
  } finally {
    withdrawing.release()
  }
  assert.equal((await pool.query('select 1 from people where email = $1', [email])).rowCount, 0)
})

test('expired 24 hours after the link was made, valid again with a new one, whose predecessor is unknown', async () => {
  const { pool, applicationId, ben, token, accept, age, only } = await scene()
  const first = await token()
  assert.ok((await findInvitation(pool, first, { locks: false })).ok)
  await age(24)
  assert.deepEqual(await accept(first), { ok: false, error: 'expired' })
  const { invitationId } = await only()
  const renewed = must(await renewInvitation({ pool, clock }, { applicationId, invitationId, actor: ben }))
  assert.deepEqual(await accept(first), { ok: false, error: 'unknown' })
  assert.ok((await accept(renewed.token)).ok)
})

test('own_proposal for a new link to the person’s proposer, too_old after seven days, not_found in another application', async () => {
  const { pool, applicationId, anna, ben, token, age, only } = await scene()
  await token()
  const { invitationId } = await only()
  const renew = (actor: PersonCommandActor, of = applicationId) =>
    renewInvitation({ pool, clock }, { applicationId: of, invitationId, actor })
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

test('invited while a link is valid and while a person who joined waits for their code, replaced once it has expired', async () => {
  const { pool, applicationId, email, token, age, accept, codeOf, activate } = await scene()
  await token()
  assert.equal(await findInvitee(pool, applicationId, email), 'invited')
  await age(25)
  assert.equal(await findInvitee(pool, applicationId, email), 'unknown')
  const { personId } = must(await accept(await token()))
  await pool.query(`update person_invitations set expires_at = now() - interval '1 hour' where accepted_by = $1`, [personId])
  assert.equal(await findInvitee(pool, applicationId, email), 'invited')
  assert.ok((await activate(await codeOf(personId))).ok)
  assert.equal(await findInvitee(pool, applicationId, email), 'member')
})

/** Carine has an account in another application, made before or after the invitation. */
async function known() {
  const here = await scene()
  const { pool, email } = here
  const elsewhere = await makeApplication(pool)
  const create = async () =>
    must(await createPerson(pool, { applicationId: elsewhere, email, name: 'Own Name', roles: ['finance'], actor: SYSTEM_ACTOR }))
  const answer = async (personId: string, accepts: boolean) =>
    answerOwnInvitation(pool, { personId, accepts, invitationId: (await here.only()).invitationId, source: SOURCE })
  return { ...here, elsewhere, create, answer }
}

test('nothing for a person of another application until they accept in their own session and their code is entered', async () => {
  const { pool, applicationId, anna, create, token, accept, only, answer, codeOf, activate } = await known()
  const { personId } = await create()
  assert.deepEqual(await accept(await token()), { ok: false, error: 'has_account' })
  assert.equal(await readMember(pool, applicationId, personId), undefined)
  assert.deepEqual(
    (await listOwnInvitations(pool, personId)).map(({ roles, code }) => [roles, code]),
    [[['maker'], null]],
  )
  assert.deepEqual(await answer(anna.id, true), { ok: false, error: 'not_found' })
  assert.deepEqual([(await only()).joinedBy, (await only()).joinedName], [null, null])
  assert.ok((await answer(personId, true)).ok)
  assert.equal(await readMember(pool, applicationId, personId), undefined)
  assert.deepEqual(await answer(personId, true), { ok: false, error: 'not_found' })
  assert.ok((await activate(await codeOf(personId))).ok)
  const member = await readMember(pool, applicationId, personId)
  assert.deepEqual([member?.name, member?.roles], ['Own Name', ['maker']])
})

test('a declined invitation ends, and its application learns neither the id nor the name of the person', async () => {
  const { pool, applicationId, create, token, answer, invite } = await known()
  const { personId } = await create()
  await token()
  assert.ok((await answer(personId, false)).ok)
  assert.deepEqual([await listInvitations(pool, applicationId), await listOwnInvitations(pool, personId)], [[], []])
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.equal(entry?.action, 'person.invitation_declined')
  assert.doesNotMatch(inspect(entry), new RegExp(`${personId}|Own Name`))
  assert.ok((await invite()).ok)
})

test('has_account for the link of an invitation after an account was created; password and name stay as they are', async () => {
  const { email, create, token, accept, answer } = await known()
  const link = await token()
  const created = await create()
  assert.deepEqual(await accept(link), { ok: false, error: 'has_account' })
  assert.deepEqual(await people.signIn({ email, password: PASSWORD }), { ok: false, error: { kind: 'wrong_credentials' } })
  assert.ok((await people.signIn({ email, password: created.password ?? '' })).ok)
  assert.ok((await answer(created.personId, true)).ok)
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

test('neither the token of a link nor the code of a person in any row of the database', async () => {
  const { pool, token, accept, codeOf } = await scene()
  const link = await token()
  const code = await codeOf(must(await accept(link)).personId)
  const { rows } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  )
  for (const { name } of rows) {
    const found = await pool.query(`select 1 from ${name} as t where position($1 in t::text) > 0 limit 1`, [link])
    assert.equal(found.rowCount, 0, name)
  }
  const stored = await pool.query('select 1 from person_invitations as t where position($1 in t::text) > 0', [code])
  assert.equal(stored.rowCount, 0)
  assert.ok(rows.length > 50)
})

test('had_the_link for a proposer who could have made the account with the link of an earlier invitation', async () => {
  const { pool, applicationId, anna, ben, email, join, only, codeOf, administrator } = await scene()
  // Ben confirmed, joins as Carine, and never gets a code from Anna. He ends it and proposes Carine again, which Anna confirms.
  const personId = await join()
  must(await withdrawInvitation(pool, { applicationId, invitationId: (await only()).invitationId, actor: ben }))
  const again = { applicationId, email, name: 'Carine', roles: ['administrator' as const], proposedBy: ben.id, actor: anna }
  must(await withTransaction(pool, (trx) => invitePerson(trx, again)))
  const { invitationId } = await only()
  must(await answerOwnInvitation(pool, { personId, accepts: true, invitationId, source: SOURCE }))
  const spokenCode = await codeOf(personId)
  const activate = (actor: PersonCommandActor) => activateMembership({ pool, clock }, { applicationId, invitationId, spokenCode, actor })
  assert.deepEqual(await activate(ben), { ok: false, error: 'had_the_link' })
  const carl = await administrator()
  await pool.query('update memberships set is_active = false where application_id = $1 and person_id = $2', [applicationId, ben.id])
  assert.equal((await activate(carl)).ok, true)
})

test('not_found for a new link once somebody has joined', async () => {
  const { pool, applicationId, ben, join, only } = await scene()
  await join()
  const { invitationId } = await only()
  assert.deepEqual(await renewInvitation({ pool, clock }, { applicationId, invitationId, actor: ben }), { ok: false, error: 'not_found' })
})

test('not_found for an invitation that a person with an account accepts after seven days', async () => {
  const { create, token, age, answer } = await known()
  const { personId } = await create()
  await token()
  await age(24 * 7)
  assert.deepEqual(await answer(personId, true), { ok: false, error: 'not_found' })
})

test('nobody named for a person who joined from another address with the same browser as the one who confirmed', async () => {
  const { pool, ben, join, only } = await scene()
  const session = { personId: ben.id, epoch: 1, sessionId: randomUUID(), startedAt: new Date(), endsAt: new Date(Date.now() + 60_000) }
  await noteSessionUse(pool, { ...session, ...SOURCE, notedAt: null }, new Date())
  await join({ ...SOURCE, address: '203.0.113.9' })
  assert.equal((await only()).joinedLikeName, null)
})

test('password_too_common, and nobody created, for a new person with a common password', async () => {
  const { token, accept, only } = await scene()
  assert.deepEqual(await accept(await token(), 'password1234'), { ok: false, error: 'password_too_common' })
  assert.equal((await only()).joinedBy, null)
})

test('combined_roles for an invitation as maker, checker and administrator', async () => {
  const { invite } = await scene()
  assert.deepEqual(await invite(['maker', 'checker', 'administrator']), { ok: false, error: 'combined_roles' })
})

test('has_account for one of the links of two applications that a new person uses at once; they join the other one', async () => {
  const one = await scene()
  const other = await scene(one.email)
  const links = [await one.token(), await other.token()]
  const results = await Promise.all(links.map((link) => one.accept(link)))
  assert.deepEqual(results.map((result) => (result.ok ? 'ok' : result.error)).sort(), ['has_account', 'ok'])
  assert.equal([await one.only(), await other.only()].filter(({ joinedBy }) => joinedBy !== null).length, 1)
})

test('expired 24 hours after a new link was made, however long the earlier one was still valid', async () => {
  const { pool, applicationId, ben, token, accept, age, only } = await scene()
  await token()
  const renewed = must(await renewInvitation({ pool, clock }, { applicationId, invitationId: (await only()).invitationId, actor: ben }))
  await age(24)
  assert.deepEqual(await accept(renewed.token), { ok: false, error: 'expired' })
})

test('joined with a name of 200 characters without the spaces around it, invalid_name for 201', async () => {
  const { pool, email, token, accept } = await scene()
  const link = await token()
  assert.deepEqual(await accept(link, PASSWORD, 'x'.repeat(201)), { ok: false, error: 'invalid_name' })
  must(await accept(link, PASSWORD, `  ${'x'.repeat(200)} `))
  assert.deepEqual((await pool.query('select length(name) from people where email = $1', [email])).rows, [{ length: 200 }])
})

test('valid for all of the 24 hours after it was made: a link and the new link that takes its place', async () => {
  const one = await scene()
  const link = await one.token()
  await one.age(23)
  assert.ok((await findInvitation(one.pool, link, { locks: false })).ok)
  assert.deepEqual([(await one.only()).isExpired, await findInvitee(one.pool, one.applicationId, one.email)], [false, 'invited'])
  await one.age(24)
  assert.deepEqual([(await one.only()).isExpired, await findInvitee(one.pool, one.applicationId, one.email)], [true, 'unknown'])
  const { invitationId } = await one.only()
  const renewed = must(await renewInvitation({ pool: one.pool, clock }, { applicationId: one.applicationId, invitationId, actor: one.ben }))
  await one.age(23)
  assert.ok((await one.accept(renewed.token)).ok)
})

test('a new link, an answer and the code until the end of the seventh day after two people agreed', async () => {
  const here = await known()
  const { pool, applicationId, ben, create, token, age, only, answer, codeOf, activate } = here
  const { personId } = await create()
  await token()
  await age(24 * 7 - 1)
  assert.equal((await only()).isRecent, true)
  const { invitationId } = await only()
  assert.ok((await renewInvitation({ pool, clock }, { applicationId, invitationId, actor: ben })).ok)
  const session = { personId, epoch: 1, sessionId: randomUUID() }
  assert.equal((await findSignedIn(pool, session, new Date()))?.hasInvitations, true)
  assert.ok((await answer(personId, true)).ok)
  assert.equal((await listOwnInvitations(pool, personId)).length, 1)
  await pool.query('update person_invitations set created_at = created_at + make_interval(mins => 30) where application_id = $1', [
    applicationId,
  ])
  assert.deepEqual(await activate(await codeOf(personId)), { ok: true, value: { personId } })
  assert.equal((await findSignedIn(pool, session, new Date()))?.hasInvitations, false)
  const old = await known()
  const invited = await old.create()
  await old.token()
  await old.age(24 * 7)
  assert.equal((await old.only()).isRecent, false)
  assert.equal((await findSignedIn(pool, { ...session, personId: invited.personId }, new Date()))?.hasInvitations, false)
})

test('invited in the application of the invitation only, and withdrawn there when the person is invited once more', async () => {
  const here = await scene()
  const other = await scene(here.email)
  await here.token()
  assert.equal(await findInvitee(other.pool, other.applicationId, here.email), 'unknown')
  await other.token()
  await here.age(25)
  await here.token()
  assert.equal((await listInvitations(here.pool, here.applicationId)).length, 1)
  assert.equal((await listInvitations(other.pool, other.applicationId)).length, 1)
})

test('the record of an invitation from its proposal to the membership: who agreed, and what the person was given', async () => {
  const { pool, applicationId, anna, ben, email, token, accept, only, codeOf, activate } = await scene()
  await token()
  const { invitationId, expiresAt } = await only()
  const renewed = must(await renewInvitation({ pool, clock }, { applicationId, invitationId, actor: ben }))
  const { personId } = must(await accept(renewed.token))
  must(await activate(await codeOf(personId)))
  const agreed = { roles: ['maker'], proposedBy: anna.id, confirmedBy: ben.id }
  const entries = (await listAudit(pool, applicationId, { size: 10 })).toReversed()
  assert.deepEqual(
    entries.map(({ action, actor, subject, details }) => [action, actor.id, subject, details]),
    [
      ['person.invited', ben.id, email, { name: 'Carine', roles: ['maker'], proposedBy: anna.id, expiresAt: expiresAt.toISOString() }],
      ['person.invitation_renewed', ben.id, email, entries[1]?.details],
      ['person.joined', personId, personId, { email, ...agreed, isNew: true, name: 'Carine Ngo' }],
      ['person.activated', anna.id, personId, { email, ...agreed }],
    ],
  )
  assert.ok(Date.parse(String(entries[1]?.details['expiresAt'])) > expiresAt.getTime())
})

test('not_permitted for a person who is no administrator: an invitation and its withdrawal', async () => {
  const { pool, applicationId, ben, invite, token, only } = await scene()
  const checker: PersonCommandActor = { ...ben, roles: ['checker', 'maker', 'finance'] }
  assert.deepEqual(await invite(['maker'], checker), { ok: false, error: 'not_permitted' })
  await token()
  const { invitationId } = await only()
  assert.deepEqual(await withdrawInvitation(pool, { applicationId, invitationId, actor: checker }), { ok: false, error: 'not_permitted' })
  must(await withdrawInvitation(pool, { applicationId, invitationId, actor: ben }))
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.actor.id], ['person.invitation_withdrawn', ben.id])
})

test('already_member for a person who is or was a member; each holder of a link once, however often they renewed it', async () => {
  const { pool, applicationId, ben, token, only, invite, accept, codeOf, activate } = await scene()
  await token()
  const { invitationId } = await only()
  const renew = async () => must(await renewInvitation({ pool, clock }, { applicationId, invitationId, actor: ben })).token
  await renew()
  const { personId } = must(await accept(await renew()))
  assert.deepEqual((await only()).linkHolders, [ben.id])
  must(await activate(await codeOf(personId)))
  must(await setMembership(pool, { applicationId, personId, isActive: false, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await invite(), { ok: false, error: 'already_member' })
})

test('named for a person who joined from two places of administrators: the one who used that place last, of those who had a link', async () => {
  const { pool, applicationId, administrator, ben, token, accept, only } = await scene()
  const [carl, dora] = [await administrator(), await administrator()]
  await token()
  const { invitationId } = await only()
  const renewed = must(await renewInvitation({ pool, clock }, { applicationId, invitationId, actor: carl }))
  for (const [minutes, { id: personId }] of [ben, carl, dora].entries()) {
    const session = { personId, epoch: 1, sessionId: randomUUID(), startedAt: new Date(), endsAt: new Date(Date.now() + 3_600_000) }
    await noteSessionUse(pool, { ...session, ...SOURCE, notedAt: null }, new Date(Date.now() + minutes * 60_000))
  }
  must(await accept(renewed.token))
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.equal(entry?.details['joinedLike'], carl.id)
})

test('the newest invitation first for the application, the oldest first for the person, with who had a link by name and when it ends', async () => {
  const { pool, email, create } = await known()
  const { personId } = await create()
  const [one, other] = [await scene(email), await scene(email)]
  await one.token()
  await other.token()
  await one.age(2)
  const own = await listOwnInvitations(pool, personId)
  assert.deepEqual(
    own.map(({ applicationId, roles, linkHolderNames, proposerName }) => [applicationId, roles, linkHolderNames, proposerName]),
    [one, other].map(({ applicationId }) => [applicationId, ['maker'], ['Test person'], 'Test person']),
  )
  const [{ createdAt }] = [await one.only()]
  assert.equal(own[0]?.endsAt.getTime(), createdAt.getTime() + 7 * 24 * 3_600_000)
  const invite = (to: string) =>
    withTransaction(pool, (trx) =>
      invitePerson(trx, {
        applicationId: one.applicationId,
        email: to,
        name: 'N',
        roles: ['maker'],
        proposedBy: one.anna.id,
        actor: one.ben,
      }),
    )
  must(await invite('second@example.com'))
  assert.deepEqual(
    (await listInvitations(pool, one.applicationId)).map((each) => each.email),
    ['second@example.com', email],
  )
})
