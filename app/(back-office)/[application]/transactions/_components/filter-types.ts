import type { TransactionQuery } from '#lib/transaction-query.ts'

/** A saved view: `query` is the query string of its list, `sharedBy` the name of its owner if that is somebody else. */
export type View = { viewId: string; name: string; query: string; isShared: boolean; sharedBy: string | null }

/** The props of every filter: the current filters, and how to change some of them. */
export type FilterProps = { query: TransactionQuery; onChange: (change: Partial<TransactionQuery>) => void }

/** Somebody who may have created a transaction. */
export type Person = { personId: string; name: string }
