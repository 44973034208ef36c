import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockOwnViews, type OwnView, removeView, type SavedViewRow, selectViews, updateView, upsertView } from './saved-view-store.ts'

/** A named set of filters of the transaction list; `query` is the query string of its address. It belongs to one person in one application. */
type SavedView = SavedViewRow

/** More than a person can tell apart, and few enough for one menu. */
const VIEWS_MAX = 50

type Owner = { applicationId: string; personId: string }

/** Returns the views that a person saved in an application, then those that its other active members share, each by name. */
export function listViews(queryable: Queryable, { applicationId, personId }: Owner): Promise<SavedView[]> {
  return selectViews(queryable, applicationId, personId)
}

/** Stores a view under a name (1 to 80 characters); the same name again replaces its filters and whether it is shared. */
export async function saveView(
  pool: Pool,
  { name, query, isShared, ...owner }: Owner & Omit<OwnView, 'viewId'>,
): Promise<Result<{ name: string }, 'too_many'>> {
  return withTransaction<{ name: string }, 'too_many'>(pool, async (trx) => {
    const own = await lockOwnViews(trx, owner.applicationId, owner.personId)
    const before = own.find((view) => view.name === name)
    if (!before && own.length >= VIEWS_MAX) return err('too_many')
    const view = { viewId: before?.viewId ?? randomUUID(), name, query, isShared }
    await upsertView(trx, { ...owner, ...view })
    await recordSharing(trx, owner, before, view)
    return ok({ name })
  })
}

/** Renames one of a person's own views, or changes whether it is shared. */
export async function changeView(
  pool: Pool,
  { viewId, name, isShared, ...owner }: Owner & Omit<OwnView, 'query'>,
): Promise<Result<{ name: string }, 'not_found' | 'name_taken'>> {
  return withTransaction<{ name: string }, 'not_found' | 'name_taken'>(pool, async (trx) => {
    const own = await lockOwnViews(trx, owner.applicationId, owner.personId)
    const before = own.find((view) => view.viewId === viewId)
    if (!before) return err('not_found')
    if (own.some((view) => view.name === name && view.viewId !== viewId)) return err('name_taken')
    await updateView(trx, { ...owner, viewId, name, isShared })
    await recordSharing(trx, owner, before, { ...before, name, isShared })
    return ok({ name })
  })
}

/** Removes one of a person's own views. */
export async function deleteView(pool: Pool, { viewId, ...owner }: Owner & { viewId: string }): Promise<Result<null, 'not_found'>> {
  return withTransaction<null, 'not_found'>(pool, async (trx) => {
    const before = (await lockOwnViews(trx, owner.applicationId, owner.personId)).find((view) => view.viewId === viewId)
    if (!before) return err('not_found')
    await removeView(trx, owner.applicationId, owner.personId, viewId)
    await recordSharing(trx, owner, before, { ...before, isShared: false })
    return ok(null)
  })
}

/** Records only shared views in the audit record: a view that only its owner sees changes nothing for anyone else. */
async function recordSharing(
  trx: TrxClient,
  { applicationId, personId }: Owner,
  before: OwnView | undefined,
  after: OwnView,
): Promise<void> {
  const wasShared = before?.isShared === true
  if (!wasShared && !after.isShared) return
  await appendAudit(trx, {
    applicationId,
    actor: { kind: 'person', id: personId },
    action: !after.isShared ? 'view.unshared' : wasShared ? 'view.changed' : 'view.shared',
    subject: after.viewId,
    details: { name: after.name, ...(after.isShared && { query: after.query }) },
  })
}
