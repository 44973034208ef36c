import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

/** A transaction of any application. `ledger`: its application, whose books an adjustment would change. */
export type AdjustableRow = {
  ledger: string
  application: string
  transactionId: string
  operator: OperatorCode
  type: TransactionType
  status: TransactionStatus
  amountMinor: bigint
  phoneNumber: string
  createdAt: Date
  finalAt: Date | null
}

/** Returns the transaction with an id, whichever application has it: a probe of the primary key per application. */
export async function findInAnyLedger(queryable: Queryable, transactionId: string): Promise<AdjustableRow | undefined> {
  const { rows } = await queryable.query<AdjustableRow>(
    // `offset 0` keeps the planner from reading all transactions to join them.
    `select a.application_id as ledger, a.name as application, t.*
       from applications a cross join lateral (
         select transaction_id as "transactionId", operator, type, status, amount_minor as "amountMinor", phone_number as "phoneNumber",
                created_at as "createdAt", final_at as "finalAt"
           from transactions t where t.application_id = a.application_id and t.transaction_id = $1 offset 0) t
      limit 1`,
    [transactionId],
  )
  return rows[0]
}

export type FeesRow = { ledger: string; application: string; operator: OperatorCode; feesMinor: bigint }

/** Returns the fees that applications have earned and nobody has taken out, the applications by name; of one application if it is given. */
export async function selectFees(queryable: Queryable, ledger: string | null, countMax: number): Promise<FeesRow[]> {
  const { rows } = await queryable.query<FeesRow>(
    `select b.application_id as ledger, a.name as application, b.operator, b.fees_minor as "feesMinor"
       from ledger_balances b join applications a using (application_id)
      where b.fees_minor <> 0 and ($1::uuid is null or b.application_id = $1)
      order by a.name, b.application_id, b.operator limit $2`,
    [ledger, countMax],
  )
  return rows
}

/** Returns every application with fees that nobody has taken out. */
export async function selectLedgersWithFees(queryable: Queryable): Promise<{ ledger: string; application: string }[]> {
  const { rows } = await queryable.query<{ ledger: string; application: string }>(
    `select a.application_id as ledger, a.name as application from applications a
      where exists (select from ledger_balances b where b.application_id = a.application_id and b.fees_minor <> 0)
      order by a.name, a.application_id`,
  )
  return rows
}
