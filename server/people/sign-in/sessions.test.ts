import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { createDirectory } from '#server/applications/directory.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { createSignInThrottle, type SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { issueTokens } from '#server/partner-auth/tokens.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { blockPerson, createPerson } from '../accounts.ts'
import { setMembership } from '../membership.ts'
import { verifyPersonPassword } from './passwords.ts'
import { confirmSecondFactor, startSecondFactor, verifySecondFactor } from './second-factor.ts'
import { bumpSessionEpoch, endSession, findAdmitted, findSignedIn, noteSessionUse, pruneEndedSessions, recordSignIn } from './sessions.ts'

let database: TestDatabase
let throttle: SignInThrottle
const nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }
const peerAddress = '198.51.100.1'

before(async () => {
  database = await createTestDatabase()
  throttle = createSignInThrottle({ pool: database.pool, clock, secret: 'a secret for tests' })
})
after(() => database.drop())

type TestPerson = { personId: string; email: string; password: string; applicationId: string }

async function createTestPerson(): Promise<TestPerson> {
  const applicationId = await makeApplication(database.pool)
  const email = `${crypto.randomUUID()}@example.com`
  const created = must(await createPerson(database.pool, { applicationId, email, name: 'Awa', roles: ['checker'], actor: SYSTEM_ACTOR }))
  return { personId: created.personId, email, applicationId, password: created.password ?? assert.fail('a new person has a password') }
}

function sessionOf({ personId, applicationId }: TestPerson, epoch = 1) {
  const session = { personId, applicationId, epoch, sessionId: crypto.randomUUID(), endsAt: new Date(nowMs + 3_600_000) }
  return { ...session, address: peerAddress }
}

function guess(person: TestPerson, password = 'wrong'): ReturnType<typeof verifyPersonPassword> {
  return verifyPersonPassword({ pool: database.pool, throttle }, { ...person, password, peerAddress })
}

/** The audit entries of an application about one subject, oldest first. */
async function record(applicationId: string, subject: string): Promise<[string, unknown][]> {
  const entries = await listAudit(database.pool, applicationId, { size: 200 })
  return entries
    .filter((entry) => entry.subject === subject)
    .map((entry): [string, unknown] => [entry.action, entry.details])
    .toReversed()
}

/** Waits until the record holds this many entries of an action: failures are recorded in the background. */
function untilRecorded(applicationId: string, subject: string, action: string, count: number): Promise<unknown[]> {
  return waitUntil(`${count} entries of ${action} are recorded`, async () => {
    const found = (await record(applicationId, subject)).filter(([name]) => name === action)
    return found.length >= count && found.map(([, details]) => details)
  })
}

test('undefined in every process for a session that was signed out; the session of another device continues', async () => {
  const person = await createTestPerson()
  const [here, elsewhere] = [sessionOf(person), sessionOf(person)]
  assert.ok(await findSignedIn(database.pool, here, clock.now()))
  await endSession(database.pool, here)
  assert.equal(await findSignedIn(database.pool, here, clock.now()), undefined)
  assert.ok(await findSignedIn(database.pool, elsewhere, clock.now()))
  assert.deepEqual([...(await findAdmitted(database.pool, [here, elsewhere], clock.now()))], [1])
})

test('nothing stored for a session that has already ended: signed out before, everywhere, blocked, or unknown', async () => {
  const person = await createTestPerson()
  const [first, old, blocked] = [sessionOf(person), sessionOf(person), sessionOf(person, 2)]
  await endSession(database.pool, first)
  await endSession(database.pool, first)
  must(await bumpSessionEpoch(database.pool, { personId: person.personId, actor: { kind: 'person', id: person.personId } }))
  await endSession(database.pool, old)
  must(await blockPerson(database.pool, { personId: person.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  await endSession(database.pool, blocked)
  await endSession(database.pool, { ...old, personId: crypto.randomUUID() })
  const { rows } = await database.pool.query('select session_id from ended_sessions where session_id = any ($1)', [
    [first, old, blocked].map(({ sessionId }) => sessionId),
  ])
  assert.deepEqual(rows, [{ session_id: first.sessionId }])
  assert.equal((await record(person.applicationId, person.personId)).filter(([action]) => action === 'person.signed_out').length, 1)
})

test('undefined for an ended session until it would have expired; then its row is removed', async () => {
  const session = sessionOf(await createTestPerson())
  await endSession(database.pool, session)
  await pruneEndedSessions(database.pool, session.endsAt)
  assert.equal(await findSignedIn(database.pool, session, clock.now()), undefined)
  assert.ok((await pruneEndedSessions(database.pool, new Date(session.endsAt.getTime() + 3_600_001))) >= 1)
})

test('not admitted: a person without a second factor, once the application requires one', async () => {
  const session = sessionOf(await createTestPerson())
  assert.equal((await findAdmitted(database.pool, [session], clock.now())).size, 1)
  await database.pool.query('update applications set requires_second_factor = true where application_id = $1', [session.applicationId])
  assert.equal((await findAdmitted(database.pool, [session], clock.now())).size, 0)
})

test('admitted: the session of an active member with a role whose epoch is exactly the present one, and nobody else', async () => {
  const { pool } = database
  const person = await createTestPerson()
  const session = sessionOf(person)
  const { applicationId, personId } = person
  const admits = async (one = session) => (await findAdmitted(pool, [one], clock.now())).size === 1
  const finds = async (one = session) => (await findSignedIn(pool, one, clock.now())) !== undefined
  assert.deepEqual([await admits(), await finds()], [true, true])
  for (const epoch of [0, 2]) {
    const other = sessionOf(person, epoch)
    assert.deepEqual([await admits(other), await finds(other)], [false, false], `epoch ${epoch}`)
  }
  const setMember = (roles: string, isActive: boolean) =>
    pool.query('update memberships set roles = $3, is_active = $4 where application_id = $1 and person_id = $2', [
      applicationId,
      personId,
      roles,
      isActive,
    ])
  for (const [roles, isActive, expected] of [
    ['{maker}', true, true],
    ['{maker}', false, false],
    ['{}', true, false],
  ] as const) {
    await setMember(roles, isActive)
    assert.equal(await admits(), expected, `${roles} ${isActive}`)
  }
})

test('admitted for hours without use: a maker who was a checker in an application that they have left', async () => {
  const { pool } = database
  const person = await createTestPerson()
  const makes = await makeApplication(pool)
  await pool.query(`insert into memberships (application_id, person_id, roles) values ($1, $2, '{maker}')`, [makes, person.personId])
  const session = { ...sessionOf(person), applicationId: makes }
  const use = { ...session, startedAt: new Date(nowMs), userAgent: 'Browser', notedAt: null }
  await noteSessionUse(pool, use, new Date(nowMs - 3_600_000))
  const isAdmitted = async () => (await findAdmitted(pool, [session], clock.now())).size === 1
  assert.equal(await isAdmitted(), false)
  await pool.query('update memberships set is_active = false where application_id = $1 and person_id = $2', [
    person.applicationId,
    person.personId,
  ])
  assert.equal(await isAdmitted(), true)
})

test('an audit entry of the service for the sign-in of a person who is an active member nowhere', async () => {
  const { personId, applicationId } = await createTestPerson()
  await database.pool.query('update memberships set is_active = false where person_id = $1', [personId])
  await recordSignIn(database.pool, { personId, address: peerAddress, factor: 'password' })
  assert.deepEqual(await record(SERVICE_WIDE, personId), [['person.signed_in', { address: peerAddress, factor: 'password' }]])
  assert.ok(!(await record(applicationId, personId)).some(([action]) => action === 'person.signed_in'))
})

test('not_permitted for anybody but the person and the system who would end all sessions of a person', async () => {
  const [person, other] = [await createTestPerson(), await createTestPerson()]
  const end = (actor: Parameters<typeof bumpSessionEpoch>[1]['actor']) =>
    bumpSessionEpoch(database.pool, { personId: person.personId, actor })
  assert.deepEqual(await end({ kind: 'person', id: other.personId }), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await end({ kind: 'person', id: person.personId }), { ok: true, value: { sessionEpoch: 2 } })
  assert.deepEqual(await end(SYSTEM_ACTOR), { ok: true, value: { sessionEpoch: 3 } })
})

test('an audit entry for each act of a person, in every application of an active membership and no other', async () => {
  const person = await createTestPerson()
  const [second, left] = [await makeApplication(database.pool), await makeApplication(database.pool)]
  for (const applicationId of [second, left])
    must(await createPerson(database.pool, { ...person, applicationId, name: 'Awa', roles: ['maker'], actor: SYSTEM_ACTOR }))
  must(await setMembership(database.pool, { applicationId: left, personId: person.personId, isActive: false, actor: SYSTEM_ACTOR }))
  const { personId, password } = person
  const deps = { pool: database.pool, clock, throttle }
  await recordSignIn(database.pool, { personId, address: peerAddress, factor: 'password' })
  const { secret } = must(await startSecondFactor(database.pool, person))
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs })
  const { recoveryCodes } = must(await confirmSecondFactor(deps, { personId, password, code: code(), peerAddress }))
  assert.ok(
    !(
      await verifySecondFactor(deps, {
        personId,
        code: '000000',
        allowsRecovery: true,
        purpose: 'sign_in',
        place: { network: '203.0.113.0/24' },
      })
    ).ok,
  )
  must(
    await verifySecondFactor(deps, {
      personId,
      code: recoveryCodes[0] ?? '',
      allowsRecovery: true,
      purpose: 'sign_in',
      place: { network: '203.0.113.0/24' },
    }),
  )
  await endSession(database.pool, sessionOf(person, 2))
  const acts = [
    ['person.signed_in', { address: peerAddress, factor: 'password' }],
    ['person.second_factor_enabled', {}],
    ['person.second_factor_failed', { failures: 1 }],
    ['person.recovery_code_used', {}],
    ['person.signed_out', { address: peerAddress }],
  ]
  for (const applicationId of [person.applicationId, second])
    assert.deepEqual((await record(applicationId, personId)).slice(1), acts, 'after the entry that added the person')
  assert.ok(!(await record(left, personId)).some(([action]) => action === 'person.signed_in'))
  for (const chain of [person.applicationId, second, SERVICE_WIDE]) must(await verifyAuditChain(database.pool, chain))
})

test('5 audit entries for sixteen wrong passwords of a person, none for an unknown name', async () => {
  const person = await createTestPerson()
  const before = await database.pool.query('select count(*) as count from audit_entries')
  for (let count = 0; count < 8; count++) await guess(person)
  for (let count = 0; count < 8; count++) await guess({ ...person, email: 'nobody@example.com' })
  const elsewhere = { ...person, peerAddress: '203.0.113.7', password: 'wrong' }
  for (let count = 0; count < 8; count++) await verifyPersonPassword({ pool: database.pool, throttle }, elsewhere)
  const details = await untilRecorded(person.applicationId, person.personId, 'person.sign_in_failed', 5)
  assert.deepEqual(details, [
    ...[1, 2, 4, 8].map((failures) => ({ address: peerAddress, failures })),
    { address: '203.0.113.7', failures: 16 },
  ])
  const after = await database.pool.query('select count(*) as count from audit_entries')
  assert.equal(after.rows[0].count - before.rows[0].count, 5n)
})

test('wrong_credentials immediately while the audit chain is locked', async () => {
  const person = await createTestPerson()
  const busy = await database.pool.connect()
  try {
    await busy.query('begin')
    await busy.query(`select pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))`, [person.applicationId])
    assert.deepEqual(await guess(person), { ok: false, error: { kind: 'wrong_credentials' } })
    assert.deepEqual(
      (await record(person.applicationId, person.personId)).map(([action]) => action),
      ['person.added'],
    )
  } finally {
    await busy.query('rollback')
    busy.release()
  }
  await untilRecorded(person.applicationId, person.personId, 'person.sign_in_failed', 1)
})

test('2 audit entries for three wrong passwords of a program', async () => {
  const partner = await createTestPartner(database.pool)
  const directory = await createDirectory({ pool: database.pool })
  const deps = { pool: database.pool, tokens: createTokens({ clock, secret: 'x'.repeat(32) }), directory, throttle }
  for (let count = 0; count < 3; count++) await issueTokens(deps, { username: partner.username, password: 'wrong', peerAddress })
  assert.deepEqual(
    await untilRecorded(partner.applicationId, partner.apiUserId, 'api_user.sign_in_failed', 2),
    [1, 2].map((failures) => ({ address: peerAddress, failures })),
  )
  await directory.close()
})
