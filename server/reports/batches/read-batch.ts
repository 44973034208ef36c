import { BATCH_FIELDS, type BatchColumns, type BatchField, cellText } from '#lib/batches/batch-fields.ts'
import {
  BATCH_PAGE_SIZE,
  type BatchApprovalNeed,
  type BatchDto,
  type BatchListItem,
  type BatchOperatorSum,
  type BatchRowDto,
  type CheckedBatchRow,
  type CurrencySum,
  type RowFilter,
} from '#lib/batches/batches.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { failureCase } from '#lib/payments/failure-case.ts'
import type { BatchListFilter } from '#lib/schemas/page-address.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { type BatchSum, findSubmittedTwin } from '#server/batches/batch-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import { bandsFor, exceedsLimits } from '#server/policy/bands-for.ts'
import {
  countRows,
  type FoundBatch,
  groupRepairs,
  hasFirstTime,
  type ListedBatch,
  type StoredRow,
  selectBatch,
  selectBatches,
  selectCheckerNames,
  selectFloats,
  selectRows,
} from './batch-report-store.ts'
import { type BatchResult, selectResults } from './batch-run-store.ts'
import { readAccounts } from './read-names.ts'

const SAMPLES = 3

/** A batch with everything around it: what it does to balances, the approvals that it needs, repairs, and the batch it repeats. */
export async function readBatch(queryable: Queryable, application: ApplicationSnapshot, batchId: string): Promise<BatchDto | undefined> {
  const { applicationId } = application
  const batch = await selectBatch(queryable, applicationId, batchId)
  if (!batch) return undefined
  const [counts, repairs, operators, approvals, checkers, twin, samples] = await Promise.all([
    countRows(queryable, applicationId, batchId),
    groupRepairs(queryable, applicationId, batchId),
    readOperators(queryable, batch),
    readApprovals(queryable, application, batch),
    selectCheckerNames(queryable, applicationId, batch.makerId),
    batch.contentHash && batch.state === 'draft' ? findSubmittedTwin(queryable, applicationId, batch.contentHash, batchId) : undefined,
    selectRows(queryable, batch, { show: 'all', offset: 0, limit: SAMPLES }),
  ])
  const accepted = new Set(batch.acceptedRepairs)
  return {
    ...pickFacts(batch),
    warningCount: counts.warnings,
    repairCount: counts.repairs,
    refusedCount: counts.refused,
    sums: sumsByCurrency(batch.sums),
    operators,
    repairs: repairs.map((repair) => ({ ...repair, isAccepted: accepted.has(repair.kind) })),
    approvals,
    checkers,
    twin: twin ? { ...twin, submittedAt: twin.submittedAt.toISOString() } : null,
    samples: samples.map(({ cells }) => cells.map(cellText)),
  }
}

/** One page of the rows of a batch. */
export async function readBatchRows(
  queryable: Queryable,
  batch: Pick<BatchDto, 'batchId' | 'columns'> & { applicationId: string },
  { show, page }: { show: RowFilter; page: number },
): Promise<CheckedBatchRow[]> {
  const rows = await selectRows(queryable, batch, { show, offset: page * BATCH_PAGE_SIZE, limit: BATCH_PAGE_SIZE })
  const accounts = await readAccounts(
    queryable,
    batch.applicationId,
    rows.map(({ operator, phoneNumber, customerName }) => ({ operator, phoneNumber, customer: customerName })),
  )
  return rows.map((row, index) => ({ ...toRow(row, batch.columns), account: accounts[index] ?? null }))
}

/** A stored row with what the file or the maker has in each field. */
export function toRow({ cells, amountMinor, earlier, ...row }: StoredRow, columns: BatchColumns | null): BatchRowDto {
  const typed = Object.fromEntries(BATCH_FIELDS.map((field) => [field, typedOf(field, row.edits, columns, cells)]))
  return {
    ...row,
    amount: amountMinor === null ? null : formatMinor(amountMinor),
    typed: typed as Record<BatchField, string>,
    inFile: Object.fromEntries(editedFields(row.edits).map((field) => [field, typedOf(field, {}, columns, cells)])),
    earlier: earlier && {
      failure: failureCase(earlier.type, earlier.event, earlier.message),
      message: earlier.message,
      at: new Date(earlier.at).toISOString(),
    },
  }
}

function editedFields(edits: StoredRow['edits']): BatchField[] {
  return BATCH_FIELDS.filter((field) => edits[field] !== undefined)
}

function typedOf(field: BatchField, edits: StoredRow['edits'], columns: BatchColumns | null, cells: StoredRow['cells']): string {
  const column = columns?.[field]
  return edits[field] ?? (column === undefined ? '' : cellText(cells[column]))
}

function pickFacts(batch: FoundBatch) {
  return {
    batchId: batch.batchId,
    name: batch.name,
    type: batch.type,
    state: batch.state,
    version: batch.version,
    fileName: batch.program ? null : batch.fileName,
    reading: batch.reading,
    headers: batch.headers,
    columns: batch.columns,
    defaultOperator: batch.defaultOperator,
    makerName: batch.makerName,
    createdByName: batch.createdByName,
    createdAt: batch.createdAt.toISOString(),
    changedAt: batch.changedAt.toISOString(),
    submittedAt: batch.submittedAt?.toISOString() ?? null,
    rowCount: batch.rowCount,
    readyCount: batch.readyCount,
    problemCount: batch.problemCount,
    excludedCount: batch.excludedCount,
    startedCount: batch.startedCount,
  }
}

async function readOperators(queryable: Queryable, batch: FoundBatch): Promise<BatchOperatorSum[]> {
  const isDeposit = batch.type === 'DEPOSIT'
  const floats = isDeposit
    ? await selectFloats(
        queryable,
        batch.applicationId,
        batch.sums.map(({ operator }) => operator),
      )
    : []
  return batch.sums.map(({ operator, count, amountMinor, feeMinor }) => {
    const float = floats.find((each) => each.operator === operator)
    const afterMinor = float ? float.depositMinor - BigInt(amountMinor) - BigInt(feeMinor) : null
    return {
      operator,
      currency: OPERATORS[operator].country.currency,
      count,
      amount: formatMinor(BigInt(amountMinor)),
      fees: formatMinor(BigInt(feeMinor)),
      balanceNow: float ? formatMinor(float.depositMinor) : null,
      balanceAfter: afterMinor === null ? null : formatMinor(afterMinor),
      balanceAfterWaiting: float && afterMinor !== null ? formatMinor(afterMinor - float.waitingMinor) : null,
    }
  })
}

/**
 * Returns the approvals that the rules require, weighed with the total per currency, as they will be weighed when the rows are started. A
 * single person who received much from this maker within 24 hours can need more than is shown here.
 */
async function readApprovals(queryable: Queryable, { policy }: ApplicationSnapshot, batch: FoundBatch): Promise<BatchApprovalNeed[]> {
  const needs = new Map<string, BatchApprovalNeed>()
  let isFirstTime: boolean | undefined
  for (const { currency, amount } of sumsByCurrency(batch.sums)) {
    const [whole = '0', fraction = ''] = amount.split('.')
    const totalMinor = BigInt(whole + fraction.padEnd(2, '0'))
    for (const { operator } of batch.sums.filter((sum) => OPERATORS[sum.operator].country.currency === currency)) {
      const bands = bandsFor(policy, { type: batch.type, operator, currency, source: 'file' }) ?? []
      const weighed = { weighedMinor: totalMinor, batchMinor: totalMinor, dayMinor: 0n }
      const passed = bands.filter((band) => exceedsLimits(band, weighed))
      if (passed.at(-1)?.firstTimeOnly) isFirstTime ??= await hasFirstTime(queryable, batch)
      const band = passed.findLast(({ firstTimeOnly }) => !firstTimeOnly || isFirstTime)
      if (!band) continue
      const need = {
        rules: band.rule.parts.map(({ name }) => name),
        steps: band.steps,
        needsCode: band.needsCode,
        firstTimeOnly: band.firstTimeOnly,
      }
      const key = JSON.stringify(need)
      const known = needs.get(key) ?? { ...need, currencies: [] }
      if (!known.currencies.includes(currency)) known.currencies.push(currency)
      needs.set(key, known)
    }
  }
  return [...needs.values()]
}

/** One page of an application's batches, newest first; discarded ones only if they are requested. */
export async function listBatches(
  queryable: Queryable,
  applicationId: string,
  filter: BatchListFilter,
): Promise<{ batches: BatchListItem[]; total: number }> {
  const rows = await selectBatches(queryable, applicationId, filter)
  return { batches: rows.map(toItem), total: rows[0]?.total ?? 0 }
}

/** The sums of operators, per currency. */
function sumsByCurrency(sums: readonly BatchSum[]): CurrencySum[] {
  return CURRENCIES.flatMap((currency) => {
    const own = sums.filter(({ operator }) => OPERATORS[operator].country.currency === currency)
    if (own.length === 0) return []
    return [
      {
        currency,
        count: own.reduce((count, sum) => count + sum.count, 0),
        amount: formatMinor(own.reduce((amount, sum) => amount + BigInt(sum.amountMinor), 0n)),
      },
    ]
  })
}

function toItem(row: ListedBatch): BatchListItem {
  return {
    batchId: row.batchId,
    name: row.name,
    type: row.type,
    stage: row.stage,
    places: row.places,
    makerName: row.makerName,
    decidedBy: row.decidedBy,
    rowCount: row.rowCount,
    readyCount: row.readyCount,
    problemCount: row.problemCount,
    sums: sumsByCurrency(row.sums),
    createdAt: row.createdAt.toISOString(),
    submittedAt: row.submittedAt?.toISOString() ?? null,
  }
}

const PART = 1_000

/** Returns the result of each row of a batch, in the order of the file, in parts. */
export async function* readBatchResults(queryable: Queryable, applicationId: string, batchId: string): AsyncGenerator<BatchResult[]> {
  for (let after = 0n; ; ) {
    const part = await selectResults(queryable, { applicationId, batchId, after, limit: PART })
    const last = part.at(-1)
    if (!last) return
    yield part
    after = last.sequence
  }
}
