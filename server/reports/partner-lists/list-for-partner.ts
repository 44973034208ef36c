import type { TransactionStatus } from '#lib/payments/transaction-status.ts'
import { assertNever } from '#lib/result.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import {
  type ListRow,
  type Page,
  type PageRequest,
  selectFinalPage,
  selectPage,
  selectPendingPage,
  selectPhonePage,
  selectWaitingPage,
} from './list-for-partner-store.ts'

/** An application's transactions, newest first. A page past the end has no rows. */
export async function listTransactions(queryable: Queryable, applicationId: string, request: PageRequest): Promise<Page<Transaction>> {
  return asPage(await selectPage(queryable, applicationId, request), request)
}

/** Those in one status; for SUCCESS and FAILED the newest result first. */
export async function listByStatus(
  queryable: Queryable,
  applicationId: string,
  status: TransactionStatus,
  request: PageRequest,
): Promise<Page<Transaction>> {
  return asPage(await rowsOf(queryable, applicationId, status, request), request)
}

/** Those of one phone number, exactly as written, newest first. */
export async function listByPhone(
  queryable: Queryable,
  applicationId: string,
  phoneNumber: string,
  request: PageRequest,
): Promise<Page<Transaction>> {
  return asPage(await selectPhonePage(queryable, applicationId, phoneNumber, request), request)
}

function rowsOf(queryable: Queryable, applicationId: string, status: TransactionStatus, request: PageRequest): Promise<ListRow[]> {
  switch (status) {
    case 'SUCCESS':
    case 'FAILED':
      return selectFinalPage(queryable, applicationId, status, request)
    case 'PENDING':
      return selectPendingPage(queryable, applicationId, request)
    case 'PENDING_APPROVAL':
      return selectWaitingPage(queryable, applicationId, request)
    default:
      return assertNever(status)
  }
}

function asPage(rows: ListRow[], { page, size }: PageRequest): Page<Transaction> {
  return { rows: rows.filter(isTransaction), total: rows[0]?.total ?? 0n, page, size }
}

/** The one row of an empty page carries only the total. */
function isTransaction(row: ListRow): row is ListRow & Transaction {
  return row.transactionId !== null
}
