import { PERMISSIONS } from '#lib/people/permissions.ts'
import { MONTHLY_HOUR } from '#lib/people/saved-views.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

type EndedSending = { applicationId: string; viewId: string; name: string; list: string }

/** Ends the sending of views whose owner may no longer read totals or take them out, and returns them. */
export function endLostSendings(trx: TrxClient): Promise<EndedSending[]> {
  return runQuery<EndedSending>(
    trx,
    sql`update saved_views v set sent_monthly_since = null where v.sent_monthly_since is not null
        and not exists (select 1 from memberships m join people p on p.person_id = m.person_id
          where m.application_id = v.application_id and m.person_id = v.person_id and m.is_active and not p.is_blocked
            and m.roles && ${PERMISSIONS['total:read']}::text[] and m.roles && ${PERMISSIONS['export:create']}::text[])
      returning v.application_id as "applicationId", v.view_id as "viewId", v.name, v.list`,
  )
}

/**
 * Inserts the month before the present one for every view whose months are sent, once its hour has come in the business zone of the application. A month
 * that was inserted before, or was due before its owner asked for it, is left out. Only the latest month is: of several that were missed, the page has the rest.
 */
export async function insertDueMonths(queryable: Queryable, now: Date): Promise<void> {
  await runQuery(
    queryable,
    sql`insert into monthly_totals (application_id, person_id, view_id, month, prepared_at)
      select v.application_id, v.person_id, v.view_id, (d.first_day - interval '1 month')::date, ${now}::timestamptz
        from saved_views v join applications a on a.application_id = v.application_id
          cross join lateral (select date_trunc('month', (${now}::timestamptz at time zone a.time_zone) - make_interval(hours => ${MONTHLY_HOUR})) as first_day) d
        where v.sent_monthly_since is not null
          and v.sent_monthly_since < (d.first_day + make_interval(hours => ${MONTHLY_HOUR})) at time zone a.time_zone
      on conflict (application_id, person_id, view_id, month) do nothing`,
  )
}

/** Deletes months that were inserted before this instant, which must lie further back than a month: the present one keeps it from being sent again. */
export async function deleteMonths(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query('delete from monthly_totals where prepared_at < $1', [before])
}
