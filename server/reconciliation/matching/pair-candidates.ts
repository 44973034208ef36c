import { randomUUID } from 'node:crypto'
import type { Candidate, Pair } from './match-store.ts'

/** In turns: a payment that succeeded here is the likelier one. Only then a line may belong to one that failed or is open. */
export const PAIRED_STATUSES = [['SUCCESS'], ['PENDING', 'FAILED']] as const

/**
 * Pairs lines and transactions of one phone number and amount. A line and a transaction that are the only candidates of each other are a pair. As
 * many lines as transactions that cannot be told apart form one group: the money is right, and who paid which stays open. Anything else is left
 * for a person. `pairs`: whether groups are formed.
 */
export function pairCandidates(candidates: readonly Candidate[], pairs: 'unique' | 'twins'): Pair[] {
  return components(candidates).flatMap((component) => {
    const lines = unique(
      component,
      ({ lineId }) => String(lineId),
      ({ lineAt }) => lineAt,
    )
    const transactions = unique(component, keyOf, ({ transactionAt }) => transactionAt)
    if (lines.length !== transactions.length || (lines.length > 1 && pairs === 'unique')) return []
    const groupId = lines.length === 1 ? null : randomUUID()
    const possible = new Set(component.map((each) => `${each.lineId} ${keyOf(each)}`))
    const found = lines.map((line, place) => ({ line, transaction: transactions[place] ?? line }))
    // In order of time; if that is not possible for each of them, which belongs to which is not even open.
    if (!found.every(({ line, transaction }) => possible.has(`${line.lineId} ${keyOf(transaction)}`))) return []
    return found.map(({ line: { lineId, lineDay }, transaction: { applicationId, transactionId, postedDay } }) => ({
      ...{ lineId, lineDay, applicationId, transactionId, postedDay },
      groupId,
    }))
  })
}

function keyOf({ applicationId, transactionId }: Candidate): string {
  return `${applicationId} ${transactionId}`
}

/** One candidate for each key, in order of time. */
function unique(component: readonly Candidate[], key: (each: Candidate) => string, at: (each: Candidate) => Date): Candidate[] {
  const byKey = new Map(component.map((each) => [key(each), each]))
  return [...byKey]
    .toSorted(([a, left], [b, right]) => at(left).getTime() - at(right).getTime() || (a < b ? -1 : 1))
    .map(([, each]) => each)
}

/** The candidates that are connected through a line or a transaction. */
function components(candidates: readonly Candidate[]): Candidate[][] {
  const parents = new Map<string, string>()
  const rootOf = (node: string): string => {
    let root = node
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next
    parents.set(node, root)
    return root
  }
  for (const each of candidates) parents.set(rootOf(`line ${each.lineId}`), rootOf(keyOf(each)))
  return [...Map.groupBy(candidates, (each) => rootOf(keyOf(each))).values()]
}
