import { type DataTag, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ApprovalPage, ApprovalView, BulkSnapshot } from '#lib/approvals/approvals.ts'
import type { BatchApproval, BatchRowsPage } from '#lib/approvals/batch-approval.ts'
import type { IntendedDecision } from '#lib/approvals/intended.ts'
import type { BatchRunDto } from '#lib/batches/batches.ts'
import type { BalancesDto, OverviewDto, StatementDto, StatementLinesDto, TotalsDto } from '#lib/finance/finance-dto.ts'
import type { ApiCallListDto } from '#lib/partner/partner-requests.ts'
import type { SearchSuggestion } from '#lib/payments/search-suggestion.ts'
import type { TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import type { TransactionListDto } from '#lib/payments/transactions/transaction-list.ts'
import type { InstallationDto } from './installation.ts'
import { paths, type QueryValues } from './paths.ts'
import { fetchData, hasParts, isListOf } from './query-client.ts'
import type { WaitingCounts, WaitingDto } from './waiting.ts'

/**
 * The beginnings of the keys of everything react-query holds, for invalidations: what changes together begins alike. Explicit, because a
 * minifier may rename a function but not a word.
 */
export const queryKeys = {
  transactions: (application: string) => ['transactions', application] as const,
  approvals: (application: string) => ['approvals', application] as const,
  balances: (application: string) => ['balances', application] as const,
} as const

/** Returns a resource of the back office: its key, the address below `paths.data`, and the check of what the address answers. */
export function resource<Dto>(
  application: string,
  queryKey: QueryKey,
  [rest, query]: readonly [rest: string, query?: QueryValues],
  isDto: (answer: unknown) => answer is Dto,
) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => fetchData(paths.data(application, rest, query), isDto, signal) })
}

/** Every resource that pages read first and the browser refetches, under one key. The form of a payment has its own, which lists need not load. */
export const queries = {
  transactionList: (application: string, filters: QueryValues) =>
    resource(
      application,
      [...queryKeys.transactions(application), 'list', filters],
      ['transactions', filters],
      hasParts<TransactionListDto>('rows', 'total', 'sums'),
    ),
  transaction: (application: string, transactionId: string) =>
    resource(
      application,
      [...queryKeys.transactions(application), 'one', transactionId],
      [`transactions/${transactionId}`],
      hasParts<TransactionDetailDto>('transactionId', 'status', 'events', 'attempts', 'entries'),
    ),
  /** The calls of the partner's program. They change with the transactions. */
  apiCalls: (application: string, filters: QueryValues) =>
    resource(
      application,
      [...queryKeys.transactions(application), 'calls', filters],
      ['calls', filters],
      hasParts<ApiCallListDto>('rows', 'total'),
    ),
  batchRun: (application: string, batchId: string) =>
    resource(
      application,
      [...queryKeys.transactions(application), 'batch', batchId],
      [`batches/${batchId}/run`],
      hasParts<BatchRunDto>('state', 'operators', 'decisions'),
    ),
  approvalList: (application: string, filters: QueryValues) =>
    resource(
      application,
      [...queryKeys.approvals(application), 'list', filters],
      ['approvals', filters],
      hasParts<ApprovalPage>('rows', 'total', 'batches', 'counts'),
    ),
  approval: (application: string, transactionId: string) =>
    resource(
      application,
      [...queryKeys.approvals(application), 'one', transactionId],
      [`approvals/${transactionId}`],
      hasParts<ApprovalView>('row', 'evidence', 'deciders'),
    ),
  approvalSnapshot: (application: string, filters: QueryValues) =>
    resource(
      application,
      [...queryKeys.approvals(application), 'snapshot', filters],
      ['approvals/snapshot', filters],
      hasParts<BulkSnapshot>('items', 'total'),
    ),
  batchApproval: (application: string, batchId: string) =>
    resource(
      application,
      [...queryKeys.approvals(application), 'batch', batchId],
      [`approvals/batches/${batchId}`],
      hasParts<BatchApproval>('statuses', 'operators', 'flags'),
    ),
  batchRows: (application: string, batchId: string, query: QueryValues) =>
    resource(
      application,
      [...queryKeys.approvals(application), 'batch', batchId, query],
      [`approvals/batches/${batchId}/rows`, query],
      hasParts<BatchRowsPage>('rows', 'total'),
    ),
  waiting: (application: string) =>
    resource(application, [...queryKeys.approvals(application), 'waiting'], ['waiting'], hasParts<WaitingCounts>('count', 'pages')),
  /** Everything that the counts are about. They change together. */
  waitingItems: (application: string) =>
    resource(
      application,
      [...queryKeys.approvals(application), 'waiting', 'items'],
      ['waiting/items'],
      hasParts<WaitingDto>('count', 'groups'),
    ),
  intended: (application: string) =>
    resource(
      application,
      [...queryKeys.approvals(application), 'intended'],
      ['intended'],
      isListOf(hasParts<IntendedDecision>('intentionId', 'state', 'dueInMs', 'refused')),
    ),
  suggestions: (application: string, text: string) =>
    resource(application, ['suggestions', application, text], ['suggestions', { q: text }], isListOf(hasParts<SearchSuggestion>('kind'))),
  overview: (application: string, days: number) =>
    resource(
      application,
      ['overview', application, days],
      ['overview', { days }],
      hasParts<OverviewDto>('asOf', 'disturbed', 'checker', 'finance', 'maker'),
    ),
  installation: (application: string) =>
    resource(
      application,
      ['installation', application],
      ['installation'],
      hasParts<InstallationDto>('processes', 'replication', 'waiting', 'tasks', 'archive'),
    ),
  totals: (application: string, filters: QueryValues) =>
    resource(application, ['totals', application, filters], ['totals', filters], hasParts<TotalsDto>('zone', 'money')),
  balances: (application: string) =>
    resource(application, queryKeys.balances(application), ['balances'], hasParts<BalancesDto>('free', 'cards')),
  statement: (application: string, operator: string, filters: QueryValues) =>
    resource(
      application,
      [...queryKeys.balances(application), operator, filters],
      [`balances/${operator}`, filters],
      hasParts<StatementDto>('opening', 'movements', 'closing'),
    ),
  statementLines: (application: string, operator: string, filters: QueryValues) =>
    resource(
      application,
      [...queryKeys.balances(application), operator, 'lines', filters],
      [`balances/${operator}/lines`, filters],
      hasParts<StatementLinesDto>('lines', 'total'),
    ),
} as const

/** The part of a resource that a page has read before it renders. */
export type Seed = readonly [queryKey: QueryKey, value: unknown]

/** Pairs a resource with its value, as the reader of the same address returned it. */
export function seed<Dto>({ queryKey }: { queryKey: DataTag<QueryKey, Dto, Error> }, value: NoInfer<Dto>): Seed {
  return [queryKey, value]
}
