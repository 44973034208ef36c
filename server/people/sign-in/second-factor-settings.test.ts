import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { createSignInThrottle, type SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { createPerson } from '../accounts.ts'
import { readOwnSecondFactor } from '../person-store.ts'
import { confirmSecondFactor, disableOwnSecondFactor, renewRecoveryCodes, startSecondFactor, verifySecondFactor } from './second-factor.ts'
import { findSignedIn } from './sessions.ts'

let database: TestDatabase
let throttle: SignInThrottle
let nowMs = Date.now()
const sessionId = crypto.randomUUID()
const clock = { now: () => new Date(nowMs) }

before(async () => {
  database = await createTestDatabase()
  throttle = createSignInThrottle({ pool: database.pool, clock, secret: 'a secret for tests' })
})
after(() => database.drop())

/** A person whose second factor is on; each call of `code` returns a code that was not used before. */
async function protectedPerson(applicationId?: string) {
  const { pool } = database
  const person = {
    applicationId: applicationId ?? (await makeApplication(pool)),
    name: 'Awa',
    roles: ['checker' as const],
    actor: SYSTEM_ACTOR,
  }
  const created = must(await createPerson(pool, { ...person, email: `${crypto.randomUUID()}@example.com` }))
  const { personId, password } = { ...created, password: created.password ?? assert.fail('a new person has a password') }
  const { secret } = must(await startSecondFactor(pool, { personId }))
  const device = new TOTP({ secret: Secret.fromBase32(secret) })
  const code = (): string => {
    nowMs += 30_000
    return device.generate({ timestamp: nowMs })
  }
  const { recoveryCodes } = must(
    await confirmSecondFactor({ pool, clock, throttle }, { personId, password, code: code(), peerAddress: '198.51.100.1' }),
  )
  return { personId, code, recoveryCodes }
}

test('wrong_code: new recovery codes for anything but a new code of the device', async () => {
  const deps = { pool: database.pool, clock }
  const { personId, code, recoveryCodes } = await protectedPerson()
  const [first = '', second = ''] = recoveryCodes
  for (const wrong of ['000000', first])
    assert.deepEqual(await renewRecoveryCodes(deps, { personId, code: wrong }), { ok: false, error: { kind: 'wrong_code' } })
  must(
    await verifySecondFactor(deps, {
      personId,
      code: first,
      allowsRecovery: true,
      purpose: 'sign_in',
      place: { network: '203.0.113.0/24' },
    }),
  )
  assert.equal((await readOwnSecondFactor(database.pool, personId)).recoveryCodesLeft, 9)
  const renewed = must(await renewRecoveryCodes(deps, { personId, code: code() }))
  assert.equal(renewed.recoveryCodes.length, 10)
  assert.equal((await readOwnSecondFactor(database.pool, personId)).recoveryCodesLeft, 10)
  assert.ok(
    !(
      await verifySecondFactor(deps, {
        personId,
        code: second,
        allowsRecovery: true,
        purpose: 'sign_in',
        place: { network: '203.0.113.0/24' },
      })
    ).ok,
  )
  assert.ok(
    (
      await verifySecondFactor(deps, {
        personId,
        code: renewed.recoveryCodes[0] ?? '',
        allowsRecovery: true,
        purpose: 'sign_in',
        place: { network: '203.0.113.0/24' },
      })
    ).ok,
  )
})

test('a new session epoch for switching off with a code of the device or a recovery code', async () => {
  const deps = { pool: database.pool, clock }
  for (const kind of ['device', 'recovery'] as const) {
    const { personId, code, recoveryCodes } = await protectedPerson()
    assert.deepEqual(await disableOwnSecondFactor(deps, { personId, code: '000000' }), { ok: false, error: { kind: 'wrong_code' } })
    assert.ok(await findSignedIn(database.pool, { personId, sessionId, epoch: 2 }, clock.now()))
    const right = kind === 'device' ? code() : (recoveryCodes[0] ?? '')
    const { sessionEpoch } = must(await disableOwnSecondFactor(deps, { personId, code: right }))
    assert.equal(await findSignedIn(database.pool, { personId, sessionId, epoch: 2 }, clock.now()), undefined)
    assert.equal((await findSignedIn(database.pool, { personId, sessionId, epoch: sessionEpoch }, clock.now()))?.hasSecondFactor, false)
    assert.deepEqual(await readOwnSecondFactor(database.pool, personId), { enabledAt: null, recoveryCodesLeft: 0 })
    assert.deepEqual(await disableOwnSecondFactor(deps, { personId, code: right }), { ok: false, error: { kind: 'not_enabled' } })
  }
})

test('demanded: switching off while an application requires a second factor; the code stays valid', async () => {
  const deps = { pool: database.pool, clock }
  const applicationId = await makeApplication(database.pool, 'Prudence')
  const { personId, code } = await protectedPerson(applicationId)
  await database.pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  const fresh = code()
  assert.deepEqual(await disableOwnSecondFactor(deps, { personId, code: fresh }), {
    ok: false,
    error: { kind: 'demanded', applicationName: 'Prudence' },
  })
  assert.ok((await readOwnSecondFactor(database.pool, personId)).enabledAt)
  await database.pool.query('update memberships set is_active = false where person_id = $1', [personId])
  assert.ok((await disableOwnSecondFactor(deps, { personId, code: fresh })).ok, 'a membership that ended demands nothing')
})

test('an audit entry for enabling, new recovery codes and disabling', async () => {
  const deps = { pool: database.pool, clock }
  const { personId, code } = await protectedPerson()
  must(await renewRecoveryCodes(deps, { personId, code: code() }))
  must(await disableOwnSecondFactor(deps, { personId, code: code() }))
  const entries = await listAudit(database.pool, SERVICE_WIDE, { size: 200 })
  assert.deepEqual(
    entries.filter((entry) => entry.subject === personId).map((entry) => entry.action),
    ['person.second_factor_disabled', 'person.recovery_codes_renewed', 'person.second_factor_enabled'],
  )
})
