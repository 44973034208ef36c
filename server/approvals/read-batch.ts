import type { CurrencyAmount } from '#lib/approvals.ts'
import { BATCH_ROWS_PAGE_SIZE, type BatchApproval, type BatchOperator, type BatchRowsPage } from '#lib/batch-approval.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { BatchRowsQuery } from '#lib/schemas/batch-decision.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type BatchGroup, type BatchState, selectBatch, selectBatchDeciders } from './batch-store.ts'
import { selectDepositBalances } from './evidence-store.ts'
import { type ApprovalViewer, findApprovals } from './list-approvals.ts'
import { readBatchFlags } from './read-batch-flags.ts'
import { type WeighedBatch, weighBatch } from './weigh-batch.ts'

/** A batch as this person may see and decide it now; undefined if the application has no such batch from a file. */
export async function readBatch(queryable: Queryable, viewer: ApprovalViewer, batchId: string): Promise<BatchApproval | undefined> {
  const batch = await selectBatch(queryable, viewer, batchId)
  if (!batch) return undefined
  const waiting = batch.groups.filter((group) => group.status === 'PENDING_APPROVAL')
  const [flags, balances, deciders] = await Promise.all([
    readBatchFlags(queryable, viewer.applicationId, batchId, batch.hash),
    selectDepositBalances(queryable, viewer.applicationId, [...new Set(waiting.map((group) => group.operator))]),
    waiting.length === 0 ? [] : selectBatchDeciders(queryable, viewer.applicationId, batchId),
  ])
  const { flagged, first, large, duplicate } = flags.ids
  const weighed = weighBatch(batch)
  return {
    batchId,
    name: batch.name,
    maker: { personId: batch.makerId, name: batch.makerName },
    createdAt: batch.createdAt.toISOString(),
    expiresAt: batch.expiresAt.toISOString(),
    count: countOf(waiting),
    sums: sumsOf(waiting),
    rowCount: countOf(batch.groups),
    statuses: [...Map.groupBy(batch.groups, (group) => group.status)].map(([status, groups]) => ({ status, count: countOf(groups) })),
    operators: operatorsOf(waiting, new Map(balances.map((balance) => [balance.operator, balance.depositMinor]))),
    flags: { flagged: flagged.length, first: first.length, large: large.length, duplicate: duplicate.length },
    ruleNames: weighed.ruleNames,
    isDefaultRule: weighed.isDefaultRule,
    steps: weighed.steps,
    given: weighed.given,
    needed: weighed.needed,
    needsCode: weighed.needsCode,
    decisions: batch.decisions.map(({ decidedAt, ...decision }) => ({ ...decision, at: new Date(decidedAt).toISOString() })),
    deciders: deciders.filter((person) => person.personId !== viewer.id).map((person) => person.name),
    ...verdictOf(weighed, viewer),
    canRecall: canRecall(batch, viewer, waiting.length > 0),
    hash: batch.hash,
    shownAt: batch.shownAt.toISOString(),
  }
}

/** One page of the waiting rows of a batch that fit a filter, in the order of the file. */
export async function listBatchRows(
  queryable: Queryable,
  viewer: ApprovalViewer,
  batchId: string,
  { filter, page }: BatchRowsQuery,
): Promise<BatchRowsPage | undefined> {
  const batch = await selectBatch(queryable, viewer, batchId)
  if (!batch) return undefined
  const { ids } = await readBatchFlags(queryable, viewer.applicationId, batchId, batch.hash)
  const shown = ids[filter].slice(page * BATCH_ROWS_PAGE_SIZE, (page + 1) * BATCH_ROWS_PAGE_SIZE)
  const rows = new Map((await findApprovals(queryable, viewer, shown)).map((row) => [row.transactionId, row]))
  return { rows: shown.flatMap((id) => rows.get(id) ?? []), total: ids[filter].length }
}

function verdictOf({ obstacle, terms, needsCode }: WeighedBatch, viewer: ApprovalViewer) {
  return {
    canDecide: obstacle ?? true,
    canReject: obstacle ?? true,
    canApprove: obstacle ?? terms[0] ?? (needsCode && !viewer.hasSecondFactor ? 'second_factor_missing' : true),
  } as const
}

function canRecall({ makerId, state }: BatchState, viewer: ApprovalViewer, isWaiting: boolean): BatchApproval['canRecall'] {
  if (makerId !== viewer.id) return 'not_the_maker'
  return isWaiting && (state === null || state === 'submitted') ? true : 'not_waiting'
}

function countOf(groups: readonly BatchGroup[]): number {
  return groups.reduce((count, group) => count + group.count, 0)
}

function amountOf(groups: readonly BatchGroup[]): bigint {
  return groups.reduce((sum, group) => sum + BigInt(group.amountMinor), 0n)
}

function sumsOf(groups: readonly BatchGroup[]): CurrencyAmount[] {
  return CURRENCIES.flatMap((currency) => {
    const own = groups.filter((group) => group.currency === currency)
    return own.length === 0 ? [] : [{ currency, count: countOf(own), amount: formatMinor(amountOf(own)) }]
  })
}

function operatorsOf(groups: readonly BatchGroup[], depositMinor: ReadonlyMap<OperatorCode, bigint>): BatchOperator[] {
  return [...Map.groupBy(groups, (group) => group.operator)].flatMap(([operator, own]) => {
    const [first] = own
    if (!first) return []
    const feesMinor = own.reduce((sum, group) => sum + BigInt(group.feeMinor), 0n)
    const now = depositMinor.get(operator) ?? 0n
    return [
      {
        operator,
        currency: first.currency,
        count: countOf(own),
        amount: formatMinor(amountOf(own)),
        fees: formatMinor(feesMinor),
        balance: first.type === 'COLLECT' ? null : { now: formatMinor(now), after: formatMinor(now - amountOf(own) - feesMinor) },
      },
    ]
  })
}
