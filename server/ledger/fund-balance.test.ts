import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { covers, type Funding, type FundingPosting, fundBalance, postFunding } from './fundings.ts'
import { readBalances, readPostingKinds } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

function aFunding(applicationId: string, overrides: Partial<Funding> = {}): Funding {
  return {
    applicationId,
    operator: 'MOMOCM',
    amountMinor: 1_000_000n,
    fundingId: randomUUID(),
    actorId: null,
    reason: 'test',
    ...overrides,
  }
}

const fundOnce = (funding: Funding) => withTransaction(database.pool, (trx) => fundBalance(trx, funding))

test('isNew true: the deposit balance rises against clearing, with one posting', async () => {
  const applicationId = await makeApplication(database.pool)
  assert.deepEqual(await fundOnce(aFunding(applicationId)), { ok: true, value: { isNew: true } })
  assert.deepEqual(await readBalances(database.pool, applicationId), [0n, 1_000_000n, 0n, 0n, -1_000_000n, 0n])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), ['fund'])
})

test('isNew false: the same funding id a second time posts nothing and moves no balance', async () => {
  const applicationId = await makeApplication(database.pool)
  const funding = aFunding(applicationId)
  await fundOnce(funding)
  assert.deepEqual(await fundOnce(funding), { ok: true, value: { isNew: false } })
  assert.deepEqual(await readBalances(database.pool, applicationId), [0n, 1_000_000n, 0n, 0n, -1_000_000n, 0n])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), ['fund'])
})

test('isNew true once: twenty fundings with one id at the same time post once', async () => {
  const applicationId = await makeApplication(database.pool)
  const funding = aFunding(applicationId)
  const results = await Promise.all(Array.from({ length: 20 }, () => fundOnce(funding)))
  assert.equal(results.filter((result) => result.ok && result.value.isNew).length, 1)
  assert.deepEqual(await readBalances(database.pool, applicationId), [0n, 1_000_000n, 0n, 0n, -1_000_000n, 0n])
})

test('isNew true: the same funding id in another application is another funding', async () => {
  const [first, second] = [await makeApplication(database.pool), await makeApplication(database.pool)]
  const fundingId = randomUUID()
  await fundOnce(aFunding(first, { fundingId }))
  assert.deepEqual(await fundOnce(aFunding(second, { fundingId })), { ok: true, value: { isNew: true } })
})

test('unknown_application: nothing is posted', async () => {
  const applicationId = randomUUID()
  assert.deepEqual(await fundOnce(aFunding(applicationId)), { ok: false, error: 'unknown_application' })
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), [])
})

test('balance_too_low, and nothing is posted, for what would take a balance below zero at the moment of the posting', async () => {
  const applicationId = await makeApplication(database.pool)
  await fundOnce(aFunding(applicationId))
  const post = (posting: FundingPosting) =>
    withTransaction(database.pool, (trx) => postFunding(trx, { ...aFunding(applicationId), actorId: randomUUID(), ...posting }))
  const refused = { ok: false, error: 'balance_too_low' }
  assert.deepEqual(await post({ kind: 'move', account: 'collect', amountMinor: 1n }), refused)
  assert.deepEqual(await post({ kind: 'correct', account: 'deposit', amountMinor: -1_000_001n }), refused)
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), ['fund'])
  assert.deepEqual(await post({ kind: 'correct', account: 'deposit', amountMinor: -1_000_000n }), { ok: true, value: undefined })
  assert.deepEqual(await readBalances(database.pool, applicationId), [0n, 0n, 0n, 0n, 0n, 0n])
})

test('an error for an operator without a balance row, and the posting is rolled back', async () => {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query("delete from ledger_balances where application_id = $1 and operator = 'MOMOCM'", [applicationId])
  await assert.rejects(fundOnce(aFunding(applicationId)), /has no balance at MOMOCM/)
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), [])
})

test('an error for an amount that is not positive', async () => {
  const applicationId = await makeApplication(database.pool)
  for (const amountMinor of [0n, -1n]) await assert.rejects(fundOnce(aFunding(applicationId, { amountMinor })), /positive/)
})

test('covered: a correction that raises a balance from below zero without reaching it; not one that lowers it further', () => {
  const correct = (amountMinor: bigint) =>
    covers({ collectMinor: -500n, depositMinor: 0n }, { kind: 'correct', account: 'collect', amountMinor })
  assert.deepEqual([correct(100n), correct(-100n)], [true, false])
})
