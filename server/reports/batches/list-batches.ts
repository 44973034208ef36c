import type { BatchListItem, CurrencySum } from '#lib/batch-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { BatchListFilter } from '#lib/schemas/batch-address.ts'
import type { BatchSum } from '#server/batches/batch.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type ListedBatch, selectBatches } from './batch-report-store.ts'

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
export function sumsByCurrency(sums: readonly BatchSum[]): CurrencySum[] {
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
    state: row.state,
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
