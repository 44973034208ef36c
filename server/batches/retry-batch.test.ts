import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RepeatedRows } from '#lib/batches/batches.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { readBatchRows } from '#server/reports/batches/read-batch.ts'
import { readBatchRun, readLeftOut } from '#server/reports/batches/read-batch-run.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { connectedTo } from '#server/testing/connected.ts'
import { contradict } from '#server/testing/contradiction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { retryBatch } from './retry-batch.ts'
import { makeBatch } from './testing/make-batch.ts'

let database: TestDatabase
let application: ApplicationSnapshot
let makerId: string
before(async () => {
  database = await createTestDatabase()
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000_000n)
  makerId = await makePerson(database.pool, applicationId, ['maker'])
  const directory = await createDirectory({ pool: database.pool })
  application = directory.find(applicationId) ?? assert.fail()
  await directory.close()
})
after(() => database.drop())

const connectors = connectedTo()
const person = (roles: ('maker' | 'checker')[] = ['maker']) =>
  ({ kind: 'person', id: makerId, applicationId: application.applicationId, roles }) as const

type Asked = { synchronise?: (id: string) => Promise<unknown>; queryFailures?: (ids: string[]) => string[] }

/** Without other answers, operators confirm every failure. */
function retry(batchId: string, { synchronise, queryFailures }: Asked = {}, actor = person(), rows: RepeatedRows = 'failed') {
  const deps: Parameters<typeof retryBatch>[0] = {
    pool: database.pool,
    connectors,
    synchronise: synchronise ?? (async () => undefined),
    queryFailures: async (rows) => {
      const ids = rows.map((row) => row.transactionId)
      return new Set(queryFailures ? queryFailures(ids) : ids)
    },
  }
  return retryBatch(deps, { application, actor, batchId, rows })
}

/** A batch that was sent: the first rows succeeded, the next failed, the last are open. */
async function makeSent(ends: ('succeeded' | 'failed' | 'open')[]) {
  const { applicationId } = application
  const batch = await makeFileBatch(database.pool, {
    applicationId,
    makerId,
    count: ends.length,
    change: (index) => ({ bands: null, phoneNumber: `23767720934${index}` }),
  })
  await end(
    batch.items.map((item) => item.transactionId),
    ends,
  )
  return batch
}

async function end(ids: readonly string[], ends: readonly ('succeeded' | 'failed' | 'open')[]): Promise<void> {
  const { applicationId } = application
  const items = ids.flatMap((transactionId, index) => {
    const event = ends[index]
    return event === undefined || event === 'open'
      ? []
      : [{ applicationId, transactionId, event, message: 'Numéro invalide', actor: { kind: 'operator' as const, id: null } }]
  })
  if (items.length > 0) await transition(database.pool, items)
}

test('a draft of the rows that failed, under new externalIds and linked to them, and none of those that succeeded', async () => {
  const { batchId, items } = await makeSent(['succeeded', 'failed', 'failed'])
  const { batchId: childId, rows } = must(await retry(batchId))
  assert.equal(rows, 2)
  const { rows: children } = await database.pool.query(
    `select b.name, b.state, b.parent_batch_id = $2 as "isChild", b.ready_count as "readyCount", b.maker_id = $3 as "isMine" from batches b where batch_id = $1`,
    [childId, batchId, makerId],
  )
  assert.deepEqual(children, [{ name: 'Salaries (2)', state: 'draft', isChild: true, readyCount: 2, isMine: true }])
  const { rows: links } = await database.pool.query<{ failed: string; phone: string; externalId: string; linked: boolean }>(
    `select r.failed_transaction_id as failed, x.phone_number as phone, x.external_id as "externalId", x.external_id = r.external_id as linked
     from batch_retries r join batch_rows x using (application_id, batch_id, row_number) where r.batch_id = $1 order by r.row_number`,
    [childId],
  )
  assert.deepEqual(
    links.map((link) => [link.failed, link.phone, link.linked]),
    items.slice(1).map((item) => [item.transactionId, item.phoneNumber, true]),
  )
  assert.ok(links.every((link) => !items.some((item) => item.externalId === link.externalId)))
})

test('still_open while one row waits, without a query, or its outcome is not known, after the operator was queried about each', async () => {
  const { batchId, items } = await makeSent(['failed', 'open', 'open'])
  const queried: string[] = []
  const note = async (id: string) => void queried.push(id)
  assert.deepEqual(await retry(batchId, { synchronise: note }), { ok: false, error: 'still_open' })
  assert.deepEqual(new Set(queried), new Set(items.slice(1).map((item) => item.transactionId)))
  // The query of the last open rows brings their results.
  const { rows } = must(await retry(batchId, { synchronise: (id) => end([id], [id === items[1]?.transactionId ? 'failed' : 'succeeded']) }))
  assert.equal(rows, 2)
  const waiting = await makeFileBatch(database.pool, { applicationId: application.applicationId, makerId, count: 1 })
  const notQueried = { queryFailures: () => assert.fail('an operator is queried') }
  assert.deepEqual(await retry(waiting.batchId, notQueried), { ok: false, error: 'still_open' })
})

test('one retry of a row for several people at once, and another only after the first is discarded', async () => {
  const { batchId } = await makeSent(['failed', 'failed'])
  const answers = await Promise.all(Array.from({ length: 4 }, () => retry(batchId)))
  const done = answers.filter((answer) => answer.ok)
  assert.equal(done.length, 1)
  assert.ok(answers.every((answer) => answer.ok || answer.error === 'nothing_to_retry'))
  const childId = done[0]?.ok ? done[0].value.batchId : ''
  await database.pool.query("update batches set state = 'discarded' where batch_id = $1", [childId])
  assert.equal(must(await retry(batchId)).rows, 2)
  await assert.rejects(
    database.pool.query(
      `insert into batch_retries (application_id, failed_transaction_id, parent_batch_id, batch_id, row_number, external_id)
         select application_id, failed_transaction_id, parent_batch_id, gen_random_uuid(), 1, gen_random_uuid() from batch_retries where parent_batch_id = $1 limit 1`,
      [batchId],
    ),
    { constraint: 'batch_retries_pkey' },
  )
})

test('nothing_to_retry for rows that succeeded, were rejected or recalled, and not_permitted without the role of maker', async () => {
  const { batchId } = await makeSent(['succeeded'])
  assert.deepEqual(await retry(batchId), { ok: false, error: 'nothing_to_retry' })
  assert.deepEqual(await retry(batchId, {}, person(['checker']) as ReturnType<typeof person>), { ok: false, error: 'not_permitted' })
  const { applicationId } = application
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  for (const [event, personId] of [
    ['rejected', checkerId],
    ['recalled', makerId],
  ] as const) {
    const batch = await makeFileBatch(database.pool, { applicationId, makerId, count: 1 })
    const { transactionId } = batch.items[0] ?? assert.fail()
    const actor = { kind: 'person' as const, id: personId }
    const [moved] = await transition(database.pool, [
      { applicationId, transactionId, event, message: 'No', actor, ...(event === 'rejected' && { checkerId }) },
    ])
    assert.deepEqual([moved?.isMoved, moved?.status], [true, 'FAILED'])
    assert.deepEqual(await retry(batch.batchId), { ok: false, error: 'nothing_to_retry' })
  }
  assert.deepEqual(await retry(crypto.randomUUID()), { ok: false, error: 'not_found' })
})

test('a draft of the rows that were rejected or recalled, once, with the reason and the number in the file of each', async () => {
  const { applicationId } = application
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  const batch = await makeFileBatch(database.pool, { applicationId, makerId, count: 3 })
  const [first, second] = batch.items.map((item) => item.transactionId)
  assert.ok(first && second)
  await transition(database.pool, [
    {
      applicationId,
      transactionId: first,
      event: 'rejected',
      message: 'Wrong month',
      reason: 'Wrong month',
      actor: { kind: 'person', id: checkerId },
      checkerId,
    },
    { applicationId, transactionId: second, event: 'recalled', message: 'Rappelé', reason: 'Mine', actor: { kind: 'person', id: makerId } },
  ])
  const answers = await Promise.all([1, 2, 3].map(() => retry(batch.batchId, {}, person(), 'returned')))
  const done = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
  assert.deepEqual(
    done.map((value) => value.rows),
    [2],
  )
  const child = { applicationId, batchId: done[0]?.batchId ?? '', columns: null }
  const rows = await readBatchRows(database.pool, child, { show: 'all', page: 0 })
  const { rows: numbers } = await database.pool.query(
    'select row_number as number from batch_rows where batch_id = $1 and transaction_id is not null order by row_number limit 2',
    [batch.batchId],
  )
  assert.deepEqual(
    rows.map(({ rowNumber, earlier }) => [rowNumber, earlier?.failure, earlier?.message]),
    [
      [numbers[0]?.number ?? 2, 'rejected', 'Wrong month'],
      [numbers[1]?.number ?? 3, 'recalled', 'Rappelé'],
    ],
  )
})

test('nothing_to_retry for a row that was rejected and sent again on its own', async () => {
  const { applicationId } = application
  const { batchId, items } = await makeFileBatch(database.pool, { applicationId, makerId, count: 1 })
  const [item] = items
  assert.ok(item)
  const { transactionId } = item
  const rejection = {
    applicationId,
    transactionId,
    event: 'rejected',
    message: 'Wrong name',
    actor: { kind: 'person', id: makerId },
  } as const
  await transition(database.pool, [rejection])
  await takeIn(database.pool, [anIntakeItem(applicationId, { source: 'person', makerId, originId: transactionId })])
  assert.deepEqual(await retry(batchId, {}, person(), 'returned'), { ok: false, error: 'nothing_to_retry' })
})

test('a draft of the rows that were not submitted, with what was corrected, once until it is discarded', async () => {
  const { applicationId } = application
  const batchId = await makeBatch(database.pool, {
    applicationId,
    makerId,
    text: 'Phone;Name;Amount;Operator\n237677209341;Awa;5000;MOMOCM\n237677209342;Koffi;none;MOMOCM\n237677209343;Ada;700;MOMOCM',
  })
  await database.pool.query("update batch_rows set exclusion = 'On leave' where batch_id = $1 and row_number = 4", [batchId])
  await database.pool.query('update batch_rows set transaction_id = gen_random_uuid() where batch_id = $1 and row_number = 2', [batchId])
  assert.deepEqual(await retry(batchId, {}, person(), 'unsubmitted'), { ok: false, error: 'not_found' })
  await database.pool.query("update batches set state = 'submitted', submitted_at = now() where batch_id = $1", [batchId])
  const answers = await Promise.all([1, 2, 3].map(() => retry(batchId, {}, person(), 'unsubmitted')))
  const done = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
  assert.deepEqual(
    done.map((value) => value.rows),
    [2],
  )
  const childId = done[0]?.batchId ?? ''
  const { rows } = await database.pool.query(
    'select row_number as number, customer_name as name, exclusion, problems <> $2 as "isWrong" from batch_rows where batch_id = $1 order by row_number',
    [childId, '[]'],
  )
  assert.deepEqual(rows, [
    { number: 3, name: 'Koffi', exclusion: null, isWrong: true },
    { number: 4, name: 'Ada', exclusion: null, isWrong: false },
  ])
  await database.pool.query("update batches set state = 'discarded' where batch_id = $1", [childId])
  assert.equal(must(await retry(batchId, {}, person(), 'unsubmitted')).rows, 2)
})

test('a row whose failure the operator contradicts, is queried about or did not confirm is left out of the retry and named', async () => {
  const { batchId, items } = await makeSent(['failed', 'failed', 'failed', 'failed', 'failed'])
  const [contradicted, asked, silent, cleared, plain] = items.map((item) => item.transactionId)
  assert.ok(contradicted && asked && silent && cleared && plain)
  await contradict(database.pool, { applicationId: application.applicationId, transactionId: contradicted }, 'FAILED', [
    'succeeded',
    'unknown',
  ])
  await contradict(database.pool, { applicationId: application.applicationId, transactionId: cleared }, 'FAILED', ['succeeded', 'failed'])
  await database.pool.query(
    `insert into contradiction_queries (application_id, transaction_id, kind, operator, next_at) values ($1, $2, 'hint', 'MOMOCM', now())`,
    [application.applicationId, asked],
  )
  const queried: string[] = []
  const queryFailures = (ids: string[]) => {
    queried.push(...ids)
    return ids.filter((id) => id !== silent)
  }
  const run = await readBatchRun(database.pool, { applicationId: application.applicationId, id: makerId, roles: ['maker'] }, batchId)
  assert.deepEqual([run?.retryable, run?.withheld.rows.map((row) => row.reason)], [3, ['contradicted', 'asked']])
  const { batchId: childId, rows, leftOut } = must(await retry(batchId, { queryFailures }))
  assert.deepEqual([rows, leftOut], [2, 3])
  assert.deepEqual(queried, [silent, cleared, plain])
  const named = await readLeftOut(database.pool, application.applicationId, childId)
  assert.deepEqual(
    named.rows.map((row) => [row.transactionId, row.reason]),
    [
      [contradicted, 'contradicted'],
      [asked, 'asked'],
      [silent, 'unanswered'],
    ],
  )
  // Once the operator has confirmed them, they are retried.
  await database.pool.query("delete from contradiction_queries where kind = 'hint' and transaction_id = $1", [asked])
  assert.equal(must(await retry(batchId)).rows, 2)
})

test('a row that the operator contradicts while it is being queried before the retry is left out', async () => {
  const { batchId, items } = await makeSent(['failed', 'failed'])
  const late = items[0]?.transactionId ?? ''
  const deps = {
    pool: database.pool,
    connectors,
    synchronise: async () => undefined,
    queryFailures: async (rows: readonly { transactionId: string }[]) => {
      await contradict(database.pool, { applicationId: application.applicationId, transactionId: late })
      return new Set(rows.map((row) => row.transactionId))
    },
  }
  const { rows, leftOut } = must(await retryBatch(deps, { application, actor: person(), batchId, rows: 'failed' }))
  assert.deepEqual([rows, leftOut], [1, 1])
})

test('a row that was submitted and denied after its batch was stopped is queried before the retry, and left out if that is not confirmed', async () => {
  const { batchId, items } = await makeSent(['open', 'failed'])
  const [denied, failed] = items.map((item) => item.transactionId)
  assert.ok(denied && failed)
  const { applicationId } = application
  const actor = { kind: 'person' as const, id: makerId }
  await transition(database.pool, [
    { applicationId, transactionId: denied, event: 'failed', message: 'Lot arrêté', reason: 'Wrong file', actor },
  ])
  let queried: string[] = []
  const queryFailures = (ids: string[]) => {
    queried = ids
    return [failed]
  }
  const { rows, leftOut } = must(await retry(batchId, { queryFailures }))
  assert.deepEqual([queried, rows, leftOut], [[denied, failed], 1, 1])
})

test('a row that was stopped before it was sent is retried without a query', async () => {
  const { batchId, items } = await makeSent(['open', 'failed'])
  const [stopped, failed] = items.map((item) => item.transactionId)
  assert.ok(stopped && failed)
  const { applicationId } = application
  const actor = { kind: 'person' as const, id: makerId }
  await transition(database.pool, [{ applicationId, transactionId: stopped, event: 'stopped', message: 'x', reason: 'Wrong file', actor }])
  let queried: string[] = []
  const queryFailures = (ids: string[]) => {
    queried = ids
    return ids
  }
  const { rows, leftOut } = must(await retry(batchId, { queryFailures }))
  assert.deepEqual([queried, rows, leftOut], [[failed], 2, 0])
})

test('a row that the service ended without a call is retried without a query', async () => {
  const { batchId, items } = await makeSent(['open', 'failed'])
  const [unsent, failed] = items.map((item) => item.transactionId)
  assert.ok(unsent && failed)
  const { applicationId } = application
  const actor = { kind: 'system' as const, id: null }
  await transition(database.pool, [{ applicationId, transactionId: unsent, event: 'failed', message: 'Timeout opérateur', actor }])
  let queried: string[] = []
  const queryFailures = (ids: string[]) => {
    queried = ids
    return ids
  }
  const { rows, leftOut } = must(await retry(batchId, { queryFailures }))
  assert.deepEqual([queried, rows, leftOut], [[failed], 2, 0])
})

test('a row that was left out of a retry before that was submitted is retried again, and one that was started is not', async () => {
  const { batchId, items } = await makeSent(['failed', 'failed'])
  const { batchId: childId } = must(await retry(batchId))
  await database.pool.query(
    `with started as (
       update batch_rows set transaction_id = case when row_number = 2 then gen_random_uuid() end,
           exclusion = case when row_number = 3 then 'Paid in cash' end where batch_id = $1)
     update batches set state = 'submitted', submitted_at = now() where batch_id = $1`,
    [childId],
  )
  const { batchId: laterId, rows } = must(await retry(batchId))
  const { rows: links } = await database.pool.query<{ id: string }>(
    'select failed_transaction_id as id from batch_retries where batch_id = $1',
    [laterId],
  )
  assert.deepEqual([rows, links.map(({ id }) => id)], [1, [items[1]?.transactionId]])
})

test('all_left_out, and no batch, if every failed row may have been paid', async () => {
  const { batchId } = await makeSent(['failed', 'failed'])
  assert.deepEqual(await retry(batchId, { queryFailures: () => [] }), { ok: false, error: 'all_left_out' })
  const { rows } = await database.pool.query('select 1 from batches where parent_batch_id = $1', [batchId])
  assert.equal(rows.length, 0)
})

test('nothing_to_retry while the first retry is still starting its rows', async () => {
  const { batchId } = await makeSent(['failed', 'failed'])
  const { batchId: childId } = must(await retry(batchId))
  await database.pool.query("update batches set state = 'submitting', submitted_at = now() where batch_id = $1", [childId])
  assert.deepEqual(await retry(batchId), { ok: false, error: 'nothing_to_retry' })
})
