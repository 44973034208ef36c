import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { createSettler } from '#server/transactions/transition.ts'
import { selectBatch } from './batch-store.ts'
import { decide, decideMany } from './decide.ts'
import { decideBatch } from './decide-batch.ts'
import { expireApprovals } from './expire-approvals.ts'
import { findApprovals } from './queue/queue.ts'
import { recallBatch, recallTransaction } from './recall.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Deps that keep who was woken and what was logged and counted. */
function listening() {
  const woken: string[] = []
  const logged: unknown[] = []
  const counted: string[] = []
  return {
    woken,
    logged,
    counted,
    deps: {
      ...decisionDeps(database.pool),
      wake: { operators: () => void woken.push('operators'), webhooks: () => void woken.push('webhooks') },
      logger: { error: (details: unknown) => void logged.push(details) },
      metrics: { countOutcome: (_kind: 'decision', outcome: string) => void counted.push(outcome) },
    },
  }
}

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const checker = {
    applicationId,
    id: await makePerson(pool, applicationId, ['checker']),
    roles: ['checker'] as Role[],
    hasSecondFactor: false,
  }
  const makerId = await makePerson(pool, applicationId, ['maker'])
  const wait = async (count = 1, band: Parameters<typeof aBand>[0] = {}) => {
    const items = Array.from({ length: count }, () => anIntakeItem(applicationId, { source: 'person', makerId, bands: [aBand(band)] }))
    await takeIn(pool, items)
    return findApprovals(
      pool,
      checker,
      items.map((item) => item.transactionId),
    )
  }
  return { applicationId, checker, makerId, wait }
}

test('an approval that releases wakes the dispatcher, a rejection the deliveries, a refusal neither', async () => {
  const { applicationId, checker, wait } = await scene()
  const rows = await wait(2)
  const { deps, woken } = listening()
  await decideMany(deps, { checker, decision: 'validated', note: 'Seen', items: rows.slice(0, 1) })
  assert.deepEqual(woken, ['operators'])
  const command = {
    applicationId,
    transactionId: rows[1]?.transactionId ?? '',
    checkerId: checker.id,
    note: 'Duplicate',
    through: 'api',
    actor: { kind: 'api', id: randomUUID() },
  } as const
  await decide(deps, { ...command, decision: 'rejected' })
  assert.deepEqual(woken, ['operators', 'webhooks'])
  await decide(deps, { ...command, decision: 'validated' })
  assert.deepEqual(woken, ['operators', 'webhooks'])
})

test('the first of two approvals wakes nothing', async () => {
  const { checker, wait } = await scene()
  const { deps, woken } = listening()
  await decideMany(deps, { checker, decision: 'validated', note: 'Seen', items: await wait(1, { steps: [2] }) })
  assert.deepEqual(woken, [])
})

test('a batch wakes the dispatcher for rows that are sent, the deliveries for rows that are left out, and nothing for the first of two approvals', async () => {
  const { applicationId, checker, makerId } = await scene()
  const { deps, woken } = listening()
  const decideOn = async (steps: number[], excludes: number) => {
    const { batchId, items } = await makeFileBatch(database.pool, {
      applicationId,
      makerId,
      count: 2,
      change: () => ({ bands: [aBand({ steps })] }),
    })
    const { hash, shownAt } = (await selectBatch(database.pool, checker, batchId)) ?? assert.fail()
    const excluded = items.slice(0, excludes).map(({ transactionId }) => ({ transactionId, reason: 'No' }))
    woken.length = 0
    const command = { checker, batchId, decision: 'validated', note: 'Seen', excluded, hash, shownAt } as const
    assert.ok((await decideBatch(deps, command)).ok)
    return { batchId, woken: [...woken] }
  }
  assert.deepEqual((await decideOn([1], 0)).woken, ['operators'])
  assert.deepEqual((await decideOn([1], 1)).woken, ['operators', 'webhooks'])
  const first = await decideOn([2], 0)
  assert.deepEqual(first.woken, [])
  assert.ok((await recallBatch(deps, { applicationId, batchId: first.batchId, makerId, reason: 'Wrong' })).ok)
  assert.deepEqual(woken, ['webhooks'])
})

test('a recall and an expiry wake the deliveries', async () => {
  const { applicationId, makerId, wait } = await scene()
  const [first, second] = await wait(2)
  const { deps, woken } = listening()
  await recallTransaction(deps, { applicationId, transactionId: first?.transactionId ?? '', makerId, reason: 'Wrong phone' })
  assert.deepEqual(woken, ['webhooks'])
  await database.pool.query("update approval_items set expires_at = now() - interval '1 second' where transaction_id = $1", [
    second?.transactionId,
  ])
  const settler = createSettler({ pool: database.pool, onWebhooks: deps.wake.webhooks })
  assert.equal(await expireApprovals({ pool: database.pool, settler, logger: deps.logger }), 1)
  assert.deepEqual(woken, ['webhooks', 'webhooks'])
})

test('unexpected for a decision that throws, while the others of the list are decided', async () => {
  const { checker, wait } = await scene()
  const rows = await wait(3)
  const broken = rows[1]?.transactionId
  await database.pool.query(
    `create function fail_on_purpose() returns trigger language plpgsql as $$ begin raise exception 'disk on fire'; end $$;
     create trigger fail_on_purpose before insert on approval_decisions for each row when (new.transaction_id = '${broken}') execute function fail_on_purpose()`,
  )
  const { deps, logged, counted } = listening()
  const answer = await decideMany(deps, { checker, decision: 'validated', note: 'Seen', items: rows })
  await database.pool.query('drop trigger fail_on_purpose on approval_decisions')
  assert.deepEqual(answer.ok && answer.value.map((one) => (one.kind === 'done' ? one.status : one.reason)), [
    'PENDING',
    'unexpected',
    'PENDING',
  ])
  assert.equal(logged.length, 1)
  const [entry] = logged as { err: Error; transactionId: string }[]
  assert.deepEqual([entry?.err.message, entry?.transactionId], ['disk on fire', broken])
  assert.deepEqual(counted, ['validated', 'unexpected', 'validated'])
})

test('the other expired items are ended if one of them cannot be', async () => {
  const { applicationId, wait } = await scene()
  const rows = await wait(3)
  await database.pool.query("update approval_items set expires_at = now() - interval '1 second' where application_id = $1", [applicationId])
  const broken = rows[1]?.transactionId
  await database.pool.query(
    `create or replace function fail_on_data() returns trigger language plpgsql as $$ begin raise exception 'bad row' using errcode = '22000'; end $$;
     create trigger fail_on_data before insert on transaction_events for each row when (new.transaction_id = '${broken}') execute function fail_on_data()`,
  )
  const { deps, logged } = listening()
  const moved = await expireApprovals({ pool: database.pool, settler: createSettler({ pool: database.pool }), logger: deps.logger })
  await database.pool.query('drop trigger fail_on_data on transaction_events')
  assert.deepEqual([moved, logged.length], [2, 1])
})

test('every one of 203 expired items is ended in one pass, except the two in front that cannot be', async () => {
  const { applicationId, makerId } = await scene()
  const rows = Array.from({ length: 203 }, () => anIntakeItem(applicationId, { source: 'person', makerId, bands: [aBand()] }))
  await takeIn(database.pool, rows)
  await database.pool.query("update approval_items set expires_at = now() - interval '1 second' where application_id = $1", [applicationId])
  const { rows: first } = await database.pool.query<{ transaction_id: string }>(
    'select transaction_id from approval_items where application_id = $1 order by expires_at, transaction_id limit 2',
    [applicationId],
  )
  const settler = createSettler({ pool: database.pool })
  const stuck = new Set(first.map((row) => row.transaction_id))
  const { deps, logged } = listening()
  await expireApprovals({
    pool: database.pool,
    settler: {
      settle: (item) => (stuck.has(item.transactionId) ? Promise.reject(new Error('cannot be ended')) : settler.settle(item)),
    },
    logger: deps.logger,
  })
  const { rows: statuses } = await database.pool.query(
    'select status, count(*)::integer as count from transactions where application_id = $1 group by status order by status',
    [applicationId],
  )
  assert.deepEqual(statuses, [
    { status: 'FAILED', count: rows.length - 2 },
    { status: 'PENDING_APPROVAL', count: 2 },
  ])
  assert.equal(logged.length, 2)
})
