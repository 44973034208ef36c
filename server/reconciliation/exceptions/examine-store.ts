import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { OPEN_CONTRADICTION } from '#server/operators/work/contradiction-store.ts'
import { BOOKED, classed, type DayScope, valuesOf } from '../days/day-store.ts'
import { readWallet } from '../wallets/wallet-store.ts'

/** The lock makes an examination in progress wait for the caller's transaction, whose lines and matches it would not see. */
const ONCE = 'on conflict (application_id, wallet, local_day) do update set local_day = excluded.local_day'

/** The newest match or undo of an installation. */
export async function findLastMatchEvent(queryable: Queryable, applicationId: string): Promise<bigint> {
  const { rows } = await queryable.query<{ last: bigint }>(
    'select coalesce(max(event_id), 0)::bigint as last from match_events where application_id = $1',
    [applicationId],
  )
  return rows[0]?.last ?? 0n
}

/** Has days of a wallet examined again. */
export async function insertDays(
  trx: TrxClient,
  { applicationId, wallet, days }: { applicationId: string; wallet: string; days: ReadonlySet<string> },
): Promise<void> {
  if (days.size === 0) return
  await trx.query(
    `insert into days_to_examine (application_id, wallet, local_day) select $1, $2, day from unnest($3::date[]) day ${ONCE}`,
    [applicationId, wallet, [...days].toSorted()],
  )
}

/** Has the days examined again whose lines a person matched or took apart after an event, with the days of our postings, and those of exceptions about the same transactions. */
export async function insertMatchedDays(
  trx: TrxClient,
  { applicationId, wallet, afterEvent }: { applicationId: string; wallet: string; afterEvent: bigint },
): Promise<void> {
  const { zone, cutoffMinute } = (await readWallet(trx, applicationId, wallet)) ?? { zone: 'UTC', cutoffMinute: 0 }
  await trx.query(
    `insert into days_to_examine (application_id, wallet, local_day)
       select l.application_id, l.wallet, l.local_day from match_events m join statement_lines l using (application_id, line_id)
        where m.application_id = $1 and m.event_id > $2
       union
       select l.application_id, l.wallet, ((t.final_at at time zone $3) - $4::interval)::date
         from match_events m join statement_lines l using (application_id, line_id)
         join transactions t on t.application_id = m.matched_application_id and t.transaction_id = m.transaction_id
        where m.application_id = $1 and m.event_id > $2 and t.final_at is not null
       union
       select e.application_id, e.wallet, e.local_day from match_events m
         join exceptions e on e.application_id = m.application_id
                          and e.subject = format('transaction %s %s', m.matched_application_id, m.transaction_id)
        where m.application_id = $1 and m.event_id > $2 and e.wallet is not null
       order by 1, 2, 3
     ${ONCE}`,
    [applicationId, afterEvent, zone, `${cutoffMinute} minutes`],
  )
}

/** Has every day since a day examined again that a statement covers: transactions on it may have ended since. */
export async function insertRecentDays(queryable: Queryable, sinceDay: string): Promise<void> {
  await queryable.query(
    `insert into days_to_examine (application_id, wallet, local_day)
       select distinct f.application_id, f.wallet, day::date
         from statement_files f cross join lateral generate_series(greatest(f.first_day, $1::date), f.last_day, interval '1 day') day
        where f.state = 'imported' and f.last_day >= $1::date
        order by 1, 2, 3
     ${ONCE}`,
    [sinceDay],
  )
}

/** As many days as are classified in one statement. */
const EXAMINED_MAX = 10

/** A day of a wallet. */
export type OneDay = { applicationId: string; wallet: string; day: string }

/**
 * Takes the next days of one wallet that are to be examined, until the transaction ends. `from`: only this day and those after it in its wallet, if this
 * day is to be examined.
 */
export async function takeDays(
  trx: TrxClient,
  from?: OneDay,
): Promise<{ applicationId: string; wallet: string; from: string; to: string } | undefined> {
  const { rows } = await trx.query<{ applicationId: string; wallet: string; from: string; to: string }>(
    `with first as (select * from days_to_examine
       where $1::uuid is null or (application_id, wallet, local_day) = ($1, $2::text, $3::date) order by application_id, wallet, local_day limit 1),
     taken as (
       delete from days_to_examine d using first
        where d.application_id = first.application_id and d.wallet = first.wallet
          and d.local_day < first.local_day + ${EXAMINED_MAX} returning d.*)
     select application_id as "applicationId", wallet, min(local_day)::text as from, max(local_day)::text as to from taken group by 1, 2`,
    [from?.applicationId ?? null, from?.wallet ?? null, from?.day ?? null],
  )
  return rows[0]
}

/** The agreement of two people that settles an operator's contradiction of our result: a posting, or a reversal at the operator. */
const SETTLED = (transaction: string) => `select p.change_id from ledger_postings p
  where p.application_id = ${transaction}.matched_application_id and p.subject_id = ${transaction}.transaction_id and p.kind in ('late', 'reverse')
  union all select r.reversal_id from operator_reversals r
  where r.application_id = ${transaction}.matched_application_id and r.transaction_id = ${transaction}.transaction_id and r.state = 'done'`

/**
 * The exceptions of the days: each line and each transaction once, with its class. A line is the subject where its payment is in
 * question, and the transaction where its result is.
 */
const FOUND = `${classed('all')}, ${BOOKED}, named as (
  select l.class, l.line_id, l.matched_application_id, l.transaction_id, l.local_day, abs(l.gross_minor) as amount_minor,
         case when l.gross_minor > 0 then 'COLLECT' else 'DEPOSIT' end as type,
         case when l.class = 'paid_failed_here' then format('transaction %s %s', l.matched_application_id, l.transaction_id)
              else 'line ' || l.line_id end as subject
    from lines l where l.class in ('paid_failed_here', 'second_payment', 'unknown_payment', 'amount_differs', 'fee_differs')
  union all
  select c.class, failed.line_id, c.application_id, c.subject_id, c.day, abs(c.effect_minor),
         case when c.effect_minor > 0 then 'COLLECT' else 'DEPOSIT' end, format('transaction %s %s', c.application_id, c.subject_id)
    from classed c
    left join lateral (select m.line_id from line_matches m where m.application_id = $1 and m.matched_application_id = c.application_id
                          and m.transaction_id = c.subject_id and m.effect = 'failed' limit 1) failed on true
   where c.class in ('success_failed_there', 'success_absent_there')),
found as materialized (
  select distinct on (n.subject) n.* from named n
   where not (n.class in ('paid_failed_here', 'success_failed_there', 'success_absent_there') and exists (${SETTLED('n')}))
   order by n.subject, n.line_id)`

export type Examined = { opened: number; reopened: number; closed: number }

/**
 * Opens an exception for each line and transaction of the days that nothing explains, opens closed ones again that were matched or whose class is
 * another now, and closes those that are no longer in such a class. One statement, so that all of it is about one state of the books.
 */
export async function storeExamined(trx: TrxClient, scope: DayScope): Promise<Examined> {
  const { rows } = await trx.query<Examined>(
    `with ${FOUND},
     opened as (
       insert into exceptions (application_id, subject, class, operator, type, wallet, local_day, line_id, matched_application_id, transaction_id,
                               amount_minor)
         select $1, f.subject, f.class, $5, f.type, $2, f.local_day, f.line_id, f.matched_application_id, f.transaction_id, f.amount_minor
           from found f order by f.subject
       on conflict on constraint exceptions_subject do nothing returning 1),
     changed as (
       update exceptions e
          set class = f.class, wallet = $2, local_day = f.local_day, line_id = f.line_id, matched_application_id = f.matched_application_id,
              transaction_id = f.transaction_id, amount_minor = f.amount_minor, outcome = null, change_id = null, closed_by = null, closed_at = null,
              opened_at = case when e.outcome is null then e.opened_at else clock_timestamp() end
         from found f
        where e.application_id = $1 and e.subject = f.subject
          and case when e.outcome is null then (e.class, e.wallet, e.local_day, e.line_id, e.transaction_id, e.amount_minor)
                     is distinct from (f.class, $2, f.local_day, f.line_id, f.transaction_id, f.amount_minor)
                   else e.outcome = 'matched' or e.class <> f.class end
       returning e.exception_id, e.class, e.owner_id, old.class as class_before, old.outcome as outcome_before),
     ended as (
       update exceptions e
          set class = case when s.is_contradicted then 'contradicted' else e.class end,
              wallet = case when s.is_contradicted then null else e.wallet end,
              local_day = case when s.is_contradicted then null else e.local_day end,
              change_id = s.change_id,
              outcome = case when s.change_id is not null then 'adjusted' when s.is_contradicted then null else 'matched' end,
              closed_at = case when s.change_id is null and s.is_contradicted then null else clock_timestamp() end
         from (select g.exception_id, p.change_id,
                      p.change_id is null and g.subject like 'transaction %'
                        and is_contradicted(g.matched_application_id, g.transaction_id) as is_contradicted
                 from exceptions g left join lateral (${SETTLED('g')} limit 1) p on true
                where g.application_id = $1 and g.wallet = $2 and g.local_day between $3 and $4 and g.outcome is null
                  and not exists (select 1 from found f where f.subject = g.subject)) s
        where e.application_id = $1 and e.exception_id = s.exception_id and e.outcome is null
       returning e.exception_id, e.class, e.owner_id, e.outcome),
     recorded as (
       insert into exception_events (application_id, exception_id, event, class, owner_id, outcome)
         select $1, exception_id, case when outcome_before is null then 'class_changed' else 'reopened' end, class, owner_id, null from changed
          where outcome_before is not null or class <> class_before
         union all
         select $1, exception_id, case when outcome is null then 'class_changed' else 'closed' end, class, owner_id, outcome from ended)
     select (select count(*) from opened)::integer as opened,
            (select count(*) from changed where outcome_before is not null)::integer as reopened,
            (select count(*) from ended where outcome is not null)::integer as closed`,
    valuesOf(scope),
  )
  return rows[0] ?? { opened: 0, reopened: 0, closed: 0 }
}

/**
 * Closes contradictions that the operator took back and unconfirmed payments whose outcome is known, and opens closed contradictions again about
 * which the operator has said something else since. Returns the applications with how many.
 */
export async function storeAnswered(trx: TrxClient): Promise<(Examined & { applicationId: string })[]> {
  const { rows } = await trx.query<Examined & { applicationId: string }>(
    `with ended as (
       update exceptions e set change_id = s.change_id, outcome = case when s.change_id is null then 'agreed' else 'adjusted' end,
              closed_at = clock_timestamp()
         from (select g.application_id, g.exception_id, p.change_id from exceptions g left join lateral (${SETTLED('g')} limit 1) p on true
                where g.class = 'contradicted' and g.outcome is null
                  and (p.change_id is not null or not is_contradicted(g.matched_application_id, g.transaction_id))) s
        where e.application_id = s.application_id and e.exception_id = s.exception_id and e.outcome is null
       returning e.application_id, e.exception_id, e.class, e.owner_id, e.outcome),
     answered as (
       update exceptions e set outcome = 'answered', closed_at = clock_timestamp() from transactions t
        where e.class = 'unconfirmed' and e.outcome is null and t.application_id = e.matched_application_id and t.transaction_id = e.transaction_id
          and t.status in ('SUCCESS', 'FAILED')
          and not exists (select from operator_contradictions c where c.transaction_id = t.transaction_id
            and ${OPEN_CONTRADICTION.replaceAll('$1', 't.application_id')})
       returning e.application_id, e.exception_id, e.class, e.owner_id, e.outcome),
     reopened as (
       update exceptions e set class = 'contradicted', outcome = null, change_id = null, closed_by = null, closed_at = null,
              wallet = null, local_day = null, line_id = null, opened_at = clock_timestamp()
         from operator_contradictions c
        where e.subject = format('transaction %s %s', c.application_id, c.transaction_id)
          and e.application_id = (select i.application_id from applications i where i.runs_installation)
          and c.number > 1 and c.at > e.closed_at and c.at > now() - interval '1 day'
          and c.said = case c.stored_status when 'SUCCESS' then 'failed' else 'succeeded' end
          and e.outcome in ('matched', 'agreed', 'explained')
       returning e.application_id, e.exception_id, e.class, e.owner_id),
     recorded as (
       insert into exception_events (application_id, exception_id, event, class, owner_id, outcome)
         select application_id, exception_id, 'closed', class, owner_id, outcome from (select * from ended union all select * from answered) every
         union all select application_id, exception_id, 'reopened', class, owner_id, null from reopened)
     select application_id as "applicationId", 0 as opened, sum(reopened)::integer as reopened, sum(closed)::integer as closed
       from (select application_id, 0 as reopened, 1 as closed from ended
             union all select application_id, 0, 1 from answered
             union all select application_id, 1, 0 from reopened) every group by application_id`,
  )
  return rows
}
