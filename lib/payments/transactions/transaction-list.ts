import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import { type Currency, formatMinor } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import type { TransactionFilter } from '#lib/schemas/list-filter.ts'
import type { PaymentTexts } from '../payment-fields.ts'
import type { RefundMark } from '../refunds.ts'
import type { TransactionStatus, TransactionType } from './transaction-status.ts'

/**
 * The filters of the transaction list as a browser holds them: TransactionFilter with amounts as decimal texts, because JSON has no bigint.
 * Pages count from 0; `?page=` counts from 1. No schema is needed to change it, so none is in the page.
 */
export type TransactionQuery = Omit<TransactionFilter, 'min' | 'max'> & { min: string | null; max: string | null }

const DEFAULT_SIZE = 50

/** A filter as a browser may hold it. */
export function toTransactionQuery(filter: TransactionFilter): TransactionQuery {
  return { ...filter, min: filter.min === null ? null : formatMinor(filter.min), max: filter.max === null ? null : formatMinor(filter.max) }
}

/** The values of the address: the default order, page and size are left out, so that one list has one address. */
export function toAddressValues(query: TransactionQuery): QueryValues {
  const { sort, page, size, ...filters } = query
  return {
    ...filters,
    sort: sort === 'newest' ? null : sort,
    size: size === DEFAULT_SIZE ? null : size,
    page: page === 0 ? null : page + 1,
  }
}

/** The query with some filters changed, at its first page. */
export function withFilters(query: TransactionQuery, change: Partial<TransactionQuery>): TransactionQuery {
  return { ...query, page: 0, ...change }
}

/** The change that removes the filter by webhook. */
export const NO_WEBHOOK = { webhook: null, webhookTarget: null, webhookAfter: null, webhookBefore: null }

/** Every filter at its default, as the schema has it. */
export const NO_FILTERS: Omit<TransactionQuery, 'sort' | 'page' | 'size' | 'fees'> = {
  status: [],
  type: [],
  operator: [],
  country: [],
  currency: [],
  from: null,
  to: null,
  min: null,
  max: null,
  phone: '',
  name: '',
  batch: null,
  maker: null,
  reason: [],
  ended: null,
  refund: null,
  unconfirmed: null,
  unconfirmedAfter: null,
  unconfirmedBefore: null,
  ...NO_WEBHOOK,
}

/** Nothing filtered, at the first page; order, page size and whether fees are shown stay. */
export function withoutFilters({ sort, size, fees }: TransactionQuery): TransactionQuery {
  return { ...NO_FILTERS, sort, size, fees, page: 0 }
}

/** Whether anything is filtered. */
export function isFiltered(query: TransactionQuery): boolean {
  const { sort: _, page: __, size: ___, fees: ____, ...filters } = query
  return Object.values(filters).some((value) => value !== null && value.length > 0)
}

/** A note about a transaction beyond its status. */
export type TransactionNote =
  | { kind: 'message'; text: string }
  | { kind: 'unconfirmed'; since: string }
  | { kind: 'approvals'; done: number; needed: number }

/** One line of the transaction list. Amounts are exact decimals, instants ISO 8601. */
export type TransactionRow = PaymentTexts & {
  transactionId: string
  externalId: string
  createdAt: string
  finalAt: string | null
  type: TransactionType
  status: TransactionStatus
  /** Entries two people posted after the status was final, in order of time. */
  adjustments: readonly AdjustmentKind[]
  refund: RefundMark | null
  operator: OperatorCode
  currency: Currency
  amount: string
  fees: string
  phoneNumber: string
  payToken: string
  makerName: string | null
  note: TransactionNote | null
}

/** Count and sum in one currency. */
export type SumDto = { currency: Currency; count: number; amount: string }

/** Of one direction and status. `fees`: null where they are not added up. */
export type ListSumDto = SumDto & { type: TransactionType; status: TransactionStatus; fees: string | null }

/** One page of the transaction list, as the page renders it and as its data address answers. */
export type TransactionListDto = {
  rows: TransactionRow[]
  total: number
  /** By currency and status, those of one currency together. */
  sums: ListSumDto[]
  /** The UTC day at which the search reached its limit; null if it did not. */
  searchedBackTo: string | null
  isSortedAsAsked: boolean
}

/** The result of a request to synchronise one transaction: its status after the enquiry, or why the operator was not asked. */
export type SynchroniseOutcome = TransactionStatus | 'not_found' | 'operator_unavailable' | 'busy' | 'throttled'

/** Transactions in one request: fewer than the queries that one person may have in progress at an operator. */
export const SYNCHRONISED_AT_ONCE = 10
