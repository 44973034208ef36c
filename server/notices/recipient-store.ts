import { CHANGE_PERMISSIONS } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import { mayDecideElsewhere, PERMISSIONS, ROLES } from '#lib/people/permissions.ts'
import { mayDecide } from '#server/approvals/may-decide.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { hasMember } from '#server/people/second-person-store.ts'
import type { WaitingReader } from '#server/reports/waiting/waiting-store.ts'
import type { Delivery, Notice } from './notice-store.ts'
import { DEFAULT_TIMES, type NoticeTimes } from './notice-times.ts'
import { concernsWhileItLasts } from './state-causes.ts'

/** `decidesIn`: the slug of the application as whose member the person is told; null for a sign-in. */
export type Recipient = NoticeTimes & {
  personId: string
  email: string
  name: string
  locale: Locale | null
  /** The person's own, or that of the application as whose member they are told. */
  timeZone: string
  /** By e-mail. */
  delivery: Delivery
  /** The browsers in which the person wants to be told. */
  browsers: string[]
  decidesIn: string | null
}

const CONFIRMING_ROLES = JSON.stringify(
  Object.fromEntries(Object.entries(CHANGE_PERMISSIONS).map(([kind, { confirm }]) => [kind, PERMISSIONS[confirm]])),
)
/** The roles in the application that runs the installation which may confirm what nobody else in another application may. */
const CONFIRMING_ROLES_ELSEWHERE = JSON.stringify(
  Object.fromEntries(
    Object.entries(CHANGE_PERMISSIONS).map(([kind, { confirm }]) => [kind, ROLES.filter((role) => mayDecideElsewhere([role], confirm))]),
  ),
)
const rolesFor = (rolesByKind: string): Sql => sql`array(select jsonb_array_elements_text(${rolesByKind}::jsonb -> c.kind))`

/** The people who may act on a notice now, or whom it is about. */
export async function listRecipients(queryable: Queryable, notice: Notice, now: Date): Promise<Recipient[]> {
  const columns = sql`p.person_id as "personId", p.email, p.name, p.locale, coalesce(r.delivery, 'at_once') as delivery,
    array(select b.browser_id from notice_browsers b where b.person_id = p.person_id and coalesce(r.in_browser, true)) as browsers,
    coalesce(h.digest_hour, ${DEFAULT_TIMES.digestHour}::smallint) as "digestHour", h.quiet_from as "quietFrom", h.quiet_until as "quietUntil"`
  const people = sql`people p left join notice_times h on h.person_id = p.person_id
    left join notice_preferences r on r.person_id = p.person_id and r.cause = ${notice.cause}`
  if (notice.applicationId === null)
    return runQuery<Recipient>(
      queryable,
      sql`select ${columns}, coalesce(p.time_zone, 'UTC') as "timeZone", null as "decidesIn" from ${people}
        where p.person_id = ${notice.subjectId} and not p.is_blocked`,
    )
  const application = sql`${notice.applicationId}::uuid`
  return runQuery<Recipient>(
    queryable,
    sql`select ${columns}, coalesce(p.time_zone, ma.time_zone) as "timeZone", ma.slug as "decidesIn" from ${people}
        join memberships m on m.person_id = p.person_id join applications ma on ma.application_id = m.application_id
      where m.is_active and not p.is_blocked
        and ((m.application_id = ${application} and ${concerns(notice, application, now)}) or ${concernsElsewhere(notice, application, now)})
      order by p.person_id`,
  )
}

/** The applications in which a person may act now, by name, each as the reader of what waits there. */
export function listOwnApplications(queryable: Queryable, personId: string): Promise<(WaitingReader & { slug: string; name: string })[]> {
  return runQuery(
    queryable,
    sql`select a.application_id as "applicationId", m.person_id as id, m.roles, a.runs_installation as "runsInstallation", a.slug, a.name
      from memberships m join people p on p.person_id = m.person_id join applications a on a.application_id = m.application_id
      where m.person_id = ${personId} and m.is_active and cardinality(m.roles) > 0 and not p.is_blocked order by a.name, a.slug`,
  )
}

/** Whether the notice concerns the member `m`. */
function concerns({ cause, subjectId, operator, type }: Notice, application: Sql, now: Date): Sql {
  const subject = sql`${subjectId}::uuid`
  switch (cause) {
    case 'approval_waiting':
    case 'approval_expiring':
      return sql`exists (select 1 from transactions t
        join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
        where t.application_id = ${application} and t.is_waiting and ${mayDecide(application, sql.raw('m.person_id'))}
          ${cause === 'approval_expiring' ? sql`and i.expires_at <= ${now}::timestamptz + interval '4 hours'` : sql``})`
    case 'change_waiting':
    case 'change_expiring':
      return sql`exists (select 1 from proposed_changes c where ${isOpenFor(application, subject, now)}
        and m.roles && ${rolesFor(CONFIRMING_ROLES)})`
    case 'change_confirmed':
    case 'change_refused':
      return sql`exists (select 1 from proposed_changes c where c.application_id = ${application} and c.change_id = ${subject}
        and c.proposed_by = m.person_id)`
    case 'payment_rejected':
    case 'payment_expired':
    case 'payment_failed':
      return sql`exists (select 1 from transactions t where t.application_id = ${application} and t.transaction_id = ${subject}
        and t.maker_id = m.person_id)`
    case 'batch_ended':
      return sql`exists (select 1 from batches b where b.application_id = ${application} and b.batch_id = ${subject}
        and b.maker_id = m.person_id)`
    case 'list_not_prepared':
      // Its maker or, once that person no longer prepares payments, everybody who does.
      return sql`m.roles && ${PERMISSIONS['transaction:create']}::text[] and exists (select 1 from payment_schedules s
        where s.application_id = ${application} and s.schedule_id = ${subject} and (s.maker_id = m.person_id or not exists (
          select 1 from memberships o join people op on op.person_id = o.person_id
            where o.application_id = ${application} and o.person_id = s.maker_id and o.is_active and not op.is_blocked
              and o.roles && ${PERMISSIONS['transaction:create']}::text[])))`
    case 'exception_overdue':
      return sql`m.roles && ${PERMISSIONS['reconciliation:work']}::text[] and exists (select 1 from exceptions e
        where e.application_id = ${application} and e.exception_id = ${subject} and e.outcome is null
          and coalesce(e.owner_id, m.person_id) = m.person_id)`
    case 'key_expiring':
      return sql`m.roles && ${PERMISSIONS['access:read']}::text[] and exists (select 1 from api_keys k
        where k.application_id = ${application} and k.api_key_id = ${subject} and k.revoked_at is null and k.expires_at > ${now})`
    case 'monthly_totals':
      return sql`m.roles && ${PERMISSIONS['total:read']}::text[] and m.roles && ${PERMISSIONS['export:create']}::text[] and exists (
        select 1 from monthly_totals s
          join saved_views v on v.application_id = s.application_id and v.person_id = s.person_id and v.view_id = s.view_id
          where s.application_id = ${application} and s.monthly_id = ${subject} and s.person_id = m.person_id and v.sent_monthly_since is not null)`
    case 'balance_low':
    case 'float_short':
    case 'operator_down':
    case 'webhooks_failing':
      return concernsWhileItLasts({ cause, operator, type }, application)
    case 'new_device':
    case 'new_passkey':
      return sql`false`
  }
}

/** Whether the notice concerns the member `m` of the application that runs the installation: a change that nobody else in its own application may confirm. */
function concernsElsewhere({ cause, subjectId }: Notice, application: Sql, now: Date): Sql {
  if (cause !== 'change_waiting' && cause !== 'change_expiring') return sql`false`
  const hasOwn = hasMember({
    applicationId: application,
    roles: rolesFor(CONFIRMING_ROLES),
    except: sql`array[c.proposed_by::text, c.subject]`,
  })
  return sql`(ma.runs_installation and m.application_id <> ${application} and exists (select 1 from proposed_changes c
    where ${isOpenFor(application, sql`${subjectId}::uuid`, now)} and m.roles && ${rolesFor(CONFIRMING_ROLES_ELSEWHERE)} and not ${hasOwn}))`
}

/** Whether `c` is this change, is open, and is neither proposed by nor about the member `m`. */
function isOpenFor(application: Sql, changeId: Sql, now: Date): Sql {
  return sql`c.application_id = ${application} and c.change_id = ${changeId} and c.outcome is null and c.expires_at > ${now}
    and c.proposed_by <> m.person_id and c.payload ->> 'personId' is distinct from m.person_id::text`
}
