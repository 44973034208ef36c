import type { TransactionSource } from '#lib/payments/transactions/transaction-status.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { ObservedWait } from '#lib/rules/rule-finding.ts'
import type { TrxClient } from '#server/database/pool.ts'

/** The bands of both versions for one kind of transaction; each band has a number, by which it is recognised again. */
export type ReplayContext = {
  source: string
  type: string
  operator: string
  active: (ApprovalBand & { id: number })[] | null
  proposed: (ApprovalBand & { id: number })[] | null
  /** Whether one of the bands is for beneficiaries who were never paid. */
  readsHistory: boolean
  /** All limits of these bands, ascending. */
  anyLimits: string[]
  batchLimits: string[]
  dayLimits: string[]
}

/** Transactions that are alike in all that counts; those of a batch from a file are apart from all others. */
export type ReplayGroup = {
  source: TransactionSource
  makerId: string | null
  makerName: string | null
  batchId: string | null
  activeId: number | null
  proposedId: number | null
  count: number
  /** The newest of them. */
  transactionId: string
}

type Window = { applicationId: string; from: Date; afterSequence: bigint }

/** The last sequence before a day: where a window that begins on it can start to read. */
export async function selectSequenceBefore(trx: TrxClient, applicationId: string, day: Date): Promise<bigint> {
  const { rows } = await trx.query<{ sequence: bigint | null }>(
    `select sum(transaction_count) as sequence from transaction_days
      where application_id = $1 and day < ($2::timestamptz at time zone 'UTC')::date`,
    [applicationId, day],
  )
  return rows[0]?.sequence ?? 0n
}

/** The phone numbers in a window that begin with one of these dial codes. */
export async function selectPhonesOf(trx: TrxClient, window: Window, dialCodes: readonly string[]): Promise<string[]> {
  const { rows } = await trx.query<{ phone: string }>(
    `select distinct t.phone_number as phone from transactions t
      where t.application_id = $1 and t.sequence > $2 and t.created_at > $3 and left(t.phone_number, 3) = any ($4)`,
    [window.applicationId, window.afterSequence, window.from, dialCodes],
  )
  return rows.map(({ phone }) => phone)
}

/**
 * Measures every transaction of a window as intake measures a new one (approval-band-for.sql), as things stood when it was started, and
 * chooses with intake's own function (approval_band_among). The 24-hour total is a running sum: each transaction adds its amount when it
 * starts, and takes it away 24 hours later, or when it fails. Transactions that exceed the same limits get the same band, so the function is
 * called once for each such group, with the smallest amounts of the group.
 */
export async function selectReplay(
  trx: TrxClient,
  window: Window,
  contexts: readonly ReplayContext[],
  forms: readonly { phone: string; person: string }[],
): Promise<ReplayGroup[]> {
  const { rows } = await trx.query<ReplayGroup>(
    `with form as materialized (
       select * from unnest($4::text[], $5::text[]) as f (phone, person)
     ), context as materialized (
       select * from jsonb_to_recordset($6::jsonb) as c (source text, type text, operator text, active jsonb, proposed jsonb,
         "readsHistory" boolean, "anyLimits" bigint[], "batchLimits" bigint[], "dayLimits" bigint[])
     ), started as materialized (
       select t.*, coalesce(f.person, t.phone_number) as person, coalesce(t.maker_id::text, t.source) as starter
         from transactions t left join form f on f.phone = t.phone_number
         where t.application_id = $1 and t.sequence > $2 and t.created_at > $3::timestamptz - interval '24 hours'
     ), moved as (
       select s.person, s.type, s.starter, s.created_at as at, true as is_start, s.sequence, s.amount_minor as delta_minor from started s
       union all
       select s.person, s.type, s.starter,
           greatest(least(s.created_at + interval '24 hours', case when s.status = 'FAILED' then s.final_at end),
                    s.created_at + interval '1 microsecond'), false, s.sequence, -s.amount_minor
         from started s
     ), day as (
       select m.is_start, m.sequence,
           sum(m.delta_minor) over (partition by m.person, m.type, m.starter order by m.at, m.is_start, m.sequence) as day_minor
         from moved m
     ), batch as (
       select s.batch_id, s.currency, sum(s.amount_minor)::bigint as batch_minor from started s where s.batch_id is not null group by 1, 2
     ), paid as materialized (
       select x.person, x.type, min(x.final_at) as first_at from (
         select s.person, s.type, s.final_at from started s where s.status = 'SUCCESS'
         union all
         select p.person, p.type, o.final_at from (
           select distinct s.person, s.type from started s
             join context c on c.source = s.source and c.type = s.type and c.operator = s.operator where c."readsHistory") p
           left join form f on f.person = p.person
           cross join lateral (select t.final_at from transactions t
             where t.application_id = $1 and t.phone_number = coalesce(f.phone, p.person) and t.sequence <= $2
               and t.type = p.type and t.status = 'SUCCESS' limit 1) o) x
       group by 1, 2
     ), measured as (
       select s.sequence, s.source, s.maker_id, s.batch_id, s.type, s.operator,
           greatest(s.amount_minor, b.batch_minor, d.day_minor::bigint) as any_minor, coalesce(b.batch_minor, 0) as batch_minor,
           d.day_minor::bigint as day_minor, coalesce(p.first_at >= s.created_at, true) as is_first
         from started s
         join day d on d.sequence = s.sequence and d.is_start
         left join batch b on b.batch_id = s.batch_id and b.currency = s.currency
         left join paid p on p.person = s.person and p.type = s.type
         where s.created_at > $3
     ), alike as materialized (
       select m.source, m.maker_id, m.batch_id, m.type, m.operator, m.is_first, width_bucket(m.any_minor - 1, c."anyLimits") as exceeded,
           width_bucket(m.batch_minor - 1, c."batchLimits") as exceeded_batch, width_bucket(m.day_minor - 1, c."dayLimits") as exceeded_day,
           count(*)::integer as count, max(m.sequence) as newest, min(m.any_minor) as any_minor, min(m.batch_minor) as batch_minor,
           min(m.day_minor) as day_minor
         from measured m join context c on c.source = m.source and c.type = m.type and c.operator = m.operator
         group by 1, 2, 3, 4, 5, 6, 7, 8, 9
     )
     select a.source, a.maker_id as "makerId", p.name as "makerName", a.batch_id as "batchId", a.count,
         (approval_band_among(coalesce(c.active, '[]'), a.any_minor, a.batch_minor, a.day_minor, a.is_first) ->> 'id')::integer as "activeId",
         (approval_band_among(coalesce(c.proposed, '[]'), a.any_minor, a.batch_minor, a.day_minor, a.is_first) ->> 'id')::integer as "proposedId",
         t.transaction_id as "transactionId"
       from alike a join context c on c.source = a.source and c.type = a.type and c.operator = a.operator
         join transactions t on t.application_id = $1 and t.sequence = a.newest
         left join people p on p.person_id = a.maker_id
       order by a.newest desc`,
    [
      window.applicationId,
      window.afterSequence,
      window.from,
      forms.map(({ phone }) => phone),
      forms.map(({ person }) => person),
      JSON.stringify(contexts),
    ],
  )
  return rows
}

/** How long items waited that checkers decided since an instant, by how many approvals they needed. A batch is one item. */
export async function selectObservedWaits(trx: TrxClient, applicationId: string, since: Date): Promise<ObservedWait[]> {
  const { rows } = await trx.query<ObservedWait>(
    `with lately as materialized (
       select distinct d.transaction_id from approval_decisions d where d.application_id = $1 and d.decided_at > $2
     ), item as (
       select coalesce(t.batch_id, t.transaction_id) as id, max(e.at - t.created_at) as wait,
           max((select sum(n) from unnest(i.steps) as s (n))::integer) as needed
         from lately l
         join transactions t on t.application_id = $1 and t.transaction_id = l.transaction_id
         join approval_items i on i.application_id = $1 and i.transaction_id = l.transaction_id
         join transaction_events e on e.application_id = $1 and e.transaction_id = l.transaction_id
           and e.from_status = 'PENDING_APPROVAL' and e.event in ('approved', 'rejected')
         group by 1
     )
     select needed, count(*)::integer as count,
         (extract(epoch from percentile_cont(0.5) within group (order by wait)) * 1000)::float8 as "medianMs"
       from item group by needed order by needed`,
    [applicationId, since],
  )
  return rows
}
