import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import type { TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { decide } from '#server/approvals/decide.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { contradict } from '#server/testing/contradiction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { bookLate, proposeReversal, reverseCollect } from '#server/testing/reversal.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { findOriginProblems } from './find-start-problems.ts'
import { createIntake, takeIn } from './intake.ts'
import { listRefunds } from './refund-store.ts'
import { type RefundDeps, startRefund } from './refunds.ts'
import { SYSTEM_ACTOR, transition } from './transition.ts'

let database: TestDatabase
let deps: RefundDeps
let application: ApplicationSnapshot
let apiUserId: string
let makerId: string
/** The refunds that the operator does not confirm as failed. */
let unconfirmed: Set<string>
before(async () => {
  database = await createTestDatabase()
  const { applicationId } = await createTestPartner(database.pool)
  application = await readSnapshot(applicationId)
  const { rows } = await database.pool.query<{ id: string }>('select api_user_id as id from api_users where application_id = $1', [
    applicationId,
  ])
  apiUserId = rows[0]?.id ?? assert.fail('no API user')
  makerId = await makePerson(database.pool, applicationId, ['maker'])
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
})
beforeEach(() => {
  unconfirmed = new Set()
  deps = {
    pool: database.pool,
    intake: createIntake({ pool: database.pool }),
    connectors: { has: () => true, limitsOf: () => undefined },
    confirmFailures: async (refunds) => new Set(refunds.map((one) => one.transactionId).filter((id) => !unconfirmed.has(id))),
  }
})
after(async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
  await database.drop()
})

async function readSnapshot(applicationId: string): Promise<ApplicationSnapshot> {
  const directory = await createDirectory({ pool: database.pool })
  const found = directory.find(applicationId)
  await directory.close()
  return found ?? assert.fail('no application')
}

async function move(transactionId: string, event: TransitionEvent, actor = SYSTEM_ACTOR): Promise<boolean> {
  const { applicationId } = application
  const [moved] = await transition(database.pool, [{ applicationId, transactionId, event, message: event, actor }])
  return moved?.isMoved === true
}

/** A collect of 5,000 that succeeded, unless it ends otherwise. */
async function aCollect(event: TransitionEvent = 'succeeded'): Promise<string> {
  const item = anIntakeItem(application.applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  assert.ok(await move(item.transactionId, event))
  return item.transactionId
}

type Wanted = { externalId?: string; amountMinor?: bigint; reason?: string }

const refund = (collectId: string, { externalId = randomUUID(), amountMinor, reason = '' }: Wanted = {}) =>
  startRefund(deps, {
    application,
    collectId,
    externalId,
    amountMinor,
    reason,
    webhookUrl: null,
    source: 'api',
    actor: { kind: 'api', id: apiUserId },
  })

async function refunded(collectId: string, wanted: Wanted = {}): Promise<string> {
  return must(await refund(collectId, wanted)).transactionId
}

async function refusalOf(collectId: string, wanted: Wanted = {}): Promise<unknown> {
  const result = await refund(collectId, wanted)
  return result.ok ? 'started' : result.error
}

const contradictCollect = (transactionId: string) =>
  contradict(database.pool, { applicationId: application.applicationId, transactionId }, 'SUCCESS')

test('started: a deposit of the whole collect to its payer, which costs the application the fees of a deposit', async () => {
  const collectId = await aCollect()
  const transactionId = await refunded(collectId)
  const [stored, ...others] = await listRefunds(database.pool, application.applicationId, collectId)
  assert.equal(others.length, 0)
  assert.deepEqual(
    [stored?.transactionId, stored?.type, stored?.phoneNumber, stored?.amountMinor, stored?.refundedMinor, stored?.heldMinor],
    [transactionId, 'DEPOSIT', '237677209341', 500_000n, 500_000n, 507_500n],
  )
  assert.equal(stored?.webhookUrl, 'https://partner.example/hooks')
})

test('started: several parts, until nothing is left; more than is left is refused with what is left', async () => {
  const collectId = await aCollect()
  await refunded(collectId, { amountMinor: 200_000n })
  await refunded(collectId, { amountMinor: 100_000n })
  assert.deepEqual(await refusalOf(collectId, { amountMinor: 200_001n }), { kind: 'more_than_is_left', leftMinor: 200_000n })
  await refunded(collectId)
  assert.deepEqual(await refusalOf(collectId), { kind: 'nothing_left' })
})

test('the same refund for the same request, also of the rest; external_id_taken for another one', async () => {
  const [collectId, other] = [await aCollect(), await aCollect()]
  const externalId = randomUUID()
  const first = await refunded(collectId, { externalId })
  assert.equal(await refunded(collectId, { externalId }), first)
  assert.equal(await refunded(collectId, { externalId, amountMinor: 500_000n }), first)
  for (const wanted of [{ amountMinor: 400_000n }, { reason: 'another' }])
    assert.deepEqual(await refusalOf(collectId, { externalId, ...wanted }), { kind: 'external_id_taken' })
  assert.deepEqual(await refusalOf(other, { externalId }), { kind: 'external_id_taken' })
  const actor = { kind: 'person' as const, id: makerId, applicationId: application.applicationId, roles: ['maker' as const] }
  const command = { application, collectId, externalId, amountMinor: undefined, reason: '', webhookUrl: null }
  assert.deepEqual(await startRefund(deps, { ...command, source: 'person', actor }), { ok: false, error: { kind: 'external_id_taken' } })
})

test('conflict: an ordinary deposit with the externalId and the content of a refund', async () => {
  const collectId = await aCollect()
  const externalId = randomUUID()
  await refunded(collectId, { externalId })
  assert.deepEqual(await takeIn(database.pool, [anIntakeItem(application.applicationId, { externalId })]), [{ kind: 'conflict' }])
})

test('one refund for eight equal requests at once, and one for eight different ones of the whole', async () => {
  const [same, different] = [await aCollect(), await aCollect()]
  const externalId = randomUUID()
  const equal = await Promise.all(Array.from({ length: 8 }, () => refunded(same, { externalId })))
  assert.equal(new Set(equal).size, 1)
  const results = await Promise.all(Array.from({ length: 8 }, () => refund(different)))
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.deepEqual(new Set(results.flatMap((one) => (one.ok ? [] : [one.error.kind]))), new Set(['nothing_left']))
})

test('23514 from the database for refunds that no command checked: too much, also in one statement, or to somebody else', async () => {
  const collectId = await aCollect()
  const part = (refundedMinor: bigint, overrides = {}) =>
    anIntakeItem(application.applicationId, { amountMinor: refundedMinor, refund: { collectId, refundedMinor }, ...overrides })
  await assert.rejects(takeIn(database.pool, [part(500_001n)]), { constraint: 'refunds_within_collect' })
  await assert.rejects(takeIn(database.pool, [part(300_000n), part(300_000n)]), { constraint: 'refunds_within_collect' })
  await assert.rejects(takeIn(database.pool, [part(100n, { phoneNumber: '237677209342' })]), { constraint: 'refund_to_the_payer' })
  await assert.rejects(takeIn(database.pool, [part(100n, { type: 'COLLECT' })]), { constraint: 'refund_to_the_payer' })
  // A deposit of more than what counts against the collect.
  await assert.rejects(takeIn(database.pool, [part(100n, { amountMinor: 200n })]), { constraint: 'refund_to_the_payer' })
  assert.deepEqual(await listRefunds(database.pool, application.applicationId, collectId), [])
})

test('the amount can be refunded again after a refund that failed, was rejected or expired', async () => {
  for (const event of ['failed', 'rejected', 'expired'] as const) {
    const collectId = await aCollect()
    const item = anIntakeItem(application.applicationId, {
      refund: { collectId, refundedMinor: 500_000n },
      bands: event === 'failed' ? null : [aBand()],
    })
    await takeIn(database.pool, [item])
    assert.deepEqual(await refusalOf(collectId), { kind: 'nothing_left' })
    assert.ok(await move(item.transactionId, event, event === 'rejected' ? { kind: 'person', id: randomUUID() } : SYSTEM_ACTOR), event)
    await refunded(collectId)
  }
})

test('started after a refund that the service ended unsent, about which no operator is asked', async () => {
  const collectId = await aCollect()
  const unsent = await refunded(collectId)
  await move(unsent, 'failed', SYSTEM_ACTOR)
  unconfirmed.add(unsent)
  assert.equal(await refusalOf(collectId), 'started')
})

test('earlier_unconfirmed while the operator does not confirm the failure, and nothing_left once it reports a success', async () => {
  const collectId = await aCollect()
  const failed = await refunded(collectId)
  await move(failed, 'failed', { kind: 'operator', id: null })
  unconfirmed.add(failed)
  assert.deepEqual(await refusalOf(collectId), { kind: 'earlier_unconfirmed' })
  await contradict(database.pool, { applicationId: application.applicationId, transactionId: failed })
  assert.deepEqual(await refusalOf(collectId), { kind: 'nothing_left' })
})

test('nothing_left while the operator is queried about a hint that a failed refund was paid', async () => {
  const collectId = await aCollect()
  const failed = await refunded(collectId)
  await move(failed, 'failed', { kind: 'operator', id: null })
  await database.pool.query(
    "insert into contradiction_queries (application_id, transaction_id, kind, operator, said, next_at) values ($1, $2, 'hint', 'MOMOCM', 'succeeded', now())",
    [application.applicationId, failed],
  )
  assert.deepEqual(await refusalOf(collectId), { kind: 'nothing_left' })
  await database.pool.query('update contradiction_queries set ended_at = now() where transaction_id = $1', [failed])
  await refunded(collectId)
})

test('nothing_left once a failed refund was booked as paid, also where no operator has contradicted it', async () => {
  const collectId = await aCollect()
  const failed = await refunded(collectId)
  await move(failed, 'failed', { kind: 'operator', id: null })
  await bookLate(database.pool, { applicationId: application.applicationId, transactionId: failed }, makerId)
  assert.deepEqual(await refusalOf(collectId), { kind: 'nothing_left' })
})

test('earlier_unconfirmed while the operator confirms the failure of one of two earlier refunds, and not of the other', async () => {
  const collectId = await aCollect()
  let last = ''
  for (const amountMinor of [100_000n, 200_000n]) {
    last = await refunded(collectId, { amountMinor })
    await move(last, 'failed', { kind: 'operator', id: null })
  }
  unconfirmed.add(last)
  assert.deepEqual(await refusalOf(collectId), { kind: 'earlier_unconfirmed' })
})

test('started once the adjustment that was proposed for its collect has expired', async () => {
  const collectId = await aCollect()
  const changeId = await proposeReversal(database.pool, { applicationId: application.applicationId, transactionId: collectId })
  assert.deepEqual(await refusalOf(collectId), { kind: 'adjusted' })
  await database.pool.query('update proposed_changes set expires_at = now() where change_id = $1', [changeId])
  await refunded(collectId)
})

test('adjusted while the operator is asked to take the collect back, started once it has refused', async () => {
  const { applicationId } = application
  const collectId = await aCollect()
  await database.pool.query(
    `insert into operator_reversals (application_id, transaction_id, reversal_id, change_application_id, operator, confirmed_by)
       values ($1, $2, gen_random_uuid(), $1, 'MOMOCM', $3)`,
    [applicationId, collectId, makerId],
  )
  assert.deepEqual(await refusalOf(collectId), { kind: 'adjusted' })
  await database.pool.query(
    "update operator_reversals set state = 'refused', refusal = 'operator', next_at = null, ended_at = now() where transaction_id = $1",
    [collectId],
  )
  await refunded(collectId)
  // Without the two people who would have agreed on it, it is a difference in the books.
  await database.pool.query('delete from operator_reversals where transaction_id = $1', [collectId])
})

test('refused: what is no collect, did not succeed, is contradicted, was adjusted, or is about to be', async () => {
  const [contradicted, reversed, proposed] = [await aCollect(), await aCollect(), await aCollect()]
  await contradictCollect(contradicted)
  await reverseCollect(database.pool, { applicationId: application.applicationId, transactionId: reversed }, makerId)
  await proposeReversal(database.pool, { applicationId: application.applicationId, transactionId: proposed })
  const deposit = await refunded(await aCollect())
  const refusals = await Promise.all(
    [randomUUID(), deposit, await aCollect('failed'), contradicted, reversed, proposed].map((id) => refusalOf(id)),
  )
  assert.deepEqual(
    refusals,
    ['not_found', 'not_a_collect', 'not_successful', 'contradicted', 'adjusted', 'adjusted'].map((kind) => ({ kind })),
  )
})

test('contradicted while the operator is queried about a hint that the collect failed, started once it has answered', async () => {
  const collectId = await aCollect()
  await database.pool.query(
    "insert into contradiction_queries (application_id, transaction_id, kind, operator, said, next_at) values ($1, $2, 'hint', 'MOMOCM', 'failed', now())",
    [application.applicationId, collectId],
  )
  assert.deepEqual(await refusalOf(collectId), { kind: 'contradicted' })
  await database.pool.query('update contradiction_queries set ended_at = now() where transaction_id = $1', [collectId])
  await refunded(collectId)
})

test('not approved: a refund whose collect was reversed while it waited', async () => {
  const collectId = await aCollect()
  const item = anIntakeItem(application.applicationId, { refund: { collectId, refundedMinor: 500_000n }, bands: [aBand()] })
  await takeIn(database.pool, [item])
  await reverseCollect(database.pool, { applicationId: application.applicationId, transactionId: collectId }, makerId)
  const person = { kind: 'person' as const, id: randomUUID() }
  assert.equal(await move(item.transactionId, 'approved', person), false)
  assert.equal(await move(item.transactionId, 'rejected', person), true)
})

test('collect_doubted for a checker once the operator contradicts the collect, who can still reject', async () => {
  const { applicationId } = application
  const collectId = await aCollect()
  const item = anIntakeItem(applicationId, { refund: { collectId, refundedMinor: 500_000n }, bands: [aBand()] })
  await takeIn(database.pool, [item])
  await contradictCollect(collectId)
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  const command = { applicationId, transactionId: item.transactionId, checkerId, note: 'fine', through: 'back_office' } as const
  const actor = { kind: 'person', id: checkerId } as const
  const validated = await decide(decisionDeps(database.pool), { ...command, actor, decision: 'validated' })
  assert.deepEqual(validated, { ok: false, error: { kind: 'collect_doubted', operator: 'MOMOCM', type: 'DEPOSIT' } })
  assert.equal(must(await decide(decisionDeps(database.pool), { ...command, actor, decision: 'rejected' })).status, 'FAILED')
})

test('the customer receives the rest, after the fees of a deposit, where the application lets them pay the fees', async () => {
  await database.pool.query("insert into fee_schedules values ($1, 'MOMOCM', 'COLLECT', 90000, 9000, 0, 0)", [application.applicationId])
  await database.pool.query("update applications set refund_fees_from = 'customer' where application_id = $1", [application.applicationId])
  const before = application
  application = await readSnapshot(application.applicationId)
  try {
    const collectId = await aCollect()
    await refunded(collectId, { amountMinor: 400_000n })
    const [stored] = await listRefunds(database.pool, application.applicationId, collectId)
    assert.deepEqual([stored?.amountMinor, stored?.heldMinor, stored?.refundedMinor], [394_100n, 400_000n, 400_000n])
    assert.deepEqual(await refusalOf(collectId, { amountMinor: 1n }), 'started')
  } finally {
    application = before
    await database.pool.query("update applications set refund_fees_from = 'application' where application_id = $1", [
      application.applicationId,
    ])
    await database.pool.query('delete from fee_schedules where application_id = $1', [application.applicationId])
  }
})

test('PENDING_APPROVAL for a refund that a maker proposes, whatever its amount', async () => {
  const { applicationId } = application
  const actor = { kind: 'person' as const, id: makerId, applicationId, roles: ['maker' as const] }
  const collectId = await aCollect()
  const command = { application, collectId, externalId: randomUUID(), amountMinor: 100n, reason: 'Sent back', webhookUrl: null }
  must(await startRefund(deps, { ...command, source: 'person', actor }))
  const [stored] = await listRefunds(database.pool, applicationId, collectId)
  assert.deepEqual([stored?.status, stored?.makerId, stored?.purpose], ['PENDING_APPROVAL', makerId, 'Sent back'])
  const nobody = await startRefund(deps, {
    ...command,
    externalId: randomUUID(),
    source: 'person',
    actor: { ...actor, roles: ['checker'] },
  })
  assert.deepEqual(nobody, { ok: false, error: { kind: 'not_permitted' } })
})

test('origin_not_replaceable: no other payment takes the place of a refund that was rejected', async () => {
  const { applicationId } = application
  const item = anIntakeItem(applicationId, {
    refund: { collectId: await aCollect(), refundedMinor: 500_000n },
    source: 'person',
    makerId,
    webhookUrl: null,
    actor: { kind: 'person', id: makerId },
    bands: [aBand()],
  })
  await takeIn(database.pool, [item])
  assert.ok(await move(item.transactionId, 'rejected', { kind: 'person', id: randomUUID() }))
  const problems = await findOriginProblems(database.pool, applicationId, { originId: item.transactionId, externalId: randomUUID() })
  assert.deepEqual(problems, [{ index: 0, kind: 'origin_not_replaceable' }])
  const detail = await readTransactionDetail(database.pool, applicationId, item.transactionId)
  assert.equal(detail?.isReplaceable, false)
})

test('the page of a collect has its refunds, what is left and why it cannot be refunded; that of a refund has the collect', async () => {
  const { applicationId } = application
  const collectId = await aCollect()
  const transactionId = await refunded(collectId, { amountMinor: 200_000n })
  const { refunds } = (await readTransactionDetail(database.pool, applicationId, collectId)) ?? assert.fail()
  assert.deepEqual([refunds?.refunded, refunds?.remaining, refunds?.obstacle, refunds?.feesFrom], ['2000', '3000', null, 'application'])
  assert.deepEqual(
    refunds?.made.map((made) => [made.transactionId, made.amount, made.status]),
    [[transactionId, '2000', 'PENDING']],
  )
  const refund = (await readTransactionDetail(database.pool, applicationId, transactionId)) ?? assert.fail()
  assert.deepEqual([refund.refundOf, refund.refunds], [{ transactionId: collectId, amount: '5000', isDoubted: false }, null])
  await contradictCollect(collectId)
  assert.equal((await readTransactionDetail(database.pool, applicationId, collectId))?.refunds?.obstacle, 'contradicted')
})

test('one refund of the whole from two database transactions at once, of code that takes no lock itself', async () => {
  const { applicationId } = application
  const collectId = await aCollect()
  const deposits = [anIntakeItem(applicationId), anIntakeItem(applicationId)] as const
  await takeIn(database.pool, [...deposits])
  const [first, second] = [await database.pool.connect(), await database.pool.connect()]
  const insert = (trx: typeof first, { transactionId }: { transactionId: string }) =>
    trx.query('insert into transaction_refunds (application_id, transaction_id, collect_id, refunded_minor) values ($1, $2, $3, 500000)', [
      ...[applicationId, transactionId, collectId],
    ])
  try {
    await first.query('begin')
    await insert(first, deposits[0])
    const late = assert.rejects(insert(second, deposits[1]), { constraint: 'refunds_within_collect' })
    await waitUntil('the second one waits for the first', async () => {
      const { rowCount } = await database.pool.query('select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0')
      return rowCount === 1
    })
    await first.query('commit')
    await late
  } finally {
    first.release()
    second.release()
  }
})

type Step = { kind: 'refund'; amount: number | null; isRepeated: boolean } | { kind: 'end'; which: number; event: TransitionEvent }
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('refund' as const), amount: fc.option(fc.integer({ min: 1, max: 6_000 })), isRepeated: fc.boolean() }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat(9), event: fc.constantFrom<TransitionEvent>('succeeded', 'failed') }),
)

test('never more than was collected, whatever requests, results and repetitions come at once', async () => {
  await fund(database.pool, application.applicationId, 'MOMOCM', 10_000_000_000n)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 6 }), async (rounds) => {
      const collectId = await aCollect()
      const started: string[] = []
      const externalIds = [randomUUID()]
      for (const round of rounds) {
        await Promise.all(
          round.map(async (one) => {
            if (one.kind === 'end') {
              const transactionId = started[one.which]
              if (transactionId !== undefined) await move(transactionId, one.event)
              return
            }
            const externalId = one.isRepeated ? (externalIds.at(-1) ?? randomUUID()) : randomUUID()
            externalIds.push(externalId)
            const result = await refund(collectId, { externalId, ...(one.amount !== null && { amountMinor: BigInt(one.amount) * 100n }) })
            if (result.ok && !started.includes(result.value.transactionId)) started.push(result.value.transactionId)
          }),
        )
        const stored = await listRefunds(database.pool, application.applicationId, collectId)
        const sum = stored.filter(({ status }) => status !== 'FAILED').reduce((total, { refundedMinor }) => total + refundedMinor, 0n)
        assert.ok(sum <= 500_000n, `${sum}`)
        assert.equal(stored.length, started.length)
      }
    }),
    { numRuns: 40 },
  )
})
