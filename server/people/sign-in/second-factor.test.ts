import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { pruneSignInThrottles } from '#server/credentials/sign-in-throttle.ts'
import { openTestPeople, type TestPeople, type TestPerson } from '#server/people/testing/test-people.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import type { SignInPlace } from './factor-tries.ts'
import { resetPersonPassword } from './passwords.ts'
import {
  confirmSecondFactor,
  dismissGuessedCodes,
  resetMemberSecondFactor,
  resetSecondFactor,
  startSecondFactor,
  verifySecondFactor,
} from './second-factor.ts'
import { loadActor } from './sessions.ts'

let people: TestPeople
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }

before(async () => {
  people = await openTestPeople(clock)
})
after(() => people.database.drop())

/** A person with the second factor on; `code` returns what the device shows now. */
async function withSecondFactor(): Promise<TestPerson & { code: () => string; recoveryCodes: string[] }> {
  const person = await people.createOne()
  const { secret, url } = must(await startSecondFactor(people.database.pool, person))
  assert.match(url, /^otpauth:\/\/totp\/Countersign:.+secret=/)
  const device = new TOTP({ secret: Secret.fromBase32(secret) })
  const code = (): string => device.generate({ timestamp: nowMs })
  const { recoveryCodes } = must(await confirm(person, code()))
  nowMs += 30_000
  return { ...person, code, recoveryCodes }
}

function confirm(person: TestPerson, code: string): ReturnType<typeof confirmSecondFactor> {
  const { personId, password } = person
  return confirmSecondFactor(
    { pool: people.database.pool, clock, throttle: people.throttle },
    { personId, password, code, peerAddress: '198.51.100.1' },
  )
}

const ELSEWHERE: SignInPlace = { network: '203.0.113.0/24' }

function check(
  personId: string,
  code: string,
  purpose: 'sign_in' | 'confirmation' = 'sign_in',
  place: SignInPlace = ELSEWHERE,
): ReturnType<typeof verifySecondFactor> {
  const allowsRecovery = purpose === 'sign_in'
  return verifySecondFactor({ pool: people.database.pool, clock }, { personId, code, allowsRecovery, ...{ purpose, place } })
}

test('accepted once: a one-time code of this time step or the one before', async () => {
  const person = await withSecondFactor()
  const code = person.code()
  assert.deepEqual(await check(person.personId, code), { ok: true, value: { usedRecoveryCode: false } })
  assert.deepEqual(await check(person.personId, code), { ok: false, error: { kind: 'wrong_code' } })
  nowMs += 60_000
  const slow = person.code()
  nowMs += 30_000
  assert.ok((await check(person.personId, slow)).ok)
  const old = person.code()
  nowMs += 90_000
  assert.deepEqual(await check(person.personId, old), { ok: false, error: { kind: 'wrong_code' } })
  assert.equal(must(await people.signIn(person)).hasCodes, true)
})

test('1 acceptance for one code sent four times at once', async () => {
  const person = await withSecondFactor()
  const code = person.code()
  const answers = await Promise.all(Array.from({ length: 4 }, () => check(person.personId, code)))
  assert.equal(answers.filter((answer) => answer.ok).length, 1)
})

test('throttled after five wrong codes, then one attempt every 30 s', async () => {
  const person = await withSecondFactor()
  const answers = await Promise.all(Array.from({ length: 100 }, (_, guess) => check(person.personId, String(guess).padStart(6, '0'))))
  // Five of the network, and of a hundred at once perhaps the one that all networks share.
  assert.ok(answers.filter((answer) => !answer.ok && answer.error.kind === 'wrong_code').length <= 6)
  const kind = async (code: string): Promise<string> => {
    const answer = await check(person.personId, code)
    return answer.ok ? 'in' : answer.error.kind
  }
  assert.equal(await kind(person.code()), 'throttled')
  nowMs += 30_000
  assert.equal(await kind('abcdef'), 'wrong_code')
  assert.equal(await kind(person.code()), 'throttled')
  nowMs += 30_000
  assert.equal(await kind(person.code()), 'in')
  nowMs += 30_000
  assert.equal(await kind(person.code()), 'in')
})

test('accepted once: a recovery code in any spelling, where recovery codes are allowed', async () => {
  const person = await withSecondFactor()
  assert.equal(person.recoveryCodes.length, 10)
  const [first = '', second = ''] = person.recoveryCodes
  assert.deepEqual(await check(person.personId, first, 'confirmation'), { ok: false, error: { kind: 'wrong_code' } })
  assert.deepEqual(await check(person.personId, first.toLowerCase().replaceAll('-', ' ')), { ok: true, value: { usedRecoveryCode: true } })
  assert.deepEqual(await check(person.personId, first), { ok: false, error: { kind: 'wrong_code' } })
  assert.ok((await check(person.personId, second)).ok)
  const { rows } = await people.database.pool.query<{ row: string }>('select r::text as row from recovery_codes r where person_id = $1', [
    person.personId,
  ])
  assert.ok(rows.every(({ row }) => !row.includes(first.replaceAll('-', ''))))
})

test('1 acceptance for one recovery code sent four times at once', async () => {
  const person = await withSecondFactor()
  const answers = await Promise.all(Array.from({ length: 4 }, () => check(person.personId, person.recoveryCodes[0] ?? '')))
  assert.equal(answers.filter((answer) => answer.ok).length, 1)
})

test('not_enabled until a code confirmed the enrolment', async () => {
  const person = await people.createOne()
  const { personId } = person
  assert.deepEqual(await confirm(person, '123456'), {
    ok: false,
    error: 'not_started',
  })
  must(await startSecondFactor(people.database.pool, { personId }))
  assert.deepEqual(await confirm(person, 'x'), { ok: false, error: 'wrong_code' })
  assert.deepEqual(await check(personId, '123456'), { ok: false, error: { kind: 'not_enabled' } })
  const { secret } = must(await startSecondFactor(people.database.pool, { personId }))
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs })
  must(await confirm(person, code))
  assert.deepEqual(await check(personId, code), { ok: false, error: { kind: 'wrong_code' } })
  assert.deepEqual(await startSecondFactor(people.database.pool, { personId }), { ok: false, error: 'already_enabled' })
})

test('wrong_password: an enrolment without the correct password, also with a correct code', async () => {
  const person = await people.createOne()
  const { secret } = must(await startSecondFactor(people.database.pool, person))
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs })
  for (const password of ['', 'wrong', `${person.password} `])
    assert.deepEqual(await confirm({ ...person, password }, code), { ok: false, error: 'wrong_password' })
  assert.equal(must(await people.signIn(person)).hasCodes, false)
  assert.equal(must(await confirm(person, code)).sessionEpoch, 2)
  assert.deepEqual(await loadActor(people.database.pool, person.personId, people.applicationId, 1), { ok: false, error: 'signed_out' })
  assert.deepEqual(await confirm({ ...person, personId: crypto.randomUUID() }, code), { ok: false, error: 'unknown_person' })
})

test('mustEnrolSecondFactor after the reset of a second factor that an application requires', async () => {
  const person = await withSecondFactor()
  await people.database.pool.query('update applications set requires_second_factor = true where application_id = $1', [
    people.applicationId,
  ])
  try {
    assert.equal(must(await loadActor(people.database.pool, person.personId, people.applicationId, 2)).mustEnrolSecondFactor, false)
    assert.deepEqual(
      await resetSecondFactor(people.database.pool, { personId: person.personId, actor: { kind: 'person', id: crypto.randomUUID() } }),
      { ok: false, error: 'not_permitted' },
    )
    must(await resetSecondFactor(people.database.pool, { personId: person.personId, actor: SYSTEM_ACTOR }))
    assert.deepEqual(await loadActor(people.database.pool, person.personId, people.applicationId, 1), { ok: false, error: 'signed_out' })
    assert.equal(must(await loadActor(people.database.pool, person.personId, people.applicationId)).mustEnrolSecondFactor, true)
    assert.deepEqual(await check(person.personId, person.recoveryCodes[0] ?? ''), { ok: false, error: { kind: 'not_enabled' } })
  } finally {
    await people.database.pool.query('update applications set requires_second_factor = false where application_id = $1', [
      people.applicationId,
    ])
  }
})

test('works_elsewhere for the reset by one application of the second factor of a member of two', async () => {
  const { personId } = await withSecondFactor()
  const { pool } = people.database
  const other = await makeApplication(pool)
  await pool.query("insert into memberships (application_id, person_id, roles) values ($1, $2, '{maker}')", [other, personId])
  const reset = () => resetMemberSecondFactor(pool, { applicationId: people.applicationId, personId, actor: SYSTEM_ACTOR })
  assert.deepEqual(await reset(), { ok: false, error: 'works_elsewhere' })
  await pool.query('update memberships set is_active = false where application_id = $1 and person_id = $2', [other, personId])
  must(await reset())
})

test('an audit entry for each change of a person, without passwords and codes', async () => {
  const person = await withSecondFactor()
  must(await resetPersonPassword(people.database.pool, { personId: person.personId, actor: SYSTEM_ACTOR }))
  const wide = await listAudit(people.database.pool, SERVICE_WIDE, { size: 200 })
  assert.deepEqual(
    wide.filter((entry) => entry.subject === person.personId).map((entry) => entry.action),
    ['person.password_reset', 'person.second_factor_enabled'],
  )
  const { rows } = await people.database.pool.query<{ row: string }>('select e::text as row from audit_entries e')
  for (const secret of [person.password, ...person.recoveryCodes]) assert.ok(rows.every(({ row }) => !row.includes(secret)))
  for (const chain of [SERVICE_WIDE, people.applicationId]) must(await verifyAuditChain(people.database.pool, chain))
})

/** Enters wrong codes, as often as the pauses allow. */
async function guess(personId: string, count: number, purpose: 'sign_in' | 'confirmation'): Promise<string[]> {
  const kinds: string[] = []
  for (let tries = 0; tries < count; tries++) {
    if (tries >= 5) nowMs += 30_000
    const answer = await check(personId, 'abcdef', purpose)
    kinds.push(answer.ok ? 'in' : answer.error.kind)
  }
  return kinds
}

async function stateOf(personId: string): Promise<{ isTold: boolean; epoch: number }> {
  const { rows } = await people.database.pool.query<{ isTold: boolean; epoch: number }>(
    'select codes_guessed_at is not null as "isTold", session_epoch as epoch from people where person_id = $1',
    [personId],
  )
  return rows[0] ?? assert.fail('the person is gone')
}

test('too_many for the twentieth wrong code in a row at sign-ins: the person is told, and sessions go on', async () => {
  const { personId } = await withSecondFactor()
  const before = await stateOf(personId)
  assert.deepEqual(
    (await guess(personId, 19, 'sign_in')).filter((kind) => kind !== 'wrong_code'),
    [],
  )
  assert.ok(!(await stateOf(personId)).isTold)
  assert.deepEqual(await guess(personId, 1, 'sign_in'), ['throttled'])
  nowMs += 30_000
  assert.deepEqual(await guess(personId, 1, 'sign_in'), ['too_many'])
  assert.deepEqual(await stateOf(personId), { isTold: true, epoch: before.epoch })
  await dismissGuessedCodes(people.database.pool, { personId })
  assert.ok(!(await stateOf(personId)).isTold)
})

test('too_many for the twentieth wrong code in a row of a signed-in person: every session ends', async () => {
  const { personId } = await withSecondFactor()
  const { epoch } = await stateOf(personId)
  assert.deepEqual((await guess(personId, 20, 'confirmation')).at(-1), 'too_many')
  assert.deepEqual(await stateOf(personId), { isTold: true, epoch: epoch + 1 })
})

test('accepted: a code for a confirmation while the codes of sign-ins have to wait, and the reverse', async () => {
  for (const [flooded, used] of [
    ['sign_in', 'confirmation'],
    ['confirmation', 'sign_in'],
  ] as const) {
    const person = await withSecondFactor()
    await guess(person.personId, 5, flooded)
    assert.deepEqual(await check(person.personId, person.code(), used), { ok: true, value: { usedRecoveryCode: false } })
  }
})

test('accepted at a sign-in on a known device and from another network while somebody uses up every try, who is still bounded', async () => {
  const person = await withSecondFactor()
  await guess(person.personId, 10, 'sign_in')
  assert.deepEqual(await check(person.personId, 'abcdef'), { ok: false, error: { kind: 'throttled', retryAfterMs: 30_000 } })
  // A right code clears the tries, so each place has a person of its own.
  for (const place of [{ device: 'a known device' }, { network: '192.0.2.0/24' }]) {
    const owner = await withSecondFactor()
    await guess(owner.personId, 10, 'sign_in')
    assert.deepEqual(await check(owner.personId, owner.code(), 'sign_in', place), { ok: true, value: { usedRecoveryCode: false } })
  }
})

test('one try per 30 s for all networks together beyond five of each, and for each known device', async () => {
  const { personId } = await withSecondFactor()
  const kinds = async (place: SignInPlace, count: number) => {
    const answers: string[] = []
    for (let tries = 0; tries < count; tries++) {
      const answer = await check(personId, 'abcdef', 'sign_in', place)
      answers.push(answer.ok ? 'in' : answer.error.kind)
    }
    return answers
  }
  const networks = [1, 2, 3].map((number) => ({ network: `198.51.${number}.0/24` }))
  const device = { device: 'a known device' }
  for (const place of [...networks, device])
    assert.deepEqual((await kinds(place, 6)).slice(4), [place === device ? 'too_many' : 'wrong_code', 'throttled'])
  nowMs += 30_000
  assert.deepEqual((await Promise.all(networks.map((place) => kinds(place, 1)))).flat().sort(), ['throttled', 'throttled', 'wrong_code'])
  assert.deepEqual(await kinds(device, 2), ['wrong_code', 'throttled'])
})

test('the twentieth wrong code counts, though hours passed and old counts were removed in between', async () => {
  const { personId } = await withSecondFactor()
  await guess(personId, 19, 'sign_in')
  nowMs += 20 * 3_600_000
  await pruneSignInThrottles(people.database.pool, new Date(nowMs))
  assert.deepEqual(await guess(personId, 1, 'sign_in'), ['too_many'])
  nowMs += 25 * 3_600_000
  assert.ok((await pruneSignInThrottles(people.database.pool, new Date(nowMs))) > 0)
})

test('too_many again, and the person told again, after twenty more wrong codes', async () => {
  const { personId } = await withSecondFactor()
  await guess(personId, 20, 'confirmation')
  await dismissGuessedCodes(people.database.pool, { personId })
  // Five that come too early, and twenty that count.
  assert.deepEqual((await guess(personId, 25, 'confirmation')).at(-1), 'too_many')
  assert.ok((await stateOf(personId)).isTold)
})

test('wrong_code five times more after a right code', async () => {
  const person = await withSecondFactor()
  await guess(person.personId, 4, 'confirmation')
  assert.ok((await check(person.personId, person.code(), 'confirmation')).ok)
  const answers = []
  for (let tries = 0; tries < 5; tries++) answers.push(await check(person.personId, 'abcdef', 'confirmation'))
  assert.deepEqual(answers, Array(5).fill({ ok: false, error: { kind: 'wrong_code' } }))
})

test('wrong_code five times more at the same place after a right code at a sign-in there', async () => {
  const person = await withSecondFactor()
  const wrong = async (count: number) => {
    const errors: unknown[] = []
    for (let tries = 0; tries < count; tries++) {
      const checked = await check(person.personId, 'abcdef')
      errors.push(checked.ok || checked.error.kind)
    }
    return errors
  }
  await wrong(4)
  assert.ok((await check(person.personId, person.code())).ok)
  assert.deepEqual(await wrong(6), [...Array(5).fill('wrong_code'), 'throttled'])
})

test('throttled also for slow guesses, an hour apart', async () => {
  const { personId } = await withSecondFactor()
  const kinds: string[] = []
  for (let tries = 0; tries < 5; tries++) {
    nowMs += 60 * 60_000
    kinds.push(...(await guess(personId, 1, 'confirmation')))
  }
  assert.deepEqual([...kinds, ...(await guess(personId, 1, 'confirmation'))], [...Array(5).fill('wrong_code'), 'throttled'])
})

test('accepted: a code with spaces and the code of a clock that is one step ahead; wrong_code two steps ahead', async () => {
  const person = await withSecondFactor()
  const ahead = (steps: number) => {
    nowMs += steps * 30_000
    const code = person.code()
    nowMs -= steps * 30_000
    return code
  }
  assert.deepEqual(await check(person.personId, ahead(2)), { ok: false, error: { kind: 'wrong_code' } })
  assert.ok((await check(person.personId, ahead(1))).ok)
  assert.deepEqual(await check(person.personId, person.code()), { ok: false, error: { kind: 'wrong_code' } })
  nowMs += 60_000
  const spaced = person.code()
  assert.ok((await check(person.personId, ` ${spaced.slice(0, 3)} ${spaced.slice(3)}`)).ok)
  nowMs += 30_000
  assert.deepEqual(await check(person.personId, `${person.code()}1`), { ok: false, error: { kind: 'wrong_code' } })
  assert.deepEqual(await check(person.personId, `1${person.code()}`), { ok: false, error: { kind: 'wrong_code' } })
})

test('throttled for 30 s to the millisecond after the fifth wrong code, for a person and for a known device', async () => {
  for (const [purpose, place] of [
    ['confirmation', ELSEWHERE],
    ['sign_in', { device: 'a known device' }],
  ] as const) {
    const { personId } = await withSecondFactor()
    const kind = async () => {
      const answer = await check(personId, 'abcdef', purpose, place)
      return answer.ok ? 'in' : answer.error.kind
    }
    for (let tries = 0; tries < 5; tries++) assert.equal(await kind(), 'wrong_code')
    nowMs += 29_999
    assert.equal(await kind(), 'throttled')
    nowMs += 1
    assert.equal(await kind(), 'wrong_code')
  }
})

test('already_enabled for a second confirmation; the recovery codes of the first are valid', async () => {
  const person = await withSecondFactor()
  assert.deepEqual(await confirm(person, person.code()), { ok: false, error: 'already_enabled' })
  assert.ok((await check(person.personId, person.recoveryCodes[9] ?? '')).ok)
})

test('recorded of wrong codes in a row: the first, the second, the fourth and each that doubles them, and the twentieth', async () => {
  const { personId } = await withSecondFactor()
  await guess(personId, 22, 'confirmation')
  const entries = await listAudit(people.database.pool, people.applicationId, { size: 200 })
  assert.deepEqual(
    entries
      .filter((entry) => entry.subject === personId && entry.action === 'person.second_factor_failed')
      .map(({ actor, details }) => [actor.kind, details['failures']])
      .toReversed(),
    [1, 2, 4, 8, 16, 20].map((failures) => ['system', failures]),
  )
})

test('wrong_code for every text that cannot be a recovery code; none is spent', async () => {
  const person = await withSecondFactor()
  const [first = ''] = person.recoveryCodes
  for (const code of [`${first}A`, `A${first}`, first.slice(0, -1), first.replace(/.$/, '1')])
    assert.deepEqual(await check(person.personId, code), { ok: false, error: { kind: 'wrong_code' } })
  assert.match(first, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  assert.equal(new Set(person.recoveryCodes).size, 10)
})
