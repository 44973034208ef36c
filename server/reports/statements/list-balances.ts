import { OPERATOR_CODES, type OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectBalances } from '#server/reports/partner-lists/total-store.ts'

/** Hundredths of the operator's currency. Held money is already gone from `depositMinor`. */
export type Balance = { operator: OperatorCode; collectMinor: bigint; depositMinor: bigint; heldMinor: bigint }

/** One record for each of the thirteen operators, in the specification's order, zero where nothing happened. */
export async function listBalances(queryable: Queryable, applicationId: string): Promise<Balance[]> {
  const rows = new Map((await selectBalances(queryable, applicationId)).map((row) => [row.operator, row]))
  return OPERATOR_CODES.map((operator) => rows.get(operator) ?? { operator, collectMinor: 0n, depositMinor: 0n, heldMinor: 0n })
}
