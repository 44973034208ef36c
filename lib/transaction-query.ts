import { formatMinor } from './money.ts'
import type { QueryValues } from './paths.ts'
import type { TransactionFilter } from './schemas/transaction-filter.ts'

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
export const NO_FILTERS: Omit<TransactionQuery, 'sort' | 'page' | 'size'> = {
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
  unconfirmed: null,
  unconfirmedAfter: null,
  unconfirmedBefore: null,
  ...NO_WEBHOOK,
}

/** Nothing filtered, at the first page; order and page size stay. */
export function withoutFilters({ sort, size }: TransactionQuery): TransactionQuery {
  return { ...NO_FILTERS, sort, size, page: 0 }
}

/** Whether anything is filtered. */
export function isFiltered(query: TransactionQuery): boolean {
  const { sort: _, page: __, size: ___, ...filters } = query
  return Object.values(filters).some((value) => value !== null && value.length > 0)
}
