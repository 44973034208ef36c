import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { openTestPeople, type TestPeople } from '#server/people/testing/test-people.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { blockPerson, createPerson } from './accounts.ts'
import { setMembership } from './membership.ts'
import { changeOwnPassword, resetPersonPassword } from './passwords.ts'
import { bumpSessionEpoch, loadActor } from './sessions.ts'

let people: TestPeople
const nowMs = Date.now()
let count = 0
const clock = { now: () => new Date(nowMs) }

before(async () => {
  people = await openTestPeople(clock)
})
after(() => people.database.drop())

test("the person's id for their e-mail address in upper or lower case and their password", async () => {
  const person = await people.createOne()
  const signedIn = must(await people.signIn({ email: ` ${person.email.toUpperCase()} `, password: person.password }))
  assert.deepEqual(signedIn, { personId: person.personId, sessionEpoch: 1, hasSecondFactor: false })
})

test('wrong_credentials for an unknown address, a wrong password and text that cannot be stored', async () => {
  const person = await people.createOne()
  for (const request of [
    { ...person, password: 'wrong' },
    { email: 'nobody@example.com', password: 'x' },
    { email: 'a\0@b', password: 'x' },
  ]) {
    assert.deepEqual(await people.signIn(request), { ok: false, error: { kind: 'wrong_credentials' } })
  }
})

test('person_blocked on the next request of a blocked person, and at sign-in only with the correct password', async () => {
  const person = await people.createOne()
  must(await blockPerson(people.database.pool, { personId: person.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await loadActor(people.database.pool, person.personId, people.applicationId), { ok: false, error: 'person_blocked' })
  assert.deepEqual(await people.signIn(person), { ok: false, error: { kind: 'person_blocked' } })
  assert.deepEqual(await people.signIn({ ...person, password: 'wrong' }), { ok: false, error: { kind: 'wrong_credentials' } })
  must(await blockPerson(people.database.pool, { personId: person.personId, isBlocked: false, actor: SYSTEM_ACTOR }))
  assert.ok((await people.signIn(person)).ok)
})

test('the current roles of this application only, for a member of two applications', async () => {
  const person = await people.createOne(['maker', 'checker'])
  const other = await createTestPartner(people.database.pool)
  must(
    await createPerson(people.database.pool, {
      applicationId: other.applicationId,
      email: person.email,
      name: 'Other name',
      roles: ['finance'],
      actor: SYSTEM_ACTOR,
    }),
  )
  const actor = must(await loadActor(people.database.pool, person.personId, people.applicationId, 1))
  assert.deepEqual(
    [actor.id, actor.roles, actor.name, actor.mustEnrolSecondFactor],
    [person.personId, ['maker', 'checker'], 'Aminata Diallo', false],
  )
  assert.deepEqual(must(await loadActor(people.database.pool, person.personId, other.applicationId)).roles, ['finance'])
  must(
    await setMembership(people.database.pool, {
      applicationId: people.applicationId,
      personId: person.personId,
      roles: ['finance'],
      actor: SYSTEM_ACTOR,
    }),
  )
  assert.deepEqual(must(await loadActor(people.database.pool, person.personId, people.applicationId)).roles, ['finance'])
  must(
    await setMembership(people.database.pool, {
      applicationId: people.applicationId,
      personId: person.personId,
      isActive: false,
      actor: SYSTEM_ACTOR,
    }),
  )
  assert.deepEqual(await loadActor(people.database.pool, person.personId, people.applicationId), { ok: false, error: 'not_a_member' })
  assert.deepEqual(await loadActor(people.database.pool, crypto.randomUUID(), people.applicationId), { ok: false, error: 'unknown_person' })
})

test('signed_out for sessions from before a sign-out everywhere or a password reset', async () => {
  const person = await people.createOne()
  const { sessionEpoch } = must(
    await bumpSessionEpoch(people.database.pool, { personId: person.personId, actor: { kind: 'person', id: person.personId } }),
  )
  assert.deepEqual(await loadActor(people.database.pool, person.personId, people.applicationId, 1), { ok: false, error: 'signed_out' })
  assert.ok((await loadActor(people.database.pool, person.personId, people.applicationId, sessionEpoch)).ok)
  const { password } = must(await resetPersonPassword(people.database.pool, { personId: person.personId, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await loadActor(people.database.pool, person.personId, people.applicationId, sessionEpoch), {
    ok: false,
    error: 'signed_out',
  })
  assert.ok(!(await people.signIn(person)).ok)
  const changed = must(
    await changeOwnPassword(
      { pool: people.database.pool, throttle: people.throttle },
      { personId: person.personId, currentPassword: password, newPassword: 'correct horse battery', peerAddress: '198.51.100.1' },
    ),
  )
  assert.equal(must(await people.signIn({ ...person, password: 'correct horse battery' })).sessionEpoch, changed.sessionEpoch)
  assert.deepEqual(
    await changeOwnPassword(
      { pool: people.database.pool, throttle: people.throttle },
      { personId: person.personId, currentPassword: 'no', newPassword: 'correct horse battery', peerAddress: '198.51.100.1' },
    ),
    { ok: false, error: { kind: 'wrong_credentials' } },
  )
  assert.deepEqual(
    await changeOwnPassword(
      { pool: people.database.pool, throttle: people.throttle },
      { personId: person.personId, currentPassword: 'correct horse battery', newPassword: 'short', peerAddress: '198.51.100.1' },
    ),
    { ok: false, error: { kind: 'password_too_short' } },
  )
})

test('not_permitted for everybody except an administrator of the application', async () => {
  const target = await people.createOne()
  const as = (roles: Role[], inApplication = people.applicationId, id: string = crypto.randomUUID()): CommandActor => ({
    kind: 'person',
    id,
    applicationId: inApplication,
    roles,
  })
  const add = (actor: CommandActor): ReturnType<typeof createPerson> =>
    createPerson(people.database.pool, {
      applicationId: people.applicationId,
      email: `new-${++count}@example.com`,
      name: 'New',
      roles: ['checker'],
      actor,
    })
  for (const actor of [as(['maker', 'checker', 'finance']), as(['administrator'], crypto.randomUUID())]) {
    assert.deepEqual(await add(actor), { ok: false, error: 'not_permitted' })
    assert.deepEqual(
      await setMembership(people.database.pool, {
        applicationId: people.applicationId,
        personId: target.personId,
        roles: ['maker'],
        actor,
      }),
      {
        ok: false,
        error: 'not_permitted',
      },
    )
  }
  assert.ok((await add(as(['administrator']))).ok)
  const own = as(['administrator'], people.applicationId, target.personId)
  assert.deepEqual(
    await setMembership(people.database.pool, {
      applicationId: people.applicationId,
      personId: target.personId,
      roles: ['checker'],
      actor: own,
    }),
    {
      ok: false,
      error: 'own_membership',
    },
  )
  assert.deepEqual(await blockPerson(people.database.pool, { personId: target.personId, isBlocked: true, actor: as(['administrator']) }), {
    ok: false,
    error: 'not_permitted',
  })
  assert.deepEqual(await resetPersonPassword(people.database.pool, { personId: target.personId, actor: as(['administrator']) }), {
    ok: false,
    error: 'not_permitted',
  })
})

test('invalid_email, invalid_name, invalid_roles and unknown_application; no person is stored', async () => {
  const good = {
    applicationId: people.applicationId,
    email: 'good@example.com',
    name: 'Good',
    roles: ['maker'] as Role[],
    actor: SYSTEM_ACTOR,
  }
  assert.deepEqual(await createPerson(people.database.pool, { ...good, email: 'no address' }), { ok: false, error: 'invalid_email' })
  assert.deepEqual(await createPerson(people.database.pool, { ...good, name: ' ' }), { ok: false, error: 'invalid_name' })
  assert.deepEqual(await createPerson(people.database.pool, { ...good, roles: [] }), { ok: false, error: 'invalid_roles' })
  assert.deepEqual(await createPerson(people.database.pool, { ...good, applicationId: crypto.randomUUID() }), {
    ok: false,
    error: 'unknown_application',
  })
  const { rowCount } = await people.database.pool.query('select 1 from people where email = $1', [good.email])
  assert.equal(rowCount, 0)
})

test('combined_roles for a new person with the roles maker, checker and administrator; no person is stored', async () => {
  const email = 'all-roles@example.com'
  const roles: Role[] = ['maker', 'checker', 'administrator']
  const person = { applicationId: people.applicationId, email, name: 'All Roles', roles, actor: SYSTEM_ACTOR }
  assert.deepEqual(await createPerson(people.database.pool, person), { ok: false, error: 'combined_roles' })
  assert.equal((await people.database.pool.query('select 1 from people where email = $1', [email])).rowCount, 0)
})
