import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { must } from '#server/testing/partner.ts'
import { blockPerson } from '../accounts.ts'
import { mailPasswordLink } from '../sign-in/password-resets.ts'
import { resetPersonPassword } from '../sign-in/passwords.ts'
import { confirmSecondFactor, resetSecondFactor, startSecondFactor } from '../sign-in/second-factor.ts'
import { findSignedIn } from '../sign-in/sessions.ts'
import { openTestPeople, type TestPeople, type TestPerson } from '../testing/test-people.ts'
import { listPasskeys } from './passkey-store.ts'
import { registerPasskey, startPasskeyRegistration } from './register-passkey.ts'
import { relyingPartyOf } from './relying-party.ts'
import { removePasskey } from './remove-passkey.ts'
import { forgetChallenges, startPasskeySignIn, verifyPasskeySignIn } from './sign-in-with-passkey.ts'
import { createAuthenticator, type SoftwareAuthenticator } from './testing/software-authenticator.ts'

const ORIGIN = 'https://office.example'
const peerAddress = '198.51.100.1'
const refused = { ok: false, error: 'refused' }
let people: TestPeople
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }

before(async () => {
  people = await openTestPeople(clock)
})
after(() => people.database.drop())

function deps() {
  return { pool: people.database.pool, clock, throttle: people.throttle, relyingParty: relyingPartyOf(ORIGIN) }
}

async function startFor({ personId, password }: TestPerson, code?: string) {
  return startPasskeyRegistration(deps(), { personId, password, code, peerAddress })
}

/** A person with a passkey, and the device that holds it. */
async function withPasskey(): Promise<TestPerson & { device: SoftwareAuthenticator }> {
  const person = await people.createOne()
  const device = createAuthenticator(ORIGIN)
  const attestation = device.attest(must(await startFor(person)))
  must(await registerPasskey(deps(), { personId: person.personId, name: 'Telephone', attestation }))
  return { ...person, device }
}

async function newChallenge() {
  return must(await startPasskeySignIn(deps()))
}

async function actionsOf(personId: string, chain = SERVICE_WIDE) {
  const entries = await listAudit(people.database.pool, chain, { size: 200 })
  return entries.filter(({ subject }) => subject === personId).map(({ action, actor, details }) => ({ action, kind: actor.kind, details }))
}

async function wasDone(personId: string, wanted: string): Promise<boolean> {
  return (await actionsOf(personId)).some(({ action }) => action === wanted)
}

test('the person of the passkey, for a signature of a new challenge by a device that verified its user', async () => {
  const { personId, email, device } = await withPasskey()
  const assertion = device.assert(await newChallenge())
  const signedIn = must(await verifyPasskeySignIn(deps(), { assertion, peerAddress }))
  assert.deepEqual(signedIn, { personId, email, sessionEpoch: 1 })
  const [listed] = await listPasskeys(people.database.pool, personId)
  assert.deepEqual(listed, { credentialId: device.credentialId, name: 'Telephone', createdAt: clock.now(), lastUsedAt: clock.now() })
  assert.ok(await wasDone(personId, 'person.passkey_added'))
})

for (const [why, deviation] of [
  ['another origin', { origin: 'https://office.example.evil.test' }],
  ['another port of the host', { origin: 'https://office.example:8443' }],
  ['another site', { rpId: 'evil.test' }],
  ['no verification of the user', { isVerified: false }],
  ['the signature of a registration', { type: 'webauthn.create' }],
  ['no person', { userHandle: null }],
  ['another person', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
] as const) {
  test(`refused: a sign-in with ${why}, and its challenge is used up`, async () => {
    const { device } = await withPasskey()
    const challenge = await newChallenge()
    assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: device.assert(challenge, deviation), peerAddress }), refused)
    assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: device.assert(challenge), peerAddress }), refused)
    must(await verifyPasskeySignIn(deps(), { assertion: device.assert(await newChallenge()), peerAddress }))
  })
}

test('refused: a repeated answer, a second answer to a challenge, one after five minutes, and one to a challenge of nobody', async () => {
  const { device } = await withPasskey()
  const challenge = await newChallenge()
  const assertion = device.assert(challenge)
  must(await verifyPasskeySignIn(deps(), { assertion, peerAddress }))
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion, peerAddress }), refused)
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: device.assert(challenge), peerAddress }), refused)
  const late = await newChallenge()
  nowMs += 5 * 60_000
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: device.assert(late), peerAddress }), refused)
  const madeUp = { ...late, challenge: Buffer.alloc(32, 1).toString('base64url') }
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: device.assert(madeUp), peerAddress }), refused)
})

test('one of two answers to one challenge at once, and one of two with one count', async () => {
  const { device } = await withPasskey()
  const challenge = await newChallenge()
  const both = [device.assert(challenge), device.assert(challenge)]
  const results = await Promise.all(both.map((assertion) => verifyPasskeySignIn(deps(), { assertion, peerAddress })))
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  const counted = [device.assert(await newChallenge(), { signCount: 9 }), device.assert(await newChallenge(), { signCount: 9 })]
  const again = await Promise.all(counted.map((assertion) => verifyPasskeySignIn(deps(), { assertion, peerAddress })))
  assert.equal(again.filter(({ ok }) => ok).length, 1)
})

test('refused and recorded: a count that is not above the last one, because the key was copied', async () => {
  const { personId, device } = await withPasskey()
  must(await verifyPasskeySignIn(deps(), { assertion: device.assert(await newChallenge(), { signCount: 5 }), peerAddress }))
  for (const signCount of [5, 4, 0]) {
    const assertion = device.assert(await newChallenge(), { signCount })
    assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion, peerAddress }), refused, String(signCount))
  }
  const refusal = { action: 'person.passkey_refused', kind: 'system', details: { address: peerAddress } }
  assert.deepEqual(
    (await actionsOf(personId, people.applicationId)).filter(({ action }) => action === refusal.action),
    [refusal, refusal, refusal],
  )
})

test('accepted each time: a device that does not count', async () => {
  const { device } = await withPasskey()
  for (let time = 0; time < 2; time++)
    must(await verifyPasskeySignIn(deps(), { assertion: device.assert(await newChallenge(), { signCount: 0 }), peerAddress }))
})

test('refused: an answer under the id of another key, and a signature that was altered', async () => {
  const [one, other] = [await withPasskey(), await withPasskey()]
  const foreign = { ...one.device.assert(await newChallenge()), id: other.device.assert(await newChallenge()).id }
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: foreign, peerAddress }), refused)
  const good = one.device.assert(await newChallenge())
  for (const signature of ['AAAA', other.device.assert(await newChallenge()).signature])
    assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: { ...good, signature }, peerAddress }), refused)
})

test('person_blocked: only for the right answer of a blocked person', async () => {
  const { personId, device } = await withPasskey()
  must(await blockPerson(people.database.pool, { personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  const wrong = device.assert(await newChallenge(), { isVerified: false })
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: wrong, peerAddress }), refused)
  const right = device.assert(await newChallenge())
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion: right, peerAddress }), { ok: false, error: 'person_blocked' })
})

test('a new passkey takes the password, and a code of the device where the second factor is on', async () => {
  const person = await people.createOne()
  assert.deepEqual(await startFor({ ...person, password: 'not the password' }), { ok: false, error: 'wrong_password' })
  must(await startFor(person))
  const { secret } = must(await startSecondFactor(people.database.pool, person))
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  must(await confirmSecondFactor(deps(), { ...person, code: totp.generate({ timestamp: nowMs }), peerAddress }))
  assert.deepEqual(await startFor(person), { ok: false, error: 'code_required' })
  assert.deepEqual(await startFor(person, '000000'), { ok: false, error: 'wrong_code' })
  nowMs += 30_000
  must(await startFor(person, totp.generate({ timestamp: nowMs })))
})

test('refused: a registration for another origin, without verification, of another person, late, repeated, and of a known key', async () => {
  const [person, other] = [await people.createOne(), await people.createOne()]
  const device = createAuthenticator(ORIGIN)
  const register = (personId: string, attestation: ReturnType<typeof device.attest>) =>
    registerPasskey(deps(), { personId, name: 'Telephone', attestation })
  for (const deviation of [{ origin: 'https://evil.test' }, { rpId: 'evil.test' }, { isVerified: false }, { type: 'webauthn.get' }])
    assert.deepEqual(await register(person.personId, device.attest(must(await startFor(person)), deviation)), refused)
  assert.deepEqual(await register(other.personId, device.attest(must(await startFor(person)))), refused)
  const late = device.attest(must(await startFor(person)))
  nowMs += 5 * 60_000
  assert.deepEqual(await register(person.personId, late), refused)
  const signIn = await newChallenge()
  assert.deepEqual(
    await register(person.personId, device.attest({ ...must(await startFor(person)), challenge: signIn.challenge })),
    refused,
  )
  const good = device.attest(must(await startFor(person)))
  must(await register(person.personId, good))
  assert.deepEqual(await register(person.personId, good), refused)
  assert.deepEqual(await register(other.personId, device.attest(must(await startFor(other)))), refused)
  assert.equal((await listPasskeys(people.database.pool, person.personId)).length, 1)
})

test('too_many_passkeys: an eleventh, also of several at once', async () => {
  const person = await people.createOne()
  const made = []
  for (let place = 0; place < 12; place++) made.push(createAuthenticator(ORIGIN).attest(must(await startFor(person))))
  const results = await Promise.all(
    made.map((attestation) => registerPasskey(deps(), { personId: person.personId, name: 'Telephone', attestation })),
  )
  assert.equal(results.filter(({ ok }) => ok).length, 10)
  assert.deepEqual(await startFor(person), { ok: false, error: 'too_many_passkeys' })
})

test('refused: a removed passkey; its person needs the password to remove it, and the sessions end', async () => {
  const { personId, password, device } = await withPasskey()
  const session = { personId, epoch: 1, sessionId: crypto.randomUUID() }
  const other = await withPasskey()
  const { pool } = people.database
  const remove = (by: TestPerson, given = password) =>
    removePasskey(deps(), { personId: by.personId, credentialId: device.credentialId, password: given, peerAddress })
  assert.deepEqual(await remove({ ...other, personId }, 'not the password'), { ok: false, error: 'wrong_password' })
  assert.deepEqual(await remove(other, other.password), { ok: false, error: 'not_found' })
  assert.ok(await findSignedIn(pool, session, clock.now()))
  must(await remove({ ...other, personId }))
  assert.equal(await findSignedIn(pool, session, clock.now()), undefined)
  const assertion = device.assert(await newChallenge())
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion, peerAddress }), refused)
  assert.ok(await wasDone(personId, 'person.passkey_removed'))
})

test('removed: all passkeys, by a reset of the password, by a link for a new one and by a reset of the second factor', async () => {
  const { pool } = people.database
  for (const reset of [resetPersonPassword, mailPasswordLink, resetSecondFactor]) {
    const { personId } = await withPasskey()
    assert.ok((await reset(pool, { personId, actor: SYSTEM_ACTOR })).ok)
    assert.deepEqual(await listPasskeys(pool, personId), [], reset.name)
  }
})

test('a notice to its person for each new passkey', async () => {
  const { personId } = await withPasskey()
  const { rows } = await people.database.pool.query("select application_id from notices where cause = 'new_passkey' and subject_id = $1", [
    personId,
  ])
  assert.deepEqual(rows, [{ application_id: null }])
})

test('not_offered: at an address without a name, and over http except on this machine', async () => {
  assert.deepEqual(relyingPartyOf('https://office.example/'), { id: 'office.example', origin: ORIGIN })
  assert.deepEqual(relyingPartyOf('http://localhost:3000'), { id: 'localhost', origin: 'http://localhost:3000' })
  for (const address of ['http://office.example', 'http://127.0.0.1:3000', 'https://192.0.2.1', 'https://[2001:db8::1]']) {
    const elsewhere = { ...deps(), relyingParty: relyingPartyOf(address) }
    assert.deepEqual(await startPasskeySignIn(elsewhere), { ok: false, error: 'not_offered' }, address)
  }
})

test('removed: challenges that nobody answered, and not those that may be answered', async () => {
  const { pool } = people.database
  await pool.query('delete from passkey_challenges')
  await newChallenge()
  await forgetChallenges(pool, clock.now())
  assert.equal((await pool.query('select 1 from passkey_challenges')).rowCount, 1)
  await forgetChallenges(pool, new Date(nowMs + 6 * 60_000 + 1))
  assert.equal((await pool.query('select 1 from passkey_challenges')).rowCount, 0)
})
