import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

type Amounts = { collect: bigint; deposit: bigint; held: bigint; fees: bigint; clearing: bigint; revenue: bigint }

/** A posting of a transaction of 5,000 with a system fee of 50 and an application's fee of 25, in hundredths. */
async function amountsOf(kind: string | null, type: string | null = null): Promise<Amounts | undefined> {
  const { rows } = await database.pool.query<Amounts>(
    `select collect_minor as collect, deposit_minor as deposit, held_minor as held, fees_minor as fees, clearing_minor as clearing,
       revenue_minor as revenue from posting_amounts($1, $2, 500000, 5000, 2500)`,
    [kind, type],
  )
  return rows[0]
}

const NOTHING: Amounts = { collect: 0n, deposit: 0n, held: 0n, fees: 0n, clearing: 0n, revenue: 0n }

test('a hold moves amount and both fees from the deposit balance to the held amount', async () => {
  assert.deepEqual(await amountsOf('hold', 'DEPOSIT'), { ...NOTHING, deposit: -507_500n, held: 507_500n })
})

test('a release moves the same amount back', async () => {
  assert.deepEqual(await amountsOf('release', 'DEPOSIT'), { ...NOTHING, deposit: 507_500n, held: -507_500n })
})

test('the settlement of a deposit splits the held amount between clearing, fees and revenue', async () => {
  assert.deepEqual(await amountsOf('settle', 'DEPOSIT'), { ...NOTHING, held: -507_500n, fees: 2_500n, clearing: 500_000n, revenue: 5_000n })
})

test('the settlement of a collect credits the amount less both fees', async () => {
  assert.deepEqual(await amountsOf('settle', 'COLLECT'), {
    ...NOTHING,
    collect: 492_500n,
    fees: 2_500n,
    clearing: -500_000n,
    revenue: 5_000n,
  })
})

test('a funding and a correction move an amount from clearing to the deposit balance', async () => {
  for (const kind of ['fund', 'correct'])
    assert.deepEqual(await amountsOf(kind), { ...NOTHING, deposit: 500_000n, clearing: -500_000n }, kind)
})

test('a correction of the collect balance moves an amount from clearing to it', async () => {
  assert.deepEqual(await amountsOf('correct', 'COLLECT'), { ...NOTHING, collect: 500_000n, clearing: -500_000n })
})

test('a withdrawal takes an amount from one balance to clearing', async () => {
  assert.deepEqual(await amountsOf('withdraw', 'COLLECT'), { ...NOTHING, collect: -500_000n, clearing: 500_000n })
  assert.deepEqual(await amountsOf('withdraw', 'DEPOSIT'), { ...NOTHING, deposit: -500_000n, clearing: 500_000n })
})

test('a move takes an amount from the collect balance to the deposit balance', async () => {
  assert.deepEqual(await amountsOf('move', 'DEPOSIT'), { ...NOTHING, collect: -500_000n, deposit: 500_000n })
})

test('a reversal enters the exact negative of the settlement, and returns a deposit to the deposit balance', async () => {
  assert.deepEqual(await amountsOf('reverse', 'COLLECT'), {
    ...NOTHING,
    collect: -492_500n,
    fees: -2_500n,
    clearing: 500_000n,
    revenue: -5_000n,
  })
  assert.deepEqual(await amountsOf('reverse', 'DEPOSIT'), {
    ...NOTHING,
    deposit: 507_500n,
    fees: -2_500n,
    clearing: -500_000n,
    revenue: -5_000n,
  })
})

test('a late success enters what the settlement would have, and takes a deposit from the deposit balance', async () => {
  assert.deepEqual(await amountsOf('late', 'COLLECT'), await amountsOf('settle', 'COLLECT'))
  assert.deepEqual(await amountsOf('late', 'DEPOSIT'), {
    ...NOTHING,
    deposit: -507_500n,
    fees: 2_500n,
    clearing: 500_000n,
    revenue: 5_000n,
  })
})

test('a concession moves an amount from revenue to a balance, and no money at the operator', async () => {
  assert.deepEqual(await amountsOf('concede', 'COLLECT'), { ...NOTHING, collect: 500_000n, revenue: -500_000n })
  assert.deepEqual(await amountsOf('concede', 'DEPOSIT'), { ...NOTHING, deposit: 500_000n, revenue: -500_000n })
})

test('fees that are taken out become part of the collect balance', async () => {
  assert.deepEqual(await amountsOf('fees_out', 'COLLECT'), { ...NOTHING, collect: 500_000n, fees: -500_000n })
})

test('nothing is entered without a kind', async () => {
  assert.deepEqual(await amountsOf(null, 'DEPOSIT'), NOTHING)
})

test('the sum is zero for every kind, type, amount and fee', async () => {
  const posting = fc.record({
    kind: fc.constantFrom('hold', 'release', 'settle', 'fund', 'move', 'correct', 'withdraw', 'reverse', 'late', 'concede', 'fees_out'),
    type: fc.constantFrom('COLLECT', 'DEPOSIT'),
    amount: fc.bigInt(1n, 999_999_999_999n),
    system: fc.bigInt(0n, 999_999_999_999n),
    app: fc.bigInt(0n, 999_999_999_999n),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(posting, { minLength: 1, maxLength: 200 }), async (postings) => {
      const { rows } = await database.pool.query(
        `select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) as i (kind, type, amount, system, app)
           cross join lateral posting_amounts(i.kind, i.type, i.amount, i.system, i.app) p
           where p.collect_minor + p.deposit_minor + p.held_minor + p.fees_minor + p.clearing_minor + p.revenue_minor <> 0`,
        [
          postings.map((one) => one.kind),
          postings.map((one) => one.type),
          postings.map((one) => one.amount),
          postings.map((one) => one.system),
          postings.map((one) => one.app),
        ],
      )
      assert.deepEqual(rows, [])
    }),
    { numRuns: 40 },
  )
})
