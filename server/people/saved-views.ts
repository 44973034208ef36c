import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import type { Queryable } from '#server/database/pool.ts'
import { removeView, type SavedViewRow, selectViews, upsertView } from './saved-view-store.ts'

/** A named set of filters of the transaction list; `query` is what stands in its address. It belongs to one person in one application. */
type SavedView = SavedViewRow

/** More than anybody keeps apart, and few enough for one menu. */
const VIEWS_MAX = 50

type Owner = { applicationId: string; personId: string }

/** The views that a person keeps in an application, by name. */
export function listViews(queryable: Queryable, { applicationId, personId }: Owner): Promise<SavedView[]> {
  return selectViews(queryable, applicationId, personId)
}

/**
 * Keeps a view under a name (1 to 80 characters); the same name again replaces its filters. Not in the audit record: a view is a
 * convenience of its owner, seen by nobody else, and changes nothing.
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
