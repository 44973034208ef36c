import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { parseAmountMinor } from '#lib/money/money.ts'
import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  TRANSITIONS,
  type TransactionStatus,
  type TransitionEvent,
} from '#lib/payments/transactions/transaction-status.ts'
import { type BalanceEffect, balanceEffectOf } from '#lib/payments/transactions/transaction-timeline.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readTransactionDetail } from './transaction-detail.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** The effect that each sentence states on the balance of its direction: which share of the net amount has arrived, left or is held. */
const SAID: Record<BalanceEffect, { collect: bigint; deposit: bigint; held: bigint }> = {
  collect_after_approval: { collect: 0n, deposit: 0n, held: 0n },
  collect_expected: { collect: 0n, deposit: 0n, held: 0n },
  collect_added: { collect: 1n, deposit: 0n, held: 0n },
  deposit_after_approval: { collect: 0n, deposit: 0n, held: 0n },
  deposit_before_sending: { collect: 0n, deposit: 0n, held: 0n },
  deposit_held: { collect: 0n, deposit: -1n, held: 1n },
  deposit_taken: { collect: 0n, deposit: -1n, held: 0n },
  none: { collect: 0n, deposit: 0n, held: 0n },
}

/** Every way through the states, as events. */
function pathsFrom(status: TransactionStatus): TransitionEvent[][] {
  const edges = Object.entries(TRANSITIONS).filter(([, { from }]) => from === status)
  return [[], ...edges.flatMap(([event, { to }]) => pathsFrom(to).map((rest) => [event as TransitionEvent, ...rest]))]
}

/** Every way of every kind of transaction, so that no state depends on chance; only the amounts do. */
const WALKS = TRANSACTION_TYPES.flatMap((type) =>
  [true, false].flatMap((waits) => pathsFrom(waits ? 'PENDING_APPROVAL' : 'PENDING').map((events) => ({ type, waits, events }))),
)

test('the sentence about the balance is what the ledger holds, in every state and both directions', async () => {
  const seen = new Set<string>()
  for (const { type, waits, events } of WALKS) {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400_000 }), async (amount) => {
        const applicationId = await makeApplication(database.pool)
        await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
        const before = await readBalances(applicationId)
        const item = anIntakeItem(applicationId, { type, amountMinor: BigInt(amount) * 100n, bands: waits ? [aBand()] : null })
        await takeIn(database.pool, [item])
        for (const event of events)
          await transition(database.pool, [{ applicationId, transactionId: item.transactionId, event, actor: SYSTEM_ACTOR }])
        const detail = await readTransactionDetail(database.pool, applicationId, item.transactionId)
        assert.ok(detail)
        seen.add(`${detail.type} ${detail.status}`)
        const { effect, amount: said } = balanceEffectOf(detail)
        const after = await readBalances(applicationId)
        const net = said === '0' ? 0n : parseAmountMinor(said)
        assert.ok(net !== undefined)
        for (const account of ['collect', 'deposit', 'held'] as const)
          assert.equal(after[account] - before[account], SAID[effect][account] * net, `${effect}: ${account}`)
      }),
      { numRuns: 5 },
    )
  }
  assert.equal(seen.size, TRANSACTION_TYPES.length * TRANSACTION_STATUSES.length, [...seen].join(', '))
})

async function readBalances(applicationId: string): Promise<{ collect: bigint; deposit: bigint; held: bigint }> {
  const { rows } = await database.pool.query(
    'select collect_minor as collect, deposit_minor as deposit, held_minor as held from ledger_balances where application_id = $1 and operator = $2',
    [applicationId, 'MOMOCM'],
  )
  return rows[0]
}
