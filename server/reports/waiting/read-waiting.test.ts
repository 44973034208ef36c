import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { addressOfWaiting } from '#lib/pages/waiting.ts'
import type { Role } from '#lib/people/permissions.ts'
import { decide } from '#server/approvals/decide.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { dismissReturned } from './dismiss-returned.ts'
import { countWaiting, readWaiting } from './read-waiting.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene(runsInstallation = false) {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  if (runsInstallation) {
    await pool.query('update applications set runs_installation = false where runs_installation')
    await pool.query('update applications set runs_installation = true where application_id = $1', [applicationId])
  }
  const person = async (...roles: Role[]) => ({
    kind: 'person' as const,
    applicationId,
    runsInstallation,
    roles,
    id: await makePerson(pool, applicationId, roles),
  })
  type Person = Awaited<ReturnType<typeof person>>
  const waiting = async (makerId: string | null) => {
    const item = anIntakeItem(applicationId, { type: 'COLLECT', source: makerId === null ? 'api' : 'person', makerId, bands: [aBand()] })
    await takeIn(pool, [item])
    return item.transactionId
  }
  const seen = async (reader: Person) => {
    const waits = await readWaiting(pool, reader)
    const counts = await countWaiting(pool, reader)
    assert.deepEqual(counts, { count: waits.count, isMore: waits.isMore, pages: waits.pages })
    assert.equal(
      counts.count,
      waits.groups.reduce((sum, { count }) => sum + count, 0),
    )
    return Object.fromEntries(waits.groups.map(({ group, items }) => [group, items.map(({ id }) => id)]))
  }
  return { applicationId, person, waiting, seen, pool }
}

test('payments of others that a checker may approve, oldest first, and nothing of their own, decided or expired', async () => {
  const { person, waiting, seen, pool, applicationId } = await scene()
  const [maker, checker] = [await person('maker'), await person('maker', 'checker')]
  const first = await waiting(maker.id)
  const second = await waiting(null)
  await waiting(checker.id)
  const expired = await waiting(maker.id)
  await pool.query("update approval_items set expires_at = now() - interval '1 second' where transaction_id = $1", [expired])
  assert.deepEqual(await seen(checker), { approvals: [first, second] })
  const decision = { applicationId, transactionId: first, checkerId: checker.id, decision: 'rejected' as const, note: 'Wrong amount' }
  must(await decide(decisionDeps(pool), { ...decision, through: 'back_office', actor: { kind: 'person', id: checker.id } }))
  assert.deepEqual(await seen(checker), { approvals: [second] })
  assert.deepEqual(await seen(maker), { returned: [first] })
})

test('a returned payment until it is sent again, and a rejected batch as one item', async () => {
  const { person, seen, pool, applicationId } = await scene()
  const maker = await person('maker')
  const returned = anIntakeItem(applicationId, { type: 'COLLECT', source: 'person', makerId: maker.id, bands: [aBand()] })
  const failed = anIntakeItem(applicationId, { type: 'COLLECT', source: 'person', makerId: maker.id })
  await takeIn(pool, [returned, failed])
  await transition(pool, [{ ...returned, event: 'expired', message: 'x', actor: SYSTEM_ACTOR }])
  await transition(pool, [{ ...failed, event: 'failed', message: 'x', actor: SYSTEM_ACTOR }])
  assert.deepEqual(await seen(maker), { returned: [returned.transactionId] })
  await pool.query('insert into transaction_origins (application_id, transaction_id, origin_id) values ($1, $2, $3)', [
    applicationId,
    failed.transactionId,
    returned.transactionId,
  ])
  assert.deepEqual(await seen(maker), {})
  const batchId = randomUUID()
  const rows = [1, 2].map(() =>
    anIntakeItem(applicationId, { type: 'COLLECT', source: 'file', batchId, makerId: maker.id, bands: [aBand()] }),
  )
  await takeIn(pool, rows)
  await transition(
    pool,
    rows.map((row) => ({ ...row, event: 'expired', message: 'x', actor: SYSTEM_ACTOR })),
  )
  assert.deepEqual(await seen(maker), { returned: [batchId] })
  const { pages, groups } = await readWaiting(pool, maker)
  assert.deepEqual([pages, groups[0]?.items[0]?.count], [{ batches: 1 }, 2])
})

test('a returned payment or batch until its own maker dismisses it, once; the payments stay as they are', async () => {
  const { person, seen, pool, applicationId } = await scene()
  const [maker, colleague, checker] = [await person('maker'), await person('maker'), await person('checker')]
  const batchId = randomUUID()
  const own = { type: 'COLLECT' as const, source: 'person' as const, makerId: maker.id, bands: [aBand()] }
  const single = anIntakeItem(applicationId, own)
  const rows = [1, 2].map(() => anIntakeItem(applicationId, { ...own, source: 'file' as const, batchId }))
  for (const items of [[single], rows]) {
    await takeIn(pool, items)
    await transition(
      pool,
      items.map((item) => ({ ...item, event: 'expired', message: 'x', actor: SYSTEM_ACTOR })),
    )
  }
  const dismiss = (actor: typeof maker, id: string) => dismissReturned(pool, { applicationId, actor, id })
  assert.deepEqual(await dismiss(colleague, single.transactionId), { ok: false, error: 'not_found' })
  assert.deepEqual(await dismiss(checker, single.transactionId), { ok: false, error: 'not_permitted' })
  assert.deepEqual((await seen(maker))['returned']?.toSorted(), [single.transactionId, batchId].toSorted())
  must(await dismiss(maker, single.transactionId))
  assert.deepEqual(await seen(maker), { returned: [batchId] })
  must(await dismiss(maker, batchId))
  assert.deepEqual(await seen(maker), {})
  assert.deepEqual(await dismiss(maker, batchId), { ok: false, error: 'not_found' })
  const { rows: kept } = await pool.query<{ status: string }>('select status from transactions where maker_id = $1', [maker.id])
  assert.deepEqual(
    kept.map(({ status }) => status),
    ['FAILED', 'FAILED', 'FAILED'],
  )
})

test('a change for everybody who may confirm it, without its proposer and the person it is about; then its secret for the proposer', async () => {
  const { person, seen, pool, applicationId } = await scene()
  const [anna, ben, carine, engineer, finance] = [
    await person('administrator'),
    await person('administrator'),
    await person('administrator'),
    await person('engineer'),
    await person('finance'),
  ]
  const propose = async (kind: Parameters<typeof proposeChange>[1]['kind'], input: unknown, actor: typeof anna) =>
    must(await proposeChange(pool, { applicationId, kind, input, actor })).changeId
  const roles = await propose('person.roles', { personId: ben.id, roles: ['administrator', 'finance'], isActive: true }, anna)
  const key = await propose('key.create', { name: 'Shop' }, engineer)
  assert.deepEqual(
    [await seen(anna), await seen(ben), await seen(engineer), await seen(finance)],
    [{ changes: [key] }, { changes: [key] }, {}, {}],
  )
  assert.deepEqual(await seen(carine), { changes: [roles, key] })
  const counts = await countWaiting(pool, carine)
  assert.deepEqual(counts.pages, { people: 1, keys: 1 })
  must(await confirmChange({ pool, clock: systemClock }, { applicationId, changeId: key, actor: carine }))
  assert.deepEqual([await seen(carine), await seen(engineer)], [{ changes: [roles] }, { secrets: [key] }])
  await pool.query("update proposed_changes set expires_at = now() - interval '1 second' where change_id = $1", [roles])
  assert.deepEqual(await seen(carine), {})
})

test('a funding with its amount, currency and operator for finance, not for its proposer', async () => {
  const { person, seen, pool, applicationId } = await scene()
  const [finance, other, checker] = [await person('finance'), await person('finance'), await person('checker')]
  const input = {
    operator: 'MOMOCM',
    amountMinor: '2500000',
    reference: 'TR-1',
    note: '',
    document: { name: 'slip.pdf', sha256: 'a'.repeat(64) },
  }
  const { changeId } = must(await proposeChange(pool, { applicationId, kind: 'funding.pay_in', input, actor: finance }))
  assert.deepEqual([await seen(other), await seen(finance), await seen(checker)], [{ fundings: [changeId] }, {}, {}])
  const [group] = (await readWaiting(pool, other)).groups
  const [item] = group?.items ?? []
  assert.deepEqual([item?.amount, item?.currency, item?.operator, item?.by], ['25000', 'XAF', 'MOMOCM', 'Test person'])
  assert.equal(item && addressOfWaiting('kora', item), '/kora/funding')
})

test('a confirmed withdrawal and own transfer for finance of the installation, until somebody says that the money has left or arrived, for 90 days', async () => {
  const { person, seen, pool, applicationId } = await scene(true)
  const partner = await scene()
  const [finance, administrator] = [await person('finance'), await person('administrator')]
  const confirmed = async (ledgerId: string, kind: string, payload: Record<string, string>, daysAgo = 0) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, outcome, decided_by, decided_at)
         values ($1, gen_random_uuid(), $2, gen_random_uuid()::text, $3, $6, $6, $4, now() + interval '7 days', 'confirmed', $5, now() - make_interval(days => $7))
         returning change_id as id`,
      [
        ...[ledgerId, kind, { amountMinor: '250000', reference: 'T-1', note: '', document: null, ...payload }],
        ...[finance.id, administrator.id, { collectMinor: '0', depositMinor: '0', currency: 'XAF' }, daysAgo],
      ],
    )
    return rows[0]?.id ?? assert.fail('it was inserted')
  }
  const bank = `bank:${randomUUID()}`
  const withdrawal = await confirmed(partner.applicationId, 'funding.withdrawal', {
    operator: 'MOMOCM',
    account: 'collect',
    bankAccountId: randomUUID(),
  })
  await confirmed(partner.applicationId, 'funding.withdrawal', { operator: 'OMCM', account: 'collect', bankAccountId: randomUUID() }, 91)
  const own = await confirmed(applicationId, 'wallet.plan', { from: bank, to: 'OMCM' })
  assert.deepEqual(await seen(finance), { transfers: [withdrawal, own] })
  assert.deepEqual([await seen(await partner.person('finance')), await seen(await person('checker'))], [{}, {}])
  const { groups, pages } = await readWaiting(pool, finance)
  const items = groups.flatMap((group) => group.items)
  assert.deepEqual(
    items.map((item) => [item.amount, item.currency, item.operator, item.wallet, addressOfWaiting('kora', item)]),
    [
      ['2500', 'XAF', 'MOMOCM', null, '/kora/funding'],
      ['2500', 'XAF', null, 'OMCM', '/kora/close/wallets'],
    ],
  )
  assert.deepEqual(pages, { funding: 1, close: 1 })
  const mark = (ledgerId: string, changeId: string, step: string) =>
    pool.query(
      `insert into transit_marks (application_id, ledger_id, change_id, step, day, reference, person_id) values ($1, $2, $3, $4, now(), 'x', $5)`,
      [applicationId, ledgerId, changeId, step, finance.id],
    )
  await mark(partner.applicationId, withdrawal, 'left')
  assert.deepEqual(await seen(finance), { transfers: [own] })
  await mark(applicationId, own, 'arrived')
  assert.deepEqual(await seen(finance), {})
})

test('exceptions without an owner and own ones, in the application that runs the installation only', async () => {
  const { person, seen, pool, applicationId } = await scene(true)
  const [finance, other, administrator] = [await person('finance'), await person('finance'), await person('administrator')]
  const open = async (ownerId: string | null) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into exceptions (application_id, subject, class, operator, type, amount_minor, owner_id, owned_since)
         values ($1, $2, 'unknown_payment', 'MOMOCM', 'COLLECT', 100, $3, case when $3::uuid is not null then now() end) returning exception_id as id`,
      [applicationId, randomUUID(), ownerId],
    )
    return rows[0]?.id ?? assert.fail()
  }
  const [free, own] = [await open(null), await open(finance.id)]
  assert.deepEqual(
    [await seen(finance), await seen(other), await seen(administrator)],
    [{ exceptions: [free, own] }, { exceptions: [free] }, {}],
  )
  assert.deepEqual(await seen({ ...finance, runsInstallation: false }), {})
})

test('one item for each receiver whose webhooks fail or were given up, for engineers, until they are delivered', async () => {
  const { person, seen, pool, applicationId } = await scene()
  const [engineer, finance] = [await person('engineer'), await person('finance')]
  const deliver = async (state: string, target: string, hasFailed: boolean) => {
    const transactionId = randomUUID()
    await pool.query(
      `insert into webhook_deliveries (application_id, transaction_id, target, state, attempts, next_at, created_at, finished_at)
         values ($1, $2, $3, $4, 1, now(), now(), case when $4 <> 'due' then now() end)`,
      [applicationId, transactionId, target, state],
    )
    if (hasFailed)
      await pool.query(
        `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome) values ($1, $2, 1, now(), 9, 'http_error')`,
        [applicationId, transactionId],
      )
    return transactionId
  }
  await deliver('due', 'https://new.example:443', false)
  await deliver('delivered', 'https://well.example:443', false)
  await deliver('due', 'https://late.example:443', true)
  const givenUp = await deliver('exhausted', 'https://gone.example:443', true)
  assert.deepEqual(
    [await seen(engineer), await seen(finance)],
    [{ deliveries: ['https://late.example:443', 'https://gone.example:443'] }, {}],
  )
  await pool.query(
    `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at, started_at, duration_ms, outcome)
       values ($1, $2, 1, 'https://gone.example:443', $3, now(), now(), now(), 5, 'delivered')`,
    [applicationId, givenUp, engineer.id],
  )
  assert.deepEqual(await seen(engineer), { deliveries: ['https://late.example:443'] })
})

test('isMore and at most 25 items of a group, where it was counted to its limit', async () => {
  const { person, pool, applicationId } = await scene()
  const checker = await person('checker')
  for (let part = 0; part < 11; part += 1)
    await takeIn(
      pool,
      Array.from({ length: 100 }, () => anIntakeItem(applicationId, { type: 'COLLECT', bands: [aBand()] })),
    )
  const waits = await readWaiting(pool, checker)
  assert.deepEqual([waits.count, waits.isMore, waits.groups[0]?.count, waits.groups[0]?.items.length], [1_000, true, 1_000, 25])
})
