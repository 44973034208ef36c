import type { Currency } from './money.ts'
import type { OperatorCode } from './operators.ts'
import { paths } from './paths.ts'
import type { TransactionStatus, TransactionType } from './transaction-status.ts'

/** A transaction as one line. The amount is an exact decimal, the instant ISO 8601. */
export type SuggestedTransaction = {
  kind: 'transaction'
  transactionId: string
  externalId: string
  customerName: string
  phoneNumber: string
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  amount: string
  currency: Currency
  createdAt: string
}

/** Somebody who was paid or collected from, with the time of the latest transaction at this number. */
type SuggestedCustomer = { kind: 'customer'; customerName: string; phoneNumber: string; latestAt: string }

type SuggestedBatch = { kind: 'batch'; batchId: string }

export type SearchSuggestion = SuggestedTransaction | SuggestedCustomer | SuggestedBatch

/** Where a suggestion leads: the transaction itself, or the list of the customer's or the batch's transactions. */
export function suggestionAddress(application: string, suggestion: SearchSuggestion): string {
  switch (suggestion.kind) {
    case 'transaction':
      return paths.transaction(application, suggestion.transactionId)
    case 'batch':
      return paths.transactions(application, { batch: suggestion.batchId })
    case 'customer':
      return paths.transactions(application, { phone: suggestion.phoneNumber })
  }
}

/** What tells two suggestions of one list apart. */
export function suggestionKey(suggestion: SearchSuggestion): string {
  if (suggestion.kind === 'customer') return `${suggestion.phoneNumber} ${suggestion.customerName}`
  return suggestion.kind === 'batch' ? suggestion.batchId : suggestion.transactionId
}
