import type { SavedView, ViewList } from '#lib/people/saved-views.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

export type OwnView = Omit<SavedView, 'sharedBy'> & { list: ViewList }

/** The views of a list that a person saved in an application, then those that other active members share, each by name. */
export async function selectViews(queryable: Queryable, applicationId: string, personId: string, list: ViewList): Promise<SavedView[]> {
  const { rows } = await queryable.query<SavedView>(
    `select v.view_id as "viewId", v.name, v.query, v.is_shared as "isShared", v.person_id = $2 and v.sent_monthly_since is not null as "isSentMonthly",
            case when v.person_id = $2 then null else p.name end as "sharedBy"
       from saved_views v
       join people p on p.person_id = v.person_id
       join memberships m on m.application_id = v.application_id and m.person_id = v.person_id
      where v.application_id = $1 and v.list = $3 and (v.person_id = $2 or v.is_shared and m.is_active and not p.is_blocked)
      order by v.person_id <> $2, lower(v.name), v.name, v.view_id limit 200`,
    [applicationId, personId, list],
  )
  return rows
}

/** A person's own views, locked until the transaction ends, so that names and their number cannot change meanwhile. */
export async function lockOwnViews(trx: TrxClient, applicationId: string, personId: string): Promise<OwnView[]> {
  const { rows } = await trx.query<OwnView>(
    `select view_id as "viewId", list, name, query, is_shared as "isShared", sent_monthly_since is not null as "isSentMonthly" from saved_views
      where application_id = $1 and person_id = $2 order by view_id for update`,
    [applicationId, personId],
  )
  return rows
}

type StoredView = OwnView & { applicationId: string; personId: string }

/** Stores a view, or the new filters of a view with the same name. `now`: from when on its months are sent, if they were not before. */
export async function upsertView(trx: TrxClient, view: StoredView, now: Date): Promise<void> {
  await trx.query(
    `insert into saved_views (application_id, person_id, view_id, list, name, query, is_shared, sent_monthly_since)
       values ($1, $2, $3, $4, $5, $6, $7, case when $8 then $9::timestamptz end)
     on conflict (application_id, person_id, list, name) do update set query = excluded.query, is_shared = excluded.is_shared,
       sent_monthly_since = case when $8 then coalesce(saved_views.sent_monthly_since, $9::timestamptz) end`,
    [view.applicationId, view.personId, view.viewId, view.list, view.name, view.query, view.isShared, view.isSentMonthly, now],
  )
}

/** Changes name, sharing and monthly sending of one view. `now`: as above. */
export async function updateView(trx: TrxClient, view: Omit<StoredView, 'query' | 'list'>, now: Date): Promise<void> {
  await trx.query(
    `update saved_views set name = $4, is_shared = $5, sent_monthly_since = case when $6 then coalesce(sent_monthly_since, $7::timestamptz) end
      where application_id = $1 and person_id = $2 and view_id = $3`,
    [view.applicationId, view.personId, view.viewId, view.name, view.isShared, view.isSentMonthly, now],
  )
}

/** Removes one view. */
export async function removeView(trx: TrxClient, applicationId: string, personId: string, viewId: string): Promise<void> {
  await trx.query('delete from saved_views where application_id = $1 and person_id = $2 and view_id = $3', [
    applicationId,
    personId,
    viewId,
  ])
}
