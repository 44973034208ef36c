import type { BatchRowPlace, BatchRunDto, BatchRunOperator } from '#lib/batch-run.ts'
import { formatMinor } from '#lib/money.ts'
import { can, type Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectRunDecisions, selectRunGroups, selectRunHead, selectRunRetries } from './batch-run-store.ts'

type Viewer = { applicationId: string; id: string; roles: readonly Role[] }
type Groups = Awaited<ReturnType<typeof selectRunGroups>>
type Head = NonNullable<Awaited<ReturnType<typeof selectRunHead>>>

/** How far a batch is after its submission, and what this person may do with it; undefined if the application has no such batch. */
export async function readBatchRun(queryable: Queryable, viewer: Viewer, batchId: string): Promise<BatchRunDto | undefined> {
  const { applicationId } = viewer
  const [head, groups, decisions, retries] = await Promise.all([
    selectRunHead(queryable, applicationId, batchId),
    selectRunGroups(queryable, applicationId, batchId),
    selectRunDecisions(queryable, applicationId, batchId),
    selectRunRetries(queryable, applicationId, batchId),
  ])
  if (!head) return undefined
  const countOf = (...places: BatchRowPlace[]) => sum(groups.filter((group) => places.includes(group.place)))
  const open = countOf('queued', 'paused', 'sent')
  const state = stateOf(head, open, countOf('waiting'))
  const retryable = sum(groups.filter((group) => group.isRetryable))
  return {
    batchId,
    name: head.name,
    state,
    changed: head.changedAt && { by: head.changedBy ?? '', at: head.changedAt.toISOString(), reason: head.reason },
    operators: [...Map.groupBy(groups, (group) => group.operator).values()].flatMap(toOperator),
    decisions: decisions.map(({ at, ...decision }) => ({ ...decision, at: at.toISOString() })),
    parent: head.parentId === null ? null : { batchId: head.parentId, name: head.parentName ?? '' },
    retries,
    retryable,
    can: permissionsOf(viewer, head, { state, open, waiting: countOf('waiting'), retryable }),
  }
}

function stateOf({ runState }: Head, open: number, waiting: number): BatchRunDto['state'] {
  if (runState === 'stopped') return 'stopped'
  if (open > 0) return runState === 'paused' ? 'paused' : 'running'
  return waiting > 0 ? 'waiting' : 'finished'
}

/** The commands check the same again. */
function permissionsOf(
  { id, roles }: Viewer,
  head: Head,
  { state, open, waiting, retryable }: { state: BatchRunDto['state']; open: number; waiting: number; retryable: number },
): BatchRunDto['can'] {
  const isMaker = head.makerId === id
  const mayControl = can(roles, 'batch:control') && (isMaker || roles.includes('checker') || roles.includes('administrator'))
  return {
    pause: mayControl && state === 'running',
    resume: mayControl && state === 'paused' && (!isMaker || head.changedById === id),
    stop: mayControl && open > 0 && state !== 'stopped',
    retry: can(roles, 'transaction:create') && head.name !== null && retryable > 0 && waiting === 0,
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
