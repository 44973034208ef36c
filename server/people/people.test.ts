import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { openTestPeople, type TestPeople } from '#server/people/testing/test-people.ts'
import { makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { blockPerson, createPerson } from './accounts.ts'
import { setMembership } from './membership.ts'
import { changeOwnPassword, resetPersonPassword, verifyOwnPassword, verifyPersonPassword } from './sign-in/passwords.ts'
import { bumpSessionEpoch, loadActor } from './sign-in/sessions.ts'

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
  assert.deepEqual(signedIn, { personId: person.personId, sessionEpoch: 1, hasCodes: false })
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

test('wrong_credentials, and not throttled with the others, for the password of a signed-in person that a hundred networks guess', async () => {
  const { pool } = people.database
  const { personId, email } = await people.createOne()
  const throttle = createSignInThrottle({
    pool,
    clock,
    secret: 'guessed from everywhere',
    hasher: { isPasswordRight: async () => false },
    spacingMs: { pair: 0, address: 0, account: 0 },
  })
  for (let network = 0; network < 101; network++)
    await verifyPersonPassword({ pool, throttle }, { email, password: 'guess', peerAddress: `10.0.${network}.1` })
  assert.deepEqual(await verifyOwnPassword({ pool, throttle }, { personId, password: 'typo', peerAddress: '10.1.0.1' }), {
    ok: false,
    error: { kind: 'wrong_credentials' },
  })
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

test('the limits of a new person: 320 characters of an address that has two parts, 200 of a name, each role once known', async () => {
  const { pool } = people.database
  const create = async (changes: { email?: string; name?: string; roles?: Role[] }) => {
    const email = changes.email ?? `new-${++count}@example.com`
    const person = { applicationId: people.applicationId, name: 'New', roles: ['maker'] as Role[], actor: SYSTEM_ACTOR, ...changes, email }
    const created = await createPerson(pool, person)
    return created.ok ? 'created' : created.error
  }
  const long = (length: number) => `${'x'.repeat(length - 12)}@example.com`
  assert.deepEqual([await create({ email: long(320) }), await create({ email: long(321) })], ['created', 'invalid_email'])
  for (const email of ['a b@example.com', 'a@b c', 'a@b@c', '@example.com', 'a@', 'a\0@example.com', ''])
    assert.equal(await create({ email }), 'invalid_email', JSON.stringify(email))
  const names = { ['x'.repeat(200)]: 'created', ['x'.repeat(201)]: 'invalid_name', '': 'invalid_name', x: 'created', 'a\0': 'invalid_name' }
  for (const [name, outcome] of Object.entries(names)) assert.equal(await create({ name }), outcome, `${name.length} characters`)
  assert.equal(await create({ roles: ['maker', 'maker'] }), 'created')
  assert.equal(await create({ roles: ['maker', 'owner' as Role] }), 'invalid_roles')
  const [twice] = [await people.createOne()]
  assert.equal(await create({ email: ` ${twice.email.toUpperCase()} ` }), 'already_member')
})

test('the record of a new member: address, name, roles and whether the account is new, whose password is returned once', async () => {
  const { pool } = people.database
  const [first, second] = [await createTestPartner(pool), await createTestPartner(pool)]
  const email = `new-${++count}@example.com`
  const add = async (applicationId: string, name: string) =>
    must(
      await createPerson(pool, { applicationId, email: ` ${email} `, name: ` ${name} `, roles: ['checker', 'maker'], actor: SYSTEM_ACTOR }),
    )
  const [created, known] = [await add(first.applicationId, 'Awa'), await add(second.applicationId, 'Other')]
  assert.deepEqual([typeof created.password, known], ['string', { personId: created.personId, password: null }])
  for (const [{ applicationId }, name, isNew] of [
    [first, 'Awa', true],
    [second, 'Other', false],
  ] as const) {
    const [entry] = await listAudit(pool, applicationId, { size: 1 })
    assert.deepEqual(
      [entry?.action, entry?.subject, entry?.details],
      ['person.added', created.personId, { email, name, roles: ['maker', 'checker'], isNew }],
    )
  }
})

test('invalid_roles for no role and for one that does not exist; the membership stays as it was', async () => {
  const { pool } = people.database
  const { applicationId } = people
  const { personId } = await people.createOne(['maker'])
  const set = (change: { roles?: Role[]; isActive?: boolean }) =>
    setMembership(pool, { applicationId, personId, ...change, actor: SYSTEM_ACTOR })
  for (const roles of [[], ['owner'], ['maker', 'owner']] as Role[][])
    assert.deepEqual(await set({ roles, isActive: false }), { ok: false, error: 'invalid_roles' })
  assert.deepEqual(must(await loadActor(pool, personId, applicationId)).roles, ['maker'])
  assert.ok((await set({ roles: ['checker', 'checker'] })).ok)
  assert.deepEqual(must(await loadActor(pool, personId, applicationId)).roles, ['checker'])
  assert.deepEqual(await setMembership(pool, { applicationId, personId: crypto.randomUUID(), isActive: true, actor: SYSTEM_ACTOR }), {
    ok: false,
    error: 'not_a_member',
  })
})

test('the record of a changed membership: roles and activity before and after, also where only one of them changes', async () => {
  const { pool } = people.database
  const { applicationId } = people
  const { personId } = await people.createOne(['maker'])
  const set = async (change: { roles?: Role[]; isActive?: boolean }) => {
    must(await setMembership(pool, { applicationId, personId, ...change, actor: SYSTEM_ACTOR }))
    const [entry] = await listAudit(pool, applicationId, { size: 1 })
    assert.deepEqual([entry?.action, entry?.subject], ['person.membership_changed', personId])
    return entry?.details
  }
  assert.deepEqual(await set({ roles: ['checker'] }), {
    before: { roles: ['maker'], isActive: true },
    after: { roles: ['checker'], isActive: true },
  })
  assert.deepEqual(await set({ isActive: false }), {
    before: { roles: ['checker'], isActive: true },
    after: { roles: ['checker'], isActive: false },
  })
})

test('combined_roles for a change that makes one active person maker, checker and administrator, unless they were or the settings allow it', async () => {
  const { pool } = people.database
  const { applicationId } = await createTestPartner(pool)
  const all: Role[] = ['maker', 'checker', 'administrator']
  for (const [before, wasActive, change, allows, expected] of [
    [['maker', 'checker'], true, { roles: all }, false, 'combined_roles'],
    [['maker', 'checker'], true, { roles: all }, true, 'changed'],
    [['maker', 'checker'], true, { roles: all, isActive: false }, false, 'changed'],
    [all, false, { isActive: true }, false, 'combined_roles'],
    [all, false, { isActive: true }, true, 'changed'],
    [all, false, { roles: ['maker', 'checker', 'finance'], isActive: true }, false, 'changed'],
    [all, true, { roles: ['finance', ...all] }, false, 'changed'],
    [all, true, { isActive: true }, false, 'changed'],
  ] as const) {
    const personId = await makePerson(pool, applicationId, [...before])
    await pool.query('update memberships set is_active = $3 where application_id = $1 and person_id = $2', [
      applicationId,
      personId,
      wasActive,
    ])
    await pool.query('update applications set allows_combined_roles = $2 where application_id = $1', [applicationId, allows])
    const set = await setMembership(pool, { applicationId, personId, ...change, actor: SYSTEM_ACTOR })
    assert.equal(set.ok ? 'changed' : set.error, expected, JSON.stringify([before, wasActive, change, allows]))
  }
})

test('unknown_person for a block, a new password and the end of all sessions of nobody', async () => {
  const { pool } = people.database
  const nobody = { personId: crypto.randomUUID(), actor: SYSTEM_ACTOR }
  for (const result of [
    await blockPerson(pool, { ...nobody, isBlocked: true }),
    await resetPersonPassword(pool, nobody),
    await bumpSessionEpoch(pool, nobody),
  ])
    assert.deepEqual(result, { ok: false, error: 'unknown_person' })
})

test('every session over after a block and after the end of the block, each with its entry for the application and the service', async () => {
  const { pool } = people.database
  const { personId } = await people.createOne()
  for (const [isBlocked, action] of [
    [true, 'person.blocked'],
    [false, 'person.unblocked'],
  ] as const) {
    const epoch = async () => (await pool.query('select session_epoch from people where person_id = $1', [personId])).rows[0].session_epoch
    const before = await epoch()
    must(await blockPerson(pool, { personId, isBlocked, actor: SYSTEM_ACTOR }))
    assert.equal(await epoch(), before + 1)
    for (const chain of [people.applicationId, SERVICE_WIDE]) {
      const [entry] = await listAudit(pool, chain, { size: 1 })
      assert.deepEqual([entry?.action, entry?.subject], [action, personId])
    }
  }
})
