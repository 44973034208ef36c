import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'

/**
 * Why the outcome of a payment is unknown. `no_answer`: the operator's answer was lost, or says nothing. `late`: accepted, and without a result for
 * longer than usual. `contradicted`: the operator contradicts the stored result. `hinted`: so does a message that it neither confirmed nor denied.
 * The texts are `unconfirmed.kind.<kind>`.
 */
export type UnconfirmedKind = 'no_answer' | 'late' | 'contradicted' | 'hinted'

/** The kinds that the desk can be narrowed to. `contradicted`: hinted ones too. */
export const UNCONFIRMED_FILTERS = ['no_answer', 'late', 'contradicted'] as const satisfies readonly UnconfirmedKind[]

/** Ages that the desk can be narrowed to, in minutes. */
export const UNCONFIRMED_AGES = [10, 60, 1_440, 4_320] as const

/** The filters of the desk, as its address has them. */
export type UnconfirmedQuery = {
  /** `me`, `nobody` or a person. */
  owner: string | null
  kind: (typeof UNCONFIRMED_FILTERS)[number] | null
  operator: OperatorCode | null
  type: TransactionType | null
  currency: Currency | null
  batch: string | null
  /** Unknown for longer than this. */
  minutes: number | null
  /** Unknown since this instant or later, and before that one: how the ages of the overview open their rows. */
  unconfirmedAfter: string | null
  unconfirmedBefore: string | null
  page: number
}

/** Returns the filters as an address writes them, which counts pages from 1. */
export function unconfirmedAddress({ page, ...filters }: UnconfirmedQuery): QueryValues {
  return { ...filters, page: page === 0 ? null : page + 1 }
}

export type UnconfirmedNote = { note: string; person: string; at: string }

/** A payment whose outcome is unknown. Instants are ISO 8601, amounts decimals. */
export type UnconfirmedRow = {
  transactionId: string
  kind: UnconfirmedKind
  operator: OperatorCode
  type: TransactionType
  currency: Currency
  amount: string
  customerName: string
  phoneNumber: string
  operatorReference: string | null
  since: string
  /** Within this half of the results of its operator and direction came in the last days; null where there were none. */
  usualMs: number | null
  lastQuery: { at: string; said: string | null } | null
  nextQueryAt: string | null
  owner: { personId: string; name: string } | null
  /** The newest first, at most twenty. */
  notes: readonly UnconfirmedNote[]
}

/** The rows of one operator, currency and direction: neither currencies nor directions are added up. */
type UnconfirmedSum = { operator: OperatorCode; currency: Currency; type: TransactionType; count: number; amount: string }

export type UnconfirmedPage = { rows: readonly UnconfirmedRow[]; total: number; sums: readonly UnconfirmedSum[]; size: number }
