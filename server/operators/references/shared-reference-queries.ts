import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

type SharedReferenceRow = {
  transactionId: string
  operator: OperatorCode
  type: TransactionType
  operatorReference: string
  /** Null if the other transaction belongs to another application, whose transactions are nobody's business here. */
  otherTransactionId: string | null
  at: Date
}

/** Transactions of an application whose operator reference another transaction has too, the newest first. */
export async function listSharedReferences(queryable: Queryable, applicationId: string, limit: number): Promise<SharedReferenceRow[]> {
  const { rows } = await queryable.query<SharedReferenceRow>({
    name: 'list_shared_references',
    text: `select s.transaction_id as "transactionId", s.operator, s.type, s.operator_reference as "operatorReference",
             case when s.other_application_id = s.application_id then s.other_transaction_id end as "otherTransactionId", s.at
           from shared_operator_references s where s.application_id = $1 order by s.at desc, s.transaction_id limit $2`,
    values: [applicationId, limit],
  })
  return rows
}
