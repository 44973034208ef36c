import type { CurrencyAmount } from '#lib/approvals/approvals.ts'
import type { BlockedGroup, BlockedItems, Unblock } from '#lib/approvals/blocked-items.ts'
import { addDecimals, formatMinor } from '#lib/money/money.ts'
import type { Queryable } from '#server/database/pool.ts'
import { joinSteps } from '#server/policy/bands-for.ts'
import {
  type Decider,
  groupWaitingKinds,
  selectBatchNeeds,
  selectDecidersOf,
  selectLostCheckers,
  selectPresentMakers,
  type WaitingKind,
} from './blocked-store.ts'

type People = { lost: readonly { personId: string; name: string }[]; makers: ReadonlySet<string> }
type Weighed = { kind: WaitingKind; missing: number; needsCode: boolean; able: Decider[]; deciders: Decider[] }

/**
 * Returns the waiting items that the current people cannot complete: too few of them may approve, because they are the maker, have approved
 * already, are blocked, are no members, or have no second factor where a code is required. Each group says what would unblock it.
 */
export async function listBlocked(queryable: Queryable, applicationId: string): Promise<BlockedItems> {
  const kinds = await groupWaitingKinds(queryable, applicationId)
  const firsts = kinds.flatMap(({ transactionIds: [first] }) => first ?? [])
  const batchIds = [...new Set(kinds.flatMap(({ batchId }) => batchId ?? []))]
  const [decided, batchNeeds] = await Promise.all([
    selectDecidersOf(queryable, applicationId, firsts),
    batchIds.length === 0 ? [] : selectBatchNeeds(queryable, applicationId, batchIds),
  ])
  const states = new Map(decided.map((state) => [state.transactionId, state]))
  const blocked = kinds.flatMap((kind): Weighed[] => {
    const state = states.get(kind.transactionIds[0] ?? '')
    if (!state) return []
    // A batch is decided as one item: its strictest row counts for all.
    const needs = kind.batchId === null ? [kind] : batchNeeds.filter(({ batchId }) => batchId === kind.batchId)
    const needsCode = needs.some((each) => each.needsCode)
    const needed = joinSteps(needs.map(({ steps }) => steps)).reduce((sum, count) => sum + count, 0)
    const able = state.deciders.filter(({ hasSecondFactor }) => hasSecondFactor || !needsCode)
    const missing = Math.max(0, needed - state.given)
    // With all approvals given, one more of anybody moves it.
    return able.length >= Math.max(1, missing) ? [] : [{ kind, missing: Math.max(1, missing), needsCode, able, deciders: state.deciders }]
  })
  if (blocked.length === 0) return { count: 0, oldestAt: null, groups: [] }
  const [lost, makers] = await Promise.all([selectLostCheckers(queryable, applicationId), selectPresentMakers(queryable, applicationId)])
  const groups = mergeAlike(blocked.map((weighed) => toGroup(weighed, { lost, makers })))
  return {
    count: groups.reduce((sum, group) => sum + group.count, 0),
    oldestAt: groups.reduce<string | null>((oldest, group) => (oldest === null || group.oldestAt < oldest ? group.oldestAt : oldest), null),
    groups,
  }
}

function toGroup({ kind, missing, needsCode, able, deciders }: Weighed, { lost, makers }: People): BlockedGroup {
  const names = (people: readonly { name: string }[]) => people.map(({ name }) => name)
  const unable = deciders.filter((person) => !able.includes(person))
  const returning = lost.filter(({ personId }) => personId !== kind.makerId)
  const unblock: Unblock[] = []
  if (unable.length > 0) unblock.push({ kind: 'enrol', names: names(unable) })
  if (returning.length > 0) unblock.push({ kind: 'restore', names: names(returning) })
  if (unable.length < missing - able.length) unblock.push({ kind: 'add_checkers', count: missing - able.length - unable.length })
  if (kind.makerId !== null && kind.makerName !== null && makers.has(kind.makerId)) unblock.push({ kind: 'recall', name: kind.makerName })
  if (deciders.length > 0) unblock.push({ kind: 'reject', names: names(deciders) })
  return {
    maker: kind.makerName,
    batch: kind.batchId === null ? null : { batchId: kind.batchId, name: kind.batchName },
    count: kind.batchId === null ? kind.count : 1,
    sums: [{ currency: kind.currency, count: kind.count, amount: formatMinor(kind.amountMinor) }],
    oldestAt: kind.oldestAt.toISOString(),
    expiresAt: kind.expiresAt.toISOString(),
    missing,
    available: able.length,
    needsCode,
    transactionIds: kind.transactionIds,
    unblock,
  }
}

/** One group for each batch, and for single items that the same things would unblock. */
function mergeAlike(groups: readonly BlockedGroup[]): BlockedGroup[] {
  const merged = new Map<string, BlockedGroup>()
  for (const group of groups) {
    const { maker, batch, missing, available, needsCode, unblock } = group
    const key = batch ? batch.batchId : JSON.stringify([maker, missing, available, needsCode, unblock])
    const known = merged.get(key)
    merged.set(key, known ? merge(known, group) : group)
  }
  return [...merged.values()]
}

function merge(left: BlockedGroup, right: BlockedGroup): BlockedGroup {
  // The part of a batch that lacks more says what the batch lacks.
  const lacking = right.missing - right.available > left.missing - left.available ? right : left
  return {
    ...lacking,
    count: left.batch ? 1 : left.count + right.count,
    sums: addSums([...left.sums, ...right.sums]),
    oldestAt: left.oldestAt < right.oldestAt ? left.oldestAt : right.oldestAt,
    expiresAt: left.expiresAt < right.expiresAt ? left.expiresAt : right.expiresAt,
    transactionIds: left.transactionIds,
  }
}

function addSums(sums: readonly CurrencyAmount[]): CurrencyAmount[] {
  const added = new Map<string, CurrencyAmount>()
  for (const sum of sums) {
    const known = added.get(sum.currency)
    added.set(sum.currency, known ? { ...sum, count: known.count + sum.count, amount: addDecimals(known.amount, sum.amount) } : sum)
  }
  return [...added.values()]
}
