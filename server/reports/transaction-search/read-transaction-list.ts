import type { BusinessTime } from '#lib/business-days.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import type { TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import type { SumDto, TransactionListDto, TransactionNote, TransactionRow } from '#lib/transaction-row.ts'
import { isFinalStatus } from '#lib/transaction-status.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-snapshot.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import type { CurrencySum } from './period-counts-store.ts'
import { type RowNote, selectRowNotes } from './row-notes-store.ts'
import { searchTransactions } from './search-transactions.ts'

/**
 * Returns one page of the transaction list with the notes of its rows, ready for JSON. Counts, rows and notes are of one instant: the
 * counts say where the page begins, so a row that moved in between would be skipped, or shown on two pages.
 */
export function readTransactionList(pool: Pool, application: BusinessTime, filter: TransactionFilter): Promise<TransactionListDto> {
  return withSnapshot(pool, (snapshot) => readPage(snapshot, application, filter))
}

async function readPage(queryable: Queryable, application: BusinessTime, filter: TransactionFilter): Promise<TransactionListDto> {
  const found = await searchTransactions(queryable, application, filter)
  // A final transaction that a program made has no notes.
  const withNotes = found.rows.filter((row) => !isFinalStatus(row.status) || row.makerId !== null).map((row) => row.transactionId)
  const notes = withNotes.length === 0 ? [] : await selectRowNotes(queryable, application.applicationId, withNotes)
  const byId = new Map(notes.map((note) => [note.transactionId, note]))
  return {
    rows: found.rows.map((row) => toRow(row, byId.get(row.transactionId))),
    total: Number(found.total),
    sums: CURRENCIES.flatMap((currency) => found.sums.filter((sum) => sum.currency === currency)).map(toSumDto),
    searchedBackTo: found.searchedBackTo,
    isSortedAsAsked: found.isSortedAsAsked,
  }
}

/** A sum of one currency for JSON. */
function toSumDto({ currency, count, amountMinor }: CurrencySum): SumDto {
  return { currency, count: Number(count), amount: formatMinor(amountMinor) }
}

function toRow(row: Transaction, extra: RowNote | undefined): TransactionRow {
  return {
    transactionId: row.transactionId,
    externalId: row.externalId,
    createdAt: row.createdAt.toISOString(),
    finalAt: row.finalAt?.toISOString() ?? null,
    type: row.type,
    status: row.status,
    operator: row.operator,
    currency: row.currency,
    amount: formatMinor(row.amountMinor),
    fees: formatMinor(row.feeSystemMinor + row.feeAppMinor),
    customerName: row.customerName,
    phoneNumber: row.phoneNumber,
    payToken: row.payToken,
    makerName: extra?.makerName ?? null,
    note: noteOf(row, extra),
  }
}

/** The note of a row besides its status: why it failed, since when it is unconfirmed, or how many approvals it has. */
function noteOf(row: Transaction, extra: RowNote | undefined): TransactionNote | null {
  if (row.status === 'FAILED') return row.message === null ? null : { kind: 'message', text: row.message }
  if (row.status === 'PENDING' && extra?.unconfirmedSince) return { kind: 'unconfirmed', since: extra.unconfirmedSince.toISOString() }
  const needed = extra?.approvalsNeeded ?? null
  if (row.status === 'PENDING_APPROVAL' && needed !== null) return { kind: 'approvals', done: extra?.approvalsDone ?? 0, needed }
  return null
}
