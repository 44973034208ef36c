import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { SetWallet } from '../wallets/wallet-store.ts'
import type { VersionedRules } from './rules-store.ts'

/**
 * The lines of a wallet that belong to no transaction yet: from a day on, or of these. `isReplay`: what was paired by number and amount counts as
 * open again.
 */
export type Scope = {
  applicationId: string
  wallet: SetWallet
  rules: VersionedRules
  of: { sinceDay: string } | { lineIds: readonly bigint[] }
  isReplay?: true
}

const KEPT = ({ isReplay }: Scope) => (isReplay ? "and m.rule not in ('phone', 'twins')" : '')

const valuesOf = ({ applicationId, wallet, of }: Scope) => [
  ...[applicationId, wallet.wallet, wallet.operator],
  'sinceDay' in of ? of.sinceDay : of.lineIds,
]

/**
 * A line of a signed day that finds its transaction now counts on the next open day. Materialized: what one rule has matched is left out before the next
 * one looks for transactions, instead of after it.
 */
const openOf = (scope: Scope) => `signed as materialized (select day, next_day from signed_days where application_id = $1 and wallet = $2),
open as materialized (
  select s.next_day as late_day, l.application_id, l.line_id, l.local_day, l.at, l.position, l.kind, l.gross_minor, l.operator_id, l.our_id, l.our_application_id, l.phone_forms,
         case when l.gross_minor > 0 then 'COLLECT' else 'DEPOSIT' end as type,
         case when l.kind = 'failed' then 'failed' else 'settle' end as effect
    from statement_lines l left join signed s on s.day = l.local_day
   where l.application_id = $1 and l.wallet = $2 and ${'sinceDay' in scope.of ? 'l.local_day >= $4' : 'l.line_id = any($4::bigint[])'}
     and l.kind in ('payment', 'failed')
     and not exists (select 1 from line_matches m where m.application_id = l.application_id and m.line_id = l.line_id ${KEPT(scope)}))`

/** Whether a person took a line and a transaction apart: no rule matches them again. */
const isUndone = (line: string, transaction: string) => `exists (select 1 from match_events e where e.application_id = $1
  and e.line_id = ${line}.line_id and e.event = 'undone' and e.transaction_id = ${transaction}.transaction_id)`

/**
 * Stores what a rule has found and returns the days that it changes: that of the line, and that of our posting. The first line of a transaction has
 * ordinal 0. Another payment for the same one is stored too, with the next number.
 */
const STORE_FOUND = `, stored as (
  insert into line_matches (application_id, line_id, matched_application_id, transaction_id, effect, rule, rule_version, late_day,
      ordinal)
  select f.application_id, f.line_id, f.matched_application_id, f.transaction_id, f.effect, $5, $8, f.late_day,
         taken.first + row_number() over (partition by f.matched_application_id, f.transaction_id, f.effect order by f.at, f.position, f.line_id) - 1
    from found f
    cross join lateral (
      select case when bool_or(m.ordinal = 0) then max(m.ordinal) + 1 else 0 end as first from line_matches m
       where m.application_id = f.application_id and m.matched_application_id = f.matched_application_id
         and m.transaction_id = f.transaction_id and m.effect = f.effect) taken
  on conflict do nothing)
  select distinct coalesce(late_day, local_day)::text as "lineDay", ((final_at at time zone $6) - $7::interval)::date::text as "postedDay" from found`

type ChangedDays = { lineDay: string; postedDay: string | null }

type Found = { scope: Scope; rule: 'our_id' | 'operator_id'; more?: readonly unknown[] }

async function storeFound(trx: TrxClient, found: string, { scope, rule, more = [] }: Found): Promise<string[]> {
  const { zone, cutoffMinute } = scope.wallet
  const values = [...valuesOf(scope), rule, zone, `${cutoffMinute} minutes`, scope.rules.version, ...more]
  return daysOf((await trx.query<ChangedDays>(`with ${found} ${STORE_FOUND}`, values)).rows)
}

function daysOf(rows: readonly ChangedDays[]): string[] {
  return rows.flatMap(({ lineDay, postedDay }) => (postedDay === null ? [lineDay] : [lineDay, postedDay]))
}

/** One run of the matcher of a wallet at a time, so that two runs never compete for a pair. */
export async function lockMatching(trx: TrxClient, { applicationId, wallet }: Scope): Promise<void> {
  await trx.query(`select pg_advisory_xact_lock(hashtext('countersign.match'), hashtext($1))`, [`${applicationId} ${wallet.wallet}`])
}

/** The open lines since a day, up to a number. */
export async function listOpenLines(trx: TrxClient, scope: Scope, limit: number): Promise<bigint[]> {
  const { rows } = await trx.query<{ lineId: bigint }>(
    `with ${openOf(scope)} select line_id as "lineId" from open, (select $3::text) unused limit $5`,
    [...valuesOf(scope), limit],
  )
  return rows.map(({ lineId }) => lineId)
}

/** From how many lines on the planner needs to know what this transaction has stored. */
const MANY_LINES = 20_000

/** Has the planner count again after many lines were stored, otherwise it looks up a million lines one by one; and sort them in memory. */
export async function prepareForMany(trx: TrxClient, lines: number): Promise<void> {
  if (lines < MANY_LINES) return
  await trx.query('analyze statement_lines')
  await trx.query("set local work_mem = '64MB'")
}

/**
 * 1: the line names our transaction. Operator and direction must agree. A line that does not name the application is looked for in all of them: our
 * ids (UUID version 7) begin with their time, so those of a statement are one range in each application. Other programs that share the account have
 * ids of other versions.
 */
export async function insertByOurId(trx: TrxClient, scope: Scope): Promise<string[]> {
  const { rows } = await trx.query<{ first: string | null; last: string | null }>(
    `with ${openOf(scope)}, named as materialized (select our_id from open where substr(our_id::text, 15, 1) = '7')
     select (select our_id from named order by our_id limit 1) as first, (select our_id from named order by our_id desc limit 1) as last
       from (select $3::text) unused`,
    valuesOf(scope),
  )
  const { first = null, last = null } = rows[0] ?? {}
  if (first === null || last === null) return []
  return storeFound(
    trx,
    `${openOf(scope)},
     ours as (
       select t.application_id, t.transaction_id, t.type, t.final_at from applications a
         join transactions t on t.application_id = a.application_id and t.transaction_id between $9 and $10
        where t.operator = $3),
     found as (
       select o.*, t.application_id as matched_application_id, t.transaction_id, t.final_at from open o
         join ours t on t.transaction_id = o.our_id and t.type = o.type
        where (o.our_application_id is null or t.application_id = o.our_application_id) and not ${isUndone('o', 't')})`,
    { scope, rule: 'our_id', more: [first, last] },
  )
}

/** Open lines with the transactions, final and open, that have the operator's id. */
const REFERENCED = `referenced as (
  select o.*, r.application_id as matched_application_id, r.transaction_id from open o
    join operator_references r on r.operator = $3 and r.type = o.type and r.operator_reference = o.operator_id
  union
  select o.*, w.application_id, w.transaction_id from open o
    join operator_work w on w.operator = $3 and w.type = o.type and w.operator_reference = o.operator_id)`

/** 2: the line has the operator's id of exactly one transaction. */
export async function insertByOperatorId(trx: TrxClient, scope: Scope): Promise<string[]> {
  return storeFound(
    trx,
    `${openOf(scope)}, ${REFERENCED},
     counted as (select r.*, count(*) over (partition by r.line_id) as candidates from referenced r),
     found as (
       select c.*, t.final_at from counted c
         join transactions t on t.application_id = c.matched_application_id and t.transaction_id = c.transaction_id
        where c.candidates = 1 and not ${isUndone('c', 'c')})`,
    { scope, rule: 'operator_id' },
  )
}

/** 3: the line has the operator's id of several transactions, none of which has a line, and pays their sum exactly. */
export async function insertByReferenceGroup(trx: TrxClient, scope: Scope): Promise<string[]> {
  const { zone, cutoffMinute } = scope.wallet
  const { rows } = await trx.query<ChangedDays>(
    `with ${openOf(scope)}, ${REFERENCED},
     several as (select line_id from referenced where kind = 'payment' group by line_id having count(*) > 1),
     named as (
       select r.application_id, r.line_id, r.late_day, r.local_day, r.operator_id, r.gross_minor, r.matched_application_id, r.transaction_id, t.final_at,
              t.amount_minor, row_number() over (partition by r.line_id order by t.application_id, t.transaction_id) - 1 as part
         from referenced r join several using (line_id)
         join transactions t on t.application_id = r.matched_application_id and t.transaction_id = r.transaction_id
        where not exists (select 1 from line_matches m where m.application_id = $1 and m.matched_application_id = t.application_id
                            and m.transaction_id = t.transaction_id and m.effect = 'settle')
          and not ${isUndone('r', 't')}),
     exact as (select operator_id, line_id from named group by operator_id, line_id
                having count(*) > 1 and sum(amount_minor) = abs(min(gross_minor))),
     whole as (select distinct on (operator_id) line_id, gen_random_uuid() as group_id from exact order by operator_id, line_id),
     stored as (
       insert into line_matches (application_id, line_id, part, matched_application_id, transaction_id, effect, rule, rule_version, group_id, late_day)
         select n.application_id, n.line_id, n.part, n.matched_application_id, n.transaction_id, 'settle', 'reference_group', $7,
                whole.group_id, n.late_day
           from named n join whole using (line_id)
       on conflict do nothing)
     select distinct coalesce(n.late_day, n.local_day)::text as "lineDay", ((n.final_at at time zone $5) - $6::interval)::date::text as "postedDay"
       from named n join whole using (line_id)`,
    [...valuesOf(scope), zone, `${cutoffMinute} minutes`, scope.rules.version],
  )
  return daysOf(rows)
}

/** A line and a transaction that could belong together. */
export type Candidate = ChangedDays & { lineId: bigint; lineAt: Date; applicationId: string; transactionId: string; transactionAt: Date }

/**
 * 4 and 5: lines and transactions without a line, with the same phone number, amount and direction, as far apart as the rules of the wallet allow. At
 * most `limit`. A line that names another transaction, or whose id of the operator differs from that of the
 * transaction, is no candidate.
 */
export async function selectCandidates(
  queryable: Queryable,
  scope: Scope,
  { statuses, limit = null }: { statuses: readonly string[]; limit?: number | null },
): Promise<Candidate[]> {
  const { beforeHours, afterHours, phoneForms } = scope.rules
  const { rows } = await queryable.query<Candidate>(
    `with ${openOf(scope)}
     select o.line_id as "lineId", o.at as "lineAt", t.application_id as "applicationId", t.transaction_id as "transactionId",
            coalesce(t.final_at, t.created_at) as "transactionAt", coalesce(o.late_day, o.local_day)::text as "lineDay",
            ((t.final_at at time zone $6) - $7::interval)::date::text as "postedDay"
       from open o cross join lateral unnest(case when $10 = 'all' then o.phone_forms else o.phone_forms[1:1] end) form (phone_number)
       join transactions t on t.phone_number = form.phone_number and t.amount_minor = abs(o.gross_minor) and t.type = o.type
      where o.kind = 'payment' and o.our_id is null and t.operator = $3
        and t.status = any($5) and (o.operator_id is null or t.operator_reference is null)
        and o.at between t.created_at - make_interval(hours => $8) and coalesce(t.final_at, clock_timestamp()) + make_interval(hours => $9)
        and not exists (select 1 from line_matches m where m.application_id = $1 and m.matched_application_id = t.application_id
                          and m.transaction_id = t.transaction_id and m.effect = 'settle' ${KEPT(scope)})
        and not ${isUndone('o', 't')}
      limit $11`,
    [
      ...[...valuesOf(scope), statuses, scope.wallet.zone, `${scope.wallet.cutoffMinute} minutes`],
      ...[beforeHours, afterHours, phoneForms, limit],
    ],
  )
  return rows
}

/** `groupId`: of twins. */
export type Pair = ChangedDays & { lineId: bigint; applicationId: string; transactionId: string; groupId: string | null }

/** Stores pairs that were found by phone number and amount. Returns the days that they change. */
export async function insertPairs(trx: TrxClient, { applicationId, rules }: Scope, pairs: readonly Pair[]): Promise<string[]> {
  if (pairs.length === 0) return []
  await trx.query(
    `with signed as materialized (select wallet, day, next_day from signed_days where application_id = $1)
     insert into line_matches (application_id, line_id, matched_application_id, transaction_id, effect, rule, rule_version, group_id, late_day)
       select $1, p.line_id, p.application_id, p.transaction_id, 'settle', case when p.group_id is null then 'phone' else 'twins' end,
              $6, p.group_id, s.next_day
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
      rules.version,
    ],
  )
  return daysOf(pairs)
}

/** The wallets with lines since a day, which may still find their transaction. */
export async function listRecentWallets(queryable: Queryable, sinceDay: string): Promise<{ applicationId: string; wallet: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; wallet: string }>(
    `select distinct application_id as "applicationId", wallet from statement_files where state = 'imported' and last_day >= $1`,
    [sinceDay],
  )
  return rows
}

/** How many lines of payments the scope has. */
export async function countOpenLines(queryable: Queryable, scope: Scope): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `with ${openOf(scope)} select count(*)::integer as count from open, (select $3::text) unused where kind = 'payment'`,
    valuesOf(scope),
  )
  return rows[0]?.count ?? 0
}

type ReplayedFacts = {
  lines: ReadonlyMap<bigint, { day: string; grossMinor: bigint; phone: string | null; operatorId: string | null }>
  names: ReadonlyMap<string, string>
}

/** Lines as a page shows them, and the names of applications. */
export async function listReplayedLines(
  queryable: Queryable,
  applicationId: string,
  { lineIds, applicationIds }: { lineIds: readonly bigint[]; applicationIds: readonly string[] },
): Promise<ReplayedFacts> {
  const lines = await queryable.query<{ lineId: bigint; day: string; grossMinor: bigint; phone: string | null; operatorId: string | null }>(
    `select line_id as "lineId", local_day::text as day, gross_minor as "grossMinor", phone_forms[1] as phone, operator_id as "operatorId"
       from statement_lines where application_id = $1 and line_id = any($2::bigint[])`,
    [applicationId, lineIds],
  )
  const names = await queryable.query<{ id: string; name: string }>(
    'select application_id as id, name from applications where application_id = any($1::uuid[])',
    [applicationIds],
  )
  return {
    lines: new Map(lines.rows.map(({ lineId, ...line }) => [lineId, line])),
    names: new Map(names.rows.map(({ id, name }) => [id, name])),
  }
}

/**
 * Returns open transactions that a line shows as paid and about which the operator was not queried since the match, at most `countMax`. One probe of the
 * matches for each transaction that operators may have.
 */
export async function listPaidOpen(queryable: Queryable, countMax: number): Promise<{ applicationId: string; transactionId: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; transactionId: string }>(
    `select w.application_id as "applicationId", w.transaction_id as "transactionId"
       from applications i
       join operator_work w on w.phase = 'begun' and w.state in ('submitted', 'unconfirmed') and not w.is_claimed and w.next_at > clock_timestamp()
      where i.runs_installation
        and exists (select from line_matches m
                     where m.application_id = i.application_id and m.matched_application_id = w.application_id
                       and m.transaction_id = w.transaction_id and m.effect = 'settle' and m.at > coalesce(w.claimed_at, '-infinity'))
      order by w.next_at limit $1`,
    [countMax],
  )
  return rows
}
