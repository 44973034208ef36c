import { randomUUID } from 'node:crypto'
import type { AuditAction } from '#lib/people/audit-actions.ts'
import type { SavedView, ViewList } from '#lib/people/saved-views.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type AuditEntry, appendAuditEntries } from '#server/audit/append-audit.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockOwnViews, type OwnView, removeView, selectViews, updateView, upsertView } from './saved-view-store.ts'

/** Of one list: more than a person can tell apart, and few enough for one menu. */
const VIEWS_MAX = 50

type Owner = { applicationId: string; personId: string }

/** Returns the views of a list that a person saved in an application, then those that its other active members share, each by name. */
export function listViews(queryable: Queryable, { applicationId, personId, list }: Owner & { list: ViewList }): Promise<SavedView[]> {
  return selectViews(queryable, applicationId, personId, list)
}

/**
 * Stores a view of a list under a name (1 to 80 characters); the same name again replaces its filters, whether it is shared, and whether its months are
 * sent. `only_totals`: transactions cannot be sent.
 */
export async function saveView(
  pool: Pool,
  { list, name, query, isShared, isSentMonthly, ...owner }: Owner & Omit<OwnView, 'viewId'>,
  now: Date,
): Promise<Result<{ name: string }, 'too_many' | 'only_totals'>> {
  if (!canBeSent(list, isSentMonthly)) return err('only_totals')
  return withTransaction<{ name: string }, 'too_many'>(pool, async (trx) => {
    const own = (await lockOwnViews(trx, owner.applicationId, owner.personId)).filter((view) => view.list === list)
    const before = own.find((view) => view.name === name)
    if (!before && own.length >= VIEWS_MAX) return err('too_many')
    const view = { viewId: before?.viewId ?? randomUUID(), list, name, query, isShared, isSentMonthly }
    await upsertView(trx, { ...owner, ...view }, now)
    await recordUse(trx, owner, before, view)
    return ok({ name })
  })
}

/** Renames one of a person's own views, or changes whether it is shared and whether its months are sent. `only_totals`: transactions cannot be sent. */
export async function changeView(
  pool: Pool,
  { viewId, name, isShared, isSentMonthly, ...owner }: Owner & Omit<OwnView, 'query' | 'list'>,
  now: Date,
): Promise<Result<{ name: string }, 'not_found' | 'name_taken' | 'only_totals'>> {
  return withTransaction<{ name: string }, 'not_found' | 'name_taken' | 'only_totals'>(pool, async (trx) => {
    const own = await lockOwnViews(trx, owner.applicationId, owner.personId)
    const before = own.find((view) => view.viewId === viewId)
    if (!before) return err('not_found')
    if (!canBeSent(before.list, isSentMonthly)) return err('only_totals')
    if (own.some((view) => view.list === before.list && view.name === name && view.viewId !== viewId)) return err('name_taken')
    await updateView(trx, { ...owner, viewId, name, isShared, isSentMonthly }, now)
    await recordUse(trx, owner, before, { ...before, name, isShared, isSentMonthly })
    return ok({ name })
  })
}

function canBeSent(list: ViewList, isSentMonthly: boolean): boolean {
  return list === 'totals' || !isSentMonthly
}

/** Removes one of a person's own views. */
export async function deleteView(pool: Pool, { viewId, ...owner }: Owner & { viewId: string }): Promise<Result<null, 'not_found'>> {
  return withTransaction<null, 'not_found'>(pool, async (trx) => {
    const before = (await lockOwnViews(trx, owner.applicationId, owner.personId)).find((view) => view.viewId === viewId)
    if (!before) return err('not_found')
    await removeView(trx, owner.applicationId, owner.personId, viewId)
    await recordUse(trx, owner, before, { ...before, isShared: false, isSentMonthly: false })
    return ok(null)
  })
}

/**
 * Records in the audit record what a view does beyond showing a page: that others see it, and that its months are sent. A view that only its owner
 * sees changes nothing for anyone else.
 */
async function recordUse(trx: TrxClient, { applicationId, personId }: Owner, before: OwnView | undefined, after: OwnView): Promise<void> {
  const entry = (action: AuditAction, isOn: boolean): AuditEntry => ({
    applicationId,
    actor: { kind: 'person', id: personId },
    action,
    subject: after.viewId,
    details: { list: after.list, name: after.name, ...(isOn && { query: after.query }) },
  })
  const entries: AuditEntry[] = []
  const wasShared = before?.isShared === true
  if (wasShared || after.isShared)
    entries.push(entry(!after.isShared ? 'view.unshared' : wasShared ? 'view.changed' : 'view.shared', after.isShared))
  if ((before?.isSentMonthly === true) !== after.isSentMonthly)
    entries.push(entry(after.isSentMonthly ? 'view.sending_started' : 'view.sending_ended', after.isSentMonthly))
  if (entries.length > 0) await appendAuditEntries(trx, entries)
}
