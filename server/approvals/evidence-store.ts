import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionStatus, TransactionType } from '#lib/transaction-status.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { mayDecide } from './may-decide.ts'

/** Another transaction with the same phone. Amounts in hundredths. */
export type PhoneRow = {
  transactionId: string
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  currency: string
  amountMinor: bigint
  customerName: string
  createdAt: Date
}

/** The newest transactions of this person, at most `limit`: one index descent for each form of the number, however often it was paid. */
export async function selectOfPhone(
  queryable: Queryable,
  applicationId: string,
  phoneNumbers: readonly string[],
  exceptId: string,
  limit: number,
): Promise<PhoneRow[]> {
  const { rows } = await queryable.query<PhoneRow>({
    name: 'select_of_phones',
    text: `select t.transaction_id as "transactionId", t.type, t.status, t.operator, t.currency, t.amount_minor as "amountMinor",
        t.customer_name as "customerName", t.created_at as "createdAt"
      from unnest($2::text[]) as p (phone_number)
        cross join lateral (select n.* from transactions n where n.application_id = $1 and n.phone_number = p.phone_number
                            order by n.sequence desc limit $4 + 1) t
      where t.transaction_id <> $3 order by t.sequence desc limit $4`,
    values: [applicationId, phoneNumbers, exceptId, limit],
  })
  return rows
}

/** The free deposit balance at an operator, and what all waiting deposits there would take from it. */
export async function selectDepositRoom(
  queryable: Queryable,
  applicationId: string,
  operator: OperatorCode,
): Promise<{ depositMinor: bigint; waitingMinor: bigint; waitingCount: number }> {
  const { rows } = await queryable.query<{ depositMinor: bigint; waitingMinor: bigint; waitingCount: number }>(
    `select coalesce((select b.deposit_minor from ledger_balances b where b.application_id = $1 and b.operator = $2), 0) as "depositMinor",
       coalesce(sum(t.amount_minor + t.fee_system_minor + t.fee_app_minor), 0) as "waitingMinor", count(*)::integer as "waitingCount"
     from transactions t where t.application_id = $1 and t.status = 'PENDING_APPROVAL' and t.type = 'DEPOSIT' and t.operator = $2`,
    [applicationId, operator],
  )
  return rows[0] ?? { depositMinor: 0n, waitingMinor: 0n, waitingCount: 0 }
}

/** Who may decide on a transaction now, by name. */
export async function selectDeciders(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<{ personId: string; name: string }[]> {
  return runQuery<{ personId: string; name: string }>(
    queryable,
    sql`select p.person_id as "personId", p.name
    from transactions t
      join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
      join memberships m on m.application_id = t.application_id
      join people p on p.person_id = m.person_id
    where t.application_id = ${applicationId} and t.transaction_id = ${transactionId}
      and ${mayDecide(sql`m.application_id`, sql`m.person_id`)}
    order by p.name, p.person_id`,
  )
}
