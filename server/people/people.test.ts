import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/permissions.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createSignInThrottle, type SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { blockPerson } from './block-person.ts'
import { bumpSessionEpoch } from './bump-session-epoch.ts'
import { changeOwnPassword } from './change-own-password.ts'
import { createPerson } from './create-person.ts'
import { loadActor } from './load-actor.ts'
import { resetPersonPassword } from './reset-person-password.ts'
import { setMembership } from './set-membership.ts'
import { verifyPersonPassword } from './verify-person-password.ts'

let database: TestDatabase
let throttle: SignInThrottle
let applicationId: string
const nowMs = Date.now()
let count = 0
const clock = { now: () => new Date(nowMs) }

before(async () => {
  database = await createTestDatabase()
  applicationId = (await createTestPartner(database.pool)).applicationId
  throttle = createSignInThrottle({ pool: database.pool, clock, secret: 'a secret for tests' })
})
after(() => database.drop())

type TestPerson = { personId: string; email: string; password: string }

async function createTestPerson(roles: Role[] = ['checker']): Promise<TestPerson> {
  const email = `person-${++count}@example.com`
  const { personId, password } = must(
    await createPerson(database.pool, { applicationId, email, name: 'Aminata Diallo', roles, actor: SYSTEM_ACTOR }),
  )
  return { personId, email, password: password ?? assert.fail('a new person has a password') }
}

function signIn(request: { email: string; password: string }): ReturnType<typeof verifyPersonPassword> {
  return verifyPersonPassword({ pool: database.pool, throttle }, { ...request, peerAddress: '198.51.100.1' })
}

test("the person's id for their e-mail address in upper or lower case and their password", async () => {
  const person = await createTestPerson()
  const signedIn = must(await signIn({ email: ` ${person.email.toUpperCase()} `, password: person.password }))
  assert.deepEqual(signedIn, { personId: person.personId, sessionEpoch: 1, hasSecondFactor: false })
})

test('wrong_credentials for an unknown address, a wrong password and text that cannot be stored', async () => {
  const person = await createTestPerson()
  for (const request of [
    { ...person, password: 'wrong' },
    { email: 'nobody@example.com', password: 'x' },
    { email: 'a\0@b', password: 'x' },
  ]) {
    assert.deepEqual(await signIn(request), { ok: false, error: { kind: 'wrong_credentials' } })
  }
})

test('person_blocked on the next request of a blocked person, and at sign-in only with the correct password', async () => {
  const person = await createTestPerson()
  must(await blockPerson(database.pool, { personId: person.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await loadActor(database.pool, person.personId, applicationId), { ok: false, error: 'person_blocked' })
  assert.deepEqual(await signIn(person), { ok: false, error: { kind: 'person_blocked' } })
  assert.deepEqual(await signIn({ ...person, password: 'wrong' }), { ok: false, error: { kind: 'wrong_credentials' } })
  must(await blockPerson(database.pool, { personId: person.personId, isBlocked: false, actor: SYSTEM_ACTOR }))
  assert.ok((await signIn(person)).ok)
})

test('the current roles of this application only, for a member of two applications', async () => {
  const person = await createTestPerson(['maker', 'checker'])
  const other = await createTestPartner(database.pool)
  must(
    await createPerson(database.pool, {
      applicationId: other.applicationId,
      email: person.email,
      name: 'Other name',
      roles: ['finance'],
      actor: SYSTEM_ACTOR,
    }),
  )
  const actor = must(await loadActor(database.pool, person.personId, applicationId, 1))
  assert.deepEqual(
    [actor.id, actor.roles, actor.name, actor.mustEnrolSecondFactor],
    [person.personId, ['maker', 'checker'], 'Aminata Diallo', false],
  )
  assert.deepEqual(must(await loadActor(database.pool, person.personId, other.applicationId)).roles, ['finance'])
  must(await setMembership(database.pool, { applicationId, personId: person.personId, roles: ['finance'], actor: SYSTEM_ACTOR }))
  assert.deepEqual(must(await loadActor(database.pool, person.personId, applicationId)).roles, ['finance'])
  must(await setMembership(database.pool, { applicationId, personId: person.personId, isActive: false, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await loadActor(database.pool, person.personId, applicationId), { ok: false, error: 'not_a_member' })
  assert.deepEqual(await loadActor(database.pool, crypto.randomUUID(), applicationId), { ok: false, error: 'unknown_person' })
})

test('signed_out for sessions from before a sign-out everywhere or a password reset', async () => {
  const person = await createTestPerson()
  const { sessionEpoch } = must(
    await bumpSessionEpoch(database.pool, { personId: person.personId, actor: { kind: 'person', id: person.personId } }),
  )
  assert.deepEqual(await loadActor(database.pool, person.personId, applicationId, 1), { ok: false, error: 'signed_out' })
  assert.ok((await loadActor(database.pool, person.personId, applicationId, sessionEpoch)).ok)
  const { password } = must(await resetPersonPassword(database.pool, { personId: person.personId, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await loadActor(database.pool, person.personId, applicationId, sessionEpoch), { ok: false, error: 'signed_out' })
  assert.ok(!(await signIn(person)).ok)
  const changed = must(
    await changeOwnPassword(
      { pool: database.pool, throttle },
      { personId: person.personId, currentPassword: password, newPassword: 'correct horse battery', peerAddress: '198.51.100.1' },
    ),
  )
  assert.equal(must(await signIn({ ...person, password: 'correct horse battery' })).sessionEpoch, changed.sessionEpoch)
  assert.deepEqual(
    await changeOwnPassword(
      { pool: database.pool, throttle },
      { personId: person.personId, currentPassword: 'no', newPassword: 'correct horse battery', peerAddress: '198.51.100.1' },
    ),
    { ok: false, error: { kind: 'wrong_credentials' } },
  )
  assert.deepEqual(
    await changeOwnPassword(
      { pool: database.pool, throttle },
      { personId: person.personId, currentPassword: 'correct horse battery', newPassword: 'short', peerAddress: '198.51.100.1' },
    ),
    { ok: false, error: { kind: 'password_too_short' } },
  )
})

test('not_permitted for everybody except an administrator of the application', async () => {
  const target = await createTestPerson()
  const as = (roles: Role[], inApplication = applicationId, id: string = crypto.randomUUID()): CommandActor => ({
    kind: 'person',
    id,
    applicationId: inApplication,
    roles,
  })
  const add = (actor: CommandActor): ReturnType<typeof createPerson> =>
    createPerson(database.pool, { applicationId, email: `new-${++count}@example.com`, name: 'New', roles: ['checker'], actor })
  for (const actor of [as(['maker', 'checker', 'finance']), as(['administrator'], crypto.randomUUID())]) {
    assert.deepEqual(await add(actor), { ok: false, error: 'not_permitted' })
    assert.deepEqual(await setMembership(database.pool, { applicationId, personId: target.personId, roles: ['maker'], actor }), {
      ok: false,
      error: 'not_permitted',
    })
  }
  assert.ok((await add(as(['administrator']))).ok)
  const own = as(['administrator'], applicationId, target.personId)
  assert.deepEqual(await setMembership(database.pool, { applicationId, personId: target.personId, roles: ['checker'], actor: own }), {
    ok: false,
    error: 'own_membership',
  })
  assert.deepEqual(await blockPerson(database.pool, { personId: target.personId, isBlocked: true, actor: as(['administrator']) }), {
    ok: false,
    error: 'not_permitted',
  })
  assert.deepEqual(await resetPersonPassword(database.pool, { personId: target.personId, actor: as(['administrator']) }), {
    ok: false,
    error: 'not_permitted',
  })
})

test('invalid_email, invalid_name, invalid_roles and unknown_application; no person is stored', async () => {
  const good = { applicationId, email: 'good@example.com', name: 'Good', roles: ['maker'] as Role[], actor: SYSTEM_ACTOR }
  assert.deepEqual(await createPerson(database.pool, { ...good, email: 'no address' }), { ok: false, error: 'invalid_email' })
  assert.deepEqual(await createPerson(database.pool, { ...good, name: ' ' }), { ok: false, error: 'invalid_name' })
  assert.deepEqual(await createPerson(database.pool, { ...good, roles: [] }), { ok: false, error: 'invalid_roles' })
  assert.deepEqual(await createPerson(database.pool, { ...good, applicationId: crypto.randomUUID() }), {
    ok: false,
    error: 'unknown_application',
  })
  const { rowCount } = await database.pool.query('select 1 from people where email = $1', [good.email])
  assert.equal(rowCount, 0)
})
