import type { UnconfirmedKind, UnconfirmedNote } from '#lib/finance/unconfirmed.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { UnconfirmedFilter } from '#lib/schemas/page-address.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { OPEN_CONTRADICTION } from '#server/operators/work/contradiction-store.ts'

type Direction = { operator: OperatorCode; type: TransactionType }
/** `lateMs`: after how long an accepted payment without a result is late. Of a direction that is not listed: `otherwiseLateMs`. */
type LateAfter = { directions: readonly (Direction & { lateMs: number })[]; otherwiseLateMs: number }

export type Asked = { applicationId: string; viewerId: string; filter: UnconfirmedFilter; now: Date; lateAfter: LateAfter }

/** The payments of an application whose outcome is unknown, each once: a pending one has work at its operator, a contradicted one has ended. */
function unknown({ applicationId, now, lateAfter: { directions, otherwiseLateMs } }: Asked): Sql {
  const column = (values: readonly unknown[], type: string) => sql`${values}${sql.raw(`::${type}[]`)}`
  return sql`
    select w.transaction_id, 'no_answer' as kind, w.unconfirmed_since as since from operator_work w
     where w.application_id = ${applicationId} and w.unconfirmed_since is not null
    union all
    select w.transaction_id, 'late', s.at from operator_work w
      join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
      cross join lateral (select coalesce(w.submit_started_at, w.accepted_at, t.created_at) as at) s
      left join unnest(${column(
        directions.map(({ operator }) => operator),
        'text',
      )}, ${column(
        directions.map(({ type }) => type),
        'text',
      )}, ${column(
        directions.map(({ lateMs }) => lateMs),
        'float8',
      )}) u (operator, type, late_ms) on u.operator = w.operator and u.type = w.type
     where w.application_id = ${applicationId} and w.state = 'submitted' and w.unconfirmed_since is null
       and s.at < ${now}::timestamptz - coalesce(u.late_ms, ${otherwiseLateMs}::float8) * interval '1 millisecond'
    union all
    select c.transaction_id, case when c.source = 'hint' then 'hinted' else 'contradicted' end, c.at from operator_contradictions c
     where ${contradicted(applicationId)}`
}

const [BEFORE_ID = '', ...AFTER_ID] = OPEN_CONTRADICTION.split('$1')
const contradicted = (applicationId: string) => sql`${sql.raw(BEFORE_ID)}${applicationId}${sql.raw(AFTER_ID.join('$1'))}`

/** Those that fit the filter, with who works on them. */
function found(asked: Asked): Sql {
  const { applicationId, viewerId, filter, now } = asked
  const { owner, kind, operator, type, currency, batch, minutes, unconfirmedAfter, unconfirmedBefore } = filter
  const olderThan = minutes === null ? null : new Date(now.getTime() - minutes * 60_000)
  const ownerId = owner === 'me' ? viewerId : owner === 'nobody' ? null : owner
  return sql`
    with found as materialized (
      select i.kind, i.since, t.transaction_id, t.operator, t.type, t.currency, t.amount_minor, t.customer_name, t.phone_number, t.status,
             coalesce(t.operator_reference, w.operator_reference) as operator_reference, w.next_at, w.is_claimed, e.exception_id, e.owner_id
        from (${unknown(asked)}) i
        join transactions t on t.application_id = ${applicationId} and t.transaction_id = i.transaction_id
        left join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
        left join exceptions e on e.application_id = t.application_id
          and e.subject = format('transaction %s %s', t.application_id, t.transaction_id) and e.outcome is null
       where (i.kind in ('contradicted', 'hinted') or t.status = 'PENDING')
         and (${owner}::text is null or case ${owner} when 'nobody' then e.owner_id is null else e.owner_id = ${ownerId}::uuid end)
         and (${kind}::text is null or i.kind = ${kind} or ${kind} = 'contradicted' and i.kind = 'hinted')
         and (${batch}::uuid is null or t.batch_id = ${batch})
         and (${operator}::text is null or t.operator = ${operator})
         and (${type}::text is null or t.type = ${type})
         and (${currency}::text is null or t.currency = ${currency})
         and (${olderThan}::timestamptz is null or i.since < ${olderThan})
         and i.since >= ${unconfirmedAfter ?? '-infinity'}::timestamptz and i.since < ${unconfirmedBefore ?? 'infinity'}::timestamptz)`
}

export type FoundRow = Direction & {
  transactionId: string
  kind: UnconfirmedKind
  currency: Currency
  amountMinor: bigint
  customerName: string
  phoneNumber: string
  operatorReference: string | null
  since: Date
  queriedAt: Date | null
  said: string | null
  nextQueryAt: Date | null
  ownerId: string | null
  ownerName: string | null
  notes: UnconfirmedNote[]
}

/** As many notes as a row carries. The page of the payment has all. */
const NOTES_MAX = 20

/** The payments that fit, the longest unknown first. */
export function selectUnconfirmed(queryable: Queryable, asked: Asked, part: { limit: number; offset: number }): Promise<FoundRow[]> {
  const id = asked.applicationId
  return runQuery<FoundRow>(
    queryable,
    sql`${found(asked)}, page as (select * from found order by since, transaction_id limit ${part.limit} offset ${part.offset})
    select f.transaction_id as "transactionId", f.kind, f.operator, f.type, f.currency, f.amount_minor as "amountMinor",
           f.customer_name as "customerName", f.phone_number as "phoneNumber", f.operator_reference as "operatorReference", f.since,
           q.at as "queriedAt", q.said,
           case when f.status = 'PENDING' then case when f.is_claimed then greatest(f.next_at, now()) else f.next_at end
                else (select min(n.next_at) from contradiction_queries n where n.application_id = ${id} and n.transaction_id = f.transaction_id
                         and n.ended_at is null) end as "nextQueryAt",
           f.owner_id as "ownerId", p.name as "ownerName", n.notes
      from page f
      left join people p on p.person_id = f.owner_id
      left join lateral (
        select a.at, a.said from (
          select a.started_at as at, a.outcome as said from all_operator_attempts a
           where a.application_id = ${id} and a.transaction_id = f.transaction_id and a.kind = 'query'
          union all
          select c.at, c.said from operator_contradictions c
           where c.application_id = ${id} and c.transaction_id = f.transaction_id and c.source = 'query') a
         order by a.at desc limit 1) q on true
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('note', v.note, 'person', coalesce(v.name, ''), 'at', v.at) order by v.event_id desc),
                        '[]') as notes
          from (select v.event_id, v.note, v.at, w.name from exception_events v left join people w on w.person_id = v.person_id
                 where v.application_id = ${id} and v.exception_id = f.exception_id and v.note <> ''
                 order by v.event_id desc limit ${NOTES_MAX}) v) n
     order by f.since, f.transaction_id`,
  )
}

export type SumRow = Direction & { currency: Currency; count: bigint; amountMinor: bigint }

/** The sums of all that fit. */
export function sumUnconfirmed(queryable: Queryable, asked: Asked): Promise<SumRow[]> {
  return runQuery<SumRow>(
    queryable,
    sql`${found(asked)}
    select operator, currency, type, count(*) as count, sum(amount_minor) as "amountMinor" from found group by 1, 2, 3 order by 1, 2, 3`,
  )
}
