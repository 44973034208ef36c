import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { createSettler } from '#server/transactions/transition.ts'
import { type DecisionCommand, decide } from './decide.ts'
import { EXPIRED_MESSAGE, expireApprovals } from './expire-approvals.ts'
import { recallTransaction } from './recall.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const deps = () => decisionDeps(database.pool)

async function waiting(
  applicationId: string,
  overrides: Parameters<typeof aBand>[0] = {},
  item: Partial<IntakeItem> = {},
): Promise<IntakeItem> {
  const made = anIntakeItem(applicationId, { source: 'person', bands: [aBand(overrides)], ...item })
  await takeIn(database.pool, [made])
  return made
}

function decision(item: IntakeItem, checkerId: string, overrides: Partial<DecisionCommand> = {}) {
  return decide(deps(), {
    applicationId: item.applicationId,
    transactionId: item.transactionId,
    checkerId,
    decision: 'validated',
    note: 'Invoice seen',
    through: 'back_office',
    actor: { kind: 'person', id: checkerId },
    ...overrides,
  })
}

async function set(roles: Role[] = ['checker']) {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 10_000_000n)
  return { applicationId, checkerId: await makePerson(database.pool, applicationId, roles) }
}

const kindOf = (result: Awaited<ReturnType<typeof decision>>) => (result.ok ? result.value.status : result.error.kind)

test('PENDING with the money held after the one approval that the rule requires', async () => {
  const { applicationId, checkerId } = await set()
  const result = await decision(await waiting(applicationId), checkerId)
  assert.ok(result.ok)
  assert.deepEqual([result.value.status, result.value.checkerId, result.value.heldMinor], ['PENDING', checkerId, 507_500n])
})

test('FAILED with the reason as its message after a rejection', async () => {
  const { applicationId, checkerId } = await set()
  const result = await decision(await waiting(applicationId), checkerId, { decision: 'rejected', note: 'Wrong amount' })
  assert.ok(result.ok)
  assert.deepEqual([result.value.status, result.value.message], ['FAILED', 'Wrong amount'])
})

test("decided_already for the same checker's second approval", async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId, { steps: [2] })
  assert.equal(kindOf(await decision(item, checkerId)), 'PENDING_APPROVAL')
  assert.equal(kindOf(await decision(item, checkerId)), 'decided_already')
  assert.equal(kindOf(await decision(item, await makePerson(database.pool, applicationId, ['checker']))), 'PENDING')
})

test('FAILED after one rejection, also after an approval', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId, { steps: [1, 1] })
  await decision(item, checkerId)
  assert.equal(
    kindOf(await decision(item, await makePerson(database.pool, applicationId, ['checker']), { decision: 'rejected' })),
    'FAILED',
  )
})

test('is_maker for the maker, also with the checker role', async () => {
  const { applicationId, checkerId } = await set(['maker', 'checker'])
  assert.equal(kindOf(await decision(await waiting(applicationId, {}, { makerId: checkerId }), checkerId)), 'is_maker')
})

test('not_a_checker for everybody but the active checkers of this application', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId)
  const stranger = await makePerson(database.pool, await makeApplication(database.pool), ['checker'])
  const maker = await makePerson(database.pool, applicationId, ['maker', 'finance', 'administrator'])
  for (const personId of [stranger, maker, randomUUID()]) assert.equal(kindOf(await decision(item, personId)), 'not_a_checker')
  await database.pool.query('update people set is_blocked = true where person_id = $1', [checkerId])
  assert.equal(kindOf(await decision(item, checkerId)), 'not_a_checker')
})

test('not_waiting for a transaction that does not wait, not_found for one of another application', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId)
  await decision(item, checkerId)
  const other = await makePerson(database.pool, applicationId, ['checker'])
  assert.equal(kindOf(await decision(item, other)), 'not_waiting')
  assert.equal(kindOf(await decision({ ...item, applicationId: (await set()).applicationId }, other)), 'not_found')
})

test('one PENDING and nineteen not_waiting for twenty checkers who decide at once', async () => {
  const { applicationId } = await set()
  const item = await waiting(applicationId)
  const checkers = await Promise.all(Array.from({ length: 20 }, () => makePerson(database.pool, applicationId, ['checker'])))
  const kinds = await Promise.all(
    checkers.map(async (checkerId, n) => kindOf(await decision(item, checkerId, { decision: n % 2 ? 'validated' : 'rejected' }))),
  )
  assert.equal(kinds.filter((kind) => kind === 'not_waiting').length, 19)
})

test('code_required without a code, also through the API', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId, { needsCode: true })
  assert.equal(kindOf(await decision(item, checkerId, { through: 'api' })), 'code_required')
  assert.equal(kindOf(await decision(item, checkerId, { hasFreshCode: true })), 'PENDING')
})

test('content_changed with the stored content if something else was shown', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId, { steps: [2] })
  const shown = await decision(item, checkerId, { expectedHash: 'x' })
  assert.ok(!shown.ok && shown.error.kind === 'content_changed')
  const { hash } = shown.error
  assert.equal(kindOf(await decision(item, await makePerson(database.pool, applicationId, ['checker']))), 'PENDING_APPROVAL')
  assert.equal(kindOf(await decision(item, checkerId, { expectedHash: hash })), 'content_changed')
})

test('FAILED with a webhook for an item that has expired, which nobody can decide', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId)
  await database.pool.query("update approval_items set expires_at = now() - interval '1 second' where transaction_id = $1", [
    item.transactionId,
  ])
  assert.equal(kindOf(await decision(item, checkerId)), 'expired')
  assert.equal(await expireApprovals({ ...deps(), settler: createSettler({ pool: database.pool }) }), 1)
  const { rows } = await database.pool.query(
    'select t.status, t.message, d.state from transactions t join webhook_deliveries d using (application_id, transaction_id) where t.transaction_id = $1',
    [item.transactionId],
  )
  assert.deepEqual(rows, [{ status: 'FAILED', message: EXPIRED_MESSAGE, state: 'due' }])
})

test('not_the_maker or not_waiting unless the maker recalls while the transaction waits', async () => {
  const { applicationId, checkerId } = await set()
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const item = await waiting(applicationId, {}, { makerId })
  const recall = (personId: string) => recallTransaction(deps(), { ...item, makerId: personId, reason: 'Wrong phone' })
  assert.deepEqual(await recall(checkerId), { ok: false, error: 'not_the_maker' })
  const done = await recall(makerId)
  assert.ok(done.ok && done.value.status === 'FAILED')
  assert.deepEqual(await recall(makerId), { ok: false, error: 'not_waiting' })
})

for (const [what, overrides, stored] of [
  ['an approval in the back office', {}, {}],
  ['an approval with a code', { hasFreshCode: true }, { used_code: true }],
  ['a rejection', { decision: 'rejected', note: 'Twice' }, { decision: 'rejected', note: 'Twice' }],
  ['the second of two approvals', { transactionId: 'approved' }, { step: 2 }],
  ['an approval through the API', { through: 'api', actor: { kind: 'api', id: randomUUID() } }, { through: 'api' }],
] as [string, Partial<DecisionCommand>, object][])
  test(`stored and recorded with its checker, actor, note, step, way and code: ${what}`, async () => {
    const { applicationId, checkerId } = await set()
    const makerId = await makePerson(database.pool, applicationId, ['maker'])
    const item = await waiting(applicationId, { steps: [1, 1] }, { makerId })
    const others = [await makePerson(database.pool, applicationId, ['checker'])]
    if (overrides.transactionId) for (const other of others) await decision(item, other)
    assert.ok((await decision(item, checkerId, { ...overrides, transactionId: item.transactionId })).ok)
    const { rows } = await database.pool.query(
      `select decision, step, note, used_code, through, api_user_id, maker_id, batch_id from approval_decisions where application_id = $1 and checker_id = $2`,
      [applicationId, checkerId],
    )
    const apiUserId = overrides.actor?.id ?? null
    const expected = {
      decision: 'validated',
      step: 1,
      note: 'Invoice seen',
      used_code: false,
      through: 'back_office',
      api_user_id: apiUserId,
    }
    assert.deepEqual(rows, [{ ...expected, maker_id: makerId, batch_id: null, ...stored }])
    const entries = await database.pool.query(
      `select action, actor_kind, actor_id, subject, details from audit_entries where application_id = $1 order by sequence desc limit 1`,
      [applicationId],
    )
    const { decision: said, note, step, through } = { ...expected, ...stored } as typeof expected
    assert.deepEqual(entries.rows, [
      {
        action: `transaction.${said}`,
        actor_kind: overrides.actor?.kind ?? 'person',
        actor_id: apiUserId ?? checkerId,
        subject: item.transactionId,
        details: { checkerId, note, step, through },
      },
    ])
  })

test('not_the_maker for a transaction that a program started, no matter who tries', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId, {}, { source: 'api', makerId: null })
  const recall = (personId: string) => recallTransaction(deps(), { ...item, makerId: personId, reason: 'Wrong phone' })
  for (const personId of [checkerId, await makePerson(database.pool, applicationId, ['maker', 'administrator'])])
    assert.deepEqual(await recall(personId), { ok: false, error: 'not_the_maker' })
})

test('expired for a decision that waited for the lock until the transaction had expired', async () => {
  const { applicationId, checkerId } = await set()
  const item = await waiting(applicationId)
  const holder = await database.pool.connect()
  try {
    await holder.query('begin')
    await lockCounters(holder, applicationId)
    const deciding = decision(item, checkerId)
    await waitUntil('the decision waits for the lock', async () => {
      const { rowCount } = await database.pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount === 1
    })
    await database.pool.query('update approval_items set expires_at = clock_timestamp() where transaction_id = $1', [item.transactionId])
    await holder.query('commit')
    assert.equal(kindOf(await deciding), 'expired')
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})
