import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

type CheckedBalance = {
  operator: OperatorCode
  collectMinor: bigint | null
  depositMinor: bigint | null
  /** Null if the operator does not report all of it. */
  reportedMinor: bigint | null
}

/**
 * Stores what an operator reports next to what the ledger says at this moment: everything collected and funded, less everything paid out,
 * of all applications, and what of the difference nothing explains. The beginnings of both stay while there is one.
 */
export async function storeBalance(
  queryable: Queryable,
  { operator, collectMinor, depositMinor, reportedMinor }: CheckedBalance,
): Promise<void> {
  await queryable.query({
    name: 'store_operator_balance',
    text: `insert into operator_balances as o
               (operator, collect_minor, deposit_minor, ledger_minor, difference_minor, checked_at, differs_since, unexplained_minor, unexplained_since)
             select $1, $2::bigint, $3::bigint, l.ledger_minor, $4::bigint - l.ledger_minor, clock_timestamp(),
                    case when $4::bigint <> l.ledger_minor then clock_timestamp() end, u.minor, case when u.minor <> 0 then clock_timestamp() end
               from (select coalesce(-sum(b.clearing_minor), 0)::bigint as ledger_minor from ledger_balances b where b.operator = $1) l
              cross join lateral (select unexplained_difference($1, $4::bigint - l.ledger_minor) as minor) u
           on conflict (operator) do update
             set collect_minor = excluded.collect_minor, deposit_minor = excluded.deposit_minor, ledger_minor = excluded.ledger_minor,
                 difference_minor = excluded.difference_minor, checked_at = excluded.checked_at,
                 differs_since = case when excluded.differs_since is not null then coalesce(o.differs_since, excluded.differs_since) end,
                 unexplained_minor = excluded.unexplained_minor, unexplained_since =
                   case when excluded.unexplained_since is not null then coalesce(o.unexplained_since, excluded.unexplained_since) end`,
    values: [operator, collectMinor, depositMinor, reportedMinor],
  })
}

/** Keeps what was stored last as one of the polls of 90 days. An installation that no application runs keeps none. */
export async function insertPoll(queryable: Queryable, operator: OperatorCode, reportedMinor: bigint | null): Promise<void> {
  await queryable.query({
    name: 'insert_operator_balance_poll',
    text: `insert into operator_balance_polls
               (application_id, operator, checked_at, collect_minor, deposit_minor, reported_minor, ledger_minor, differs_since,
                unexplained_minor, unexplained_since)
             select a.application_id, o.operator, o.checked_at, o.collect_minor, o.deposit_minor, $2::bigint, o.ledger_minor, o.differs_since,
                    o.unexplained_minor, o.unexplained_since
               from operator_balances o cross join applications a
              where o.operator = $1 and a.runs_installation
           on conflict do nothing`,
    values: [operator, reportedMinor],
  })
}

/** Removes polls before an instant. */
export async function deletePollsBefore(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query('delete from operator_balance_polls where checked_at < $1', [before])
}

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

/** A difference that nothing explains since the instant; in hundredths. */
export type BalanceAlarm = { operator: OperatorCode; unexplainedMinor: bigint; since: Date }

/** The differences that nothing has explained since before an instant, for the application that runs the installation; none for others. */
export async function listBalanceAlarms(queryable: Queryable, applicationId: string, before: Date): Promise<BalanceAlarm[]> {
  const { rows } = await queryable.query<BalanceAlarm>({
    name: 'list_balance_alarms',
    text: `select o.operator, o.unexplained_minor as "unexplainedMinor", o.unexplained_since as since
             from operator_balances o join applications a on a.application_id = $1 and a.runs_installation
            where o.unexplained_since < $2 order by o.operator`,
    values: [applicationId, before],
  })
  return rows
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
