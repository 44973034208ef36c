import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { createLogger } from '#server/logger.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { OperatorHarness } from '../testing/operator-harness.ts'
import { NUMBER_STEMS } from '../testing/phone-numbers.ts'
import { makeEndedQueriesDue, readContradictions, readEndedQueries } from '../testing/recorded-contradictions.ts'
import { queryContradictions } from './second-looks.ts'
import { settleFinalResult } from './settle-final-result.ts'
import { synchroniseTransaction } from './synchronise-transaction.ts'

/** Orange in Burkina Faso answers no queries about collects. */
const CASES = OPERATOR_CODES.flatMap((operator) =>
  TRANSACTION_TYPES.filter((type) => operator !== 'BFOM' || type === 'DEPOSIT').map((type) => ({ operator, type })),
)

let harness: OperatorHarness
const items = new Map<string, IntakeItem>()
const itemOf = (operator: OperatorCode, type: TransactionType) => items.get(`${operator} ${type}`) ?? assert.fail()

before(async () => {
  harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    callTimeoutMs: 5_000,
    dispatcher: { pollDelaysMs: [600_000], leaseMs: 60_000 },
  })
  for (const { operator, type } of CASES)
    items.set(`${operator} ${type}`, await harness.make({ operator, type, phoneNumber: `${NUMBER_STEMS[operator]}906` }))
  harness.startDispatcher()
  // The customer of Orange follows the link once a query has shown that we have it.
  const linked = itemOf('CIOM', 'COLLECT')
  await waitUntil('Orange returns the link', async () => (await harness.workOf(linked))?.['state'] === 'submitted')
  await synchroniseTransaction(harness.forcedEnquiries, { ...linked, actor: { kind: 'system', id: null } })
  await waitUntil('every operator has executed its payments, of which we have no result', areExecuted, { limitMs: 60_000, pauseMs: 50 })
  for (const item of items.values()) await failTooEarly(item)
})
after(() => harness.close())

async function areExecuted(): Promise<boolean> {
  const books = await harness.books()
  const isDone = async (item: IntakeItem) =>
    books.get(item.transactionId)?.timesExecuted === 1 && (await harness.workOf(item))?.['state'] === 'submitted'
  return (await Promise.all([...items.values()].map(isDone))).every(Boolean)
}

/** Ends the payment as the dispatcher does when a query says that it failed, with what is stored of it then. */
async function failTooEarly(item: IntakeItem): Promise<void> {
  const { applicationId, transactionId, operator } = item
  const work = (await harness.workOf(item)) ?? assert.fail()
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  await settleFinalResult(
    { pool: harness.database.pool, settler: harness.settler, logger: createLogger('silent') },
    {
      applicationId,
      transactionId,
      operator,
      operatorToken: text(work['operator_token']),
      operatorReference: text(work['operator_reference']),
      operatorReferenceOther: null,
      source: 'query',
    },
    { kind: 'failed', reason: 'Timeout opérateur', exchange: { httpStatus: 200, answer: '' } },
  )
}

function look(): Promise<number> {
  return queryContradictions({
    pool: harness.database.pool,
    connectors: harness.connectors,
    logger: createLogger('silent'),
    spreadMs: 0,
  })
}

test('every failure is due again one hour after it, and no operator is queried before', async () => {
  assert.equal(await look(), 0)
  for (const item of items.values()) {
    const [query, ...others] = await readEndedQueries(harness.database.pool, item)
    assert.deepEqual([query?.text, others.length], ['hour_look 0', 0])
    assert.ok(query && query.inMinutes >= 58 && query.inMinutes <= 60, `${query?.inMinutes} minutes`)
  }
  await makeEndedQueriesDue(harness.database.pool)
  // The look itself and, once it has found something, the query about the contradiction.
  assert.equal(await look(), items.size * 2)
})

for (const { operator, type } of CASES) {
  test(`a contradiction is recorded for a ${type} at ${operator} that the operator executed after it was FAILED`, async () => {
    const item = itemOf(operator, type)
    assert.deepEqual(await readContradictions(harness.database.pool, item), ['1 query succeeded FAILED', '2 query succeeded FAILED'])
    const { status, version } = await harness.read(item)
    assert.deepEqual([status, version], ['FAILED', 2])
  })
}

test('the look after a day follows the one after an hour', async () => {
  for (const item of items.values()) {
    const [query, ...others] = await readEndedQueries(harness.database.pool, item)
    assert.deepEqual([query?.text, others.length], ['day_look 0', 0])
    assert.ok(query && query.inMinutes >= 24 * 60 - 3 && query.inMinutes <= 24 * 60, `${query?.inMinutes} minutes`)
  }
  await makeEndedQueriesDue(harness.database.pool)
  assert.equal(await look(), items.size)
  assert.equal(await look(), 0)
  const { rows } = await harness.database.pool.query('select 1 from contradiction_queries')
  assert.equal(rows.length, 0)
})
