import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import type { Queryable } from '#server/database/pool.ts'
import { removeView, type SavedViewRow, selectViews, upsertView } from './saved-view-store.ts'

/** A named set of filters of the transaction list; `query` is the query string of its address. It belongs to one person in one application. */
type SavedView = SavedViewRow

/** More than a person can tell apart, and few enough for one menu. */
const VIEWS_MAX = 50

type Owner = { applicationId: string; personId: string }

/** Returns the views that a person saved in an application, by name. */
export function listViews(queryable: Queryable, { applicationId, personId }: Owner): Promise<SavedView[]> {
  return selectViews(queryable, applicationId, personId)
}

/**
 * Stores a view under a name (1 to 80 characters); the same name again replaces its filters. Not in the audit record: a view is a
 * convenience that only its owner sees, and changes nothing.
 */
export async function saveView(
  queryable: Queryable,
  view: Owner & { name: string; query: string },
): Promise<Result<{ name: string }, 'too_many'>> {
  const isKept = await upsertView(queryable, { ...view, viewId: randomUUID() }, VIEWS_MAX)
  return isKept ? ok({ name: view.name }) : err('too_many')
}

/** Removes one of a person's own views. */
export async function deleteView(queryable: Queryable, view: Owner & { viewId: string }): Promise<Result<null, 'not_found'>> {
  return (await removeView(queryable, view.applicationId, view.personId, view.viewId)) ? ok(null) : err('not_found')
}
