import { APPROVAL_PAGE_SIZE } from '#lib/approvals/approval-address.ts'
import {
  type ApprovalPage,
  type ApprovalProgress,
  type ApprovalRow,
  type ApprovalView,
  approvalProgress,
  BULK_MAX,
  type BulkSnapshot,
  type CurrencyAmount,
} from '#lib/approvals/approvals.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { pickTexts } from '#lib/payments/payment-fields.ts'
import { BASE_RULE } from '#lib/rules/approval-policy.ts'
import type { ApprovalFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type ApprovalDecision, isBatchRow } from '../approval-store.ts'
import { contentHash, shownContent } from '../content-hash.ts'
import { readEvidence, readRisks } from '../evidence/evidence.ts'
import { selectCheckers, selectDeciders } from '../evidence/evidence-store.ts'
import { listDecidedBatches, listWaitingBatches, toDecidedItem } from '../waiting-batches.ts'
import {
  groupWaiting,
  type QueueRow,
  type QueueViewer,
  selectByIds,
  selectDecided,
  selectWaiting,
  type WaitingGroup,
} from './queue-store.ts'

/** The person whose queues are read: the buttons of the rows depend on it. */
export type ApprovalViewer = QueueViewer & { hasSecondFactor: boolean }

/** One page of one approval queue with everything around it, as this person may see and use it now. */
export async function listApprovals(
  queryable: Queryable,
  viewer: ApprovalViewer & BusinessTime,
  filter: ApprovalFilter,
): Promise<ApprovalPage> {
  const [{ rows, total }, groups, batches, decided, checkers] = await Promise.all([
    selectPage(queryable, viewer, filter),
    groupWaiting(queryable, viewer, filter),
    listWaitingBatches(queryable, viewer),
    filter.queue === 'decided' && filter.page === 0 ? listDecidedBatches(queryable, viewer, filter) : [],
    filter.queue === 'decided' ? selectCheckers(queryable, viewer.applicationId) : [],
  ])
  const sums = sumGroups(groups.filter((group) => group.queue === filter.queue && group.isFitting))
  const countOf = (queue: WaitingGroup['queue']) =>
    groups.reduce((count, group) => count + (group.queue === queue ? group.count : 0), batches[queue].length)
  const oldest = [
    ...groups.flatMap((group) => (group.queue === 'mine' ? [group.oldestAt.toISOString()] : [])),
    ...batches.mine.map((batch) => batch.createdAt),
  ].sort()[0]
  return {
    rows: await toApprovalRows(queryable, rows, viewer),
    total: total ?? sums.reduce((count, sum) => count + sum.count, 0),
    sums,
    batches: filter.queue === 'decided' ? decided : batches[filter.queue],
    counts: { mine: countOf('mine'), others: countOf('others'), made: countOf('made') },
    oldestAt: oldest ?? null,
    ...choicesOf(groups),
    checkers,
  }
}

/** The rows of a page. `total` is null where the groups of what waits count it. */
async function selectPage(
  queryable: Queryable,
  viewer: ApprovalViewer & BusinessTime,
  filter: ApprovalFilter,
): Promise<{ rows: readonly QueueRow[]; total: number | null }> {
  const window = { offset: filter.page * APPROVAL_PAGE_SIZE, limit: APPROVAL_PAGE_SIZE }
  if (filter.queue !== 'decided') return { rows: await selectWaiting(queryable, viewer, filter, window), total: null }
  return selectDecided(queryable, viewer, filter, window)
}

/** Count and sum per currency, never added together. */
function sumGroups(groups: readonly WaitingGroup[]): CurrencyAmount[] {
  return CURRENCIES.flatMap((currency) => {
    const own = groups.filter((group) => group.currency === currency)
    if (own.length === 0) return []
    const amountMinor = own.reduce((sum, group) => sum + group.amountMinor, 0n)
    return [{ currency, count: own.reduce((count, group) => count + group.count, 0), amount: formatMinor(amountMinor) }]
  })
}

/** The makers of waiting items, by name, and the rules that hold these items. */
function choicesOf(groups: readonly WaitingGroup[]): Pick<ApprovalPage, 'makers' | 'rules'> {
  const makers = new Map(groups.flatMap((group) => (group.makerId && group.makerName ? [[group.makerId, group.makerName] as const] : [])))
  const byName = [...makers].map(([personId, name]) => ({ personId, name })).sort((left, right) => left.name.localeCompare(right.name))
  return { makers: byName, rules: [...new Set(groups.map((group) => group.rule))].sort() }
}

/** The rows with these ids as this person sees them now; ids that never had to be approved are left out. */
export async function findApprovals(
  queryable: Queryable,
  viewer: ApprovalViewer,
  transactionIds: readonly string[],
): Promise<ApprovalRow[]> {
  if (transactionIds.length === 0) return []
  return toApprovalRows(queryable, await selectByIds(queryable, viewer, transactionIds), viewer)
}

/** One row, for a panel or the page of a transaction; undefined when this application has no such approval. */
export async function findApproval(queryable: Queryable, viewer: ApprovalViewer, transactionId: string): Promise<ApprovalRow | undefined> {
  return (await findApprovals(queryable, viewer, [transactionId]))[0]
}

/** The first BULK_MAX of a filter of "mine" with their hashes: exactly what a decision about the whole filter will be about. */
export async function snapshotApprovals(queryable: Queryable, viewer: ApprovalViewer, filter: ApprovalFilter): Promise<BulkSnapshot> {
  const mine = { ...filter, queue: 'mine' as const }
  const [rows, groups] = await Promise.all([
    selectWaiting(queryable, viewer, mine, { offset: 0, limit: BULK_MAX }),
    groupWaiting(queryable, viewer, mine),
  ])
  return {
    items: (await toApprovalRows(queryable, rows, viewer)).map(toDecidedItem),
    total: groups.reduce((count, group) => count + (group.queue === 'mine' && group.isFitting ? group.count : 0), 0),
  }
}

/** Through the API the application's program sends the decision in; who decided is the person that it named. */
function decidedBy({ end, decisions }: QueueRow): string | null {
  const isDecision = end?.event === 'approved' || end?.event === 'rejected'
  return isDecision ? (decisions.at(-1)?.checkerName ?? null) : null
}

async function toApprovalRows(queryable: Queryable, rows: readonly QueueRow[], viewer: ApprovalViewer): Promise<ApprovalRow[]> {
  const risks = await readRisks(queryable, viewer.applicationId, rows)
  return rows.map((row) => ({ ...toApprovalRow(row, viewer), risks: risks.get(row.transactionId) ?? [] }))
}

function toApprovalRow(row: QueueRow, viewer: ApprovalViewer): Omit<ApprovalRow, 'risks'> {
  const decisions = row.decisions.map((decision) => ({ ...decision, decidedAt: new Date(decision.decidedAt) }))
  const progress = countApprovals(row.steps, decisions)
  const obstacle = row.obstacle ?? (isBatchRow(row) ? ('in_batch' as const) : null)
  return {
    transactionId: row.transactionId,
    externalId: row.externalId,
    type: row.type,
    status: row.status,
    operator: row.operator,
    currency: row.currency,
    amount: formatMinor(row.amountMinor),
    feeSystem: formatMinor(row.feeSystemMinor),
    feeApp: formatMinor(row.feeAppMinor),
    ...pickTexts(row),
    phoneNumber: row.phoneNumber,
    source: row.source,
    maker: row.makerId === null ? null : { personId: row.makerId, name: row.makerName ?? '' },
    batchId: row.batchId,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    ruleName: row.rule.name,
    isDefaultRule: row.rule.name === BASE_RULE.name,
    reasons: reasonsOf(row),
    policyVersion: row.policyVersion,
    steps: row.steps,
    step: progress.step,
    given: progress.given,
    needed: progress.needed,
    needsCode: row.needsCode,
    apiMayDecide: row.apiMayDecide,
    decisions: decisions.map(({ decidedAt, checkerId, checkerName, programName, absentName, decision, note, usedCode, counts }) => ({
      checkerId,
      checkerName,
      programName,
      absentName,
      decision,
      note,
      usedCode,
      counts,
      at: decidedAt.toISOString(),
    })),
    end: row.end && { ...row.end, by: row.end.by ?? decidedBy(row), at: new Date(row.end.at).toISOString() },
    canApprove: obstacle ?? row.termsObstacle ?? (row.needsCode && !viewer.hasSecondFactor ? 'second_factor_missing' : true),
    canReject: obstacle ?? true,
    canRecall: row.makerId !== viewer.id ? 'not_the_maker' : row.status === 'PENDING_APPROVAL' ? true : 'not_waiting',
    attachment: row.attachment,
    contentHash: hashOf(row, decisions),
  }
}

/** The rules that required an approval, for JSON. */
export function reasonsOf({ rule }: Pick<QueueRow, 'rule'>): ApprovalRow['reasons'] {
  return rule.parts.map((part) => ({
    name: part.name,
    above: part.aboveMinor === '0' ? null : formatMinor(BigInt(part.aboveMinor)),
    currency: part.currency,
    isFirstTimeOnly: part.firstTimeOnly,
  }))
}

/** The same digest that `decide` works out under the lock, from the same content. */
function hashOf(row: QueueRow, decisions: ApprovalDecision[]): string {
  return contentHash(shownContent(row, row, decisions, row.attachment))
}

/** One transaction that has or had to be approved, with its evidence, as this person may see and use it at `now`. */
export async function readApproval(
  queryable: Queryable,
  viewer: ApprovalViewer,
  transactionId: string,
  now: Date,
): Promise<ApprovalView | undefined> {
  const [row, evidence, deciders] = await Promise.all([
    findApproval(queryable, viewer, transactionId),
    readEvidence(queryable, viewer.applicationId, transactionId),
    selectDeciders(queryable, viewer.applicationId, transactionId),
  ])
  if (!row || !evidence) return undefined
  const isOpen = row.status === 'PENDING_APPROVAL' && new Date(row.expiresAt) > now
  const others = deciders.filter((person) => person.personId !== viewer.id).map((person) => person.name)
  return { row, evidence, deciders: isOpen ? { isMe: others.length < deciders.length, others } : null }
}

/**
 * Counts the approvals of a transaction. Only those of people who may still approve count: if a checker was blocked, left the
 * application or lost the role, another one is needed.
 */
export function countApprovals(
  steps: readonly number[],
  decisions: readonly { decision: 'validated' | 'rejected'; counts: boolean }[],
): ApprovalProgress {
  return approvalProgress(steps, decisions.filter((one) => one.decision === 'validated' && one.counts).length)
}
