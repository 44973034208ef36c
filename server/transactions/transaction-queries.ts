import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from './transaction.ts'

/** The transaction with this id in this application; undefined also if it belongs to another application. */
export async function findTransaction(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<Transaction | undefined> {
  const { rows } = await queryable.query<Transaction>({
    name: 'find_transaction',
    text: `select ${TRANSACTION_COLUMNS} from transactions t where t.application_id = $1 and t.transaction_id = $2`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** The transactions that the application already made under these externalIds, in no particular order. */
export async function findByExternalIds(queryable: Queryable, applicationId: string, externalIds: string[]): Promise<Transaction[]> {
  const { rows } = await queryable.query<Transaction>({
    name: 'find_by_external_ids',
    text: `select ${TRANSACTION_COLUMNS} from transactions t where t.application_id = $1 and t.external_id = any ($2)`,
    values: [applicationId, externalIds],
  })
  return rows
}
