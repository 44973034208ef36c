import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { type ScriptedOperator, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import type { ForcedQueryDeskOptions } from './forced-query-desk.ts'
import { type SynchroniseFailure, synchroniseTransaction } from './synchronise-transaction.ts'

const actor = { kind: 'api' as const, id: randomUUID() }

/** `release` breaks the queries that hang, and all that come after. */
type Flood = { operator: ScriptedOperator; room: OperatorHarness; release(): void }

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
  const room = await OperatorHarness.open({
    elsewhere: { OMCM: operator.url },
    // Longer than any of these tests: what hangs goes on hanging until it is released.
    callTimeoutMs: 60_000,
    dispatcher: { pollDelaysMs: [600_000], leaseMs: 300_000 },
    forcedQueries: limits,
    // No allowance refills while a test runs, however slow the machine is.
    nowMs: () => 0,
  })
  try {
    await work({ operator, room, release })
  } finally {
    release()
    await operator.close()
    await room.close()
  }
}

/** Transactions that the operator accepted and that nobody asks about by schedule. */
async function accepted(room: OperatorHarness, applicationId: string, count: number): Promise<IntakeItem[]> {
  const items = Array.from({ length: count }, () => anIntakeItem(applicationId, { operator: 'OMCM', type: 'COLLECT' }))
  await takeIn(room.database.pool, items)
  await room.database.pool.query(
    "update operator_work set state = 'submitted', accepted_at = now(), next_at = now() + interval '1 hour' where application_id = $1",
    [applicationId],
  )
  return items
}

async function failureOf(room: OperatorHarness, { applicationId, transactionId }: IntakeItem): Promise<SynchroniseFailure | 'answered'> {
  const result = await synchroniseTransaction(room.forcedQueries, { applicationId, transactionId, actor })
  return result.ok ? 'answered' : result.error
}

async function auditCount(room: OperatorHarness, applicationId: string): Promise<number> {
  const { rows } = await room.database.pool.query<{ count: bigint }>(
    "select count(*) from audit_entries where application_id = $1 and action = 'transaction.synchronised'",
    [applicationId],
  )
  return Number(rows[0]?.count)
}

test('500 forced queries at once against an operator that hangs: every deposit made meanwhile is submitted, none is unconfirmed', async () => {
  await withHangingQueries(undefined, async ({ operator, room, release }) => {
    const old = await accepted(room, room.applicationId, 500)
    const other = await makeApplication(room.database.pool)
    await fund(room.database.pool, other, 'OMCM', 100_000_000n)
    const flood = Promise.all(old.map((item) => failureOf(room, item)))
    await waitUntil('the flood reaches the operator', async () => operator.queried.length >= 16)
    room.startDispatcher()
    const fresh = [room.applicationId, other].flatMap((applicationId) =>
      Array.from({ length: 100 }, () => anIntakeItem(applicationId, { operator: 'OMCM', amountMinor: 10_000n })),
    )
    await takeIn(room.database.pool, fresh)
    await waitUntil('every deposit is submitted', async () =>
      (await Promise.all(fresh.map((item) => room.workOf(item)))).every((work) => work?.['state'] === 'submitted'),
    )
    for (const item of fresh) assert.deepEqual(await room.attemptsOf(item), ['submit accepted'])
    assert.ok(operator.queried.length <= 16, 'all the while the flood was still hanging')
    release()
    const failures = await flood
    const throttled = failures.filter((failure) => typeof failure === 'object').length
    assert.equal(throttled, 300, 'beyond two hundred at once an application is told when to come back')
    assert.ok(failures.every((failure) => typeof failure === 'object' || failure === 'operator_unavailable' || failure === 'busy'))
    assert.equal(await auditCount(room, room.applicationId), failures.filter((failure) => failure === 'operator_unavailable').length)
    assert.ok(room.database.pool.totalCount <= 20 && room.database.pool.waitingCount === 0, 'no connection to the database is left behind')
  })
})

test('the forced query of another application is asked at once while one floods', async () => {
  await withHangingQueries({ waitMsMax: 60_000 }, async ({ operator, room, release }) => {
    const flood = (await accepted(room, room.applicationId, 100)).map((item) => failureOf(room, item))
    const other = await makeApplication(room.database.pool)
    const [item] = await accepted(room, other, 1)
    assert.ok(item)
    await waitUntil('the flood has all the slots that it may have', async () => operator.queried.length >= 16)
    operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
    assert.equal(await failureOf(room, item), 'answered')
    assert.equal(operator.queried.length, 17, 'all the while the flood was still hanging')
    assert.equal((await room.read(item)).status, 'SUCCESS')
    release()
    await Promise.all(flood)
  })
})

test('a person in the back office is not kept from asking by a program of the same application that floods', async () => {
  await withHangingQueries({ burst: 20 }, async ({ operator, room, release }) => {
    const items = await accepted(room, room.applicationId, 41)
    const [item, ...rest] = items
    assert.ok(item)
    const flood = rest.map((each) => failureOf(room, each))
    await waitUntil('the flood has all the slots that it may have', async () => operator.queried.length >= 16)
    operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
    const { applicationId, transactionId } = item
    const person = { kind: 'person' as const, id: randomUUID() }
    assert.equal(typeof (await failureOf(room, item)), 'object', 'the program has used up its allowance')
    assert.equal((await synchroniseTransaction(room.forcedQueries, { applicationId, transactionId, actor: person })).ok, true)
    release()
    await Promise.all(flood)
  })
})

test('many forced queries of one transaction are one query, one record and one audit entry, and all get its answer', async () => {
  await withHangingQueries(undefined, async ({ operator, room }) => {
    const [item] = await accepted(room, room.applicationId, 1)
    assert.ok(item)
    const release: (() => void)[] = []
    operator.script.query = (asked) => release.push(() => sayTransfer(asked, 'SUCCESS'))
    const asked = Array.from({ length: 300 }, () => failureOf(room, item))
    await waitUntil('the query arrives', async () => release.length > 0)
    for (const each of release) each()
    assert.deepEqual(new Set(await Promise.all(asked)), new Set(['answered']))
    assert.equal(operator.queried.length, 1)
    assert.deepEqual(await room.attemptsOf(item), ['query succeeded'])
    assert.equal(await auditCount(room, room.applicationId), 1)
  })
})

test('a partner that asks a few times per second is never refused', async () => {
  let nowMs = 0
  const operator = await startScriptedOperator({ submit: () => undefined, query: (asked) => sayTransfer(asked, 'PENDING') })
  const room = await OperatorHarness.open({ elsewhere: { OMCM: operator.url }, nowMs: () => nowMs })
  try {
    const items = await accepted(room, room.applicationId, 5)
    for (let second = 0; second < 30; second++) {
      for (const item of items) assert.equal(await failureOf(room, item), 'answered')
      nowMs += 1_000
    }
  } finally {
    await room.close()
    await operator.close()
  }
})

test('the audit record says who asked about which transaction and what the operator said', async () => {
  await withHangingQueries(undefined, async ({ operator, room }) => {
    const [item] = await accepted(room, room.applicationId, 1)
    assert.ok(item)
    operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
    const { applicationId, transactionId } = item
    const person = { kind: 'person' as const, id: randomUUID() }
    await synchroniseTransaction(room.forcedQueries, { applicationId, transactionId, actor: person })
    await synchroniseTransaction(room.forcedQueries, { applicationId, transactionId, actor })
    const { rows } = await room.database.pool.query(
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

test('an answer that cannot be recorded as it came leaves the other forced queries of its moment alone', async () => {
  await withHangingQueries(undefined, async ({ room }) => {
    const items = await accepted(room, room.applicationId, 5)
    await Promise.all(
      items.map(({ applicationId, transactionId }, place) =>
        room.forcedQueries.recorder.submit({
          applicationId,
          transactionId,
          operator: 'OMCM',
          actor,
          number: 1,
          outcome: 'pending',
          httpStatus: 200,
          answer: place === 2 ? 'a\0b' : 'fine',
          durationMs: 1,
          isNews: false,
        }),
      ),
    )
    for (const item of items) assert.deepEqual(await room.attemptsOf(item), ['query pending'])
    assert.equal(await auditCount(room, room.applicationId), 5)
  })
})
