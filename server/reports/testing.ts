import type { OperatorCode } from '#lib/operators/operators.ts'
import { ok } from '#lib/result.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'

/** One of each currency. */
export const SOME_OPERATORS: OperatorCode[] = ['MOMOCM', 'SNWAVE', 'UGMTN']

/** Takes in `count` collects and deposits and lets them end as the seed says, by the real commands: some succeed, some fail, some go on. */
export async function liveThrough(pool: Pool, applicationId: string, random: Random, count: number): Promise<void> {
  const items = Array.from({ length: count }, () => {
    const operator = random.pick(SOME_OPERATORS)
    return anIntakeItem(applicationId, {
      operator,
      type: random.chance(0.5) ? 'COLLECT' : 'DEPOSIT',
      amountMinor: BigInt(random.between(100, 900_099)),
    })
  })
  await takeIn(pool, items)
  for (const item of items) {
    const fate = random.between(0, 3)
    if (fate === 0) continue
    const event = fate === 1 ? ('failed' as const) : ('succeeded' as const)
    await withTransaction(pool, async (trx) =>
      ok(
        await transition(trx, [
          { applicationId, transactionId: item.transactionId, event, message: 'test', actor: { kind: 'operator', id: null } },
        ]),
      ),
    )
  }
}
