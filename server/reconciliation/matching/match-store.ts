import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** Raised when a rule changes; every match names the version that made it. */
const RULE_VERSION = 1

/** The lines of a wallet from a day on that belong to no transaction yet. */
export type Scope = { applicationId: string; wallet: string; operator: OperatorCode; sinceDay: string }

/** A line of a signed day that finds its transaction now counts on the next open day. */
const OPEN = `signed as materialized (select day, next_day from signed_days where application_id = $1 and wallet = $2),
open as (
  select s.next_day as late_day, l.application_id, l.line_id, l.at, l.position, l.kind, l.gross_minor, l.operator_id, l.our_id, l.our_application_id, l.phone_forms,
         case when l.gross_minor > 0 then 'COLLECT' else 'DEPOSIT' end as type,
         case when l.kind = 'failed' then 'failed' else 'settle' end as effect
    from statement_lines l left join signed s on s.day = l.local_day
   where l.application_id = $1 and l.wallet = $2 and l.local_day >= $4 and l.kind in ('payment', 'failed')
     and not exists (select 1 from line_matches m where m.application_id = l.application_id and m.line_id = l.line_id))`

/** Whether a person took a line and a transaction apart: no rule matches them again. */
const isUndone = (line: string, transaction: string) => `exists (select 1 from match_events e where e.application_id = $1
  and e.line_id = ${line}.line_id and e.event = 'undone' and e.transaction_id = ${transaction}.transaction_id)`

/** The first line of a transaction has ordinal 0. Another payment for the same one is stored too, with the next number. */
const INSERT_FOUND = `insert into line_matches (application_id, line_id, matched_application_id, transaction_id, effect, rule, rule_version, late_day,
    ordinal)
  select f.application_id, f.line_id, f.matched_application_id, f.transaction_id, f.effect, $5, ${RULE_VERSION}, f.late_day,
         taken.first + row_number() over (partition by f.matched_application_id, f.transaction_id, f.effect order by f.at, f.position, f.line_id) - 1
    from found f
    cross join lateral (
      select case when bool_or(m.ordinal = 0) then max(m.ordinal) + 1 else 0 end as first from line_matches m
       where m.application_id = f.application_id and m.matched_application_id = f.matched_application_id
         and m.transaction_id = f.transaction_id and m.effect = f.effect) taken
   where not ${isUndone('f', 'f')}
  on conflict do nothing`

/** One run of the matcher of a wallet at a time, so that two runs never compete for a pair. */
export async function lockMatching(trx: TrxClient, { applicationId, wallet }: Scope): Promise<void> {
  await trx.query(`select pg_advisory_xact_lock(hashtext('countersign.match'), hashtext($1))`, [`${applicationId} ${wallet}`])
}

/** 1: the line names our transaction. Operator and direction must agree. */
export async function insertByOurId(trx: TrxClient, { applicationId, wallet, operator, sinceDay }: Scope): Promise<void> {
  await trx.query(
    `with ${OPEN}, found as (
       select o.*, t.application_id as matched_application_id, t.transaction_id from open o
         join applications a on o.our_application_id is null or a.application_id = o.our_application_id
         join transactions t on t.application_id = a.application_id and t.transaction_id = o.our_id
        where o.our_id is not null and t.operator = $3 and t.type = o.type)
     ${INSERT_FOUND}`,
    [applicationId, wallet, operator, sinceDay, 'our_id'],
  )
}

/** The references of transactions, final and open. */
const REFERENCES = `select r.application_id, r.transaction_id, r.operator_reference as reference from operator_references r
      where r.operator = $3 and r.type = o.type and r.operator_reference = o.operator_id
     union
     select w.application_id, w.transaction_id, w.operator_reference from operator_work w
      where w.operator = $3 and w.type = o.type and w.operator_reference = o.operator_id`

/** 2: the line has the operator's id of exactly one transaction. */
export async function insertByOperatorId(trx: TrxClient, { applicationId, wallet, operator, sinceDay }: Scope): Promise<void> {
  await trx.query(
    `with ${OPEN}, named as (
       select o.*, r.application_id as matched_application_id, r.transaction_id, count(*) over (partition by o.line_id) as candidates
         from open o cross join lateral (${REFERENCES}) r where o.operator_id is not null),
     found as (select * from named where candidates = 1)
     ${INSERT_FOUND}`,
    [applicationId, wallet, operator, sinceDay, 'operator_id'],
  )
}

/** 3: the line has the operator's id of several transactions, none of which has a line, and pays their sum exactly. */
export async function insertByReferenceGroup(trx: TrxClient, { applicationId, wallet, operator, sinceDay }: Scope): Promise<void> {
  await trx.query(
    `with ${OPEN}, named as (
       select o.application_id, o.line_id, o.operator_id, o.gross_minor, o.late_day, r.application_id as matched_application_id, r.transaction_id,
              t.amount_minor, row_number() over (partition by o.line_id order by t.application_id, t.transaction_id) - 1 as part
         from open o cross join lateral (${REFERENCES}) r
         join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
        where o.operator_id is not null and o.kind = 'payment'
          and not exists (select 1 from line_matches m where m.application_id = $1 and m.matched_application_id = t.application_id
                            and m.transaction_id = t.transaction_id and m.effect = 'settle')
          and not ${isUndone('o', 't')}),
     exact as (select operator_id, line_id from named group by operator_id, line_id
                having count(*) > 1 and sum(amount_minor) = abs(min(gross_minor))),
     whole as (select distinct on (operator_id) line_id, gen_random_uuid() as group_id from exact order by operator_id, line_id)
     insert into line_matches (application_id, line_id, part, matched_application_id, transaction_id, effect, rule, rule_version, group_id, late_day)
       select n.application_id, n.line_id, n.part, n.matched_application_id, n.transaction_id, 'settle', 'reference_group', ${RULE_VERSION},
              whole.group_id, n.late_day
         from named n join whole using (line_id)
     on conflict do nothing`,
    [applicationId, wallet, operator, sinceDay],
  )
}

/** A line and a transaction that could belong together. */
export type Candidate = { lineId: bigint; lineAt: Date; applicationId: string; transactionId: string; transactionAt: Date }

/**
 * 4 and 5: lines and transactions without a line, with the same phone number in any of its forms, amount and direction, from two hours before the
 * transaction began to 36 hours after its end. A line that names another transaction, or whose id of the operator differs from that of the
 * transaction, is no candidate.
 */
export async function selectCandidates(
  trx: TrxClient,
  { applicationId, wallet, operator, sinceDay }: Scope,
  statuses: readonly string[],
): Promise<Candidate[]> {
  const { rows } = await trx.query<Candidate>(
    `with ${OPEN}
     select o.line_id as "lineId", o.at as "lineAt", t.application_id as "applicationId", t.transaction_id as "transactionId",
            coalesce(t.final_at, t.created_at) as "transactionAt"
       from open o cross join applications a
       join transactions t on t.application_id = a.application_id and t.phone_number = any(o.phone_forms)
      where o.kind = 'payment' and o.our_id is null and t.operator = $3 and t.type = o.type and t.amount_minor = abs(o.gross_minor)
        and t.status = any($5) and (o.operator_id is null or t.operator_reference is null)
        and o.at between t.created_at - interval '2 hours' and coalesce(t.final_at, clock_timestamp()) + interval '36 hours'
        and not exists (select 1 from line_matches m where m.application_id = $1 and m.matched_application_id = t.application_id
                          and m.transaction_id = t.transaction_id and m.effect = 'settle')
        and not ${isUndone('o', 't')}`,
    [applicationId, wallet, operator, sinceDay, statuses],
  )
  return rows
}

/** `groupId`: of twins. */
export type Pair = { lineId: bigint; applicationId: string; transactionId: string; groupId: string | null }

/** Stores pairs that were found by phone number and amount. */
export async function insertPairs(trx: TrxClient, applicationId: string, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return
  await trx.query(
    `with signed as materialized (select wallet, day, next_day from signed_days where application_id = $1)
     insert into line_matches (application_id, line_id, matched_application_id, transaction_id, effect, rule, rule_version, group_id, late_day)
       select $1, p.line_id, p.application_id, p.transaction_id, 'settle', case when p.group_id is null then 'phone' else 'twins' end,
              ${RULE_VERSION}, p.group_id, s.next_day
         from unnest($2::bigint[], $3::uuid[], $4::uuid[], $5::uuid[]) as p (line_id, application_id, transaction_id, group_id)
         join statement_lines l on l.application_id = $1 and l.line_id = p.line_id
         left join signed s on s.wallet = l.wallet and s.day = l.local_day
     on conflict do nothing`,
    [
      applicationId,
      pairs.map((pair) => pair.lineId),
      pairs.map((pair) => pair.applicationId),
      pairs.map((pair) => pair.transactionId),
      pairs.map((pair) => pair.groupId),
    ],
  )
}

/** The days from which wallets have lines that may still find their transaction. */
export async function listRecentWallets(queryable: Queryable, sinceDay: string): Promise<{ applicationId: string; wallet: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; wallet: string }>(
    `select distinct application_id as "applicationId", wallet from statement_files where state = 'imported' and last_day >= $1`,
    [sinceDay],
  )
  return rows
}

/** The first day of a file; undefined if it has none. */
export async function findFirstDay(queryable: Queryable, applicationId: string, fileId: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ day: string }>(
    'select first_day::text as day from statement_files where application_id = $1 and file_id = $2 and first_day is not null',
    [applicationId, fileId],
  )
  return rows[0]?.day
}
