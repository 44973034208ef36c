import type { OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

/** The balances that a funding can change, in hundredths. */
export type FundedBalances = { collectMinor: bigint; depositMinor: bigint }

/** Undefined if the application has no balances at this operator. */
export async function readFundedBalances(
  queryable: Queryable,
  applicationId: string,
  operator: OperatorCode,
): Promise<FundedBalances | undefined> {
  const { rows } = await queryable.query<FundedBalances>(
    `select collect_minor as "collectMinor", deposit_minor as "depositMinor" from ledger_balances where application_id = $1 and operator = $2`,
    [applicationId, operator],
  )
  return rows[0]
}
