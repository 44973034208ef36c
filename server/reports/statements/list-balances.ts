import { OPERATOR_CODES } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type Balance, selectBalances } from './balance-store.ts'

/** One record for each of the thirteen operators, in the order of the partner API; zero if nothing happened. */
export async function listBalances(queryable: Queryable, applicationId: string): Promise<Balance[]> {
  const rows = new Map((await selectBalances(queryable, applicationId)).map((row) => [row.operator, row]))
  return OPERATOR_CODES.map((operator) => rows.get(operator) ?? { operator, collectMinor: 0n, depositMinor: 0n, heldMinor: 0n })
}
