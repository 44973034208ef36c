import type { CountryName, OperatorCode } from './operators.ts'
import type { QueryValues } from './paths.ts'
import type { TransactionStatus, TransactionType } from './transaction-status.ts'
import type { WebhookState } from './webhook-state.ts'

type TransactionSort = 'newest' | 'oldest' | 'amount-desc' | 'amount-asc'

/**
 * The filters of the transaction list as a browser holds them: what lib/schemas/transaction-filter.ts makes of an address, with amounts
 * as decimal texts. No schema is needed to change it, so none is in the page.
 */
export type TransactionQuery = {
  status: readonly TransactionStatus[]
  type: readonly TransactionType[]
  operator: readonly OperatorCode[]
  country: readonly CountryName[]
  /** UTC days, both included. */
  from: string | null
  to: string | null
  min: string | null
  max: string | null
  phone: string
  name: string
  batch: string | null
  unconfirmed: '1' | null
  unconfirmedAfter: string | null
  unconfirmedBefore: string | null
  webhook: WebhookState | null
  webhookTarget: string | null
  webhookAfter: string | null
  webhookBefore: string | null
  sort: TransactionSort
  /** From 1. */
  page: number
  size: number
}

const DEFAULT_SIZE = 50

/** What stands in the address: the usual order, page and size are left out, so that two addresses of one list are the same. */
export function toAddressValues(query: TransactionQuery): QueryValues {
  const { sort, page, size, ...filters } = query
  return { ...filters, sort: sort === 'newest' ? null : sort, size: size === DEFAULT_SIZE ? null : size, page: page === 1 ? null : page }
}

/** The query with some filters changed; it begins at its first page again. */
export function withFilters(query: TransactionQuery, change: Partial<TransactionQuery>): TransactionQuery {
  return { ...query, page: 1, ...change }
}

/** The change that takes the filter by webhook away. */
export const NO_WEBHOOK = { webhook: null, webhookTarget: null, webhookAfter: null, webhookBefore: null }

/** Nothing filtered; order and page size stay. */
export function withoutFilters(query: TransactionQuery): TransactionQuery {
  return {
    status: [],
    type: [],
    operator: [],
    country: [],
    from: null,
    to: null,
    min: null,
    max: null,
    phone: '',
    name: '',
    batch: null,
    unconfirmed: null,
    unconfirmedAfter: null,
    unconfirmedBefore: null,
    ...NO_WEBHOOK,
    sort: query.sort,
    size: query.size,
    page: 1,
  }
}

/** Whether anything is filtered. */
export function isFiltered(query: TransactionQuery): boolean {
  const { sort: _, page: __, size: ___, ...filters } = query
  return Object.values(filters).some((value) => value !== null && value.length > 0)
}
