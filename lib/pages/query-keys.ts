import type { QueryValues } from './paths.ts'

/**
 * The keys of everything react-query holds, application first. `…s` is the root that an invalidation takes; below it lie the
 * filters as in the address. Explicit, because a minifier may rename a function but not a word.
 */
export const queryKeys = {
  transactions: (application: string) => ['transactions', application] as const,
  transactionList: (application: string, filters: QueryValues) => ['transactions', application, 'list', filters] as const,
  transaction: (application: string, transactionId: string) => ['transactions', application, 'one', transactionId] as const,
  /** Below the transactions: it changes with them. */
  apiRequests: (application: string) => ['transactions', application, 'requests'] as const,
  approvals: (application: string) => ['approvals', application] as const,
  approvalList: (application: string, filters: QueryValues) => ['approvals', application, 'list', filters] as const,
  approval: (application: string, transactionId: string) => ['approvals', application, 'one', transactionId] as const,
  batchApproval: (application: string, batchId: string) => ['approvals', application, 'batch', batchId] as const,
  batchRows: (application: string, batchId: string, query: QueryValues) => ['approvals', application, 'batch', batchId, query] as const,
  batchRun: (application: string, batchId: string) => ['transactions', application, 'batch', batchId] as const,
  waiting: (application: string) => ['approvals', application, 'waiting'] as const,
  suggestions: (application: string, text: string) => ['suggestions', application, text] as const,
  overview: (application: string, days: number) => ['overview', application, days] as const,
  totals: (application: string, filters: QueryValues) => ['totals', application, filters] as const,
  balances: (application: string) => ['balances', application] as const,
  statementLines: (application: string, operator: string, filters: QueryValues) =>
    ['balances', application, operator, 'lines', filters] as const,
  statement: (application: string, operator: string, filters: QueryValues) => ['balances', application, operator, filters] as const,
} as const
