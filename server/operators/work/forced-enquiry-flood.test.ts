import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { accepted, auditCount, failureOf, withHangingQueries } from '../testing/flood.ts'
import { OperatorHarness } from '../testing/operator-harness.ts'
import { sayTransfer, startScriptedOperator } from '../testing/scripted-operator.ts'
import { synchroniseTransaction } from './synchronise-transaction.ts'

test('every deposit is submitted while 500 forced enquiries wait for an operator that hangs', async () => {
  await withHangingQueries(undefined, async ({ operator, harness, release }) => {
    const old = await accepted(harness, harness.applicationId, 500)
    const other = await makeApplication(harness.database.pool)
    await fund(harness.database.pool, other, 'OMCM', 100_000_000n)
    const flood = Promise.all(old.map((item) => failureOf(harness, item)))
    await waitUntil('the flood reaches the operator', async () => operator.queried.length >= 16)
    harness.startDispatcher()
    const fresh = [harness.applicationId, other].flatMap((applicationId) =>
      Array.from({ length: 100 }, () => anIntakeItem(applicationId, { operator: 'OMCM', amountMinor: 10_000n })),
    )
    await takeIn(harness.database.pool, fresh)
    await waitUntil('every deposit is submitted', async () =>
      (await Promise.all(fresh.map((item) => harness.workOf(item)))).every((work) => work?.['state'] === 'submitted'),
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

test('no delay of a forced enquiry while another application floods', async () => {
  await withHangingQueries({ waitMsMax: 60_000 }, async ({ operator, harness, release }) => {
    const flood = (await accepted(harness, harness.applicationId, 100)).map((item) => failureOf(harness, item))
    const other = await makeApplication(harness.database.pool)
    const [item] = await accepted(harness, other, 1)
    assert.ok(item)
    await waitUntil('the flood has all the slots that it may have', async () => operator.queried.length >= 16)
    operator.script.query = (asked) => sayTransfer(asked, 'SUCCESS')
    assert.equal(await failureOf(harness, item), 'answered')
    assert.equal(operator.queried.length, 17, 'all the while the flood was still hanging')
    assert.equal((await harness.read(item)).status, 'SUCCESS')
    release()
    await Promise.all(flood)
  })
})

test('no delay of a person’s forced enquiry while a program of the same application floods', async () => {
  await withHangingQueries({ burst: 20 }, async ({ operator, harness, release }) => {
    const items = await accepted(harness, harness.applicationId, 41)
    const [item, ...rest] = items
    assert.ok(item)
    const flood = rest.map((each) => failureOf(harness, each))
    await waitUntil('the flood has all the slots that it may have', async () => operator.queried.length >= 16)
    operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
    const { applicationId, transactionId } = item
    const person = { kind: 'person' as const, id: randomUUID() }
    assert.equal(typeof (await failureOf(harness, item)), 'object', 'the program has used up its allowance')
    assert.equal((await synchroniseTransaction(harness.forcedEnquiries, { applicationId, transactionId, actor: person })).ok, true)
    release()
    await Promise.all(flood)
  })
})

test('one query, one attempt and one audit entry for many forced enquiries of one transaction', async () => {
  await withHangingQueries(undefined, async ({ operator, harness }) => {
    const [item] = await accepted(harness, harness.applicationId, 1)
    assert.ok(item)
    const release: (() => void)[] = []
    operator.script.query = (asked) => release.push(() => sayTransfer(asked, 'SUCCESS'))
    const asked = Array.from({ length: 300 }, () => failureOf(harness, item))
    await waitUntil('the query arrives', async () => release.length > 0)
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
