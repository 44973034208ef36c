import type { BatchItem, CurrencyAmount } from '#lib/approvals.ts'
import type { BusinessTime } from '#lib/business-days.ts'
import { CURRENCIES, type Currency, formatMinor } from '#lib/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import type { ApprovalFilter } from '#lib/schemas/approval-filter.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type DecidedBatch, selectDecidedBatches } from './decided-batch-store.ts'
import type { QueueViewer } from './queue-store.ts'

/** The batches that were decided lately, by this checker and on these days if the filter says so, the newest decision first. */
export async function listDecidedBatches(
  queryable: Queryable,
  viewer: QueueViewer & BusinessTime,
  filter: ApprovalFilter,
): Promise<BatchItem[]> {
  const rows = await selectDecidedBatches(queryable, viewer, filter)
  return rows.map((row) => ({
    batchId: row.batchId,
    name: row.name,
    maker: { personId: row.makerId, name: row.makerName },
    createdAt: row.createdAt.toISOString(),
    expiresAt: null,
    count: row.rowCount,
    sums: sumByCurrency(row.sums),
    canDecide: 'not_waiting',
    decided: { by: row.decidedBy, at: row.decidedAt.toISOString() },
  }))
}

function sumByCurrency(sums: DecidedBatch['sums']): CurrencyAmount[] {
  const currencyOf = ({ operator }: { operator: OperatorCode }): Currency => OPERATORS[operator].country.currency
  return CURRENCIES.flatMap((currency) => {
    const own = sums.filter((sum) => currencyOf(sum) === currency)
    const amountMinor = own.reduce((total, sum) => total + BigInt(sum.amountMinor), 0n)
    return own.length === 0 ? [] : [{ currency, count: own.reduce((count, sum) => count + sum.count, 0), amount: formatMinor(amountMinor) }]
  })
}
