import type { ApprovalQueue, BatchItem } from '#lib/approvals.ts'
import { formatMinor } from '#lib/money.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectWaitingBatches } from './batch-store.ts'
import type { QueueViewer } from './queue-store.ts'

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
