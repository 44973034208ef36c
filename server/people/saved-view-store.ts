import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** `sharedBy`: the name of the owner, if it is another person; null for a view of one's own. */
export type SavedViewRow = { viewId: string; name: string; query: string; isShared: boolean; sharedBy: string | null }

export type OwnView = { viewId: string; name: string; query: string; isShared: boolean }

/** The views of a person in an application, then those that other active members share, each by name. */
export async function selectViews(queryable: Queryable, applicationId: string, personId: string): Promise<SavedViewRow[]> {
  const { rows } = await queryable.query<SavedViewRow>(
    `select v.view_id as "viewId", v.name, v.query, v.is_shared as "isShared", case when v.person_id = $2 then null else p.name end as "sharedBy"
       from saved_views v
       join people p on p.person_id = v.person_id
       join memberships m on m.application_id = v.application_id and m.person_id = v.person_id
      where v.application_id = $1 and (v.person_id = $2 or v.is_shared and m.is_active and not p.is_blocked)
      order by v.person_id <> $2, lower(v.name), v.name, v.view_id limit 200`,
    [applicationId, personId],
  )
  return rows
}

/** A person's own views, locked until the transaction ends, so that names and their number cannot change meanwhile. */
export async function lockOwnViews(trx: TrxClient, applicationId: string, personId: string): Promise<OwnView[]> {
  const { rows } = await trx.query<OwnView>(
    `select view_id as "viewId", name, query, is_shared as "isShared" from saved_views
      where application_id = $1 and person_id = $2 order by view_id for update`,
    [applicationId, personId],
  )
  return rows
}

type StoredView = OwnView & { applicationId: string; personId: string }

/** Stores a view, or the new filters of a view with the same name. */
export async function upsertView(trx: TrxClient, view: StoredView): Promise<void> {
  await trx.query(
    `insert into saved_views (application_id, person_id, view_id, name, query, is_shared) values ($1, $2, $3, $4, $5, $6)
     on conflict (application_id, person_id, name) do update set query = excluded.query, is_shared = excluded.is_shared`,
    [view.applicationId, view.personId, view.viewId, view.name, view.query, view.isShared],
  )
}

/** Changes name and sharing of one view. */
export async function updateView(trx: TrxClient, view: Omit<StoredView, 'query'>): Promise<void> {
  await trx.query('update saved_views set name = $4, is_shared = $5 where application_id = $1 and person_id = $2 and view_id = $3', [
    view.applicationId,
    view.personId,
    view.viewId,
    view.name,
    view.isShared,
  ])
}

/** Removes one view. */
export async function removeView(trx: TrxClient, applicationId: string, personId: string, viewId: string): Promise<void> {
  await trx.query('delete from saved_views where application_id = $1 and person_id = $2 and view_id = $3', [
    applicationId,
    personId,
    viewId,
  ])
}
