import { CURRENCIES, formatMinor } from '#lib/money.ts'
import type { TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import type { TransactionQuery } from '#lib/transaction-query.ts'
import type { SumDto, TransactionListDto, TransactionNote, TransactionRow } from '#lib/transaction-row.ts'
import { isFinalStatus } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { type RowNote, selectRowNotes } from './row-notes-store.ts'
import type { CurrencySum } from './search-spans.ts'
import { searchTransactions } from './search-transactions.ts'

/** One page of the transaction list with what stands beside each row, ready for JSON. */
export async function readTransactionList(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
): Promise<TransactionListDto> {
  const found = await searchTransactions(queryable, applicationId, filter)
  // Nothing stands beside a final transaction that an interface made: no need to ask.
  const asked = found.rows.filter((row) => !isFinalStatus(row.status) || row.makerId !== null).map((row) => row.transactionId)
  const notes = asked.length === 0 ? [] : await selectRowNotes(queryable, applicationId, asked)
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
export function toSumDto({ currency, count, amountMinor }: CurrencySum): SumDto {
  return { currency, count: Number(count), amount: formatMinor(amountMinor) }
}

function toRow(row: Transaction, beside: RowNote | undefined): TransactionRow {
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
    makerName: beside?.makerName ?? null,
    note: noteOf(row, beside),
  }
}

/** The one thing to know of a row: why it failed, that nobody knows how it ended, or how many approvals it has. */
function noteOf(row: Transaction, beside: RowNote | undefined): TransactionNote | null {
  if (row.status === 'FAILED') return row.message === null ? null : { kind: 'message', text: row.message }
  if (row.status === 'PENDING' && beside?.unconfirmedSince) return { kind: 'unconfirmed', since: beside.unconfirmedSince.toISOString() }
  const needed = beside?.approvalsNeeded ?? null
  if (row.status === 'PENDING_APPROVAL' && needed !== null) return { kind: 'approvals', done: beside?.approvalsDone ?? 0, needed }
  return null
}

/** A filter as a browser may hold it: amounts as decimal texts. */
export function toTransactionQuery(filter: TransactionFilter): TransactionQuery {
  return { ...filter, min: filter.min === null ? null : formatMinor(filter.min), max: filter.max === null ? null : formatMinor(filter.max) }
}
