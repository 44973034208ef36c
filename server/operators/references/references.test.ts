import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { unexpectedCounts } from '#server/report-unexpected.ts'
import { suggestMatches } from '#server/reports/customers/customers.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { resolveSearch } from '#server/reports/transaction-search/resolve-search.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { listOperatorReferences } from './list-operator-references.ts'
import { listReferences } from './operator-reference-store.ts'

let database: TestDatabase
let first: string
let second: string
before(async () => {
  database = await createTestDatabase()
  first = await makeApplication(database.pool)
  second = await makeApplication(database.pool)
})
after(() => database.drop())

async function ended(
  applicationId: string,
  operatorReference: string | undefined,
  overrides: Partial<IntakeItem> = {},
  event: 'succeeded' | 'failed' = 'succeeded',
): Promise<IntakeItem> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'MOMOCM', ...overrides })
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...item, event, message: 'x', operatorReference, actor: SYSTEM_ACTOR }])
  return item
}

/** Whether each of them shares its reference. */
const sharedOf = async (...items: IntakeItem[]) =>
  Promise.all(
    items.map(
      async (item) => (await readTransactionDetail(database.pool, item.applicationId, item.transactionId))?.sharedReferenceAt != null,
    ),
  )

test('the reference stays with the transaction when it is final', async () => {
  const item = await ended(first, 'REF-1')
  assert.equal((await findTransaction(database.pool, first, item.transactionId))?.operatorReference, 'REF-1')
})

test('found by its reference in the search box, in its application alone', async () => {
  const item = await ended(first, 'MP221207.2051.B56929')
  await listOperatorReferences(database.pool)
  const found = { kind: 'transaction', transactionId: item.transactionId }
  assert.deepEqual(await resolveSearch(database.pool, first, ' MP221207.2051.B56929 '), found)
  assert.equal(await resolveSearch(database.pool, second, 'MP221207.2051.B56929'), undefined)
})

test("found by the operator's token in the search box and among its suggestions, in its application alone", async () => {
  const item = anIntakeItem(first, { type: 'COLLECT', operator: 'OMCM' })
  await takeIn(database.pool, [item])
  const result = { ...item, event: 'succeeded', message: 'x', operatorToken: 'MP22120771FEB7B21FD2381C3786', actor: SYSTEM_ACTOR } as const
  await transition(database.pool, [result])
  await listOperatorReferences(database.pool)
  const found = { kind: 'transaction', transactionId: item.transactionId }
  assert.deepEqual(await resolveSearch(database.pool, first, result.operatorToken), found)
  assert.equal(await resolveSearch(database.pool, second, result.operatorToken), undefined)
  const suggested = await suggestMatches(database.pool, first, result.operatorToken, 6)
  assert.deepEqual(
    suggested.map((one) => one.kind === 'transaction' && one.transactionId),
    [item.transactionId],
  )
})

test('found by the second reference of an operator that has two, and shared with a transaction that has it as its first', async () => {
  const item = anIntakeItem(first, { type: 'DEPOSIT', operator: 'SNWAVE' })
  await fund(database.pool, first, 'SNWAVE', 100_000_000n)
  await takeIn(database.pool, [item])
  const names = { operatorReference: 'pt-1', operatorReferenceOther: 'TDH6' }
  await transition(database.pool, [{ ...item, ...names, event: 'succeeded', message: 'x', actor: SYSTEM_ACTOR }])
  await listOperatorReferences(database.pool)
  const found = { kind: 'transaction', transactionId: item.transactionId }
  for (const name of ['pt-1', 'TDH6']) assert.deepEqual(await resolveSearch(database.pool, first, name), found)
  assert.deepEqual(await sharedOf(item), [false])
})

test('nothing recorded for references of different operators or directions, and for transactions without one', async () => {
  const items = [
    await ended(first, 'REF-2'),
    await ended(first, 'REF-2', { operator: 'OMCM' }),
    await ended(first, undefined),
    await ended(first, undefined),
  ]
  await listOperatorReferences(database.pool)
  assert.deepEqual(await sharedOf(...items), [false, false, false, false])
})

test('recorded for both transactions, and shown to finance, if they have one reference, in one run and in two, and money is not affected', async () => {
  const [one, other] = [await ended(first, 'REF-3'), await ended(first, 'REF-3')]
  await listOperatorReferences(database.pool)
  await listOperatorReferences(database.pool)
  assert.deepEqual(await sharedOf(one, other), [true, true])
  const reader = { applicationId: first, id: randomUUID(), hasSecondFactor: true, roles: ['finance' as const], businessZone: 'UTC' }
  const { finance } = await readOverview(database.pool, reader, 30, new Date())
  assert.deepEqual(
    [finance?.sharedReferences.count, new Set(finance?.sharedReferences.newest.map((each) => each.transactionId))],
    [2, new Set([one.transactionId, other.transactionId])],
  )
  assert.equal((await findTransaction(database.pool, first, other.transactionId))?.status, 'SUCCESS')
  const [earlier] = [await ended(first, 'REF-5')]
  await listOperatorReferences(database.pool)
  const later = await ended(first, 'REF-5')
  await listOperatorReferences(database.pool)
  assert.deepEqual(await sharedOf(earlier, later), [true, true])
})

test('recorded across applications', async () => {
  const items = [await ended(first, 'REF-4'), await ended(second, 'REF-4')]
  await listOperatorReferences(database.pool)
  assert.deepEqual(await sharedOf(...items), [true, true])
})

test('recorded for exactly those that share a reference, operator and direction, wherever the slices of three end', async () => {
  const applications = [await makeApplication(database.pool), await makeApplication(database.pool)]
  const ends: { applicationId: string; transactionId: string; key: string | undefined }[] = []
  for (const applicationId of applications) {
    for (const operator of ['MOMOCM', 'OMCM'] as const) await fund(database.pool, applicationId, operator, 100_000_000n)
    // SLICE-1 to SLICE-3 are in both applications, SLICE-4 twice in one, and each also where it shares nothing.
    for (const [operatorReference, operator, type, event] of [
      ['SLICE-1', 'MOMOCM', 'COLLECT', 'succeeded'],
      ['SLICE-2', 'MOMOCM', 'COLLECT', 'failed'],
      ['SLICE-1', 'OMCM', 'COLLECT', 'succeeded'],
      ['SLICE-3', 'MOMOCM', 'DEPOSIT', applicationId === applications[0] ? 'succeeded' : 'failed'],
      ['SLICE-1', 'MOMOCM', 'DEPOSIT', 'succeeded'],
      [undefined, 'MOMOCM', 'COLLECT', 'succeeded'],
      [undefined, 'MOMOCM', 'COLLECT', 'failed'],
      [`SLICE-4 ${applicationId}`, 'MOMOCM', 'COLLECT', 'succeeded'],
      [`SLICE-4 ${applicationId}`, 'MOMOCM', 'COLLECT', 'succeeded'],
      [`SLICE-4 ${applicationId}`, 'OMCM', 'COLLECT', 'failed'],
      [`SLICE-5 ${applicationId}`, 'OMCM', 'DEPOSIT', 'failed'],
    ] as const) {
      const { transactionId } = await ended(applicationId, operatorReference, { operator, type }, event)
      ends.push({ applicationId, transactionId, key: operatorReference && `${operator} ${type} ${operatorReference}` })
    }
  }
  const counts: bigint[] = []
  for (const applicationId of applications)
    for (let count = 1n; count > 0n; ) {
      count = await listReferences(database.pool, applicationId, 3)
      counts.push(count)
    }
  assert.deepEqual(counts, [6n, 4n, 1n, 0n, 6n, 5n, 0n])
  const { rows: listed } = await database.pool.query('select transaction_id from operator_references where application_id = any ($1)', [
    applications,
  ])
  assert.deepEqual(
    listed.map((row) => row.transaction_id).sort(),
    ends.flatMap(({ key, transactionId }) => (key ? [transactionId] : [])).sort(),
  )
  const { rows: shared } = await database.pool.query<{ transaction_id: string; other_transaction_id: string; key: string }>(
    `select transaction_id, other_transaction_id, concat_ws(' ', operator, type, operator_reference) as key from shared_operator_references
       where application_id = any ($1)`,
    [applications],
  )
  const partnersOf = (one: (typeof ends)[number]) => ends.filter((other) => other !== one && one.key !== undefined && other.key === one.key)
  assert.deepEqual(
    shared.map((row) => row.transaction_id).sort(),
    ends
      .filter((one) => partnersOf(one).length > 0)
      .map(({ transactionId }) => transactionId)
      .sort(),
  )
  for (const row of shared) {
    const one = ends.find(({ transactionId }) => transactionId === row.transaction_id) ?? assert.fail()
    assert.equal(row.key, one.key)
    assert.ok(partnersOf(one).some(({ transactionId }) => transactionId === row.other_transaction_id))
  }
})

test('the references of the others are listed, and the failure is counted, if those of one application cannot be', async () => {
  const { pool } = database
  const [broken, other] = [await makeApplication(pool), await makeApplication(pool)]
  const items = [await ended(broken, 'REF-6'), await ended(other, 'REF-7')]
  await pool.query(
    `create function refuse_references() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
     create trigger refuse_references before insert on operator_references for each row when (new.application_id = '${broken}')
       execute function refuse_references()`,
  )
  const before = unexpectedCounts().get('operators: references') ?? 0
  await listOperatorReferences(pool)
  await pool.query('drop trigger refuse_references on operator_references')
  const { rows } = await pool.query('select transaction_id from operator_references where application_id = any ($1)', [[broken, other]])
  assert.deepEqual(rows, [{ transaction_id: items[1]?.transactionId }])
  assert.equal(unexpectedCounts().get('operators: references'), before + 1)
  await listOperatorReferences(pool)
})
