import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { BATCH_ROWS_MAX } from '#lib/batches/batch-fields.ts'
import { CANCELLED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { type BatchPage, batchListSchema, batchPageSchema, batchSchema } from '#lib/schemas/api/batch-request.ts'
import { codedErrorSchema } from '#lib/schemas/api/responses.ts'
import { selectWaitingBatches } from '#server/approvals/batch-store.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { storeBatchEnds } from '#server/batches/store-batch-ends.ts'
import { createFrontDoor } from '#server/http/door/front-door.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { activatePolicy, proposePolicy } from '#server/policy/policies.ts'
import { selectBatches } from '#server/reports/batches/batch-report-store.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { fund, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR as NO_PERSON, transition } from '#server/transactions/transition.ts'
import { BATCHES_PATH } from './batches.ts'
import { REPLAYED_HEADER } from './keyed-payments.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
  harness.dispatcher.start()
  await fund(harness.database.pool, harness.partner.applicationId, 'OMCM', 100_000_000_000n)
})
after(() => harness.close())

type Body = Record<string, unknown>

function aDeposit(overrides: Body = {}): Body {
  const { webhookUrl: _, ...deposit } = aCollect(overrides)
  return deposit
}

function aBatch(deposits: readonly Body[] = [aDeposit()], overrides: Body = {}): Body {
  return { webhookUrl: 'https://partner.example/hooks', deposits, ...overrides }
}

type Sent = { key?: string; body?: unknown; baseUrl?: string }

function send({ key = randomUUID(), body = aBatch(), baseUrl = harness.baseUrl }: Sent = {}): Promise<Response> {
  const headers = { ...harness.headers, 'idempotency-key': key }
  return fetch(baseUrl + BATCHES_PATH, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function accepted(sent: Sent = {}): Promise<string> {
  const response = await send(sent)
  assert.equal(response.status, 200, await response.clone().text())
  return batchSchema.parse(await response.json()).batchId
}

const get = (path: string) => fetch(harness.baseUrl + BATCHES_PATH + path, { headers: harness.headers })
const cancel = (id: string) => fetch(`${harness.baseUrl}${BATCHES_PATH}/${id}/cancel`, { method: 'POST', headers: harness.headers })

async function read(id: string, query = ''): Promise<BatchPage> {
  const response = await get(`/${id}${query}`)
  assert.equal(response.status, 200)
  return batchPageSchema.parse(await response.json())
}

async function started(id: string): Promise<BatchPage> {
  const { database } = harness
  await waitUntil('all rows are started', async () => {
    const { rowCount } = await database.pool.query("select 1 from batches where batch_id = $1 and state = 'submitted'", [id])
    return rowCount === 1
  })
  return read(id)
}

async function codeOf(response: Response): Promise<string> {
  const { status, code } = codedErrorSchema.parse(await response.json())
  return `${status} ${code}`
}

async function setRules(rules: readonly Body[]): Promise<void> {
  const { pool } = harness.database
  const { applicationId } = harness.partner
  const { version } = must(await proposePolicy(pool, { applicationId, rules, actor: SYSTEM_ACTOR }))
  must(await activatePolicy(pool, { applicationId, version, actor: SYSTEM_ACTOR }))
  await harness.directory.refresh()
}

async function countOf(externalId: unknown): Promise<number> {
  const { rows } = await harness.database.pool.query('select 1 from transactions where external_id = $1', [externalId])
  return rows.length
}

test('200 for deposits with and without a purpose, which their transactions have; 400 for one that is too long; 422 for another one', async () => {
  const [key, first, second] = [randomUUID(), aDeposit({ purpose: 'Salary August' }), aDeposit()]
  const { deposits } = await started(await accepted({ key, body: aBatch([first, second]) }))
  const { rows } = await harness.database.pool.query<{ purpose: string }>(
    'select purpose from unnest($1::uuid[]) with ordinality i (id, place) join transactions on transaction_id = id order by place',
    [deposits.map(({ transactionId }) => transactionId)],
  )
  assert.deepEqual(
    rows.map(({ purpose }) => purpose),
    ['Salary August', ''],
  )
  assert.equal(await codeOf(await send({ body: aBatch([aDeposit({ purpose: 'x'.repeat(141) })]) })), '400 fields_invalid')
  assert.equal(
    await codeOf(await send({ key, body: aBatch([{ ...first, purpose: 'Salary July' }, second]) })),
    '422 idempotency_key_reused',
  )
})

test('200 with the batch, whose deposits are started by the program and end with webhooks to its address', async () => {
  const deposits = [aDeposit(), aDeposit({ amount: 100.5 })]
  const key = randomUUID()
  const response = await send({ key, body: aBatch(deposits, { name: 'Salaries' }) })
  const { counts, ...batch } = batchSchema.parse(await response.json())
  assert.deepEqual([batch.idempotencyKey, batch.name, batch.depositCount, counts.REFUSED], [key, 'Salaries', 2, 0])
  await waitUntil('both are paid', async () => (await read(batch.batchId)).counts.SUCCESS === 2)
  const page = await read(batch.batchId)
  assert.deepEqual(
    page.deposits.map(({ index, externalId, status, amount }) => [index, externalId, status, amount]),
    deposits.map(({ externalId, amount }, index) => [index, externalId, 'SUCCESS', amount]),
  )
  const { rows } = await harness.database.pool.query(
    'select distinct source, maker_id, api_user_id is not null as is_of_program, webhook_url from transactions where batch_id = $1',
    [batch.batchId],
  )
  assert.deepEqual(rows, [{ source: 'api', maker_id: null, is_of_program: true, webhook_url: 'https://partner.example/hooks' }])
})

test('200 with the same batch for the same key and content, and 422 for another amount, order, name or address', async () => {
  const key = randomUUID()
  const [one, two] = [aDeposit(), aDeposit()]
  const batchId = await accepted({ key, body: aBatch([one, two]) })
  const again = await send({ key, body: aBatch([Object.fromEntries(Object.entries(one).reverse()), two]) })
  assert.deepEqual([again.status, again.headers.get(REPLAYED_HEADER)], [200, 'true'])
  assert.equal(batchSchema.parse(await again.json()).batchId, batchId)
  for (const other of [
    aBatch([one, { ...two, amount: 1 }]),
    aBatch([two, one]),
    aBatch([one, two], { name: 'Other' }),
    aBatch([one, two], { webhookUrl: 'https://partner.example/other' }),
  ])
    assert.equal(await codeOf(await send({ key, body: other })), '422 idempotency_key_reused')
  await started(batchId)
  assert.deepEqual([await countOf(one.externalId), await countOf(two.externalId)], [1, 1])
})

test('one batch for twenty equal requests at once to two processes', async () => {
  const { runtime } = harness
  const intake = createIntake({ pool: runtime.pool })
  const second = createFrontDoor({ runtime: { ...runtime, intake }, fallback: (_, outgoing) => outgoing.end() })
  const baseUrl = `http://127.0.0.1:${await second.listen({ host: '127.0.0.1', port: 0 })}`
  const sent = { key: randomUUID(), body: aBatch([aDeposit(), aDeposit()]) }
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index % 2 ? sent : { ...sent, baseUrl })))
  const ids = new Set<string>()
  for (const answer of answers) ids.add(batchSchema.parse(await answer.json()).batchId)
  assert.equal(ids.size, 1)
  assert.equal(answers.filter(({ headers }) => headers.get(REPLAYED_HEADER) === null).length, 1)
  const { counts } = await started([...ids][0] ?? '')
  assert.equal(counts.PENDING + counts.SUCCESS, 2)
  await second.drain(100)
  await intake.drain()
})

test('REFUSED with a code for each deposit that cannot be started, while the others are', async () => {
  const taken = aDeposit()
  await started(await accepted({ body: aBatch([taken]) }))
  const other = aDeposit()
  const disabled = aDeposit({ transferMethod: 'MOMOCM' })
  await harness.database.pool.query(
    `insert into transfer_services (application_id, operator, type, is_enabled) values ($1, 'MOMOCM', 'DEPOSIT', false)
       on conflict (application_id, operator, type) do update set is_enabled = false`,
    [harness.partner.applicationId],
  )
  await harness.directory.refresh()
  // The first is another batch's payment with the same content, the second one with another.
  const body = aBatch([taken, { ...taken, externalId: other.externalId }, disabled])
  const page = await started(await accepted({ body }))
  const found = page.deposits.map(({ code, transactionId }) => [code, transactionId === null])
  assert.deepEqual(found, [
    ['external_id_taken', true],
    [null, false],
    ['service_disabled', true],
  ])
  assert.equal(page.counts.REFUSED, 2)
  const conflicting = await started(await accepted({ body: aBatch([{ ...taken, amount: 7 }]) }))
  assert.equal(conflicting.deposits[0]?.code, 'external_id_taken')
  assert.equal(await countOf(taken.externalId), 1)
})

test('400 with the index of each wrong deposit, for a missing or wrong key, no deposits, an externalId twice; nothing is stored', async () => {
  const { pool } = harness.database
  const countBatches = async () => (await pool.query('select 1 from batches')).rowCount
  const before = await countBatches()
  const wrong = await send({ body: aBatch([aDeposit(), aDeposit({ amount: '5' })]) })
  const { code, message } = codedErrorSchema.parse(await wrong.json())
  assert.deepEqual([wrong.status, code, message.slice(0, 10)], [400, 'fields_invalid', '[1] amount'])
  const twice = aDeposit()
  for (const body of [
    aBatch([]),
    aBatch([twice, twice]),
    {},
    [],
    aBatch([aDeposit()], { name: '' }),
    aBatch([aDeposit()], { webhookUrl: 'x' }),
  ])
    assert.equal(await codeOf(await send({ body })), '400 fields_invalid')
  assert.equal(await codeOf(await send({ body: { deposits: [aDeposit()] } })), '400 webhook_url_missing')
  assert.equal(await codeOf(await send({ key: '7' })), '400 idempotency_key_invalid')
  const bare = await fetch(harness.baseUrl + BATCHES_PATH, { method: 'POST', headers: harness.headers, body: JSON.stringify(aBatch()) })
  assert.equal(await codeOf(bare), '400 idempotency_key_missing')
  assert.equal(await countBatches(), before)
})

test('200 for ten thousand deposits, all of them read with cursors and cancelled at once, and 400 for one more', async () => {
  await setRules([{ name: 'All', sources: ['api'], approvals: [1] }])
  const deposits = Array.from({ length: BATCH_ROWS_MAX }, () => aDeposit({ amount: 1 }))
  assert.equal(await codeOf(await send({ body: aBatch([...deposits, aDeposit()]) })), '400 fields_invalid')
  const batchId = await accepted({ body: aBatch(deposits) })
  const found = new Set<string>()
  for (let query = '?limit=1000'; query !== ''; ) {
    const page = await read(batchId, query)
    for (const { externalId } of page.deposits) found.add(externalId)
    query = page.nextCursor === null ? '' : `?limit=1000&cursor=${page.nextCursor}`
  }
  assert.equal(found.size, BATCH_ROWS_MAX)
  assert.equal((await started(batchId)).counts.PENDING_APPROVAL, BATCH_ROWS_MAX)
  assert.equal((await cancel(batchId)).status, 200)
  const { counts } = await read(batchId)
  assert.equal(counts.FAILED, BATCH_ROWS_MAX)
  // Once all have ended the counts are those that are stored.
  await storeBatchEnds(harness.database.pool)
  await harness.database.pool.query('update batches set places = places || \'{"succeeded": 1, "recalled": 9998}\' where batch_id = $1', [
    batchId,
  ])
  assert.deepEqual((await read(batchId)).counts, { ...counts, SUCCESS: 1, FAILED: BATCH_ROWS_MAX - 2, REFUSED: 1 })
  await harness.database.pool.query("update batches set places = places - 'succeeded' || '{\"recalled\": 10000}' where batch_id = $1", [
    batchId,
  ])
  await setRules([])
})

test('400 for a cancellation while deposits are started; then FAILED for what was not sent, and 200 again', async () => {
  await setRules([{ name: 'All', sources: ['api'], approvals: [1] }])
  const batchId = await accepted({ body: aBatch([aDeposit(), aDeposit()]) })
  const page = await started(batchId)
  assert.equal(page.counts.PENDING_APPROVAL, 2)
  await harness.database.pool.query("update batches set state = 'submitting', leased_until = 'infinity' where batch_id = $1", [batchId])
  assert.equal(await codeOf(await cancel(batchId)), '400 batch_starting')
  await harness.database.pool.query("update batches set state = 'submitted', leased_until = null where batch_id = $1", [batchId])
  for (const _ of [1, 2]) {
    const response = await cancel(batchId)
    assert.equal(response.status, 200)
    assert.equal(batchSchema.parse(await response.json()).counts.FAILED, 2)
  }
  assert.deepEqual(new Set((await read(batchId)).deposits.map(({ message }) => message)), new Set([CANCELLED_MESSAGE]))
  await setRules([])
})

test('200 for a cancellation, and still PENDING: a deposit that waits to be sent again, because its operator may have it', async () => {
  const { pool } = harness.database
  const stuck = aDeposit({ phoneNumber: String(aDeposit()['phoneNumber']).replace(/...$/, '912') })
  const batchId = await accepted({ body: aBatch([stuck]) })
  const { transactionId } = (await started(batchId)).deposits[0] ?? assert.fail('it has one')
  const again = `update operator_work set state = 'queued', accepted_at = null, next_at = 'infinity'
    where transaction_id = $1 and state = 'submitted' and not is_claimed`
  await waitUntil('its operator has it', async () => (await pool.query(again, [transactionId])).rowCount === 1)
  const response = await cancel(batchId)
  assert.equal(response.status, 200)
  const { FAILED, PENDING } = batchSchema.parse(await response.json()).counts
  assert.deepEqual([FAILED, PENDING], [0, 1])
  const { applicationId } = harness.partner
  await transition(pool, [{ applicationId, transactionId: transactionId ?? '', event: 'failed', message: 'x', actor: NO_PERSON }])
})

test('one waiting batch for checkers, made by the program, under a rule on the total of the batch', async () => {
  const { pool } = harness.database
  const { applicationId } = harness.partner
  await setRules([{ name: 'Total', sources: ['api'], measure: 'batchTotal', limits: { XAF: '900000' }, approvals: [1] }])
  const small = await started(await accepted())
  assert.equal(small.counts.PENDING_APPROVAL, 0)
  const batchId = await accepted({ body: aBatch([aDeposit(), aDeposit()], { name: 'Large' }) })
  assert.equal((await started(batchId)).counts.PENDING_APPROVAL, 2)
  const checkerId = await makePerson(pool, applicationId, ['checker'])
  const [waiting, ...others] = await selectWaitingBatches(pool, { applicationId, id: checkerId })
  assert.deepEqual([waiting?.batchId, waiting?.count, waiting?.obstacle, others.length], [batchId, 2, null, 0])
  const [listed] = await selectBatches(pool, applicationId, { page: 0, q: 'Large' })
  assert.deepEqual([listed?.batchId, listed?.makerName, listed?.stage], [batchId, harness.partner.username, 'waiting'])
  await setRules([])
})

test('200 with a batch and its deposits as soon as it is accepted, also while the replica that reads go to does not have it', async () => {
  const { runtime, database } = harness
  const { reportPool } = runtime
  // It sees what was committed before its first statement, like a replica that is behind.
  const replica = await database.pool.connect()
  try {
    await replica.query('begin isolation level repeatable read')
    await replica.query('select 1 from batches limit 1')
    const id = await accepted()
    runtime.reportPool = replica
    assert.deepEqual((await read(id)).deposits.length, 1)
  } finally {
    runtime.reportPool = reportPool
    await replica.query('rollback')
    replica.release()
  }
})

test('every batch of programs once with a cursor, newest first, and 400 for a wrong cursor', async () => {
  const ids: string[] = []
  for (let query = '?limit=2'; query !== ''; ) {
    const { batches, nextCursor } = batchListSchema.parse(await (await get(query)).json())
    ids.push(...batches.map(({ batchId }) => batchId))
    query = nextCursor === null ? '' : `?limit=2&cursor=${nextCursor}`
  }
  const { rows } = await harness.database.pool.query<{ id: string }>('select batch_id as id from batches order by created_at desc')
  assert.deepEqual(
    ids,
    rows.map(({ id }) => id),
  )
  assert.equal(await codeOf(await get('?cursor=x')), '400 cursor_invalid')
  assert.equal(await codeOf(await get(`/${ids[0]}?cursor=x`)), '400 cursor_invalid')
  assert.equal(await codeOf(await get(`/${ids[0]}?limit=0`)), '400 parameters_invalid')
})

test('404 for what is no batch of the application, 401 without credentials, 405 for other methods', async () => {
  assert.equal(await codeOf(await get(`/${randomUUID()}`)), '404 batch_not_found')
  assert.equal(await codeOf(await get('/x')), '404 batch_not_found')
  assert.equal(await codeOf(await cancel(randomUUID())), '404 batch_not_found')
  assert.equal(await codeOf(await fetch(harness.baseUrl + BATCHES_PATH, { method: 'POST' })), '401 unauthenticated')
  assert.equal(await codeOf(await get(`/${randomUUID()}/cancel`)), '405 method_not_allowed')
})

test('books that are right after all of it', async () => {
  await waitUntil('nothing is being sent', async () => {
    const { rows } = await harness.database.pool.query("select 1 from transactions where status = 'PENDING' limit 1")
    return rows.length === 0
  })
  assert.deepEqual(await verifyBooks(harness.database.pool), [])
})
