import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { TRANSITIONS, type TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { createSettler, SYSTEM_ACTOR } from '#server/transactions/transition.ts'
import { verifyBooks } from './verify-books.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const WAITING = aBand()

test('books, counters, sequences and roll-ups equal a recount after any sequence of moves', async () => {
  const applicationIds = [await makeApplication(database.pool), await makeApplication(database.pool)]
  for (const applicationId of applicationIds) await fund(database.pool, applicationId, 'MOMOCM', 3_000_000n)
  const settler = createSettler({ pool: database.pool, batchMax: 7 })
  const events = Object.keys(TRANSITIONS).filter((event) => !event.startsWith('created')) as TransitionEvent[]
  const step = fc.record({
    application: fc.nat(1),
    isDeposit: fc.boolean(),
    isWaiting: fc.boolean(),
    amountMinor: fc.bigInt(1n, 900_000n),
    tries: fc.array(fc.constantFrom(...events), { maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const items = steps.map((one) =>
        anIntakeItem(applicationIds[one.application] ?? '', {
          type: one.isDeposit ? 'DEPOSIT' : 'COLLECT',
          amountMinor: one.amountMinor,
          bands: one.isWaiting ? [WAITING] : null,
        }),
      )
      await takeIn(database.pool, items)
      const moves = steps.flatMap((one, index) => one.tries.map((event) => ({ item: items[index], event })))
      await Promise.all(
        moves.map(({ item, event }) =>
          settler.settle({
            applicationId: item?.applicationId ?? '',
            transactionId: item?.transactionId ?? '',
            event,
            actor: SYSTEM_ACTOR,
          }),
        ),
      )
    }),
    { numRuns: 25 },
  )
  // The moves above are made below the approval commands, so an approved one has no decision.
  const differences = (await verifyBooks(database.pool)).filter((difference) => difference.check !== 'approvals')
  assert.deepEqual(differences, [])
})

test('a named difference for a balance, counter, roll-up or sequence that is off by one', async () => {
  const applicationId = await makeApplication(database.pool)
  const [first] = await Promise.all([takeIn(database.pool, [anIntakeItem(applicationId, { type: 'COLLECT' })])])
  assert.equal(first.length, 1)
  await database.pool.query('select add_transaction_days($1, 1)', [applicationId])
  const damages = [
    [
      'update ledger_balances set collect_minor = collect_minor + 1, clearing_minor = clearing_minor - 1 where application_id = $1',
      'balances',
    ],
    ['update application_counters set pending_count = pending_count + 1 where application_id = $1', 'counters'],
    ['update transaction_days set amount_minor = amount_minor + 1 where application_id = $1', 'roll-ups'],
    ['update transactions set sequence = sequence + 1 where application_id = $1', 'sequences'],
    ['delete from operator_work where application_id = $1', 'operator work'],
  ] as const
  for (const [damage, check] of damages) {
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      await client.query(damage, [applicationId])
      const differences = await verifyBooks(client)
      assert.ok(
        differences.some((difference) => difference.check === check),
        `${check}: ${JSON.stringify(differences)}`,
      )
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
})
