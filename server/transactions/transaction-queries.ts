import type { TransitionEvent } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { TRANSACTION_COLUMNS, type Transaction } from './transaction.ts'

/** The transaction with this id in this application; also undefined if it belongs to another application. */
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

/** The event that ended a transaction that a person started; undefined if it has not ended, or there is none of this id. */
export async function findEndOfPersons(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<TransitionEvent | undefined> {
  const { rows } = await queryable.query<{ event: TransitionEvent }>({
    name: 'find_end_of_persons',
    text: `select e.event from transactions t
      join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
      where t.application_id = $1 and t.transaction_id = $2 and t.source <> 'api'
        and t.status in ('SUCCESS', 'FAILED')`,
    values: [applicationId, transactionId],
  })
  return rows[0]?.event
}

/** The transaction that replaces another one, if there is one. */
export async function findReplacement(
  queryable: Queryable,
  applicationId: string,
  originId: string,
): Promise<{ transactionId: string; externalId: string } | undefined> {
  const { rows } = await queryable.query<{ transactionId: string; externalId: string }>({
    name: 'find_replacement',
    text: `select t.transaction_id as "transactionId", t.external_id as "externalId" from transaction_origins o
      join transactions t on t.application_id = o.application_id and t.transaction_id = o.transaction_id
      where o.application_id = $1 and o.origin_id = $2`,
    values: [applicationId, originId],
  })
  return rows[0]
}
