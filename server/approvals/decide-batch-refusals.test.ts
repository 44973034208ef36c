import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { codeProof } from '#server/people/testing/test-people.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { type BatchDesk, openBatchDesk } from '#server/testing/batches/batch-desk.ts'
import { aBand, decisionDeps, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { decide } from './decide.ts'
import { decideBatch } from './decide-batch.ts'
import { recallBatch } from './recall.ts'

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

let desk: BatchDesk
before(async () => {
  desk = await openBatchDesk()
})
after(() => desk.close())

test('is_maker, not_a_checker, submitting and not_found for those who may not, and nothing is stored', async () => {
  const { batchId } = await desk.makeBatch({ count: 2 })
  const finance = await makePerson(desk.pool, desk.applicationId, ['finance'])
  assert.deepEqual(await desk.say(batchId, desk.makerId), { ok: false, error: 'is_maker' })
  assert.deepEqual(await desk.say(batchId, finance), { ok: false, error: 'not_a_checker' })
  const elsewhere = await makeApplication(desk.pool)
  const stranger = await makePerson(desk.pool, elsewhere, ['checker'])
  const { hash, shownAt } = await desk.show(batchId, desk.ada)
  const command = { batchId, decision: 'validated', note: 'Seen', excluded: [], hash, shownAt } as const
  assert.deepEqual(
    await decideBatch(decisionDeps(desk.pool), {
      ...command,
      checker: { applicationId: elsewhere, id: stranger, hasSecondFactor: true },
    }),
    { ok: false, error: 'not_found' },
  )
  const half = await desk.makeBatch({ count: 2, state: 'submitting' })
  assert.deepEqual(await desk.say(half.batchId, desk.ada), { ok: false, error: 'submitting' })
  assert.equal(
    (await desk.queue(desk.ada, { queue: 'mine' })).batches.some((batch) => batch.batchId === half.batchId),
    false,
  )
  assert.deepEqual(
    [await desk.statusesOf(batchId), await desk.statusesOf(half.batchId)],
    [{ PENDING_APPROVAL: 2 }, { PENDING_APPROVAL: 2 }],
  )
  assert.deepEqual((await desk.show(batchId, desk.ada)).decisions, [])
})

test('is_maker, on the page, in the queue and through the API, for everybody who prepared the batch that another person submitted', async () => {
  const { batchId, items } = await desk.makeBatch({ count: 2 })
  await desk.pool.query('update batches set prepared_by = $2 where batch_id = $1', [batchId, [desk.ada, desk.makerId]])
  assert.deepEqual(await desk.say(batchId, desk.ada), { ok: false, error: 'is_maker' })
  const queued = (await desk.queue(desk.ada, { queue: 'others' })).batches.find((batch) => batch.batchId === batchId)
  assert.equal(queued?.canDecide, 'is_maker')
  const named = await decide(decisionDeps(desk.pool), {
    applicationId: desk.applicationId,
    transactionId: items[0]?.transactionId ?? '',
    checkerId: desk.ada,
    decision: 'validated',
    note: 'Seen',
    through: 'api',
    actor: { kind: 'api', id: null },
  })
  assert.equal(!named.ok && named.error.kind, 'is_maker')
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 2 })
  assert.equal(must(await desk.say(batchId, desk.ben)).kind, 'done')
})

test('deputy_may_not for the deputy of a checker who prepared the batch that another person submitted', async () => {
  const { pool, applicationId, ada, makerId } = desk
  const deputy = await makePerson(pool, applicationId, ['finance'])
  await pool.query('update people set totp_enabled_at = now() where person_id = $1', [deputy])
  await pool.query(
    `insert into deputies (application_id, deputyship_id, absent_id, deputy_id, starts_at, ends_at, change_id)
       values ($1, gen_random_uuid(), $2, $3, now() - interval '1 hour', now() + interval '1 day', gen_random_uuid())`,
    [applicationId, ada, deputy],
  )
  const { batchId } = await desk.makeBatch({ count: 2 })
  await pool.query('update batches set prepared_by = $2 where batch_id = $1', [batchId, [ada, makerId]])
  assert.deepEqual(await desk.say(batchId, deputy), { ok: false, error: 'deputy_may_not' })
  await pool.query('update batches set prepared_by = $2 where batch_id = $1', [batchId, [makerId]])
  assert.equal(must(await desk.say(batchId, deputy)).kind, 'done')
})

test('submitting, and nothing is taken back, where a maker recalls a batch whose rows are still being started', async () => {
  const { batchId } = await desk.makeBatch({ count: 2, state: 'submitting' })
  const { applicationId, makerId } = desk
  const recalled = await recallBatch(decisionDeps(desk.pool), { applicationId, batchId, makerId, reason: 'Wrong month' })
  assert.deepEqual(recalled, { ok: false, error: 'submitting' })
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 2 })
})

test('refused with who did what: a batch of which a row was rejected through the API after it was shown', async () => {
  const { batchId, items } = await desk.makeBatch({ count: 3 })
  const { hash, shownAt } = await desk.show(batchId, desk.ada)
  const row = items[1]
  must(
    await decide(decisionDeps(desk.pool), {
      applicationId: desk.applicationId,
      transactionId: row?.transactionId ?? '',
      checkerId: desk.ben,
      decision: 'rejected',
      note: 'Duplicate',
      through: 'api',
      actor: { kind: 'api', id: null },
    }),
  )
  const refused = must(await desk.say(batchId, desk.ada, { hash, shownAt }))
  assert.ok(refused.kind === 'changed')
  assert.deepEqual(
    [
      refused.difference.movedCount,
      refused.difference.moved[0]?.transactionId,
      refused.difference.moved[0]?.event,
      refused.difference.moved[0]?.programName,
    ],
    [1, row?.transactionId, 'rejected', 'API'],
  )
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 2, FAILED: 1 })
  assert.deepEqual(must(await desk.say(batchId, desk.ada)), { kind: 'done', approved: 2, rejected: 0, waiting: 0, given: 1, needed: 1 })
})

test('in_batch for a person who decides on one row, and 200 for the application whose rule lets it decide', async () => {
  const { batchId, items } = await desk.makeBatch({ count: 2 })
  const one = {
    applicationId: desk.applicationId,
    transactionId: items[0]?.transactionId ?? '',
    checkerId: desk.ada,
    decision: 'validated',
    note: 'Seen',
  } as const
  const byPerson = await decide(decisionDeps(desk.pool), { ...one, through: 'back_office', actor: { kind: 'person', id: desk.ada } })
  assert.ok(!byPerson.ok && byPerson.error.kind === 'in_batch')
  must(await decide(decisionDeps(desk.pool), { ...one, through: 'api', actor: { kind: 'api', id: null } }))
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 1, PENDING: 1 })
})

test('code_required without a code, second_factor_missing without a second factor', async () => {
  const { batchId } = await desk.makeBatch({
    count: 2,
    change: (index) => (index === 0 ? { bands: [aBand({ needsCode: true })] } : {}),
  })
  assert.deepEqual(await desk.say(batchId, desk.ada), { ok: false, error: 'code_required' })
  assert.deepEqual(await desk.say(batchId, desk.ada, { checker: { ...desk.viewer(desk.ada), hasSecondFactor: false } }), {
    ok: false,
    error: 'second_factor_missing',
  })
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 2 })
  // A rejection moves no money and needs none.
  must(await desk.say(batchId, desk.ada, { decision: 'rejected' }))
})

test('nothing_left, and nothing is decided, where every row is excluded from a validation', async () => {
  const { batchId, items } = await desk.makeBatch({ count: 2 })
  const excluded = items.map(({ transactionId }) => ({ transactionId, reason: 'Paid in cash' }))
  assert.deepEqual(await desk.say(batchId, desk.ada, { excluded }), { ok: false, error: 'nothing_left' })
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 2 })
})

test('service_disabled while an operator of the batch is switched off, until its rows are excluded', async () => {
  const { batchId, items } = await desk.makeBatch({
    count: 3,
    change: (index) => (index === 0 ? { operator: 'OMCM', phoneNumber: '237699000000' } : {}),
  })
  await desk.pool.query(
    `insert into transfer_services (application_id, operator, type, is_enabled) values ($1, 'OMCM', 'DEPOSIT', false)
     on conflict (application_id, operator, type) do update set is_enabled = false`,
    [desk.applicationId],
  )
  assert.deepEqual(await desk.say(batchId, desk.ada), { ok: false, error: 'service_disabled' })
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 3 })
  const excluded = [{ transactionId: items[0]?.transactionId ?? '', reason: 'Switched off' }]
  must(await desk.say(batchId, desk.ada, { excluded }))
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING: 2, FAILED: 1 })
})

test('code_required after the row that needs the code has left the batch', async () => {
  const { batchId, items } = await desk.makeBatch({
    count: 2,
    change: (index) => (index === 0 ? { bands: [aBand({ needsCode: true })] } : {}),
  })
  const [withCode] = items
  const rejection = {
    checkerId: desk.ben,
    decision: 'rejected',
    note: 'Duplicate',
    through: 'api',
    actor: { kind: 'api', id: null },
  } as const
  must(
    await decide(decisionDeps(desk.pool), {
      ...rejection,
      applicationId: desk.applicationId,
      transactionId: withCode?.transactionId ?? '',
    }),
  )
  assert.deepEqual(await desk.say(batchId, desk.ada), { ok: false, error: 'code_required' })
  assert.deepEqual(await desk.statusesOf(batchId), { PENDING_APPROVAL: 1, FAILED: 1 })
})

test('a code is noted with each row of a batch that requires one, and the record names what it was used for', async () => {
  const { batchId } = await desk.makeBatch({ count: 2, change: (index) => (index === 0 ? { bands: [aBand({ needsCode: true })] } : {}) })
  await desk.pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [
    desk.ada,
    keyringOfProcess().seal(totpSecretPlace(desk.ada), SECRET),
  ])
  const code = new TOTP({ secret: Secret.fromBase32(SECRET), algorithm: 'SHA1', digits: 6, period: 30 }).generate()
  const { hash } = await desk.show(batchId, desk.ada)
  must(await desk.say(batchId, desk.ada, { proof: codeProof(code) }))
  const { rows } = await desk.pool.query('select used_code from approval_decisions where batch_id = $1', [batchId])
  assert.deepEqual(rows, [{ used_code: true }, { used_code: true }])
  const record = await desk.pool.query(`select details from audit_entries where action = 'approvals.code_used' and subject = $1`, [
    desk.ada,
  ])
  const digest = createHash('sha256')
    .update(JSON.stringify([batchId, hash, []]))
    .digest('hex')
  assert.deepEqual(record.rows, [{ details: { list: digest, count: 1 } }])
})

test('changed, and nothing is decided, where an excluded row is not in the batch', async () => {
  const { batchId } = await desk.makeBatch({ count: 2 })
  const other = await desk.makeBatch({ count: 1 })
  const [elsewhere] = other.items
  for (const transactionId of [randomUUID(), elsewhere?.transactionId ?? '']) {
    const refused = must(await desk.say(batchId, desk.ada, { excluded: [{ transactionId, reason: 'Not on the list' }] }))
    assert.equal(refused.kind, 'changed')
  }
  assert.deepEqual(
    [await desk.statusesOf(batchId), await desk.statusesOf(other.batchId)],
    [{ PENDING_APPROVAL: 2 }, { PENDING_APPROVAL: 1 }],
  )
})
