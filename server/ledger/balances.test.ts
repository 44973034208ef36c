import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createPool } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, type TransitionItem, transition } from '#server/transactions/transition.ts'
import { readBalances, readPostingKinds } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

function moveOf({ applicationId, transactionId }: IntakeItem, event: TransitionItem['event']): TransitionItem {
  return { applicationId, transactionId, event, actor: SYSTEM_ACTOR }
}

/** A deposit of 5,000 with fees of 75, held from a balance of 10,000. */
async function aHeldDeposit(): Promise<IntakeItem> {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const item = anIntakeItem(applicationId)
  await takeIn(database.pool, [item])
  return item
}

test('hold: an accepted deposit moves amount and fees out of the deposit balance', async () => {
  const { applicationId } = await aHeldDeposit()
  assert.deepEqual(await readBalances(database.pool, applicationId), [0n, 492_500n, 507_500n, 0n, -1_000_000n, 0n])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), ['fund', 'hold'])
})

test('settle: a deposit that succeeds leaves nothing held', async () => {
  const item = await aHeldDeposit()
  await transition(database.pool, [moveOf(item, 'succeeded')])
  assert.deepEqual(await readBalances(database.pool, item.applicationId), [0n, 492_500n, 0n, 2_500n, -500_000n, 5_000n])
  assert.deepEqual(await readPostingKinds(database.pool, item.applicationId), ['fund', 'hold', 'settle'])
})

test('release: a deposit that fails restores the balances from before it', async () => {
  const item = await aHeldDeposit()
  await transition(database.pool, [moveOf(item, 'failed')])
  assert.deepEqual(await readBalances(database.pool, item.applicationId), [0n, 1_000_000n, 0n, 0n, -1_000_000n, 0n])
  assert.deepEqual(await readPostingKinds(database.pool, item.applicationId), ['fund', 'hold', 'release'])
})

test('no posting: a collect that is accepted, and one that fails', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), [])
  await transition(database.pool, [moveOf(item, 'failed')])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), [])
})

test('settle: a collect that succeeds credits the collect balance', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  await transition(database.pool, [moveOf(item, 'succeeded')])
  assert.deepEqual(await readBalances(database.pool, applicationId), [492_500n, 0n, 0n, 2_500n, -500_000n, 5_000n])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), ['settle'])
})

test('isMoved true once: twenty settlements at the same time through two pools post once', async () => {
  const item = await aHeldDeposit()
  const otherPool = createPool({ databaseUrl: database.url, connectionsMax: 5, applicationName: 'second process' })
  try {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const [outcome] = await transition(n % 2 === 0 ? database.pool : otherPool, [moveOf(item, n % 3 === 0 ? 'failed' : 'succeeded')])
        return outcome
      }),
    )
    assert.equal(outcomes.filter((outcome) => outcome?.isMoved).length, 1)
  } finally {
    await otherPool.end()
  }
  const kinds = await readPostingKinds(database.pool, item.applicationId)
  assert.equal(kinds.filter((kind) => kind === 'settle' || kind === 'release').length, 1)
  assert.equal((await readBalances(database.pool, item.applicationId))[2], 0n)
})

test('isMoved false: a settlement after a release changes no balance', async () => {
  const item = await aHeldDeposit()
  await transition(database.pool, [moveOf(item, 'failed')])
  const before = await readBalances(database.pool, item.applicationId)
  const [outcome] = await transition(database.pool, [moveOf(item, 'succeeded')])
  assert.equal(outcome?.isMoved, false)
  assert.deepEqual(await readBalances(database.pool, item.applicationId), before)
})

test('23505: a settlement whose posting exists already is rolled back as a whole', async () => {
  const item = await aHeldDeposit()
  await database.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, at) values ($1, $2, 'settle', 'MOMOCM', 'XAF', now())`,
    [item.applicationId, item.transactionId],
  )
  const before = await readBalances(database.pool, item.applicationId)
  await assert.rejects(transition(database.pool, [moveOf(item, 'succeeded')]), { code: '23505' })
  assert.deepEqual(await readBalances(database.pool, item.applicationId), before)
})

test('equal: balances and the sum of the postings, after any sequence of fundings, deposits, collects and results', async () => {
  const applicationId = await makeApplication(database.pool)
  const step = fc.oneof(
    fc.record({ kind: fc.constant('fund' as const), amountMinor: fc.bigInt(1n, 2_000_000n) }),
    fc.record({
      kind: fc.constant('transaction' as const),
      type: fc.constantFrom('COLLECT' as const, 'DEPOSIT' as const),
      amountMinor: fc.bigInt(100n, 900_000n),
      events: fc.array(fc.constantFrom('succeeded' as const, 'failed' as const, 'refused_for_funds' as const), { maxLength: 3 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
      for (const one of steps) {
        if (one.kind === 'fund') {
          await fund(database.pool, applicationId, 'MOMOCM', one.amountMinor)
          continue
        }
        const { type, amountMinor } = one
        const item = anIntakeItem(applicationId, { type, amountMinor, feeSystemMinor: 50n, feeAppMinor: 25n, externalId: randomUUID() })
        await takeIn(database.pool, [item])
        await Promise.all(one.events.map((event) => transition(database.pool, [moveOf(item, event)])))
      }
      const { rows } = await database.pool.query<Record<string, bigint>>(
        `select coalesce(sum(collect_minor), 0)::bigint as collect, coalesce(sum(deposit_minor), 0)::bigint as deposit, coalesce(sum(held_minor), 0)::bigint as held,
           coalesce(sum(fees_minor), 0)::bigint as fees, coalesce(sum(clearing_minor), 0)::bigint as clearing, coalesce(sum(revenue_minor), 0)::bigint as revenue
           from ledger_postings where application_id = $1`,
        [applicationId],
      )
      assert.deepEqual(await readBalances(database.pool, applicationId), Object.values(rows[0] ?? {}))
    }),
    { numRuns: 25, seed: 20_261_122 },
  )
})

test('a posting at the first instant of a period is in its sums by day and by zone, and one at its end is in those of the next', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const [start, end] = ['2026-03-01 23:30:00+00', '2026-03-01 23:45:00+00']
  await pool.query("insert into day_zones (application_id, time_zone, is_ledger_counted) values ($1, 'Africa/Douala', true)", [
    applicationId,
  ])
  await pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, clearing_minor, at)
       select $1, gen_random_uuid(), 'fund', 'MOMOCM', 'XAF', minor, -minor, at from unnest($2::bigint[], $3::timestamptz[]) as p (minor, at)`,
    [applicationId, [100, 1], [start, end]],
  )
  await pool.query('select add_ledger_days($1, $2, $3)', [applicationId, start, end])
  const { rows } = await pool.query(
    `select day::text, deposit_minor from ledger_days where application_id = $1
     union all select business_day::text, deposit_minor from ledger_day_edges where application_id = $1 order by 1`,
    [applicationId],
  )
  assert.deepEqual(rows, [
    { day: '2026-03-01', deposit_minor: 100n },
    { day: '2026-03-02', deposit_minor: 100n },
  ])
})

/** Every kind of posting in both directions, at one instant. */
async function postEachKind(applicationId: string, at: Date, amounts: readonly [amount: number, feeSystem: number, feeApp: number]) {
  await database.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, held_minor, fees_minor,
         clearing_minor, revenue_minor, change_id, at)
       select $1, gen_random_uuid(), k.kind, 'MOMOCM', 'XAF', a.collect_minor, a.deposit_minor, a.held_minor, a.fees_minor,
              a.clearing_minor, a.revenue_minor, case when k.kind in ('reverse', 'late', 'concede', 'fees_out') then gen_random_uuid() end, $2
         from unnest(array['hold', 'release', 'settle', 'fund', 'move', 'correct', 'withdraw', 'reverse', 'late', 'concede', 'fees_out']) as k (kind)
         cross join unnest(array['COLLECT', 'DEPOSIT']) as t (type)
         cross join lateral posting_amounts(k.kind, t.type, $3 * case t.type when 'COLLECT' then 2 else 1 end, $4, $5) a`,
    [applicationId, at, ...amounts],
  )
}

test('the same sums of every kind of posting for a day that was sealed in parts as for one that was sealed at once, also at its edge', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await pool.query("select begin_day_zone($1, 'Africa/Kampala'), count_ledger_edges($1, 'Africa/Kampala')", [applicationId])
  // In Kampala it is the next day.
  const instants = ['2026-03-01T22:00:00Z', '2026-03-01T22:10:00Z', '2026-03-01T22:20:00Z', '2026-03-02T00:00:00Z'].map(
    (text) => new Date(text),
  )
  for (const [place, at] of instants.slice(0, -1).entries()) {
    await postEachKind(applicationId, at, [10_000 + 100 * place, 70 + place, 50 + 3 * place])
    await pool.query('select add_ledger_days($1, $2, $3)', [applicationId, at, instants[place + 1]])
  }
  const readSums = async () => {
    const { rows } = await pool.query<{ sums: Record<string, unknown> }>(
      `select to_jsonb(d) as sums from ledger_days d where application_id = $1
       union all select to_jsonb(e) from ledger_day_edges e where application_id = $1`,
      [applicationId],
    )
    return rows.map(({ sums }) => sums)
  }
  const inParts = await readSums()
  await pool.query('update ledger_seal set sealed_until = $1', [instants.at(-1)])
  await pool.query('select rebuild_ledger_days($1)', [applicationId])
  assert.deepEqual(inParts, await readSums())
  assert.equal(inParts.length, 2)
  const empty = inParts.flatMap((sums) => Object.keys(sums).filter((name) => sums[name] === 0))
  assert.deepEqual(empty, [], 'each sum has something to add')
})
