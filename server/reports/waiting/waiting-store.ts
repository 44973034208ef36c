import { CHANGE_PERMISSIONS, type ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { WaitingGroup } from '#lib/pages/waiting.ts'
import { can, mayDecideElsewhere, type Role, rolesWith } from '#lib/people/permissions.ts'
import { WAITING_BATCHES } from '#server/approvals/batch-store.ts'
import { batchObstacle, IS_BATCH_ROW, mayDecide } from '#server/approvals/may-decide.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { hasMember } from '#server/people/second-person-store.ts'
import { OWN_RETURNED_DAYS, ownReturned } from '../overview/overview-store.ts'

/** The person whose work is read, and where. */
export type WaitingReader = { applicationId: string; id: string; roles: readonly Role[]; runsInstallation: boolean }

/** Beyond this a group is not counted: the exact number helps no reader, and the count stays cheap. */
export const COUNTED_MAX = 1_000
/** Deliveries that failed longer ago are history. */
const DELIVERY_DAYS = 7
/** How long a transfer to carry out is listed, so that counting does not take longer with every withdrawal ever made. The page of transfers keeps it. */
const TRANSFER_DAYS = 90
/** How long a month of saved totals is listed. */
const MONTHLY_DAYS = 7

/** The columns of every group, in this order; a group that has no such value selects null. */
const COLUMNS = sql`id, at, expires_at, kind, name, by_id, operator, currency, amount_minor, count, wallet, day`

type Part = { group: WaitingGroup; rows: Sql }

/**
 * Everything that a person can act on now, as one SELECT for each group: those of the counts and of the list are the same, so that a badge never counts
 * what the page does not show. Whether the person may is asked in the same way as by the commands that act.
 */
function partsFor(reader: WaitingReader): Part[] {
  const { roles, runsInstallation } = reader
  const kinds = Object.keys(CHANGE_PERMISSIONS) as ChangeKindName[]
  const confirmable = kinds.filter((kind) => can(roles, CHANGE_PERMISSIONS[kind].confirm))
  const movesMoney = (kind: string) => /^(funding|adjustment|reversal)\./.test(kind)
  const parts: (Part | false)[] = [
    { group: 'approvals', rows: alone(reader) },
    { group: 'batches', rows: batches(reader) },
    confirmable.some(movesMoney) && { group: 'fundings', rows: changes(reader, confirmable.filter(movesMoney)) },
    confirmable.length > 0 && {
      group: 'changes',
      rows: changes(
        reader,
        confirmable.filter((kind) => !movesMoney(kind)),
      ),
    },
    runsInstallation && can(roles, 'installation:read') && { group: 'changesElsewhere', rows: changesElsewhere(reader, kinds) },
    can(roles, 'access:propose') && { group: 'secrets', rows: secrets(reader) },
    runsInstallation && can(roles, 'reconciliation:work') && { group: 'transfers', rows: transfers() },
    runsInstallation && can(roles, 'day:sign') && { group: 'days', rows: days(reader) },
    runsInstallation && can(roles, 'reconciliation:work') && { group: 'exceptions', rows: exceptions(reader) },
    can(roles, 'transaction:create') && { group: 'returned', rows: returned(reader) },
    can(roles, 'webhook:recover') && { group: 'deliveries', rows: deliveries(reader) },
    can(roles, 'total:read') && { group: 'monthlyTotals', rows: monthlyTotals(reader) },
  ]
  return parts.filter((part) => part !== false)
}

function alone({ applicationId, id }: WaitingReader): Sql {
  return sql`select t.transaction_id::text as id, t.created_at as at, i.expires_at, null as kind, t.customer_name as name, t.maker_id as by_id,
      t.operator, t.currency, t.amount_minor, null::integer as count, null as wallet, null as day
    from transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    where (select is_checker(${applicationId}, ${id})) and t.application_id = ${applicationId} and t.is_waiting and not ${IS_BATCH_ROW}
      and ${mayDecide(sql`${applicationId}`, sql`${id}`)}
    order by t.sequence limit ${COUNTED_MAX}`
}

/** A batch is one item, once all its rows wait. */
function batches({ applicationId, id }: WaitingReader): Sql {
  return sql`${WAITING_BATCHES(applicationId)}
    select w.batch_id::text, o.created_at, o.expires_at, null, b.name, o.maker_id, null, null, null::bigint, b.ready_count, null, null
    from waiting w
      left join batches b on b.application_id = ${applicationId} and b.batch_id = w.batch_id
      cross join lateral (select t.created_at, t.maker_id, i.expires_at
        from transactions t join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
        where t.application_id = ${applicationId} and t.batch_id = w.batch_id and t.is_waiting order by t.sequence limit 1) o
    where (select is_checker(${applicationId}, ${id})) and coalesce(b.state, 'submitted') = 'submitted'
      and (${batchObstacle(applicationId, id)}) is null
    order by o.created_at limit ${COUNTED_MAX}`
}

/** The subject of a change about a person is that person, who takes no part in it. */
function changes({ applicationId, id }: WaitingReader, kinds: readonly string[]): Sql {
  return sql`select c.change_id::text, c.proposed_at, c.expires_at, c.kind, c.after ->> 'person', c.proposed_by, coalesce(c.after ->> 'operator', c.payload ->> 'operator'),
      c.after ->> 'currency', coalesce(c.payload ->> 'amountMinor', c.after ->> 'amountMinor')::bigint, null::integer,
      c.after ->> 'wallet', c.after ->> 'day'
    from proposed_changes c
    where c.application_id = ${applicationId} and c.outcome is null and c.expires_at > now() and c.kind = any (${kinds}::text[])
      and c.proposed_by <> ${id} and c.subject <> ${id}::text
    order by c.proposed_at limit ${COUNTED_MAX}`
}

/** Changes of other applications that nobody there but their proposer may confirm; each is named after its application. */
function changesElsewhere({ applicationId, id, roles }: WaitingReader, all: readonly ChangeKindName[]): Sql {
  const kinds = all.filter((kind) => mayDecideElsewhere(roles, CHANGE_PERMISSIONS[kind].confirm))
  const confirming = kinds.map((kind) => rolesWith(CHANGE_PERMISSIONS[kind].confirm).join())
  const hasOwn = hasMember({
    applicationId: sql`c.application_id`,
    roles: sql`string_to_array(k.roles, ',')`,
    except: sql`array[c.proposed_by::text, c.subject]`,
  })
  return sql`select c.change_id::text, c.proposed_at, c.expires_at, c.kind, a.name, c.proposed_by, coalesce(c.after ->> 'operator', c.payload ->> 'operator'),
      c.after ->> 'currency', coalesce(c.payload ->> 'amountMinor', c.after ->> 'amountMinor')::bigint, null::integer, null, null
    from proposed_changes c
      join unnest(${kinds}::text[], ${confirming}::text[]) k (kind, roles) on k.kind = c.kind
      join applications a on a.application_id = c.application_id
    where c.application_id <> ${applicationId} and c.outcome is null and c.expires_at > now()
      and c.proposed_by <> ${id} and c.subject <> ${id}::text and not ${hasOwn}
    order by c.proposed_at limit ${COUNTED_MAX}`
}

/** Own changes that were confirmed and whose secret is not collected. */
function secrets({ applicationId, id }: WaitingReader): Sql {
  return sql`select c.change_id::text, c.decided_at, c.collect_until, c.kind, null, c.decided_by, null, null, null::bigint, null::integer, null, null
    from proposed_changes c
    where c.application_id = ${applicationId} and c.proposed_by = ${id} and c.outcome = 'confirmed' and c.collected_at is null
      and c.collect_until > now()
    order by c.decided_at limit ${COUNTED_MAX}`
}

/**
 * Withdrawals of every application and own transfers that two people have confirmed and that have no mark, of a person or of a line: somebody has to
 * order them at the operator or the bank. One query for each kind, because each has its index.
 */
function transfers(): Sql {
  const kinds = ['funding.withdrawal', 'wallet.plan'].map(
    (
      kind,
    ) => sql`(select f.change_id::text, f.decided_at, null::timestamptz, f.kind, a.name, f.decided_by, f.payload ->> 'operator', f.after ->> 'currency',
        (f.payload ->> 'amountMinor')::bigint, null::integer,
        (select place from unnest(array[f.payload ->> 'from', f.payload ->> 'to']) place where place not like 'bank:%' limit 1), null
      from proposed_changes f join applications a on a.application_id = f.application_id
      where f.kind = ${sql.raw(`'${kind}'`)} and f.outcome = 'confirmed' and f.decided_at >= now() - make_interval(days => ${TRANSFER_DAYS})
        and not exists (select from transit_marks m where m.ledger_id = f.application_id and m.change_id = f.change_id)
      order by f.decided_at limit ${COUNTED_MAX})`,
  )
  return sql.join(kinds, sql` union all `)
}

/** Days that another person has prepared; who has made a part of them does not sign. */
function days({ applicationId, id }: WaitingReader): Sql {
  return sql`select d.wallet || ' ' || d.day, d.prepared_at, null::timestamptz, null, null, d.prepared_by, d.operator, null, null::bigint, null::integer,
      d.wallet, d.day::text
    from day_certificates d
    where d.application_id = ${applicationId} and d.state = 'prepared' and d.prepared_by <> ${id} and ${id} <> all (d.makers)
    order by d.prepared_at limit ${COUNTED_MAX}`
}

function exceptions({ applicationId, id }: WaitingReader): Sql {
  return sql`select e.exception_id::text, e.opened_at, null::timestamptz, e.class, null, null::uuid, e.operator, null, e.amount_minor, null::integer,
      e.wallet, e.local_day::text
    from exceptions e
    where e.application_id = ${applicationId} and e.class <> 'unconfirmed' and e.outcome is null and (e.owner_id is null or e.owner_id = ${id})
    order by e.opened_at limit ${COUNTED_MAX}`
}

/** Own payments that were rejected or not decided in time, each batch as one. */
function returned({ applicationId, id }: WaitingReader): Sql {
  return sql`select coalesce(r.batch_id, r.transaction_id)::text, min(r.at), null::timestamptz,
      case when r.batch_id is null then min(r.event) end, case when r.batch_id is null then min(r.customer_name) else min(b.name) end,
      null::uuid, case when r.batch_id is null then min(r.operator) end, case when r.batch_id is null then min(r.currency) end,
      case when r.batch_id is null then min(r.amount_minor) end, case when r.batch_id is not null then count(*)::integer end, null, null
    from (${ownReturned(applicationId, id)}) r
      left join batches b on b.application_id = ${applicationId} and b.batch_id = r.batch_id
    where r.at >= now() - make_interval(days => ${OWN_RETURNED_DAYS})
    group by r.batch_id, coalesce(r.batch_id, r.transaction_id) order by 2 limit ${COUNTED_MAX}`
}

/** Receivers to which a delivery was given up, or fails and will be repeated. A first attempt that delivers has no row among the attempts. */
function deliveries({ applicationId }: WaitingReader): Sql {
  return sql`select f.target, min(f.at), null::timestamptz, null, f.target, null::uuid, null, null, null::bigint, count(*)::integer, null, null
    from (
      (select d.target, d.finished_at as at from webhook_deliveries d
        where d.application_id = ${applicationId} and d.state = 'exhausted' and d.finished_at >= now() - make_interval(days => ${DELIVERY_DAYS})
          and not exists (select from webhook_resends r where r.application_id = d.application_id and r.transaction_id = d.transaction_id
            and (r.outcome is null or r.outcome = 'delivered'))
        order by d.finished_at limit ${COUNTED_MAX})
      union all
      (select d.target, d.created_at from webhook_deliveries d
        where d.application_id = ${applicationId} and d.state = 'due'
          and exists (select from webhook_attempts a where a.application_id = d.application_id and a.transaction_id = d.transaction_id)
        limit ${COUNTED_MAX})) f
    group by f.target order by 2 limit ${COUNTED_MAX}`
}

/** The months of own saved totals that were sent lately, by e-mail or not. */
function monthlyTotals({ applicationId, id }: WaitingReader): Sql {
  return sql`select s.monthly_id::text, s.prepared_at, null::timestamptz, v.query, v.name, null::uuid, null, null, null::bigint, null::integer, null,
      s.month::text
    from monthly_totals s
      join saved_views v on v.application_id = s.application_id and v.person_id = s.person_id and v.view_id = s.view_id
    where s.application_id = ${applicationId} and s.person_id = ${id} and v.sent_monthly_since is not null
      and s.prepared_at >= now() - make_interval(days => ${MONTHLY_DAYS})
    order by s.prepared_at limit ${COUNTED_MAX}`
}

const unionOf = (reader: WaitingReader): Sql =>
  sql.join(
    partsFor(reader).map(({ group, rows }) => sql`select ${group}::text as "group", r.* from (${rows}) r (${COLUMNS})`),
    sql` union all `,
  )

export type WaitingCountRow = { group: WaitingGroup; kind: string | null; count: number }

/** How many items of each group and kind a person can act on now, each group counted up to COUNTED_MAX. One statement. */
export function countWaitingGroups(queryable: Queryable, reader: WaitingReader): Promise<WaitingCountRow[]> {
  return runQuery<WaitingCountRow>(
    queryable,
    sql`select w."group", w.kind, count(*)::integer as count from (${unionOf(reader)}) w group by 1, 2`,
  )
}

export type WaitingRow = {
  group: WaitingGroup
  id: string
  at: Date
  expiresAt: Date | null
  kind: string | null
  name: string | null
  by: string | null
  operator: OperatorCode | null
  currency: Currency | null
  amountMinor: bigint | null
  count: number | null
  wallet: string | null
  day: string | null
}

/** The oldest items of each group, `size` at most. */
export function listWaiting(queryable: Queryable, reader: WaitingReader, size: number): Promise<WaitingRow[]> {
  return runQuery<WaitingRow>(
    queryable,
    sql`select w."group", w.id, w.at, w.expires_at as "expiresAt", w.kind, w.name, p.name as by, w.operator, w.currency,
      w.amount_minor as "amountMinor", w.count, w.wallet, w.day
    from (select u.*, row_number() over (partition by u."group" order by u.at, u.id) as place from (${unionOf(reader)}) u) w
      left join people p on p.person_id = w.by_id
    where w.place <= ${size} order by w.at, w.id`,
  )
}
