import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import type { TransactionStatus, TransactionType } from './transactions/transaction-status.ts'

/** A transaction as one line. The amount is an exact decimal, the instant ISO 8601. */
export type SuggestedTransaction = {
  kind: 'transaction'
  transactionId: string
  externalId: string
  customerName: string
  phoneNumber: string
  type: TransactionType
  status: TransactionStatus
  adjustments: readonly AdjustmentKind[]
  operator: OperatorCode
  amount: string
  currency: Currency
  createdAt: string
}

/** Somebody who was paid or collected from, with the latest transaction at this number, which tells namesakes apart. */
type SuggestedCustomer = {
  kind: 'customer'
  customerName: string
  phoneNumber: string
  latest: { at: string; operator: OperatorCode; amount: string; currency: Currency }
}

/** A batch; `name` is null for one that was not made from a file here. */
type SuggestedBatch = { kind: 'batch'; batchId: string; name: string | null }

export type SearchSuggestion = SuggestedTransaction | SuggestedCustomer | SuggestedBatch

/** Where a suggestion leads: the transaction itself, the batch, or the list of the customer's transactions. */
export function suggestionAddress(application: string, suggestion: SearchSuggestion): string {
  switch (suggestion.kind) {
    case 'transaction':
      return paths.transaction(application, suggestion.transactionId)
    case 'batch':
      return suggestion.name === null
        ? paths.transactions(application, { batch: suggestion.batchId })
        : paths.batch(application, suggestion.batchId)
    case 'customer':
      return paths.transactions(application, { phone: suggestion.phoneNumber })
  }
}

/** A key that is unique within one list of suggestions. */
export function suggestionKey(suggestion: SearchSuggestion): string {
  if (suggestion.kind === 'customer') return `${suggestion.phoneNumber} ${suggestion.customerName}`
  return suggestion.kind === 'batch' ? suggestion.batchId : suggestion.transactionId
}
