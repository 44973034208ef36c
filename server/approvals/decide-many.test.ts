import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { DecidedResult } from '#lib/approvals/approvals.ts'
import type { Role } from '#lib/people/permissions.ts'
import { systemClock } from '#server/clock.ts'
import { givePasskey } from '#server/people/passkeys/testing/give-passkey.ts'
import { renewRecoveryCodes, verifySecondFactor } from '#server/people/sign-in/second-factor.ts'
import { codeProof } from '#server/people/testing/test-people.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { decideMany } from './decide.ts'
import { findApprovals } from './queue/queue.ts'
import { recallTransaction } from './recall.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const deps = () => decisionDeps(database.pool)
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

async function scene(roles: Role[] = ['checker']) {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
  const viewer = async () => ({ applicationId, id: await makePerson(database.pool, applicationId, roles), roles, hasSecondFactor: false })
  const checker = await viewer()
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const make = async (count: number, band: Parameters<typeof aBand>[0] = {}) => {
    const items = Array.from({ length: count }, () => anIntakeItem(applicationId, { source: 'person', makerId, bands: [aBand(band)] }))
    await takeIn(database.pool, items)
    const ids = items.map((item) => item.transactionId)
    const rows = await findApprovals(database.pool, checker, ids)
    return ids.map((id) => ({ transactionId: id, contentHash: rows.find((row) => row.transactionId === id)?.contentHash ?? '' }))
  }
  return { applicationId, checker, other: await viewer(), makerId, make }
}

async function enrol(personId: string): Promise<string> {
  await database.pool.query('update people set totp_secret = $2, totp_enabled_at = now(), totp_last_step = null where person_id = $1', [
    personId,
    keyringOfProcess().seal(totpSecretPlace(personId), SECRET),
  ])
  return new TOTP({ secret: Secret.fromBase32(SECRET), algorithm: 'SHA1', digits: 6, period: 30 }).generate()
}

test('a refusal with the current row for a transaction that has moved, done for the rest of the list', async () => {
  const { applicationId, checker, other, makerId, make } = await scene()
  const items = await make(4)
  const [first, second, third, fourth] = items
  assert.ok(first && second && third && fourth)
  await decideMany(deps(), { checker: other, decision: 'rejected', note: 'Duplicate', items: [first] })
  await recallTransaction(deps(), { applicationId, transactionId: second.transactionId, makerId, reason: 'Wrong phone' })
  const result = await decideMany(deps(), {
    checker,
    decision: 'validated',
    note: 'Invoices seen',
    items: [first, second, { ...third, contentHash: '0'.repeat(64) }, fourth, { transactionId: randomUUID(), contentHash: '0'.repeat(64) }],
  })
  assert.ok(result.ok)
  assert.deepEqual(
    result.value.map((one) => (one.kind === 'done' ? one.status : [one.reason, one.now?.end?.event, one.now?.end?.by, one.now?.status])),
    [
      ['not_waiting', 'rejected', 'Test person', 'FAILED'],
      ['not_waiting', 'recalled', 'Test person', 'FAILED'],
      ['content_changed', undefined, undefined, 'PENDING_APPROVAL'],
      'PENDING',
      ['not_found', undefined, undefined, undefined],
    ],
  )
})

test('one result for an id that a list holds twice', async () => {
  const { checker, make } = await scene()
  const [item] = await make(1)
  assert.ok(item)
  const result = await decideMany(deps(), { checker, decision: 'validated', note: 'Seen', items: [item, item] })
  assert.deepEqual(result.ok && result.value.map((one) => one.kind), ['done'])
})

test('done with 1 of 2 and a new change number after the first of two approvals', async () => {
  const { applicationId, checker, make } = await scene()
  const items = await make(1, { steps: [2] })
  const changeNumber = async () =>
    (
      await database.pool.query<{ n: bigint }>('select change_number as n from application_counters where application_id = $1', [
        applicationId,
      ])
    ).rows[0]?.n ?? 0n
  const before = await changeNumber()
  const result = await decideMany(deps(), { checker, decision: 'validated', note: 'Seen', items })
  assert.deepEqual(result.ok && result.value, [
    { transactionId: items[0]?.transactionId, kind: 'done', status: 'PENDING_APPROVAL', given: 1, needed: 2 },
  ])
  assert.ok((await changeNumber()) > before)
})

test('code_required, then done for exactly one list per code', async () => {
  const { applicationId, checker, make } = await scene()
  const listed = await make(3, { needsCode: true })
  const others = await make(1, { needsCode: true })
  const code = await enrol(checker.id)
  const who = { ...checker, hasSecondFactor: true }
  const ask = (items: typeof listed, given?: string) =>
    decideMany(deps(), { checker: who, decision: 'validated', note: 'Seen', items, proof: codeProof(given) })
  assert.deepEqual(await ask(listed), { ok: false, error: 'code_required' })
  const done = await ask(listed, code)
  assert.deepEqual(done.ok && done.value.map((one) => one.kind), ['done', 'done', 'done'])
  assert.deepEqual(await ask(others, code), { ok: false, error: 'wrong_code' })
  const { rows } = await database.pool.query<{ details: { count: number } }>(
    "select details from audit_entries where application_id = $1 and action = 'approvals.code_used'",
    [applicationId],
  )
  assert.deepEqual(
    rows.map((row) => row.details.count),
    [3],
  )
})

test('done by the passkey of a checker without codes, for exactly the list that the record names with it', async () => {
  const { applicationId, checker, make } = await scene()
  const items = await make(2, { needsCode: true })
  const others = await make(1, { needsCode: true })
  const { prove } = await givePasskey({ pool: database.pool, clock: systemClock }, checker.id)
  const who = { ...checker, hasSecondFactor: true }
  const proof = await prove()
  const ask = (list: typeof items, given: typeof proof) =>
    decideMany(deps(), { checker: who, decision: 'validated', note: 'Seen', items: list, proof: given })
  const done = await ask(items, proof)
  assert.deepEqual(done.ok && done.value.map((one) => one.kind), ['done', 'done'])
  assert.deepEqual(await ask(others, proof), { ok: false, error: 'passkey_refused' })
  assert.deepEqual(await ask(others, await prove({ askedIn: randomUUID() })), { ok: false, error: 'passkey_refused' })
  const { rows } = await database.pool.query(
    "select action, details from audit_entries where application_id = $1 and action like 'approvals.%_used'",
    [applicationId],
  )
  const list = createHash('sha256').update(JSON.stringify(items.map((item) => [item.transactionId, item.contentHash])))
  const details = { list: list.digest('hex'), count: 2, name: 'Telephone' }
  assert.deepEqual(rows, [{ action: 'approvals.passkey_used', details }])
  const decisions = await database.pool.query('select used_code from approval_decisions where application_id = $1', [applicationId])
  assert.deepEqual(decisions.rows, [{ used_code: true }, { used_code: true }])
})

test('code_throttled after five wrong codes, which do not count against the sign-in of the same person', async () => {
  const { checker, make } = await scene()
  const items = await make(1, { needsCode: true })
  const code = await enrol(checker.id)
  const who = { ...checker, hasSecondFactor: true }
  const answers: unknown[] = []
  for (let tries = 1; tries <= 6; tries++) {
    const result = await decideMany(deps(), { checker: who, decision: 'validated', note: 'Seen', items, proof: codeProof('abcdef') })
    answers.push(result.ok ? 'done' : result.error)
  }
  assert.deepEqual(answers, [...Array(5).fill('wrong_code'), 'code_throttled'])
  const signIn = { personId: checker.id, code, allowsRecovery: false, purpose: 'sign_in', place: { network: '203.0.113.0/24' } } as const
  assert.ok((await verifySecondFactor({ pool: database.pool, clock: systemClock }, signIn)).ok)
})

test('wrong_code for a recovery code, which approves nothing', async () => {
  const { checker, make } = await scene()
  const items = await make(1, { needsCode: true })
  const code = await enrol(checker.id)
  const { recoveryCodes } = must(await renewRecoveryCodes({ pool: database.pool, clock: systemClock }, { personId: checker.id, code }))
  const command = { checker: { ...checker, hasSecondFactor: true }, decision: 'validated', note: 'Seen', items } as const
  assert.deepEqual(await decideMany(deps(), { ...command, proof: codeProof(recoveryCodes[0]) }), { ok: false, error: 'wrong_code' })
})

test('a code is noted with the decisions that require one, and the record names the list that it was used for', async () => {
  const { applicationId, checker, make } = await scene()
  const items = [...(await make(1)), ...(await make(1, { needsCode: true }))]
  const code = await enrol(checker.id)
  must(
    await decideMany(deps(), {
      checker: { ...checker, hasSecondFactor: true },
      decision: 'validated',
      note: 'Seen',
      items,
      proof: codeProof(code),
    }),
  )
  const decisions = await database.pool.query('select transaction_id, used_code from approval_decisions where application_id = $1', [
    applicationId,
  ])
  assert.deepEqual(
    new Map(decisions.rows.map((row) => [row.transaction_id, row.used_code])),
    new Map(items.map(({ transactionId }, index) => [transactionId, index === 1])),
  )
  const digest = createHash('sha256').update(JSON.stringify(items.map((item) => [item.transactionId, item.contentHash])))
  const record = await database.pool.query(
    "select actor_id, subject, details from audit_entries where application_id = $1 and action = 'approvals.code_used'",
    [applicationId],
  )
  assert.deepEqual(record.rows, [{ actor_id: checker.id, subject: checker.id, details: { list: digest.digest('hex'), count: 2 } }])
})

test('second_factor_missing for a whole list that requires a code; a rejection requires none', async () => {
  const { checker, make } = await scene()
  const items = [...(await make(1)), ...(await make(1, { needsCode: true }))]
  assert.deepEqual(await decideMany(deps(), { checker, decision: 'validated', note: 'Seen', items }), {
    ok: false,
    error: 'second_factor_missing',
  })
  const rejected = await decideMany(deps(), { checker, decision: 'rejected', note: 'Duplicate', items })
  assert.deepEqual(rejected.ok && rejected.value.map((one) => one.kind), ['done', 'done'])
})

test('one done per item for two checkers with the same list at once, and a refusal that names the other', async () => {
  const { checker, other, make } = await scene()
  const items = await make(10)
  const [left, right] = await Promise.all(
    [checker, other].map((who) => decideMany(deps(), { checker: who, decision: 'validated', note: 'Seen', items })),
  )
  assert.ok(left?.ok && right?.ok)
  for (const [n, one] of left.value.entries()) {
    const counterpart: DecidedResult | undefined = right.value[n]
    assert.deepEqual([one.kind, counterpart?.kind].toSorted(), ['done', 'refused'])
    const refused: DecidedResult | undefined = one.kind === 'refused' ? one : counterpart
    assert.ok(refused?.kind === 'refused' && refused.reason === 'not_waiting' && refused.now?.end?.event === 'approved')
  }
})
