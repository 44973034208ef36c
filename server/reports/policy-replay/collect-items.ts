import type { ApprovalBand } from '#lib/approval-policy.ts'
import { joinSteps } from '#server/policy/bands-for.ts'
import type { ReplayGroup } from './replay-store.ts'

/** The requirements of an item under one version. */
export type ItemNeeds = { needed: number; needsCode: boolean; rules: string[] }

/** Items that are alike: a number of single transactions, or one batch from a file. */
export type ReplayItems = {
  makerId: string | null
  makerName: string | null
  /** Of single transactions as many as there are; of a batch one. */
  items: number
  transactionId: string
  active: ItemNeeds | null
  proposed: ItemNeeds | null
  transactionsActive: number
  transactionsProposed: number
}

/** Joins the rows of each batch into one item, as people decide on it: its strictest row counts for all. */
export function collectItems(groups: readonly ReplayGroup[], bands: readonly ApprovalBand[]): ReplayItems[] {
  const batches = new Map<string, ReplayGroup[]>()
  for (const group of groups) {
    if (group.batchId === null) continue
    const known = batches.get(group.batchId)
    if (known) known.push(group)
    else batches.set(group.batchId, [group])
  }
  const single = groups.filter(({ batchId }) => batchId === null).map((group) => toItems(group, [group], bands, group.count))
  return [...single, ...[...batches.values()].flatMap((rows) => (rows[0] ? [toItems(rows[0], rows, bands, 1)] : []))]
}

function toItems(first: ReplayGroup, rows: readonly ReplayGroup[], bands: readonly ApprovalBand[], items: number): ReplayItems {
  const countOf = (id: 'activeId' | 'proposedId') => rows.reduce((sum, row) => sum + (row[id] === null ? 0 : row.count), 0)
  return {
    makerId: first.makerId,
    makerName: first.makerName,
    items,
    transactionId: first.transactionId,
    active: needsOf(rows.flatMap(({ activeId }) => bandOf(bands, activeId))),
    proposed: needsOf(rows.flatMap(({ proposedId }) => bandOf(bands, proposedId))),
    transactionsActive: countOf('activeId'),
    transactionsProposed: countOf('proposedId'),
  }
}

function bandOf(bands: readonly ApprovalBand[], id: number | null): ApprovalBand[] {
  if (id === null) return []
  const band = bands[id]
  if (!band) throw new Error(`There is no band ${id}`)
  return [band]
}

function needsOf(bands: readonly ApprovalBand[]): ItemNeeds | null {
  if (bands.length === 0) return null
  return {
    needed: joinSteps(bands.map(({ steps }) => steps)).reduce((sum, count) => sum + count, 0),
    needsCode: bands.some(({ needsCode }) => needsCode),
    rules: [...new Set(bands.flatMap(({ rule }) => rule.parts.map(({ name }) => name)))],
  }
}
