import type { TransactionQuery } from '#lib/transaction-query.ts'

/** A saved view: `query` is the query string of its list. */
export type View = { viewId: string; name: string; query: string }

/** The props of every filter: the current filters, and how to change some of them. */
export type FilterProps = { query: TransactionQuery; onChange: (change: Partial<TransactionQuery>) => void }

/** Somebody who may have created a transaction. */
export type Person = { personId: string; name: string }
