import type { Role } from '#lib/people/permissions.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { ObservedWait, PolicyReplay, ReplayMaker, ReplayNeeds, ReplayShortage, ReplaySide } from '#lib/rules/rule-finding.ts'
import { joinSteps } from '#server/policy/bands-for.ts'
import type { ReplayGroup } from './replay-store.ts'

type Member = { personId: string; roles: readonly Role[]; hasSecondFactor: boolean }
type Replayed = {
  items: readonly ReplayItems[]
  observed: readonly ObservedWait[]
  members: readonly Member[]
  versions: [active: number, proposed: number]
}

/** Transactions that a page names for each shortage. */
const NAMED_MAX = 5

/** Counts what each version would have stopped. */
export function summariseReplay({
  items,
  observed,
  members,
  versions,
}: Replayed): Omit<PolicyReplay, 'from' | 'to' | 'transactions' | 'observed'> {
  const changed = (is: (item: ReplayItems) => boolean) => items.filter(is).reduce((sum, item) => sum + item.items, 0)
  return {
    active: sideOf(items, 'active', versions[0], observed),
    proposed: sideOf(items, 'proposed', versions[1], observed),
    newlyStopped: changed(({ active, proposed }) => !active && proposed !== null),
    noLongerStopped: changed(({ active, proposed }) => active !== null && !proposed),
    stricter: changed(({ active, proposed }) => active !== null && proposed !== null && strictness(proposed) > strictness(active)),
    milder: changed(({ active, proposed }) => active !== null && proposed !== null && strictness(proposed) < strictness(active)),
    makers: makersOf(items, observed),
    shortages: shortagesOf(items, members),
  }
}

/** More approvals are stricter than a code. */
function strictness({ needed, needsCode }: ItemNeeds): number {
  return needed * 2 + (needsCode ? 1 : 0)
}

function sideOf(
  items: readonly ReplayItems[],
  side: 'active' | 'proposed',
  version: number,
  observed: readonly ObservedWait[],
): ReplaySide {
  const needs = new Map<string, ReplayNeeds>()
  for (const item of items) {
    const own = item[side]
    if (!own) continue
    const { needed, needsCode } = own
    const known = needs.get(`${needed} ${needsCode}`) ?? { needed, needsCode, items: 0, waitMs: estimateWaitMs(observed, needed) }
    needs.set(`${needed} ${needsCode}`, { ...known, items: known.items + item.items })
  }
  const sorted = [...needs.values()].sort((left, right) => strictness({ ...left, rules: [] }) - strictness({ ...right, rules: [] }))
  const count = side === 'active' ? 'transactionsActive' : 'transactionsProposed'
  return {
    version,
    items: sorted.reduce((sum, each) => sum + each.items, 0),
    transactions: items.reduce((sum, item) => sum + item[count], 0),
    needs: sorted,
  }
}

/** Those whose payments would have waited, the most affected first; the wait is the average over their items. */
function makersOf(items: readonly ReplayItems[], observed: readonly ObservedWait[]): ReplayMaker[] {
  const makers = new Map<string | null, ReplayMaker & { waitsMs: number }>()
  for (const { makerId, makerName, items: count, active, proposed } of items) {
    if (!active && !proposed) continue
    const known = makers.get(makerId) ?? {
      name: makerId === null ? null : (makerName ?? ''),
      itemsActive: 0,
      itemsNew: 0,
      waitMs: null,
      waitsMs: 0,
    }
    makers.set(makerId, {
      ...known,
      itemsActive: known.itemsActive + (active ? count : 0),
      itemsNew: known.itemsNew + (proposed ? count : 0),
      waitsMs: known.waitsMs + (proposed ? (estimateWaitMs(observed, proposed.needed) ?? 0) * count : 0),
    })
  }
  return [...makers.values()]
    .map(({ waitsMs, ...maker }) => ({
      ...maker,
      waitMs: observed.length === 0 || maker.itemsNew === 0 ? null : Math.round(waitsMs / maker.itemsNew),
    }))
    .sort((left, right) => right.itemsNew - left.itemsNew || right.itemsActive - left.itemsActive)
}

/** The items that the proposed version would have stopped and that too few of the current checkers could have approved. */
function shortagesOf(items: readonly ReplayItems[], members: readonly Member[]): ReplayShortage[] {
  const shortages = new Map<string, ReplayShortage>()
  for (const { makerId, makerName, items: count, proposed, transactionId } of items) {
    if (!proposed) continue
    const { needed, needsCode, rules } = proposed
    const able = members.filter(({ roles, hasSecondFactor }) => roles.includes('checker') && (hasSecondFactor || !needsCode))
    const available = able.filter(({ personId }) => personId !== makerId).length
    if (available >= needed) continue
    // Named only where somebody else's payment could have been approved.
    const maker = available < able.length ? makerName : null
    const key = JSON.stringify([rules, needed, needsCode, maker])
    const known = shortages.get(key) ?? { rules, needed, needsCode, available, maker, items: 0, transactionIds: [] }
    shortages.set(key, {
      ...known,
      items: known.items + count,
      transactionIds: [...known.transactionIds, transactionId].slice(0, NAMED_MAX),
    })
  }
  return [...shortages.values()].sort((left, right) => right.items - left.items)
}

/** The requirements of an item under one version. */
type ItemNeeds = { needed: number; needsCode: boolean; rules: string[] }

/** Items that are alike: a number of single transactions, or one batch from a file. */
type ReplayItems = {
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

/** With fewer decided items of a kind, a median says nothing. */
const OBSERVED_MIN = 5

/**
 * Estimates how long an item waits that needs `needed` approvals: the median of the decided items that needed as many; if they are fewer
 * than five, the average of all medians per approval, times the approvals. Null if nothing was decided.
 */
function estimateWaitMs(observed: readonly ObservedWait[], needed: number): number | null {
  const same = observed.find((each) => each.needed === needed)
  if (same && same.count >= OBSERVED_MIN) return Math.round(same.medianMs)
  const count = observed.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return null
  const perApprovalMs = observed.reduce((sum, each) => sum + (each.medianMs / each.needed) * each.count, 0) / count
  return Math.round(perApprovalMs * needed)
}
