import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listActiveMembers, readMember } from '../person-store.ts'
import { confirmSecondFactor, disableOwnSecondFactor, startSecondFactor } from '../sign-in/second-factor.ts'
import { findAdmitted, findSignedIn } from '../sign-in/sessions.ts'
import { openTestPeople, type TestPeople, type TestPerson } from '../testing/test-people.ts'
import { listPasskeys } from './passkey-store.ts'
import { startPasskeyRegistration } from './register-passkey.ts'
import { removePasskey } from './remove-passkey.ts'
import { givePasskey, RELYING_PARTY } from './testing/give-passkey.ts'

const peerAddress = '198.51.100.1'
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }
let people: TestPeople
// An application requires the second factor or does not, so each test has its own.
beforeEach(async () => {
  await people?.database.drop()
  people = await openTestPeople(clock)
})
after(() => people.database.drop())

function deps() {
  return { pool: people.database.pool, clock, throttle: people.throttle, relyingParty: RELYING_PARTY }
}

async function requireSecondFactor(): Promise<void> {
  await deps().pool.query('update applications set requires_second_factor = true where application_id = $1', [people.applicationId])
}

/** A person whose only second factor is a passkey. */
async function holder() {
  const person = await people.createOne()
  return { ...person, ...(await givePasskey(deps(), person.personId)) }
}

/** Sets up an authenticator app; `device` shows its codes. */
async function enrol(person: TestPerson, usedPasskey: boolean) {
  const { secret } = must(await startSecondFactor(deps().pool, { personId: person.personId }))
  const device = new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 })
  const code = device.generate({ timestamp: nowMs })
  return { device, result: await confirmSecondFactor(deps(), { ...person, code, peerAddress, usedPasskey }) }
}

const start = (person: TestPerson, usedPasskey: boolean) =>
  startPasskeyRegistration(deps(), { ...person, code: undefined, peerAddress, usedPasskey })
const remove = (person: Awaited<ReturnType<typeof holder>>, usedPasskey: boolean) =>
  removePasskey(deps(), { ...person, credentialId: person.device.credentialId, peerAddress, usedPasskey })

test('a session that was started with a passkey has proven the second factor, one with the password alone has not, and neither after its removal', async () => {
  await requireSecondFactor()
  const { personId } = await holder()
  const { pool } = deps()
  const { applicationId } = people
  const facts = async (usedPasskey: boolean) => {
    const session = { personId, epoch: 1, sessionId: randomUUID(), usedPasskey, applicationId }
    const person = await findSignedIn(pool, session, clock.now())
    return [person?.hasSecondFactor, person?.hasProvenSecondFactor, (await findAdmitted(pool, [session], clock.now())).size]
  }
  assert.deepEqual(await facts(true), [true, true, 1])
  assert.deepEqual(await facts(false), [true, false, 0])
  await pool.query('delete from passkeys where person_id = $1', [personId])
  assert.deepEqual(await facts(true), [false, false, 0])
})

test('members with a passkey have a second factor; others have none', async () => {
  const [{ personId }, other] = [await holder(), await people.createOne()]
  const { pool } = deps()
  const members = new Map((await listActiveMembers(pool, people.applicationId)).map((one) => [one.personId, one.hasSecondFactor]))
  assert.deepEqual([members.get(personId), members.get(other.personId)], [true, false])
  assert.equal((await readMember(pool, people.applicationId, personId))?.hasSecondFactor, true)
})

test('passkey_needed: the password alone neither sets up an app nor adds or removes a passkey, where an application requires the second factor', async () => {
  const person = await holder()
  must(await start(person, false))
  await requireSecondFactor()
  assert.deepEqual((await enrol(person, false)).result, { ok: false, error: 'passkey_needed' })
  assert.deepEqual(await start(person, false), { ok: false, error: 'passkey_needed' })
  assert.deepEqual(await remove(person, false), { ok: false, error: 'passkey_needed' })
  must(await start(person, true))
  assert.ok((await enrol(person, true)).result.ok)
})

test('demanded: the last passkey stays while an application requires the second factor and there is no app', async () => {
  const person = await holder()
  await requireSecondFactor()
  assert.deepEqual(await remove(person, true), { ok: false, error: 'demanded' })
  assert.equal((await listPasskeys(deps().pool, person.personId)).length, 1)
  await givePasskey(deps(), person.personId)
  must(await remove(person, true))
  assert.equal((await listPasskeys(deps().pool, person.personId)).length, 1)
})

test('the app can be switched off where an application requires the second factor and there is a passkey; of both at once, one goes', async () => {
  const person = await holder()
  await requireSecondFactor()
  const { device } = await enrol(person, true)
  nowMs += 30_000
  const code = device.generate({ timestamp: nowMs })
  const both = await Promise.all([disableOwnSecondFactor(deps(), { personId: person.personId, code }), remove(person, false)])
  assert.equal(both.filter(({ ok }) => ok).length, 1)
  assert.equal((await readMember(deps().pool, people.applicationId, person.personId))?.hasSecondFactor, true)
  const next = await holder()
  const app = await enrol(next, true)
  nowMs += 30_000
  must(await disableOwnSecondFactor(deps(), { personId: next.personId, code: app.device.generate({ timestamp: nowMs }) }))
})

test('demanded: switching the app off while the last passkey is being removed', async () => {
  const person = await holder()
  await requireSecondFactor()
  const { device } = await enrol(person, true)
  nowMs += 30_000
  const { pool } = deps()
  const removal = await pool.connect()
  try {
    await removal.query('begin')
    await removal.query('select from people where person_id = $1 for update', [person.personId])
    await removal.query('delete from passkeys where person_id = $1', [person.personId])
    const code = device.generate({ timestamp: nowMs })
    const off = disableOwnSecondFactor(deps(), { personId: person.personId, code })
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await waitUntil('switching off waits for the lock', async () => (await pool.query(waiting)).rowCount === 1)
    await removal.query('commit')
    const result = await off
    assert.equal(result.ok ? 'off' : result.error.kind, 'demanded')
  } finally {
    await removal.query('rollback')
    removal.release()
  }
})
