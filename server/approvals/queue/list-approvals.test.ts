import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApprovalQueue, ApprovalRow } from '#lib/approvals/approvals.ts'
import type { Role } from '#lib/people/permissions.ts'
import { BASE_RULE } from '#lib/rules/approval-policy.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { utcDayOf } from '#lib/time/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { countWaiting } from '#server/reports/waiting/read-waiting.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { decide } from '../decide.ts'
import { selectReplaced } from '../evidence/evidence-store.ts'
import { findApproval, listApprovals, snapshotApprovals } from './queue.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const person = async (roles: Role[]) => ({
    applicationId,
    id: await makePerson(pool, applicationId, roles),
    roles,
    hasSecondFactor: false,
  })
  const cast = {
    maker: await person(['maker']),
    checker: await person(['checker']),
    second: await person(['checker']),
    both: await person(['maker', 'checker']),
    finance: await person(['finance']),
  }
  const make = async (makerId: string | null, overrides: Partial<IntakeItem> = {}, band: Parameters<typeof aBand>[0] = {}) => {
    const item = anIntakeItem(applicationId, { source: makerId ? 'person' : 'api', makerId, bands: [aBand(band)], ...overrides })
    await takeIn(pool, [item])
    return item.transactionId
  }
  const queue = async (viewer: (typeof cast)[keyof typeof cast], name: ApprovalQueue, filter: Record<string, string> = {}) =>
    listApprovals(pool, { ...viewer, businessZone: 'UTC' }, approvalFilterSchema.parse({ queue: name, ...filter }))
  const say = (transactionId: string, checkerId: string, decision: 'validated' | 'rejected') =>
    decide(decisionDeps(pool), {
      applicationId,
      transactionId,
      checkerId,
      decision,
      note: 'Seen',
      through: 'back_office',
      actor: { kind: 'person', id: checkerId },
    })
  return { applicationId, cast, make, queue, say }
}

const ids = ({ rows }: { rows: readonly ApprovalRow[] }) => rows.map((row) => row.transactionId)

test("each queue holds exactly a person's own rows, each with the reason why they may not decide", async () => {
  const { applicationId, cast, make, queue, say } = await scene()
  const byMaker = await make(cast.maker.id)
  const byBoth = await make(cast.both.id)
  const byApi = await make(null)
  const two = await make(cast.maker.id, {}, { steps: [2] })
  await say(two, cast.checker.id, 'validated')

  assert.deepEqual(ids(await queue(cast.checker, 'mine')), [byMaker, byBoth, byApi])
  const others = await queue(cast.checker, 'others')
  assert.deepEqual(
    others.rows.map((row) => [row.transactionId, row.canApprove]),
    [[two, 'decided_already']],
  )
  assert.deepEqual([others.rows[0]?.given, others.rows[0]?.needed], [1, 2])
  assert.deepEqual(ids(await queue(cast.second, 'mine')), [byMaker, byBoth, byApi, two])
  assert.deepEqual(ids(await queue(cast.both, 'mine')), [byMaker, byApi, two])
  const made = await queue(cast.both, 'made')
  assert.deepEqual(
    made.rows.map((row) => [row.transactionId, row.canApprove, row.canRecall]),
    [[byBoth, 'is_maker', true]],
  )
  assert.deepEqual(ids(await queue(cast.maker, 'mine')), [])
  assert.deepEqual(ids(await queue(cast.maker, 'made')), [byMaker, two])
  const seen = await queue(cast.finance, 'others')
  assert.deepEqual([ids(seen), new Set(seen.rows.map((row) => row.canReject))], [[byMaker, byBoth, byApi, two], new Set(['not_a_checker'])])
  for (const person of Object.values(cast)) {
    const { counts } = await queue(person, 'mine')
    assert.equal(
      counts.mine,
      (await countWaiting(database.pool, { applicationId, id: person.id, roles: person.roles, runsInstallation: false })).pages.approvals ??
        0,
    )
    assert.equal(counts.mine + counts.others + counts.made, 4)
  }
})

test('the decided queue lists the latest decision first, with who decided and how it ended', async () => {
  const { cast, make, queue, say } = await scene()
  const first = await make(cast.maker.id)
  const second = await make(cast.maker.id)
  await say(first, cast.checker.id, 'validated')
  await say(second, cast.second.id, 'rejected')
  const { rows, total } = await queue(cast.maker, 'decided')
  assert.deepEqual(
    rows.map((row) => [row.transactionId, row.end?.event, row.end?.reason, row.decisions.length]),
    [
      [second, 'rejected', 'Seen', 1],
      [first, 'approved', 'Seen', 1],
    ],
  )
  assert.equal(total, 2)
})

test('decided can be narrowed to one checker and to the days of the decision', async () => {
  const { cast, make, queue, say } = await scene()
  const [byFirst, bySecond] = [await make(cast.maker.id), await make(cast.maker.id)]
  await say(byFirst, cast.checker.id, 'validated')
  await say(bySecond, cast.second.id, 'rejected')
  const today = utcDayOf(new Date())
  assert.deepEqual(ids(await queue(cast.maker, 'decided', { checker: cast.checker.id })), [byFirst])
  assert.equal((await queue(cast.maker, 'decided', { from: today, to: today })).total, 2)
  assert.deepEqual(ids(await queue(cast.maker, 'decided', { to: '2020-01-01' })), [])
  const { checkers } = await queue(cast.maker, 'decided')
  assert.deepEqual(checkers.map((person) => person.personId).toSorted(), [cast.checker.id, cast.second.id, cast.both.id].toSorted())
})

test('rows and sums match the filters by operator, amount, maker and rule, one sum per currency', async () => {
  const { cast, make, queue } = await scene()
  const small = await make(cast.maker.id)
  const large = await make(cast.both.id, { amountMinor: 90_000_000n }, { rule: { name: 'Large', parts: [] } })
  const senegal = await make(null, { operator: 'SNWAVE', phoneNumber: '221771234567' })
  assert.deepEqual(ids(await queue(cast.checker, 'mine', { operator: 'SNWAVE' })), [senegal])
  const filtered = await queue(cast.checker, 'mine', { min: '5000.01' })
  assert.deepEqual([ids(filtered), filtered.total, filtered.sums], [[large], 1, [{ currency: 'XAF', count: 1, amount: '900000' }]])
  assert.deepEqual(ids(await queue(cast.checker, 'mine', { max: '5000', operator: 'MOMOCM' })), [small])
  assert.deepEqual(ids(await queue(cast.checker, 'mine', { maker: 'api' })), [senegal])
  assert.deepEqual(ids(await queue(cast.checker, 'mine', { maker: cast.both.id })), [large])
  assert.deepEqual(ids(await queue(cast.checker, 'mine', { rule: 'Large' })), [large])
  const all = await queue(cast.checker, 'mine', { sort: 'amount' })
  assert.deepEqual(ids(all)[0], large)
  assert.deepEqual(all.sums, [
    { currency: 'XAF', count: 2, amount: '905000' },
    { currency: 'XOF', count: 1, amount: '5000' },
  ])
  assert.deepEqual(all.rules, ['Everything waits', 'Large'])
})

test('PENDING for the hash of the row, content_changed for any other', async () => {
  const { applicationId, cast, make, say } = await scene()
  const id = await make(cast.maker.id, {}, { steps: [1, 1] })
  const row = await findApproval(database.pool, cast.second, id)
  await say(id, cast.checker.id, 'validated')
  const after = await findApproval(database.pool, cast.second, id)
  assert.ok(row && after && row.contentHash !== after.contentHash)
  const command = {
    applicationId,
    transactionId: id,
    checkerId: cast.second.id,
    decision: 'validated',
    note: 'Seen',
    through: 'back_office',
    actor: { kind: 'person', id: cast.second.id },
  } as const
  const stale = await decide(decisionDeps(database.pool), { ...command, expectedHash: row.contentHash })
  assert.equal(stale.ok ? 'ok' : stale.error.kind, 'content_changed')
  assert.ok((await decide(decisionDeps(database.pool), { ...command, expectedHash: after.contentHash })).ok)
})

test('second_factor_missing for approving an item that requires a code, true for rejecting it', async () => {
  const { cast, make } = await scene()
  const id = await make(cast.maker.id, {}, { needsCode: true })
  const row = await findApproval(database.pool, cast.checker, id)
  assert.deepEqual([row?.canApprove, row?.canReject], ['second_factor_missing', true])
  const enrolled = await findApproval(database.pool, { ...cast.checker, hasSecondFactor: true }, id)
  assert.equal(enrolled?.canApprove, true)
})

test('expired items are in no queue to decide and in no badge', async () => {
  const { applicationId, cast, make, queue } = await scene()
  const id = await make(cast.maker.id)
  await database.pool.query("update approval_items set expires_at = now() - interval '1 second' where transaction_id = $1", [id])
  assert.deepEqual(ids(await queue(cast.checker, 'mine')), [])
  assert.deepEqual(
    (await queue(cast.checker, 'others')).rows.map((row) => row.canApprove),
    ['expired'],
  )
  assert.equal(
    (await countWaiting(database.pool, { applicationId, id: cast.checker.id, roles: cast.checker.roles, runsInstallation: false })).pages
      .approvals ?? 0,
    0,
  )
})

test('isDefaultRule is true for the built-in rule alone', async () => {
  const { cast, make } = await scene()
  const builtIn = await make(cast.maker.id, {}, { rule: { name: BASE_RULE.name, parts: [] } })
  const own = await make(cast.maker.id, {}, { rule: { name: 'Large', parts: [] } })
  assert.equal((await findApproval(database.pool, cast.checker, builtIn))?.isDefaultRule, true)
  assert.equal((await findApproval(database.pool, cast.checker, own))?.isDefaultRule, false)
})

test('a snapshot holds exactly the items of a filter that its viewer may decide', async () => {
  const { cast, make } = await scene()
  await make(cast.both.id)
  const mine = await make(cast.maker.id)
  const snapshot = await snapshotApprovals(database.pool, cast.both, approvalFilterSchema.parse({}))
  assert.deepEqual([snapshot.items.map((item) => item.transactionId), snapshot.total], [[mine], 1])
})

test('the checker and the program are named for a decision that came through the API, in the list, the batch and the detail', async () => {
  const { applicationId, cast, make } = await scene()
  const id = await make(cast.maker.id)
  const program = must(await createApiUser(database.pool, { applicationId, username: `kora-${applicationId}`, actor: SYSTEM_ACTOR }))
  const decided = await decide(decisionDeps(database.pool), {
    applicationId,
    transactionId: id,
    checkerId: cast.checker.id,
    decision: 'rejected',
    note: 'Duplicate',
    through: 'api',
    actor: { kind: 'api', id: program.apiUserId },
  })
  assert.ok(decided.ok)
  const row = await findApproval(database.pool, cast.second, id)
  const username = `kora-${applicationId}`
  assert.deepEqual(
    [row?.end?.event, row?.end?.by, row?.end?.programName, row?.end?.reason],
    ['rejected', 'Test person', username, 'Duplicate'],
  )
  assert.deepEqual(
    row?.decisions.map(({ checkerName, programName }) => [checkerName, programName]),
    [['Test person', username]],
  )
  const detail = await readTransactionDetail(database.pool, applicationId, id)
  assert.deepEqual(
    detail?.decisions.map(({ checkerName, programName }) => [checkerName, programName]),
    [['Test person', username]],
  )
  const again = await make(cast.maker.id, { originId: id })
  const [replaced] = await selectReplaced(database.pool, applicationId, [again])
  assert.deepEqual([replaced?.by, replaced?.programName], ['Test person', username])
})

test('another hash after any change of a field that a row shows', async () => {
  const { cast, make } = await scene()
  const id = await make(cast.maker.id)
  const hash = async () => (await findApproval(database.pool, cast.checker, id))?.contentHash
  const seen = new Set([await hash()])
  const changes = [
    'update transactions set amount_minor = amount_minor + 1 where transaction_id = $1',
    'update transactions set fee_app_minor = fee_app_minor + 1 where transaction_id = $1',
    "update transactions set external_id = gen_random_uuid(), customer_name = 'Somebody else' where transaction_id = $1",
    "update transactions set webhook_url = 'https://elsewhere.example' where transaction_id = $1",
    "update transactions set source = 'file', batch_id = gen_random_uuid() where transaction_id = $1",
    "update approval_items set expires_at = expires_at + interval '1 hour' where transaction_id = $1",
    'update approval_items set needs_code = true where transaction_id = $1',
    'update approval_items set api_may_decide = not api_may_decide where transaction_id = $1',
    `update approval_items set rule = '{"name":"Everything waits","parts":[{"name":"Large","aboveMinor":"5","currency":"XAF","firstTimeOnly":false}]}' where transaction_id = $1`,
  ]
  for (const change of changes) {
    await database.pool.query(change, [id])
    const changed = await hash()
    assert.ok(!seen.has(changed), change)
    seen.add(changed)
  }
})
