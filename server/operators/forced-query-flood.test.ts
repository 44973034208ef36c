import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { type ScriptedOperator, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { until } from '#server/operators/testing/until.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import type { ForcedQueryDeskOptions } from './forced-query-desk.ts'
import { type SynchroniseFailure, synchroniseTransaction } from './synchronise-transaction.ts'

const actor = { kind: 'api' as const, id: randomUUID() }

/** `release` breaks the queries that hang, and all that come after. */
type Flood = { operator: ScriptedOperator; harness: OperatorHarness; release(): void }

/** An operator that takes submissions and never answers a query, until a test says otherwise. */
async function withHangingQueries(limits: ForcedQueryDeskOptions['limits'], work: (flood: Flood) => Promise<void>): Promise<void> {
  const hanging: ServerResponse[] = []
  const operator = await startScriptedOperator({
    submit: (asked) => sayTransfer(asked, 'PENDING'),
    query: ({ response }) => hanging.push(response),
  })
  const release = (): void => {
    operator.script.query = ({ response }) => response.destroy()
    for (const response of hanging) response.destroy()
  }
  const harness = await OperatorHarness.open({
    elsewhere: { OMCM: operator.url },
    // Longer than any of these tests: what hangs goes on hanging until it is released.
    callTimeoutMs: 60_000,
    dispatcher: { pollDelaysMs: [600_000], leaseMs: 300_000 },
    forcedQueries: limits,
    // No allowance refills while a test runs, however slow the machine is.
    nowMs: () => 0,
  })
  try {
    await work({ operator, harness, release })
  } finally {
    release()
    await operator.close()
    await harness.close()
  }
}

/** Transactions that the operator accepted and that no schedule queries. */
async function accepted(harness: OperatorHarness, applicationId: string, count: number): Promise<IntakeItem[]> {
  const items = Array.from({ length: count }, () => anIntakeItem(applicationId, { operator: 'OMCM', type: 'COLLECT' }))
  await takeIn(harness.database.pool, items)
  await harness.database.pool.query(
    "update operator_work set state = 'submitted', accepted_at = now(), next_at = now() + interval '1 hour' where application_id = $1",
    [applicationId],
  )
  return items
}

async function failureOf(harness: OperatorHarness, { applicationId, transactionId }: IntakeItem): Promise<SynchroniseFailure | 'answered'> {
  const result = await synchroniseTransaction(harness.forcedQueries, { applicationId, transactionId, actor })
  return result.ok ? 'answered' : result.error
}

async function auditCount(harness: OperatorHarness, applicationId: string): Promise<number> {
  const { rows } = await harness.database.pool.query<{ count: bigint }>(
    "select count(*) from audit_entries where application_id = $1 and action = 'transaction.synchronised'",
    [applicationId],
  )
  return Number(rows[0]?.count)
}

test('every deposit is submitted while 500 forced queries wait for an operator that hangs', async () => {
  await withHangingQueries(undefined, async ({ operator, harness, release }) => {
    const old = await accepted(harness, harness.applicationId, 500)
    const other = await makeApplication(harness.database.pool)
    await fund(harness.database.pool, other, 'OMCM', 100_000_000n)
    const flood = Promise.all(old.map((item) => failureOf(harness, item)))
    await until(async () => operator.queried.length >= 16, 'the flood reaches the operator')
    harness.startDispatcher()
    const fresh = [harness.applicationId, other].flatMap((applicationId) =>
      Array.from({ length: 100 }, () => anIntakeItem(applicationId, { operator: 'OMCM', amountMinor: 10_000n })),
    )
    await takeIn(harness.database.pool, fresh)
    await until(
      async () => (await Promise.all(fresh.map((item) => harness.workOf(item)))).every((work) => work?.['state'] === 'submitted'),
      'every deposit is submitted',
    )
    for (const item of fresh) assert.deepEqual(await harness.attemptsOf(item), ['submit accepted'])
    assert.ok(operator.queried.length <= 16, 'all the while the flood was still hanging')
    release()
    const failures = await flood
    const throttled = failures.filter((failure) => typeof failure === 'object').length
    assert.equal(throttled, 300, 'beyond two hundred at once an application is told when to come back')
    assert.ok(failures.every((failure) => typeof failure === 'object' || failure === 'operator_unavailable' || failure === 'busy'))
    assert.equal(await auditCount(harness, harness.applicationId), failures.filter((failure) => failure === 'operator_unavailable').length)
    assert.ok(
      harness.database.pool.totalCount <= 20 && harness.database.pool.waitingCount === 0,
      'no connection to the database is left behind',
    )
  })
})

test('no delay of a forced query while another application floods', async () => {
  await withHangingQueries({ waitMsMax: 60_000 }, async ({ operator, harness, release }) => {
    const flood = (await accepted(harness, harness.applicationId, 100)).map((item) => failureOf(harness, item))
    const other = await makeApplication(harness.database.pool)
    const [item] = await accepted(harness, other, 1)
    assert.ok(item)
    await until(async () => operator.queried.length >= 16, 'the flood has all the slots that it may have')
    operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
    assert.equal(await failureOf(harness, item), 'answered')
    assert.equal(operator.queried.length, 17, 'all the while the flood was still hanging')
    assert.equal((await harness.read(item)).status, 'SUCCESS')
    release()
    await Promise.all(flood)
  })
})

test('no delay of a person’s forced query while a program of the same application floods', async () => {
  await withHangingQueries({ burst: 20 }, async ({ operator, harness, release }) => {
    const items = await accepted(harness, harness.applicationId, 41)
    const [item, ...rest] = items
    assert.ok(item)
    const flood = rest.map((each) => failureOf(harness, each))
    await until(async () => operator.queried.length >= 16, 'the flood has all the slots that it may have')
    operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
    const { applicationId, transactionId } = item
    const person = { kind: 'person' as const, id: randomUUID() }
    assert.equal(typeof (await failureOf(harness, item)), 'object', 'the program has used up its allowance')
    assert.equal((await synchroniseTransaction(harness.forcedQueries, { applicationId, transactionId, actor: person })).ok, true)
    release()
    await Promise.all(flood)
  })
})

test('one query, one attempt and one audit entry for many forced queries of one transaction', async () => {
  await withHangingQueries(undefined, async ({ operator, harness }) => {
    const [item] = await accepted(harness, harness.applicationId, 1)
    assert.ok(item)
    const release: (() => void)[] = []
    operator.script.query = (asked) => release.push(() => sayTransfer(asked, 'SUCCESS'))
    const asked = Array.from({ length: 300 }, () => failureOf(harness, item))
    await until(async () => release.length > 0, 'the query arrives')
    for (const each of release) each()
    assert.deepEqual(new Set(await Promise.all(asked)), new Set(['answered']))
    assert.equal(operator.queried.length, 1)
    assert.deepEqual(await harness.attemptsOf(item), ['query succeeded'])
    assert.equal(await auditCount(harness, harness.applicationId), 1)
  })
})

test('no refusal of a partner that forces a few queries per second', async () => {
  let nowMs = 0
  const operator = await startScriptedOperator({ submit: () => undefined, query: (asked) => sayTransfer(asked, 'PENDING') })
  const harness = await OperatorHarness.open({ elsewhere: { OMCM: operator.url }, nowMs: () => nowMs })
  try {
    const items = await accepted(harness, harness.applicationId, 5)
    for (let second = 0; second < 30; second++) {
      for (const item of items) assert.equal(await failureOf(harness, item), 'answered')
      nowMs += 1_000
    }
  } finally {
    await harness.close()
    await operator.close()
  }
})

test('an audit entry names the caller, the transaction and the outcome of a forced query', async () => {
  await withHangingQueries(undefined, async ({ operator, harness }) => {
    const [item] = await accepted(harness, harness.applicationId, 1)
    assert.ok(item)
    operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
    const { applicationId, transactionId } = item
    const person = { kind: 'person' as const, id: randomUUID() }
    await synchroniseTransaction(harness.forcedQueries, { applicationId, transactionId, actor: person })
    await synchroniseTransaction(harness.forcedQueries, { applicationId, transactionId, actor })
    const { rows } = await harness.database.pool.query(
      'select actor_kind, actor_id, action, subject, details from audit_entries where application_id = $1 order by sequence',
      [applicationId],
    )
    const details = { operator: 'OMCM', outcome: 'pending', httpStatus: 200 }
    const entry = { action: 'transaction.synchronised', subject: transactionId, details }
    assert.deepEqual(rows, [
      { actor_kind: 'person', actor_id: person.id, ...entry },
      { actor_kind: 'api', actor_id: actor.id, ...entry },
    ])
  })
})

test('a forced query whose answer the database refuses is stored without it, and the others of its batch with theirs', async () => {
  await withHangingQueries(undefined, async ({ harness }) => {
    const items = await accepted(harness, harness.applicationId, 5)
    await Promise.all(
      items.map(({ applicationId, transactionId }, place) =>
        harness.forcedQueries.recorder.submit({
          applicationId,
          transactionId,
          operator: 'OMCM',
          actor,
          number: 1,
          outcome: 'pending',
          httpStatus: 200,
          answer: place === 2 ? 'a\0b' : 'fine',
          durationMs: 1,
          needsQuery: false,
        }),
      ),
    )
    for (const item of items) assert.deepEqual(await harness.attemptsOf(item), ['query pending'])
    assert.equal(await auditCount(harness, harness.applicationId), 5)
  })
})
