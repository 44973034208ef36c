import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { givePasskey } from '#server/people/passkeys/testing/give-passkey.ts'
import { codeProof } from '#server/people/testing/test-people.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { decisionDeps } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { decide, decideMany } from '../decide.ts'
import { findApprovals, listApprovals } from '../queue/queue.ts'
import { recallTransaction } from '../recall.ts'
import { carryOutNext } from './carry-out.ts'
import { decideOrIntendMany } from './intend.ts'
import { lockDue } from './intention-store.ts'
import { makeIntentionsDue, openScene } from './testing/open-scene.ts'
import { dismissRefusal, forgetIntended, listIntended } from './undo.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
  await database.drop()
})

const deps = () => decisionDeps(database.pool)
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

const scene = () => openScene(database.pool)
const makeDue = (applicationId: string, ago = 0) => makeIntentionsDue(database.pool, applicationId, ago)

test('intended, and waiting for everybody as before, until it is due; then validated once with the note of the person', async () => {
  const { applicationId, ada, ben, makerId, make, validate, statuses, intended, audit } = await scene()
  const items = await make(2)
  const countsOf = async () =>
    (await listApprovals(database.pool, { ...ada, businessZone: 'UTC' }, approvalFilterSchema.parse({ queue: 'mine' }))).counts
  const waitingBefore = await countsOf()
  const results = must(await validate(ada, items))
  assert.deepEqual(
    results.map((result) => result.kind),
    ['intended', 'intended'],
  )
  assert.equal(await carryOutNext(deps()), false, 'it is not due')
  assert.deepEqual(await statuses(items), ['PENDING_APPROVAL', 'PENDING_APPROVAL'])
  assert.deepEqual(await countsOf(), waitingBefore)
  assert.deepEqual(
    (await findApprovals(database.pool, ben, [items[0]?.transactionId ?? ''])).map((row) => [row.canApprove, row.given]),
    [[true, 0]],
  )
  const shown = await intended(ada)
  assert.deepEqual([shown.state, shown.transactionIds.length, shown.sums[0]?.count], ['waiting', 2, 2])
  assert.ok(shown.dueInMs > 50_000 && shown.dueInMs <= 60_000, String(shown.dueInMs))
  assert.deepEqual(await listIntended(database.pool, ben), [])
  await makeDue(applicationId)
  assert.equal(await carryOutNext(deps()), true)
  assert.equal(await carryOutNext(deps()), false)
  assert.deepEqual(await statuses(items), ['PENDING', 'PENDING'])
  assert.equal((await intended(ada)).state, 'carried_out')
  const decisions = await database.pool.query(
    'select checker_id, maker_id, note, through from approval_decisions where application_id = $1',
    [applicationId],
  )
  const stored = { checker_id: ada.id, maker_id: makerId, note: 'Invoices seen', through: 'back_office' }
  assert.deepEqual(decisions.rows, [stored, stored])
  assert.deepEqual(await audit(), ['approvals.intended', 'transaction.validated', 'transaction.validated'])
  must(await verifyAuditChain(database.pool, applicationId))
})

test('not carried out a moment before it is due, however often it is looked for', async () => {
  const { applicationId, ada, make, validate, statuses } = await scene()
  const items = await make(1)
  must(await validate(ada, items))
  await makeDue(applicationId, -1)
  await waitUntil('it is carried out', () => carryOutNext(deps()))
  assert.deepEqual(await statuses(items), ['PENDING'])
  const { rows } = await database.pool.query('select ended_at >= due_at as "isInTime" from intended_decisions where application_id = $1', [
    applicationId,
  ])
  assert.deepEqual(rows, [{ isInTime: true }])
})

test('as before, recorded and never sent: what its author undid; not_found for everybody else, also with the id', async () => {
  const { applicationId, ada, ben, make, validate, statuses, intended, undo, audit } = await scene()
  const items = await make(1)
  must(await validate(ada, items))
  const { intentionId } = await intended(ada)
  assert.deepEqual(await undo(ben, intentionId), { ok: false, error: 'not_found' })
  assert.equal((await intended(ada)).state, 'waiting')
  must(await undo(ada, intentionId))
  must(await undo(ada, intentionId))
  await makeDue(applicationId)
  assert.equal(await carryOutNext(deps()), false)
  assert.deepEqual(await statuses(items), ['PENDING_APPROVAL'])
  assert.deepEqual(await audit(), ['approvals.intended', 'approvals.undone'])
  // The same content can be validated again: nothing of the decision was stored.
  must(await validate(ada, items))
  assert.equal((await intended(ada)).state, 'waiting')
})

test('already_sent for an undo while a worker carries it out and after that', async () => {
  const { applicationId, ada, make, validate, intended, undo } = await scene()
  const items = await make(1)
  must(await validate(ada, items))
  const { intentionId } = await intended(ada)
  await makeDue(applicationId)
  const worker = await database.pool.connect()
  try {
    await worker.query('begin')
    assert.equal((await lockDue(worker))?.intentionId, intentionId)
    assert.deepEqual(await undo(ada, intentionId), { ok: false, error: 'already_sent' })
    await worker.query('rollback')
  } finally {
    worker.release()
  }
  assert.equal(await carryOutNext(deps()), true)
  assert.deepEqual(await undo(ada, intentionId), { ok: false, error: 'already_sent' })
})

test('decided once by two workers at once, and all of it by the next one after a worker died halfway', async () => {
  const { applicationId, ada, make, validate, statuses, intended } = await scene()
  const items = await make(5)
  must(await validate(ada, items))
  await makeDue(applicationId)
  const dying = await database.pool.connect()
  await dying.query('begin')
  assert.ok(await lockDue(dying))
  must(await decideMany(deps(), { checker: ada, decision: 'validated', note: 'Invoices seen', items: items.slice(0, 2) }))
  assert.deepEqual(await Promise.all([carryOutNext(deps()), carryOutNext(deps())]), [false, false], 'it is taken')
  // The connection ends with its process, and with it the lock.
  dying.release(true)
  const carried = [carryOutNext(deps()), carryOutNext(deps()), carryOutNext(deps())]
  const taken = await Promise.all(carried)
  if (!taken.includes(true)) assert.equal(await carryOutNext(deps()), true)
  assert.deepEqual(await statuses(items), Array(5).fill('PENDING'))
  assert.deepEqual([(await intended(ada)).state, (await intended(ada)).refused], ['carried_out', []])
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*)::integer as count from transaction_events where application_id = $1 and event = 'approved'",
    [applicationId],
  )
  assert.equal(rows[0]?.count, 5)
})

test('told by name, once dismissed no more: items that a colleague rejected, the maker recalled or a switch stopped', async () => {
  const { applicationId, ada, ben, makerId, make, validate, statuses, intended, audit } = await scene()
  const items = await make(4)
  const [first, second, third, fourth] = items
  assert.ok(first && second && third && fourth)
  must(await validate(ada, items))
  must(await decideOrIntendMany(deps(), { checker: ben, decision: 'rejected', note: 'Duplicate', items: [first] }))
  must(await recallTransaction(deps(), { applicationId, transactionId: second.transactionId, makerId, reason: 'Wrong phone' }))
  await makeDue(applicationId)
  await carryOutNext(deps())
  const told = await intended(ada)
  assert.deepEqual(
    [told.state, ...told.refused.map(({ reason, end }) => [reason, end?.event, end?.by])],
    ['refused', ['not_waiting', 'rejected', 'Test person'], ['not_waiting', 'recalled', 'Test person']],
  )
  assert.deepEqual(await statuses(items), ['FAILED', 'FAILED', 'PENDING', 'PENDING'])
  assert.equal((await audit()).at(-1), 'approvals.not_carried_out')
  const intention = { applicationId, intentionId: told.intentionId }
  assert.equal(await dismissRefusal(database.pool, { ...intention, personId: ben.id }), false)
  assert.equal(await dismissRefusal(database.pool, { ...intention, personId: ada.id }), true)
  assert.deepEqual(await listIntended(database.pool, ada), [])

  const [switched] = await make(1)
  assert.ok(switched)
  must(await validate(ada, [switched]))
  await database.pool.query('update applications set is_enabled = false where application_id = $1', [applicationId])
  await makeDue(applicationId)
  await carryOutNext(deps())
  assert.deepEqual(
    (await intended(ada)).refused.map(({ reason }) => reason),
    ['application_disabled'],
  )
  assert.deepEqual(await statuses([switched]), ['PENDING_APPROVAL'])
})

for (const [what, statement, refusal, reasons] of [
  ['the role', "update memberships set roles = array['maker'] where person_id = $1", null, ['not_a_checker']],
  ['the account', 'update people set is_blocked = true where person_id = $1', 'session_ended', []],
] as const)
  test(`not carried out for a person who has lost ${what} before it is due`, async () => {
    const { applicationId, ada, make, validate, statuses, intended } = await scene()
    const items = await make(1)
    must(await validate(ada, items))
    await database.pool.query(statement, [ada.id])
    await makeDue(applicationId)
    await carryOutNext(deps())
    const ended = await intended(ada)
    assert.deepEqual([ended.refusal, ended.refused.map((one) => one.reason)], [refusal, reasons])
    assert.deepEqual(await statuses(items), ['PENDING_APPROVAL'])
  })

test('not carried out once the person has ended all sessions, nor more than 15 minutes late', async () => {
  const { applicationId, ada, ben, make, validate, statuses, intended } = await scene()
  const items = await make(2)
  const [first, second] = items
  assert.ok(first && second)
  must(await validate(ada, [first]))
  must(await validate(ben, [second]))
  await database.pool.query('update people set session_epoch = session_epoch + 1 where person_id = $1', [ada.id])
  await makeDue(applicationId, 15 * 60 + 1)
  await carryOutNext(deps())
  await carryOutNext(deps())
  assert.deepEqual([(await intended(ada)).refusal, (await intended(ben)).refusal], ['session_ended', 'too_late'])
  assert.deepEqual(await statuses(items), ['PENDING_APPROVAL', 'PENDING_APPROVAL'])
})

test('session_ended: not carried out for a person who has lost the second factor that the application has come to require', async () => {
  const { applicationId, ada, make, validate, statuses, intended } = await scene()
  const items = await make(1)
  must(await validate(ada, items))
  await database.pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  await makeDue(applicationId)
  await carryOutNext(deps())
  assert.equal((await intended(ada)).refusal, 'session_ended')
  assert.deepEqual(await statuses(items), ['PENDING_APPROVAL'])
})

test('carried out: what somebody validated by a passkey, their only second factor, where the application requires one', async () => {
  const { applicationId, ada, make, validate, statuses } = await scene()
  await database.pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  const { prove } = await givePasskey({ pool: database.pool, clock: systemClock }, ada.id)
  const items = await make(2, { needsCode: true })
  must(await validate(ada, items, await prove()))
  await makeDue(applicationId)
  await carryOutNext(deps())
  assert.deepEqual(await statuses(items), ['PENDING', 'PENDING'])
})

test('content_changed, told and not decided: an item that another approval changed before it was due', async () => {
  const { applicationId, ada, ben, make, validate, intended, statuses } = await scene()
  const items = await make(1, { steps: [3] })
  must(await validate(ada, items))
  must(await decideMany(deps(), { checker: ben, decision: 'validated', note: 'Seen', items }))
  await makeDue(applicationId)
  await carryOutNext(deps())
  assert.deepEqual(
    (await intended(ada)).refused.map(({ reason }) => reason),
    ['content_changed'],
  )
  assert.deepEqual(await statuses(items), ['PENDING_APPROVAL'])
})

test('a code is used up when somebody validates, and counts for exactly that list when it is due', async () => {
  const { applicationId, ada, make, validate, statuses, intended } = await scene()
  await database.pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [
    ada.id,
    keyringOfProcess().seal(totpSecretPlace(ada.id), SECRET),
  ])
  const code = new TOTP({ secret: Secret.fromBase32(SECRET), algorithm: 'SHA1', digits: 6, period: 30 }).generate()
  const [items, others] = [await make(2, { needsCode: true }), await make(1, { needsCode: true })]
  assert.deepEqual(await validate(ada, items), { ok: false, error: 'code_required' })
  assert.deepEqual(await validate(ada, [...(await make(1)), ...others]), { ok: false, error: 'code_required' })
  must(await validate(ada, items, codeProof(code)))
  assert.deepEqual(await validate(ada, others, codeProof(code)), { ok: false, error: 'wrong_code' })
  // Whoever could write to the list that waits has no code for another one.
  await database.pool.query(
    `update intended_decisions set command = jsonb_set(command, '{items}', $2), transaction_ids = array[$3::uuid] where application_id = $1`,
    [applicationId, JSON.stringify(others), others[0]?.transactionId],
  )
  await makeDue(applicationId)
  await carryOutNext(deps())
  assert.deepEqual([(await intended(ada)).refusal, await statuses(others)], ['code_required', ['PENDING_APPROVAL']])
  await database.pool.query(
    `update intended_decisions set command = jsonb_set(command, '{items}', $2), state = 'waiting', ended_at = null where application_id = $1`,
    [applicationId, JSON.stringify(items)],
  )
  await carryOutNext(deps())
  assert.deepEqual(await statuses(items), ['PENDING', 'PENDING'])
  const used = await database.pool.query('select used_code from approval_decisions where application_id = $1', [applicationId])
  assert.deepEqual(used.rows, [{ used_code: true }, { used_code: true }])
})

test('intended_already for what somebody intends, in either decision and of two windows at once; the rest of a list is decided', async () => {
  const { ada, make, validate, intended } = await scene()
  const items = await make(3)
  const [first, second] = items
  assert.ok(first && second)
  const windows = await Promise.all([validate(ada, [first]), validate(ada, [first])])
  assert.deepEqual(windows.map((answer) => must(answer)[0]?.kind).toSorted(), ['intended', 'refused'])
  const rejected = must(await decideOrIntendMany(deps(), { checker: ada, decision: 'rejected', note: 'No', items: [first, second] }))
  assert.deepEqual(
    rejected.map((result) => (result.kind === 'refused' ? result.reason : result.kind)),
    ['intended_already', 'done'],
  )
  assert.deepEqual((await intended(ada)).transactionIds, [first.transactionId])
})

test('refused at once: what could not be decided now either; the rest of the list is intended', async () => {
  const { ada, makerId, make, validate, intended } = await scene()
  const [first, second] = await make(2)
  assert.ok(first && second)
  const unknown = { transactionId: randomUUID(), contentHash: '0'.repeat(64) }
  const results = must(await validate(ada, [first, { ...second, contentHash: '0'.repeat(64) }, unknown]))
  assert.deepEqual(
    results.map((result) => (result.kind === 'refused' ? result.reason : result.kind)),
    ['intended', 'content_changed', 'not_found'],
  )
  assert.deepEqual((await intended(ada)).transactionIds, [first.transactionId])
  const own = must(await validate({ ...ada, id: makerId }, [first]))
  assert.deepEqual(
    own.map((result) => (result.kind === 'refused' ? result.reason : result.kind)),
    ['not_a_checker'],
  )
})

test('at once: rejections, decisions of the API, and everything where the setting is 0', async () => {
  const { applicationId, ada, make, validate, statuses } = await scene()
  const [first, second, third] = await make(3)
  assert.ok(first && second && third)
  must(await decideOrIntendMany(deps(), { checker: ada, decision: 'rejected', note: 'No', items: [first] }))
  const actor = { kind: 'api' as const, id: randomUUID() }
  const { transactionId } = second
  must(
    await decide(deps(), { applicationId, transactionId, checkerId: ada.id, decision: 'validated', note: 'Seen', through: 'api', actor }),
  )
  await database.pool.query('update applications set undo_seconds = 0 where application_id = $1', [applicationId])
  must(await validate(ada, [third]))
  assert.deepEqual(await statuses([first, second, third]), ['FAILED', 'PENDING', 'PENDING'])
})

test('nothing moved by one person with two accounts, who validates with both and counts on one pause for both approvals', async () => {
  const { applicationId, ada, ben, makerId, make, validate, statuses, intended } = await scene()
  // The maker of a payment who is a checker too, and a friend whose account they use.
  await database.pool.query("update memberships set roles = array['maker', 'checker'] where application_id = $1 and person_id = $2", [
    applicationId,
    makerId,
  ])
  const items = await make(1, { steps: [2] })
  const maker = { ...ada, id: makerId }
  assert.deepEqual(
    must(await validate(maker, items)).map((result) => (result.kind === 'refused' ? result.reason : result.kind)),
    ['is_maker'],
  )
  must(await validate(ada, items))
  must(await validate(ben, items))
  await makeDue(applicationId)
  // Two approvals of what was shown before either: the second is about something else than Ben saw.
  await carryOutNext(deps())
  await carryOutNext(deps())
  const outcomes = [await intended(ada), await intended(ben)].map((one) => one.refused[0]?.reason ?? one.state).toSorted()
  assert.deepEqual(outcomes, ['carried_out', 'content_changed'])
  assert.deepEqual(await statuses(items), ['PENDING_APPROVAL'])
})

test('kept for a week after its end, then removed; never while it waits', async () => {
  const { applicationId, ada, ben, make, validate, undo, intended } = await scene()
  const [first, second] = await make(2)
  assert.ok(first && second)
  must(await validate(ada, [first]))
  must(await undo(ada, (await intended(ada)).intentionId))
  must(await validate(ben, [second]))
  const count = async () =>
    (await database.pool.query('select state from intended_decisions where application_id = $1 order by state', [applicationId])).rows.map(
      (row) => row.state,
    )
  await forgetIntended(database.pool)
  assert.deepEqual(await count(), ['undone', 'waiting'])
  await database.pool.query("update intended_decisions set created_at = created_at - interval '8 days' where application_id = $1", [
    applicationId,
  ])
  await forgetIntended(database.pool)
  assert.deepEqual(await count(), ['waiting'])
})
