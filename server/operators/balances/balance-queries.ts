import type { OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

type OperatorBalance = {
  operator: OperatorCode
  collectMinor: bigint | null
  depositMinor: bigint | null
  ledgerMinor: bigint
  /** Reported less ledger; null if the operator does not report all of it. */
  differenceMinor: bigint | null
  checkedAt: Date
  differsSince: Date | null
}

/** Returns the balances of this installation that the operators reported last. They belong to no application. */
export async function listOperatorBalances(queryable: Queryable): Promise<OperatorBalance[]> {
  const { rows } = await queryable.query<OperatorBalance>({
    name: 'list_operator_balances',
    text: `select operator, collect_minor as "collectMinor", deposit_minor as "depositMinor", ledger_minor as "ledgerMinor",
             difference_minor as "differenceMinor", checked_at as "checkedAt", differs_since as "differsSince"
           from operator_balances order by operator`,
  })
  return rows
}

/** `isOnlyOurs`: no other application has money at this operator, so that the figures tell nothing about one. */
type ComparedBalance = OperatorBalance & { isOnlyOurs: boolean }

/** The same for the administrators of one application. */
export async function listBalancesFor(queryable: Queryable, applicationId: string): Promise<ComparedBalance[]> {
  const [balances, { rows }] = await Promise.all([
    listOperatorBalances(queryable),
    queryable.query<{ operator: string }>(
      `select distinct operator from ledger_balances where application_id <> $1 and clearing_minor <> 0`,
      [applicationId],
    ),
  ])
  const shared = new Set(rows.map(({ operator }) => operator))
  return balances.map((balance) => ({ ...balance, isOnlyOurs: !shared.has(balance.operator) }))
}
