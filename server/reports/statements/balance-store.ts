import type { OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

/** The balances at one operator, in hundredths of its currency. Held money is not part of `depositMinor`. */
export type Balance = { operator: OperatorCode; collectMinor: bigint; depositMinor: bigint; heldMinor: bigint }

/** The live balances of an application, one row per operator that has any. */
export async function selectBalances(queryable: Queryable, applicationId: string): Promise<Balance[]> {
  const { rows } = await queryable.query<Balance>({
    name: 'select_balances',
    text: `select operator, collect_minor as "collectMinor", deposit_minor as "depositMinor", held_minor as "heldMinor"
      from ledger_balances where application_id = $1`,
    values: [applicationId],
  })
  return rows
}
