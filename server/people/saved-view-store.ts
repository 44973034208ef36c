import type { Queryable } from '#server/database/pool.ts'

export type SavedViewRow = { viewId: string; name: string; query: string }

/** The views of a person in an application, by name. */
export async function selectViews(queryable: Queryable, applicationId: string, personId: string): Promise<SavedViewRow[]> {
  const { rows } = await queryable.query<SavedViewRow>(
    `select view_id as "viewId", name, query from saved_views where application_id = $1 and person_id = $2 order by lower(name), name limit 200`,
    [applicationId, personId],
  )
  return rows
}

type NewView = { applicationId: string; personId: string; viewId: string; name: string; query: string }

/** Stores a view, or the new filters of a view with the same name. Returns false if the person already has `viewsMax` others. */
export async function upsertView(queryable: Queryable, view: NewView, viewsMax: number): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `insert into saved_views (application_id, person_id, view_id, name, query)
     select $1, $2, $3, $4, $5
       where (select count(*) from saved_views where application_id = $1 and person_id = $2 and name <> $4) < $6
     on conflict (application_id, person_id, name) do update set query = excluded.query`,
    [view.applicationId, view.personId, view.viewId, view.name, view.query, viewsMax],
  )
  return rowCount === 1
}

/** Removes a view of this person. False when there is none of this id. */
export async function removeView(queryable: Queryable, applicationId: string, personId: string, viewId: string): Promise<boolean> {
  const { rowCount } = await queryable.query('delete from saved_views where application_id = $1 and person_id = $2 and view_id = $3', [
    applicationId,
    personId,
    viewId,
  ])
  return rowCount === 1
}
