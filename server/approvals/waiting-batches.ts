import type { ApprovalQueue, ApprovalRow, BatchItem, CurrencyAmount, DecidedItem } from '#lib/approvals/approvals.ts'
import { CURRENCIES, type Currency, formatMinor } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { pickTexts } from '#lib/payments/payment-fields.ts'
import type { ApprovalFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type DecidedBatch, selectDecidedBatches, selectWaitingBatches } from './batch-store.ts'
import type { QueueViewer } from './queue/queue-store.ts'

type Waiting = Record<Exclude<ApprovalQueue, 'decided'>, BatchItem[]>

/** The batches that wait, in the queue in which this person finds each, oldest first. */
export async function listWaitingBatches(queryable: Queryable, viewer: QueueViewer): Promise<Waiting> {
  const waiting: Waiting = { mine: [], others: [], made: [] }
  const parts = Map.groupBy(await selectWaitingBatches(queryable, viewer), (part) => part.batchId)
  for (const [batchId, currencies] of parts) {
    const [first] = currencies
    if (!first) continue
    const isSubmitting = first.state !== null && first.state !== 'submitted'
    const item: BatchItem = {
      batchId,
      name: first.name,
      maker: { personId: first.makerId, name: first.makerName },
      createdAt: first.createdAt.toISOString(),
      expiresAt: first.expiresAt.toISOString(),
      count: currencies.reduce((count, part) => count + part.count, 0),
      sums: currencies.map(({ currency, count, amountMinor }) => ({ currency, count, amount: formatMinor(amountMinor) })),
      canDecide: first.obstacle ?? (isSubmitting ? 'submitting' : true),
      decided: null,
    }
    waiting[first.makerId === viewer.id ? 'made' : item.canDecide === true ? 'mine' : 'others'].push(item)
  }
  return waiting
}

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
    decided: { by: row.decidedBy, at: row.decidedAt.toISOString(), type: row.type, stage: row.stage, places: row.places },
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

/** The part of a row that a decision needs: fewer bytes than the row where a whole filter is decided. */
export function toDecidedItem(row: ApprovalRow): DecidedItem {
  return {
    transactionId: row.transactionId,
    type: row.type,
    contentHash: row.contentHash,
    needsCode: row.needsCode,
    canApprove: row.canApprove,
    risks: row.risks,
    amount: row.amount,
    currency: row.currency,
    feeSystem: row.feeSystem,
    feeApp: row.feeApp,
    ...pickTexts(row),
    phoneNumber: row.phoneNumber,
    operator: row.operator,
    ruleName: row.ruleName,
    steps: row.steps,
    decisions: row.decisions,
    attachment: row.attachment,
  }
}
