import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { accepted, actor, auditCount, withHangingQueries } from '../testing/flood.ts'
import { sayTransfer } from '../testing/scripted-operator.ts'
import { synchroniseTransaction } from './synchronise-transaction.ts'

test('an audit entry names the caller, the transaction and the outcome of a forced enquiry', async () => {
  await withHangingQueries(undefined, async ({ operator, harness }) => {
    const [item] = await accepted(harness, harness.applicationId, 1)
    assert.ok(item)
    operator.script.query = (asked) => sayTransfer(asked, 'PENDING')
    const { applicationId, transactionId } = item
    const person = { kind: 'person' as const, id: randomUUID() }
    await synchroniseTransaction(harness.forcedEnquiries, { applicationId, transactionId, actor: person })
    await synchroniseTransaction(harness.forcedEnquiries, { applicationId, transactionId, actor })
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

test('a forced enquiry whose answer the database refuses is stored without it, and the others of its batch with theirs', async () => {
  await withHangingQueries(undefined, async ({ harness }) => {
    const items = await accepted(harness, harness.applicationId, 5)
    await Promise.all(
      items.map(({ applicationId, transactionId }, place) =>
        harness.forcedEnquiries.recorder.submit({
          applicationId,
          transactionId,
          operator: 'OMCM',
          actor,
          address: null,
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
