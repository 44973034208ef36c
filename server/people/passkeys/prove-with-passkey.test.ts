import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret } from 'otpauth'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { must } from '#server/testing/partner.ts'
import { blockPerson } from '../accounts.ts'
import { verifyFreshProof } from '../sign-in/fresh-proof.ts'
import { findSignedIn } from '../sign-in/sessions.ts'
import { codeProof, openTestPeople, type TestPeople, type TestPerson } from '../testing/test-people.ts'
import { insertChallenge } from './challenge-store.ts'
import { startPasskeyProof } from './prove-with-passkey.ts'
import { removePasskey } from './remove-passkey.ts'
import { startPasskeySignIn, verifyPasskeySignIn } from './sign-in-with-passkey.ts'
import { type GivenPasskey, givePasskey, passkeyProof, RELYING_PARTY } from './testing/give-passkey.ts'

const peerAddress = '198.51.100.1'
const refused = { ok: false, error: 'passkey_refused' }
let people: TestPeople
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }

before(async () => {
  people = await openTestPeople(clock)
})
after(() => people.database.drop())

function deps() {
  return { pool: people.database.pool, clock, throttle: people.throttle, relyingParty: RELYING_PARTY }
}

type Holder = TestPerson & GivenPasskey

async function holder(): Promise<Holder> {
  const person = await people.createOne()
  return { ...person, ...(await givePasskey(deps(), person.personId)) }
}

async function ask({ personId, sessionId }: { personId: string; sessionId: string }) {
  return must(await startPasskeyProof(deps(), { personId, sessionId }))
}

function verify({ personId }: { personId: string }, proof: Parameters<typeof verifyFreshProof>[1]['proof']) {
  return verifyFreshProof(deps(), { personId, proof })
}

async function failuresOf(personId: string) {
  const entries = await listAudit(people.database.pool, people.applicationId, { size: 200 })
  return entries.filter(({ subject, action }) => subject === personId && action === 'person.second_factor_failed').map((one) => one.details)
}

test('the name of the passkey, for a signature that the person was asked for in this session, by a device that verified its user', async () => {
  const person = await holder()
  const request = await ask(person)
  assert.deepEqual(request.allowed, [person.device.credentialId])
  const proven = await verify(person, passkeyProof(person.device.assert(request), person.sessionId))
  assert.deepEqual(proven, { ok: true, value: { withPasskey: 'Telephone' } })
})

test('accepted: an answer without the name of the person, which some devices leave out when they are asked for certain passkeys', async () => {
  const person = await holder()
  must(await verify(person, await person.prove({ deviation: { userHandle: null } })))
})

for (const [why, deviation] of [
  ['another origin', { origin: 'https://office.example.evil.test' }],
  ['another site', { rpId: 'evil.test' }],
  ['no verification of the user', { isVerified: false }],
  ['the signature of a registration', { type: 'webauthn.create' }],
  ['another person named by the device', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
] as const) {
  test(`passkey_refused: ${why}, and its challenge is used up`, async () => {
    const person = await holder()
    const request = await ask(person)
    assert.deepEqual(await verify(person, passkeyProof(person.device.assert(request, deviation), person.sessionId)), refused)
    assert.deepEqual(await verify(person, passkeyProof(person.device.assert(request), person.sessionId)), refused)
    must(await verify(person, await person.prove()))
  })
}

test('passkey_refused: what was asked for in another session, and what another person was asked for or signed', async () => {
  const [person, other] = [await holder(), await holder()]
  assert.deepEqual(await verify(person, await person.prove({ askedIn: randomUUID() })), refused)
  // The other person's right proof, and their device for the question to this person, who is signed in.
  assert.deepEqual(await verify(person, await other.prove()), refused)
  assert.deepEqual(await verify(person, passkeyProof(other.device.assert(await ask(person)), person.sessionId)), refused)
  // This person's device for the question to the other one, in one session of a shared browser.
  const shared = await ask({ ...other, sessionId: person.sessionId })
  assert.deepEqual(await verify(person, passkeyProof(person.device.assert(shared), person.sessionId)), refused)
})

test('passkey_refused: a signature for a sign-in or a new passkey; and a sign-in is refused for a signature that confirms', async () => {
  const person = await holder()
  const signIn = must(await startPasskeySignIn(deps()))
  assert.deepEqual(await verify(person, passkeyProof(person.device.assert(signIn), person.sessionId)), refused)
  const challenge = randomBytes(32).toString('base64url')
  await insertChallenge(people.database.pool, challenge, { purpose: 'registration', personId: person.personId }, new Date(nowMs + 60_000))
  const registration = person.device.assert({ challenge, rpId: RELYING_PARTY.id })
  assert.deepEqual(await verify(person, passkeyProof(registration, person.sessionId)), refused)
  const assertion = person.device.assert(await ask(person))
  assert.deepEqual(await verifyPasskeySignIn(deps(), { assertion, peerAddress }), { ok: false, error: 'refused' })
  must(await verify(person, passkeyProof(assertion, person.sessionId)))
})

test('passkey_refused: a repeated answer, a second answer to a challenge, and one after two minutes', async () => {
  const person = await holder()
  const request = await ask(person)
  const proof = passkeyProof(person.device.assert(request), person.sessionId)
  must(await verify(person, proof))
  assert.deepEqual(await verify(person, proof), refused)
  assert.deepEqual(await verify(person, passkeyProof(person.device.assert(request), person.sessionId)), refused)
  const late = await person.prove()
  nowMs += 2 * 60_000
  assert.deepEqual(await verify(person, late), refused)
})

test('one of two answers to one challenge at once, and one of two with one count', async () => {
  const person = await holder()
  const request = await ask(person)
  const answers = [person.device.assert(request), person.device.assert(request)]
  const results = await Promise.all(answers.map((assertion) => verify(person, passkeyProof(assertion, person.sessionId))))
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  const deviation = { signCount: 9 }
  const counted = [await person.prove({ deviation }), await person.prove({ deviation })]
  const again = await Promise.all(counted.map((proof) => verify(person, proof)))
  assert.equal(again.filter(({ ok }) => ok).length, 1)
})

test('passkey_refused and recorded: a count that is not above the last one, also of a sign-in, because the key was copied', async () => {
  const person = await holder()
  const assertion = person.device.assert(must(await startPasskeySignIn(deps())), { signCount: 5 })
  must(await verifyPasskeySignIn(deps(), { assertion, peerAddress }))
  assert.deepEqual(await verify(person, await person.prove({ deviation: { signCount: 5 } })), refused)
  const entries = await listAudit(people.database.pool, people.applicationId, { size: 200 })
  assert.ok(entries.some(({ action, subject }) => action === 'person.passkey_refused' && subject === person.personId))
})

test('passkey_refused: a passkey that was removed, or whose person was blocked, after the device was asked', async () => {
  const { pool } = people.database
  const person = await holder()
  const proof = await person.prove()
  must(await removePasskey(deps(), { ...person, credentialId: person.device.credentialId, peerAddress }))
  assert.deepEqual(await verify(person, proof), refused)
  const blocked = await holder()
  const right = await blocked.prove()
  assert.ok((await blockPerson(pool, { personId: blocked.personId, isBlocked: true, actor: SYSTEM_ACTOR })).ok)
  assert.deepEqual(await verify(blocked, right), refused)
})

test('code_throttled after five wrong passkeys and codes together, right or wrong, for 30 s; a right one ends the count', async () => {
  const person = await holder()
  const sealed = keyringOfProcess().seal(totpSecretPlace(person.personId), new Secret({ size: 20 }).base32)
  await people.database.pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [
    person.personId,
    sealed,
  ])
  const deviation = { isVerified: false }
  for (let tries = 0; tries < 3; tries++) assert.deepEqual(await verify(person, await person.prove({ deviation })), refused)
  for (let tries = 0; tries < 2; tries++)
    assert.deepEqual(await verify(person, { kind: 'code', code: 'abcdef' }), { ok: false, error: 'wrong_code' })
  assert.deepEqual(await verify(person, await person.prove()), { ok: false, error: 'code_throttled' })
  nowMs += 30_000
  must(await verify(person, await person.prove()))
  assert.deepEqual(await verify(person, await person.prove({ deviation })), refused)
  must(await verify(person, await person.prove()))
  const byPasskey = { triedWith: 'passkey' }
  assert.deepEqual(await failuresOf(person.personId), [
    { failures: 1, ...byPasskey },
    { failures: 4 },
    { failures: 2, ...byPasskey },
    { failures: 1, ...byPasskey },
  ])
})

test('the twentieth wrong passkey in a row ends the sessions of its person', async () => {
  const person = await holder()
  const session = { personId: person.personId, epoch: 1, sessionId: randomUUID() }
  for (let tries = 1; tries <= 19; tries++) {
    assert.deepEqual(await verify(person, await person.prove({ deviation: { isVerified: false } })), refused, String(tries))
    nowMs += 30_000
  }
  assert.ok(await findSignedIn(people.database.pool, session, clock.now()))
  assert.deepEqual(await verify(person, await person.prove({ deviation: { isVerified: false } })), { ok: false, error: 'code_throttled' })
  assert.equal(await findSignedIn(people.database.pool, session, clock.now()), undefined)
})

test('second_factor_missing without a passkey, not_offered where browsers have none, and a code of somebody who has only a passkey', async () => {
  const [none, person] = [await people.createOne(), await holder()]
  const sessionId = randomUUID()
  assert.deepEqual(await startPasskeyProof(deps(), { ...none, sessionId }), { ok: false, error: 'second_factor_missing' })
  assert.deepEqual(await startPasskeyProof({ ...deps(), relyingParty: undefined }, person), { ok: false, error: 'not_offered' })
  const proof = codeProof('000000') ?? assert.fail('there is a code')
  assert.deepEqual(await verify(person, proof), { ok: false, error: 'second_factor_missing' })
})
