import type { Currency } from './money.ts'
import type { OperatorCode } from './operators.ts'
import type { TransactionStatus, TransactionType } from './transaction-status.ts'

/** A note about a transaction beyond its status. */
export type TransactionNote =
  | { kind: 'message'; text: string }
  | { kind: 'unconfirmed'; since: string }
  | { kind: 'approvals'; done: number; needed: number }

/** One line of the transaction list. Amounts are exact decimals, instants ISO 8601. */
export type TransactionRow = {
  transactionId: string
  externalId: string
  createdAt: string
  finalAt: string | null
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  currency: Currency
  amount: string
  fees: string
  customerName: string
  phoneNumber: string
  payToken: string
  makerName: string | null
  note: TransactionNote | null
}

/** Count and sum of a filter in one currency. */
export type SumDto = { currency: Currency; count: number; amount: string }

/** One page of the transaction list, as the page renders it and as its data address answers. */
export type TransactionListDto = {
  rows: TransactionRow[]
  total: number
  sums: SumDto[]
  /** The UTC day at which the search reached its limit; null if it did not. */
  searchedBackTo: string | null
  isSortedAsAsked: boolean
}
