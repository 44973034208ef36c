import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CurrencyAmount, DecisionObstacle, RiskFlag, TermsObstacle } from '#lib/approvals/approvals.ts'
import {
  BATCH_ROW_FILTERS,
  BATCH_ROWS_PAGE_SIZE,
  type BatchApproval,
  type BatchOperator,
  type BatchRowFilter,
  type BatchRowsPage,
} from '#lib/approvals/batch-approval.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { BASE_RULE } from '#lib/rules/approval-policy.ts'
import type { BatchRowsQuery } from '#lib/schemas/batch.ts'
import { createBoundedCache } from '#server/credentials/password.ts'
import type { Queryable } from '#server/database/pool.ts'
import { joinSteps } from '#server/policy/bands-for.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import { type BatchGroup, type BatchState, listBatchEnds, selectBatch, selectBatchDeciders, selectWaitingRows } from './batch-store.ts'
import { readRisks } from './evidence/evidence.ts'
import { selectDepositBalances } from './evidence/evidence-store.ts'
import { type ApprovalViewer, countApprovals, findApprovals } from './queue/queue.ts'

/** A batch as this person may see and decide it now; undefined if the application has no such batch from a file. */
export async function readBatch(queryable: Queryable, viewer: ApprovalViewer, batchId: string): Promise<BatchApproval | undefined> {
  const batch = await selectBatch(queryable, viewer, batchId)
  if (!batch) return undefined
  const waiting = batch.groups.filter((group) => group.status === 'PENDING_APPROVAL')
  const [flags, balances, deciders, ends] = await Promise.all([
    readBatchFlags(queryable, viewer.applicationId, batchId, batch.hash),
    selectDepositBalances(queryable, viewer.applicationId, [...new Set(waiting.map((group) => group.operator))]),
    waiting.length === 0 ? [] : selectBatchDeciders(queryable, viewer.applicationId, batchId),
    waiting.length === 0 ? listBatchEnds(queryable, viewer.applicationId, batchId) : [],
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
    ends,
    deciders: deciders.filter((person) => person.personId !== viewer.id).map((person) => person.name),
    ...verdictOf(weighed, viewer),
    canRecall: canRecall(batch, viewer, waiting.length > 0),
    releaseAt: batch.releaseAt?.toISOString() ?? null,
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

/** Rows whose histories are read in one go: other requests get their turn in between. */
const PART = 250
const KEPT_MS = 60_000
/** From this many times the median of the batch on, a row is large. */
const LARGE_FROM = 2n

type Flags = { ids: Record<BatchRowFilter, readonly string[]> }
type Entry = { atMs: number; flags: Promise<Flags> }

/** Of the batches that were looked at last. The hash is part of the key, so what is kept is never about other rows. */
const known = createBoundedCache<string, Entry>(16)

/**
 * Which waiting rows of a batch a checker should look at, in order, for each filter. The flags are those of single transactions. Kept for a
 * minute, because the histories behind ten thousand rows take about a second to read; `hash` says which rows they are about.
 */
function readBatchFlags(queryable: Queryable, applicationId: string, batchId: string, hash: string): Promise<Flags> {
  const key = `${applicationId} ${batchId} ${hash}`
  const entry = known.get(key)
  if (entry && performance.now() - entry.atMs < KEPT_MS) return entry.flags
  const flags = computeFlags(queryable, applicationId, batchId)
  known.set(key, { atMs: performance.now(), flags })
  // biome-ignore lint/plugin/no-silent-error: A failure is not kept.
  flags.catch(() => known.delete(key))
  return flags
}

async function computeFlags(queryable: Queryable, applicationId: string, batchId: string): Promise<Flags> {
  const rows = await selectWaitingRows(queryable, applicationId, batchId)
  const ids = Object.fromEntries(BATCH_ROW_FILTERS.map((filter) => [filter, [] as string[]])) as Record<BatchRowFilter, string[]>
  const medians = mediansOf(rows)
  for (let start = 0; start < rows.length; start += PART) {
    const part = rows.slice(start, start + PART)
    const risks = await readRisks(queryable, applicationId, part, { comparesNames: false })
    for (const row of part) sort(ids, row, risks.get(row.transactionId) ?? [], medians.get(row.currency) ?? 0n)
    await nextTurn()
  }
  return { ids }
}

function sort(ids: Record<BatchRowFilter, string[]>, row: Transaction, risks: readonly RiskFlag[], medianMinor: bigint): void {
  const has = (kind: RiskFlag['kind']) => risks.some((risk) => risk.kind === kind)
  const isLarge = has('times') || row.amountMinor > LARGE_FROM * medianMinor
  ids.all.push(row.transactionId)
  if (risks.length > 0 || isLarge) ids.flagged.push(row.transactionId)
  if (has('first')) ids.first.push(row.transactionId)
  if (isLarge) ids.large.push(row.transactionId)
  if (has('near')) ids.duplicate.push(row.transactionId)
}

function mediansOf(rows: readonly Transaction[]): Map<string, bigint> {
  return new Map(
    [...Map.groupBy(rows, (row) => row.currency)].map(([currency, own]) => {
      const amounts = own.map((row) => row.amountMinor).sort((left, right) => (left < right ? -1 : left > right ? 1 : 0))
      return [currency, amounts[Math.floor(amounts.length / 2)] ?? 0n]
    }),
  )
}

/** The requirements of a batch as one item, and what a person may do with it. */
export type WeighedBatch = {
  steps: number[]
  step: number
  given: number
  needed: number
  needsCode: boolean
  ruleNames: string[]
  isDefaultRule: boolean
  /** Why this person may not decide on any row; null: they may on some. */
  obstacle: DecisionObstacle | 'submitting' | null
  /** Rows that this person may decide on but nobody may approve now. */
  terms: TermsObstacle[]
}

/**
 * Joins what the rows need. The strictest of all rows counts for each of them, including rows that no longer wait: leaving out the rows
 * that need two people must not release the others after one. Approvals count from the row that has the fewest.
 */
export function weighBatch({ groups, state }: BatchState): WeighedBatch {
  const waiting = groups.filter((group) => group.status === 'PENDING_APPROVAL')
  const steps = joinSteps(groups.map((group) => group.steps))
  const fewest = waiting.length === 0 ? 0 : Math.min(...waiting.map((group) => group.given))
  const votes = Array.from({ length: fewest }, () => ({ decision: 'validated' as const, counts: true }))
  const { step, given, needed } = countApprovals(steps, votes)
  const names = [...new Set(groups.map((group) => group.ruleName))].filter((name) => name !== BASE_RULE.name)
  const open = waiting.filter((group) => group.obstacle === null)
  return {
    steps,
    step,
    given,
    needed,
    needsCode: groups.some((group) => group.needsCode),
    ruleNames: names,
    isDefaultRule: names.length === 0,
    obstacle: obstacleOf(groups, waiting, open, state),
    terms: open.flatMap(({ termsObstacle }) => termsObstacle ?? []),
  }
}

function obstacleOf(
  groups: readonly BatchGroup[],
  waiting: readonly BatchGroup[],
  open: readonly BatchGroup[],
  state: string | null,
): WeighedBatch['obstacle'] {
  const personal = groups.find((group) => group.obstacle === 'not_a_checker' || group.obstacle === 'is_maker')
  if (personal) return personal.obstacle
  if (waiting.length > 0 && state !== null && state !== 'submitted') return 'submitting'
  if (open.length > 0) return null
  return waiting.find((group) => group.obstacle !== null)?.obstacle ?? 'not_waiting'
}
