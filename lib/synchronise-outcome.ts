import type { TransactionStatus } from './transaction-status.ts'

/** What a request to synchronise one transaction ended with: its status after the query, or why the operator was not queried. */
export type SynchroniseOutcome = TransactionStatus | 'not_found' | 'operator_unavailable' | 'busy' | 'throttled'

/** Transactions in one request: fewer than the queries that one person may have in progress at an operator. */
export const SYNCHRONISED_AT_ONCE = 10
