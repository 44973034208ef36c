import { type BatchRowPlace, type BatchRunDto, type BatchRunOperator, type LeftOutRows, RELEASE_LATE_MS } from '#lib/batches/batches.ts'
import { formatMinor } from '#lib/money/money.ts'
import { can, type Role } from '#lib/people/permissions.ts'
import { listBatchEnds } from '#server/approvals/batch-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import {
  selectLeftOut,
  selectRunDecisions,
  selectRunGroups,
  selectRunHead,
  selectRunRetries,
  selectUnsubmitted,
  selectWithheld,
} from './batch-run-store.ts'

/** Rows that are named; more are only counted. */
const LEFT_OUT_SHOWN = 20

type Viewer = { applicationId: string; id: string; roles: readonly Role[] }
type Groups = Awaited<ReturnType<typeof selectRunGroups>>
type Head = NonNullable<Awaited<ReturnType<typeof selectRunHead>>>

/** How far a batch is after its submission, and what this person may do with it; undefined if the application has no such batch. */
export async function readBatchRun(queryable: Queryable, viewer: Viewer, batchId: string): Promise<BatchRunDto | undefined> {
  const { applicationId } = viewer
  const [head, groups, decisions, retries, withheld, ends, unsubmitted] = await Promise.all([
    selectRunHead(queryable, applicationId, batchId),
    selectRunGroups(queryable, applicationId, batchId),
    selectRunDecisions(queryable, applicationId, batchId),
    selectRunRetries(queryable, applicationId, batchId),
    selectWithheld(queryable, applicationId, batchId, LEFT_OUT_SHOWN),
    listBatchEnds(queryable, applicationId, batchId),
    selectUnsubmitted(queryable, applicationId, batchId, LEFT_OUT_SHOWN),
  ])
  if (!head) return undefined
  const countOf = (...places: BatchRowPlace[]) => sum(groups.filter((group) => places.includes(group.place)))
  const open = countOf('queued', 'paused', 'sent')
  const state = stateOf(head, open, countOf('waiting'))
  const retryable = sum(groups.filter((group) => group.isRetryable))
  const returned = sum(groups.filter((group) => group.isReturned))
  const mayPrepare = can(viewer.roles, 'transaction:create') && head.name !== null
  return {
    batchId,
    name: head.name,
    type: head.type,
    state,
    stage: head.stage,
    places: head.places,
    ends: ends.filter((end) => end.event !== 'approved'),
    changed: head.changedAt && { by: head.changedBy ?? '', at: head.changedAt.toISOString(), reason: head.reason },
    release: releaseOf(head),
    operators: [...Map.groupBy(groups, (group) => group.operator).values()].flatMap(toOperator),
    decisions: decisions.map(({ at, ...decision }) => ({ ...decision, at: at.toISOString() })),
    parent: head.parentId === null ? null : { batchId: head.parentId, name: head.parentName ?? '' },
    retries,
    withheld: toLeftOut(withheld),
    retryable,
    returned,
    unsubmitted: {
      count: unsubmitted[0]?.total ?? 0,
      rows: unsubmitted.map(({ rowNumber, name, exclusion, problems }) => ({ rowNumber, name, exclusion, problems })),
    },
    can: {
      ...permissionsOf(viewer, head, state, { open, waiting: countOf('waiting') }),
      repeat: {
        failed: mayPrepare && retryable > 0 && countOf('waiting') === 0,
        returned: mayPrepare && returned > 0,
        unsubmitted: mayPrepare && unsubmitted.length > 0 && !unsubmitted.some((row) => row.isContinued),
      },
    },
  }
}

/** The rows that a retry left out, because they may have been paid. */
export async function readLeftOut(queryable: Queryable, applicationId: string, batchId: string): Promise<LeftOutRows> {
  return toLeftOut(await selectLeftOut(queryable, applicationId, batchId, LEFT_OUT_SHOWN))
}

function toLeftOut(rows: Awaited<ReturnType<typeof selectLeftOut>>): LeftOutRows {
  return {
    count: rows[0]?.total ?? 0,
    rows: rows.map(({ transactionId, customerName, reason }) => ({ transactionId, customerName, reason })),
  }
}

function stateOf({ runState }: Head, open: number, waiting: number): BatchRunDto['state'] {
  if (runState === 'stopped') return 'stopped'
  if (open > 0) return runState === 'paused' ? 'paused' : 'running'
  return waiting > 0 ? 'waiting' : 'finished'
}

/** The time that was chosen, as long as the service will send the batch on then, or has. */
function releaseOf({ releaseAt, isTimed, releasedAt }: Head): BatchRunDto['release'] {
  if (!releaseAt || !(isTimed || releasedAt)) return null
  return {
    at: releaseAt.toISOString(),
    releasedAt: releasedAt?.toISOString() ?? null,
    isLate: releasedAt !== null && releasedAt.getTime() - releaseAt.getTime() > RELEASE_LATE_MS,
  }
}

/** The commands check the same again. */
function permissionsOf(
  { id, roles }: Viewer,
  head: Head,
  state: BatchRunDto['state'],
  { open, waiting }: { open: number; waiting: number },
): Omit<BatchRunDto['can'], 'repeat'> {
  const isMaker = head.makerId === id
  const mayControl = can(roles, 'batch:control') && (isMaker || roles.includes('checker') || roles.includes('administrator'))
  const isTimed = head.isTimed ?? false
  const isHeld = state === 'paused' || (isTimed && state === 'waiting')
  // The maker cannot send earlier a batch that was approved for a later time.
  const isLater = head.isLater && open > 0
  return {
    pause: mayControl && (state === 'running' || (isTimed && open > 0)),
    resume: mayControl && isHeld && (!isMaker || (head.changedById === id && !isLater)),
    plan: mayControl && isHeld && (!isMaker || head.changedById === id),
    recall: isMaker && waiting > 0 && can(roles, 'transaction:recall'),
    stop: mayControl && open > 0 && state !== 'stopped',
  }
}

function toOperator(groups: Groups): BatchRunOperator[] {
  const [first] = groups
  if (!first) return []
  const places = [...Map.groupBy(groups, (group) => group.place)].map(([place, own]) => [place, figure(own)] as const)
  return [
    {
      operator: first.operator,
      currency: first.currency,
      total: figure(groups),
      places: Object.fromEntries(places),
      unconfirmed: sum(groups.filter((group) => group.place === 'sent' && group.isUnconfirmed)),
    },
  ]
}

function sum(groups: Groups): number {
  return groups.reduce((count, group) => count + group.count, 0)
}

function figure(groups: Groups): { count: number; amount: string } {
  return { count: sum(groups), amount: formatMinor(groups.reduce((total, group) => total + group.amountMinor, 0n)) }
}
