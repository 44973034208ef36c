import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RiskFlag } from '#lib/approvals.ts'
import { BATCH_ROW_FILTERS, type BatchRowFilter } from '#lib/batch-approval.ts'
import { createBoundedCache } from '#server/credentials/bounded-cache.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { selectWaitingRows } from './batch-store.ts'
import { readRisks } from './read-risks.ts'

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
export function readBatchFlags(queryable: Queryable, applicationId: string, batchId: string, hash: string): Promise<Flags> {
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
