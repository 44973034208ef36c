import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { type ApprovalRule, approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import { proposePolicy } from '#server/policy/policies.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { inSimulatedTime } from '#server/testing/simulated-time.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR as SERVICE, type TransitionItem, transition } from '#server/transactions/transition.ts'
import { replayPolicy } from './replay-policy.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let database: TestDatabase
before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
})
after(() => database.drop())

function rulesOf(...rules: Record<string, unknown>[]): ApprovalRule[] {
  return approvalRulesSchema.parse(
    rules.map((rule, index) => ({ name: `R${index + 1}`, sources: ['api', 'person', 'file'], approvals: [1], ...rule })),
  )
}

type Application = { applicationId: string; policy: { version: number; rules: readonly ApprovalRule[] } | null }

async function replay(application: Application, rules: readonly ApprovalRule[]) {
  const { applicationId } = application
  const { version } = must(await proposePolicy(database.pool, { applicationId, rules, actor: SYSTEM_ACTOR }))
  return must(await replayPolicy(database.pool, { application, version, now: NOW }))
}

/** Starts one transaction, under rules, so long before now. */
async function start(application: Application, agoMs: number, item: Partial<IntakeItem>): Promise<IntakeItem> {
  const made = anIntakeItem(application.applicationId, item)
  const { type, operator, source } = made
  const bands = bandsFor(application.policy, { type, operator, source, currency: OPERATORS[operator].country.currency })
  await inSimulatedTime(database.pool, async (trx, setTime) => {
    await setTime(new Date(NOW.getTime() - agoMs))
    await takeIn(trx, [{ ...made, bands }])
  })
  return made
}

async function move(item: Omit<TransitionItem, 'applicationId' | 'transactionId'>, of: IntakeItem, agoMs: number): Promise<void> {
  const { applicationId, transactionId } = of
  await inSimulatedTime(database.pool, async (trx, setTime) => {
    await setTime(new Date(NOW.getTime() - agoMs))
    await transition(trx, [{ applicationId, transactionId, ...item }])
  })
}

async function end(item: IntakeItem, event: 'succeeded' | 'failed' | 'expired', agoMs: number): Promise<void> {
  await move({ event, actor: SERVICE }, item, agoMs)
}

test('the sums of a history that was counted by hand', async () => {
  const applicationId = await makeApplication(database.pool)
  const application = {
    applicationId,
    policy: { version: 0, rules: rulesOf({ sources: ['api'], limits: { XAF: '1000' }, approvals: [1] }) },
  }
  const [ama] = [await makePerson(database.pool, applicationId, ['maker', 'checker'])]
  await makePerson(database.pool, applicationId, ['checker'])
  await makePerson(database.pool, applicationId, ['checker'])
  const to = (last: number) => `23767700000${last}`
  await start(application, 91 * DAY_MS, { amountMinor: 5_000n, phoneNumber: to(1) }) // before the 90 days
  await start(application, 50 * DAY_MS, { amountMinor: 1_000n, phoneNumber: to(1) }) // at the active limit: through
  await start(application, 49 * DAY_MS, { amountMinor: 1_001n, phoneNumber: to(2) }) // active only
  await start(application, 48 * DAY_MS, { amountMinor: 2_001n, phoneNumber: to(3) }) // both; two approvals in the new version
  await start(application, 47 * DAY_MS, { amountMinor: 1_500n, phoneNumber: to(4) }) // active only
  await start(application, 47 * DAY_MS - HOUR_MS, { amountMinor: 600n, phoneNumber: to(4) }) // with the hour before 2,100: both
  await start(application, 46 * DAY_MS - HOUR_MS, { amountMinor: 1_500n, phoneNumber: to(4) }) // exactly 24 hours later: active only
  const failed = await start(application, 40 * DAY_MS, { amountMinor: 900n, phoneNumber: to(5) })
  await end(failed, 'failed', 40 * DAY_MS - HOUR_MS)
  await start(application, 40 * DAY_MS - 2 * HOUR_MS, { amountMinor: 900n, phoneNumber: to(5) }) // the first one failed: through
  const person = { source: 'person' as const, makerId: ama, actor: { kind: 'person' as const, id: ama } }
  await start(application, 30 * DAY_MS, { amountMinor: 100n, phoneNumber: to(6), ...person }) // both: one approval
  await start(application, 29 * DAY_MS, { amountMinor: 9_000n, phoneNumber: to(7), ...person }) // both: one, then three
  const batchId = randomUUID()
  for (const last of [1, 2, 3])
    await start(application, 20 * DAY_MS, {
      amountMinor: 1_000n,
      phoneNumber: to(last),
      ...person,
      source: 'file',
      batchId,
      batchSumMinor: 3_000n,
    })

  const compared = await replay(
    application,
    rulesOf(
      { sources: ['api'], limits: { XAF: '2000' }, approvals: [2] },
      { sources: ['person'], limits: { XAF: '8000' }, approvals: [1, 2] },
      { sources: ['file'], limits: { XAF: '2500' }, measure: 'batchTotal', approvals: [2] },
    ),
  )
  assert.equal(compared.transactions, 13)
  // Five of the API above 1,000, two of the person, one batch of three rows.
  assert.deepEqual([compared.active.items, compared.active.transactions], [8, 10])
  assert.deepEqual([compared.proposed.items, compared.proposed.transactions], [5, 7])
  assert.deepEqual(
    compared.proposed.needs.map(({ needed, items }) => [needed, items]),
    [
      [1, 1],
      [2, 3],
      [3, 1],
    ],
  )
  assert.deepEqual([compared.newlyStopped, compared.noLongerStopped, compared.stricter, compared.milder], [0, 3, 4, 0])
  assert.deepEqual(
    compared.makers.map(({ name, itemsActive, itemsNew }) => [name, itemsActive, itemsNew]),
    [
      ['Test person', 3, 3],
      [null, 5, 2],
    ],
  )
  // Ama is a checker too: only two others are left for her payment that needs three.
  assert.deepEqual(
    compared.shortages.map(({ rules, needed, available, maker, items, transactionIds }) => [
      rules,
      needed,
      available,
      maker,
      items,
      transactionIds.length,
    ]),
    [[['R2'], 3, 2, 'Test person', 1, 1]],
  )
})

test('the same choice as intake made, over random histories, rules and operators', async () => {
  for (const seed of [3, 7, 12]) {
    const random = createRandom(seed)
    const applicationId = await makeApplication(database.pool)
    // Different needs for each rule, so that the counts tell which rules applied.
    const rules = rulesOf(
      { limits: { XAF: '1', XOF: '3000' }, approvals: [2] },
      { limits: { XOF: '4500' }, measure: 'dayTotal', approvals: [3] },
      { sources: ['file'], limits: { XOF: '5000' }, measure: 'batchTotal', approvals: [4] },
      // Of persons, so that payments of the program make numbers known.
      { sources: ['person'], firstTimeOnly: true, approvals: [5] },
      { countries: ['BENIN'], types: ['COLLECT'], needsCode: true },
    )
    const application = { applicationId, policy: { version: 0, rules } }
    const makers = [await makePerson(database.pool, applicationId, ['maker']), await makePerson(database.pool, applicationId, ['maker'])]
    // One person under two numbers twice, two others whose numbers only look alike, and one without another form.
    const phones = {
      BJMTN: ['22997000001', '2290197000001'],
      CIOM: ['22507000001', '2250707000001', '2250507000001'],
      SNOM: ['221770000001'],
    }
    for (const operator of ['BJMTN', 'CIOM', 'SNOM'] as const) await fund(database.pool, applicationId, operator, 100_000_000n)
    const open: { item: IntakeItem; isWaiting: boolean }[] = []
    let agoMs = 20 * DAY_MS
    for (let count = 0; count < 150; count++) {
      agoMs -= random.between(HOUR_MS / 4, 6 * HOUR_MS)
      const operator = random.pick(Object.keys(phones)) as keyof typeof phones & OperatorCode
      const source = random.pick(['api', 'person', 'file'] as const)
      const makerId = source === 'api' ? null : random.pick(makers)
      const actor = makerId === null ? { kind: 'api' as const, id: null } : { kind: 'person' as const, id: makerId }
      const rows = source === 'file' ? random.between(1, 3) : 1
      const amounts = Array.from({ length: rows }, () => BigInt(random.between(1, 4)) * 1_000n)
      const batch = source === 'file' ? { batchId: randomUUID(), batchSumMinor: amounts.reduce((sum, amount) => sum + amount, 0n) } : {}
      const type = random.pick(['DEPOSIT', 'COLLECT'] as const)
      for (const amountMinor of amounts) {
        const phoneNumber = random.pick(phones[operator])
        const item = await start(application, agoMs, { type, operator, source, makerId, actor, amountMinor, phoneNumber, ...batch })
        const { rows: stored } = await database.pool.query('select status from transactions where transaction_id = $1', [
          item.transactionId,
        ])
        open.push({ item, isWaiting: stored[0]?.status === 'PENDING_APPROVAL' })
      }
      const [moved] = random.chance(0.6) ? open.splice(random.between(0, open.length - 1), 1) : []
      if (!moved) continue
      agoMs -= 1_000
      const event = moved.isWaiting ? 'expired' : random.chance(0.5) ? 'failed' : 'succeeded'
      // A deposit without money failed at once.
      const { rows: present } = await database.pool.query('select status from transactions where transaction_id = $1', [
        moved.item.transactionId,
      ])
      if (present[0]?.status !== 'FAILED') await end(moved.item, event, agoMs)
    }
    const { rows: chosen } = await database.pool.query<{ needed: number; needs_code: boolean; count: number }>(
      `select (select sum(n) from unnest(case when t.source = 'file' then b.steps else i.steps end) as s (n))::integer as needed,
          case when t.source = 'file' then b.needs_code else i.needs_code end as needs_code,
          count(distinct case when t.source = 'file' then t.batch_id else t.transaction_id end)::integer as count
        from approval_items i join transactions t using (application_id, transaction_id)
        left join lateral (select max(x.steps) as steps, bool_or(x.needs_code) as needs_code from approval_items x
          join transactions y using (application_id, transaction_id) where y.batch_id = t.batch_id) b on true
        where i.application_id = $1 group by 1, 2 order by 1, 2`,
      [applicationId],
    )
    assert.ok(chosen.length >= 5, 'several rules must have applied')
    const compared = await replay(application, rulesOf())
    assert.deepEqual(
      compared.active.needs.map(({ needed, needsCode, items }) => [needed, needsCode, items]),
      chosen.map(({ needed, needs_code, count }) => [needed, needs_code, count]),
      `seed ${seed}`,
    )
  }
})

test('the median wait of decided items that needed as many approvals, and from the others where there are too few', async () => {
  const applicationId = await makeApplication(database.pool)
  const application = { applicationId, policy: { version: 0, rules: [] } }
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  const person = { source: 'person' as const, makerId, actor: { kind: 'person' as const, id: makerId } }
  for (const hours of [1, 2, 3, 4, 50]) {
    const item = await start(application, 10 * DAY_MS, person)
    await database.pool.query(
      `insert into approval_decisions (application_id, transaction_id, checker_id, maker_id, decision, note, through, decided_at)
         values ($1, $2, $3, $4, 'rejected', 'no', 'back_office', $5)`,
      [applicationId, item.transactionId, checkerId, makerId, new Date(NOW.getTime() - 10 * DAY_MS + hours * HOUR_MS)],
    )
    const actor = { kind: 'person', id: checkerId } as const
    await move({ event: 'rejected', actor, checkerId }, item, 10 * DAY_MS - hours * HOUR_MS)
  }
  const compared = await replay(application, rulesOf({ approvals: [2] }))
  assert.deepEqual(compared.observed, [{ needed: 1, count: 5, medianMs: 3 * HOUR_MS }])
  assert.deepEqual(
    [compared.active.needs, compared.proposed.needs],
    [[{ needed: 1, needsCode: false, items: 5, waitMs: 3 * HOUR_MS }], [{ needed: 2, needsCode: false, items: 5, waitMs: 6 * HOUR_MS }]],
  )
  assert.equal(compared.makers[0]?.waitMs, 6 * HOUR_MS)
})

test('busy for a second comparison of the same application, too_slow for a report that takes longer than it may, unknown_version for a version that does not exist', async () => {
  const applicationId = await makeApplication(database.pool)
  const application = { applicationId, policy: null }
  const { version } = must(await proposePolicy(database.pool, { applicationId, rules: [], actor: SYSTEM_ACTOR }))
  const locked = await database.pool.connect()
  try {
    // A reader waits for this lock until its time is over.
    await locked.query('begin; lock table transactions in access exclusive mode')
    const slow = replayPolicy(database.pool, { application, version, now: NOW, timeoutMs: 50 })
    assert.deepEqual(await replayPolicy(database.pool, { application, version: 99, now: NOW }), { ok: false, error: 'busy' })
    assert.deepEqual(await slow, { ok: false, error: 'too_slow' })
  } finally {
    await locked.query('rollback')
    locked.release()
  }
  assert.deepEqual(await replayPolicy(database.pool, { application, version: 99, now: NOW }), { ok: false, error: 'unknown_version' })
  assert.ok((await replayPolicy(database.pool, { application, version, now: NOW })).ok)
})
