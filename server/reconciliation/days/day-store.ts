import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { LineClass } from '#lib/reconciliation/classes.ts'
import type { DayClass, WalletPostingKind } from '#lib/reconciliation/days.ts'
import type { Queryable } from '#server/database/pool.ts'
import { ADJUSTMENTS } from '#server/ledger/ledger-store.ts'
import type { SetWallet } from '../wallets/wallet-store.ts'

/** Days of one wallet, both ends included. `asOf`: a transaction that ended later is still open; default: none is. */
export type DayScope = { applicationId: string; wallet: SetWallet; from: string; to: string; asOf?: Date }

/** Values of a DayScope as the statements below number them: $1 to $10. */
export function valuesOf({ applicationId, wallet, from, to, asOf }: DayScope): unknown[] {
  const { operator, account, zone, cutoffMinute } = wallet
  const cutoff = `${cutoffMinute} minutes`
  return [applicationId, wallet.wallet, from, to, operator, account, cutoff, zone, asOf?.toISOString() ?? 'infinity', ruleOf(wallet)]
}

/** The agreement about fees by which lines are classed, as `$10` of FEE_RULE. */
function ruleOf({ feePpm, feeFixedMinor, feeRounding, feeTaxPpm, feeForm }: SetWallet): string {
  const fee = { fee_ppm: feePpm, fee_fixed_minor: feeFixedMinor === null ? null : String(feeFixedMinor), fee_rounding: feeRounding }
  return JSON.stringify({ ...fee, fee_tax_ppm: feeTaxPpm, fee_form: feeForm })
}

const FEE_RULE = `jsonb_to_record($10::jsonb)
      as w (fee_ppm integer, fee_fixed_minor bigint, fee_rounding text, fee_tax_ppm integer, fee_form text)`

/** The operator's day of an instant. */
const dayOf = (at: string) => `((${at} at time zone $8) - $7::interval)::date`
/** The instants of the days, for an index on time. */
const IN_RANGE = `p.at >= (($3::date + $7::interval) at time zone $8) and p.at < (($4::date + 1 + $7::interval) at time zone $8)`

/** SQL: what the line of a payment costs, and what it should cost by the agreement of its wallet `w`; null if there is none. */
export const BILLED_IN_LINE = '(l.fee_minor + l.tax_minor)'
export const AGREED = 'agreed_fee(abs(l.gross_minor), w.fee_ppm, w.fee_fixed_minor, w.fee_rounding, w.fee_tax_ppm)'
const EXPECTED_IN_LINE = `case when w.fee_form in ('beside', 'netted') then ${AGREED} when w.fee_ppm is not null then 0 end`

/**
 * Lines with their transaction, if they have one, and their class. A line that pays several transactions of one reference is compared with their
 * sum. `is_same_day`: we booked it on the day of the line. `known`: also the matches that were found after the day was signed, or only those that
 * the day was signed with.
 */
export const classed = (known: 'all' | 'as signed') => `lines as (
  select l.*, m.amount_minor, m.same_day_minor, m.rule, m.group_id, m.transaction_id, m.matched_application_id, m.parts,
         coalesce(m.is_success and m.same_day_minor is not null, false) as is_same_day,
         case
           when l.kind <> 'payment' then l.kind
           when m.parts is null or m.parts = 0 then 'unknown_payment'
           when m.ordinal > 0 then 'second_payment'
           when m.is_failed then 'paid_failed_here'
           when not m.is_success then 'paid_open_here'
           when abs(l.gross_minor) <> m.amount_minor then 'amount_differs'
           when ${BILLED_IN_LINE} <> ${EXPECTED_IN_LINE} then 'fee_differs'
           when m.same_day_minor is null then 'settled_other_day'
           else 'matched'
         end as class
    from statement_lines l
    cross join ${FEE_RULE}
    left join lateral (
      select count(*) as parts, max(m.ordinal) as ordinal, sum(t.amount_minor)::bigint as amount_minor, bool_or(t.status = 'FAILED' and t.final_at <= $9) as is_failed,
             bool_and(t.status = 'SUCCESS' and t.final_at <= $9) as is_success, min(m.rule) as rule, min(m.group_id::text) as group_id,
             sum(t.amount_minor) filter (where ${dayOf('t.final_at')} = l.local_day)::bigint as same_day_minor,
             min(m.transaction_id::text)::uuid as transaction_id, min(m.matched_application_id::text)::uuid as matched_application_id
        from line_matches m
        join transactions t on t.application_id = m.matched_application_id and t.transaction_id = m.transaction_id
       where m.application_id = l.application_id and m.line_id = l.line_id${known === 'all' ? '' : ' and m.late_day is null'}) m on true
   where l.application_id = $1 and l.wallet = $2 and l.local_day between $3 and $4)`

/** Our postings that move the money of the wallet, with the class of the transaction. An amount is what it does to the wallet. */
export const BOOKED = `covered as (
  select distinct generate_series(f.first_day, f.last_day, interval '1 day')::date as day from statement_files f
   where f.application_id = $1 and f.wallet = $2 and f.state = 'imported'),
booked as (
  select p.*, ${dayOf('p.at')} as day,
         case when p.kind <> 'move' then -p.clearing_minor when $6 = 'collect' then p.collect_minor else p.deposit_minor end as effect_minor
    from ledger_postings p
   where p.operator = $5 and ${IN_RANGE} and is_in_account($6, p.kind, p.collect_minor, p.clearing_minor)
     -- A move is a transfer between two accounts at the operator, and nothing where there is one.
     and (p.kind in ('settle', 'late', 'reverse', 'fund', 'correct', 'withdraw') or p.kind = 'move' and $6 <> 'both')),
classed as (
  select b.*, s.line_id, s.local_day,
         case
           when b.kind in ('late', 'reverse') then 'adjusted'
           when b.kind in ('move', 'withdraw') then b.kind
           when b.kind <> 'settle' then 'funding'
           when s.line_id is not null and s.local_day = b.day then 'matched'
           when s.line_id is not null then 'in_transit'
           when exists (select 1 from line_matches m where m.application_id = $1 and m.matched_application_id = b.application_id
                          and m.transaction_id = b.subject_id and m.effect = 'failed') then 'success_failed_there'
           when exists (select 1 from covered c where c.day = b.day) and exists (select 1 from covered c where c.day = b.day + 1)
             then 'success_absent_there'
           else 'in_transit'
         end as class
    from booked b
    left join lateral (
      select l.line_id, l.local_day from line_matches m join statement_lines l using (application_id, line_id)
       where m.application_id = $1 and m.matched_application_id = b.application_id and m.transaction_id = b.subject_id
         and m.effect = 'settle' and m.ordinal = 0
       -- There is one at most: with a limit it is looked up, and the matches of all days are not read for one.
       limit 1) s on b.kind = 'settle')`

export type LineSum = {
  day: string
  class: LineClass
  isIn: boolean
  isSameDay: boolean
  count: number
  grossMinor: bigint
  feeMinor: bigint
  netMinor: bigint
  /** Of the transactions that we booked on the day of the line, without a sign. */
  amountMinor: bigint
}

/** The lines of each day, summed by class. Every line is in one row of the result. */
async function listLineSums(queryable: Queryable, scope: DayScope): Promise<LineSum[]> {
  const { rows } = await queryable.query<LineSum>(
    `with ${classed('as signed')}
     select local_day::text as day, class, gross_minor > 0 as "isIn", is_same_day as "isSameDay", count(*)::integer as count,
            sum(gross_minor)::bigint as "grossMinor", sum(fee_minor + tax_minor)::bigint as "feeMinor", sum(net_minor)::bigint as "netMinor",
            coalesce(sum(same_day_minor), 0)::bigint as "amountMinor"
       from lines, (select $5::text, $6::text) unused
      group by 1, 2, 3, 4`,
    valuesOf(scope),
  )
  return rows
}

export type BookedSum = {
  day: string
  kind: 'settle' | 'late' | 'reverse' | 'fund' | 'move' | 'correct' | 'withdraw'
  class: DayClass
  isIn: boolean
  count: number
  effectMinor: bigint
}

/** The sums of days, from which their comparisons are computed. */
export type DaySums = { lines: LineSum[]; booked: BookedSum[]; printed: PrintedBalances[] }

/** The sums of days from all of their rows. */
export async function readSums(queryable: Queryable, scope: DayScope): Promise<DaySums> {
  return {
    lines: await listLineSums(queryable, scope),
    booked: await listBookedSums(queryable, scope),
    printed: await listPrintedBalances(queryable, scope),
  }
}

/** Our postings of each day, summed by kind and class. */
async function listBookedSums(queryable: Queryable, scope: DayScope): Promise<BookedSum[]> {
  const { rows } = await queryable.query<BookedSum>(
    `with ${BOOKED}
     select day::text, kind, class, effect_minor > 0 as "isIn", count(*)::integer as count, sum(effect_minor)::bigint as "effectMinor"
       from classed, (select $9::timestamptz, $10::jsonb) unused
      group by 1, 2, 3, 4`,
    valuesOf(scope),
  )
  return rows
}

type PrintedBalances = { day: string; openingMinor: bigint; closingMinor: bigint }

export type BookSum = { day: string; kind: WalletPostingKind; count: number; walletMinor: bigint }

/** The wallet book of each day by kind, without the opening balance, which is no movement. */
export async function listBookSums(queryable: Queryable, { applicationId, wallet, from, to }: DayScope): Promise<BookSum[]> {
  const { rows } = await queryable.query<BookSum>(
    `select day::text, kind, count(*)::integer as count, sum(wallet_minor)::bigint as "walletMinor" from wallet_postings
      where application_id = $1 and wallet = $2 and day between $3 and $4 and kind <> 'opening' group by 1, 2`,
    [applicationId, wallet.wallet, from, to],
  )
  return rows
}

/**
 * Of each day, the balance at its beginning and at its end, from the first and the last line that prints one; lines before and after them count
 * with what they moved, because one of two files of a wallet may print none.
 */
async function listPrintedBalances(queryable: Queryable, { applicationId, wallet, from, to }: DayScope): Promise<PrintedBalances[]> {
  const { rows } = await queryable.query<PrintedBalances>(
    `with moved as (
       select local_day, at, position, line_id, case when origin_day is null then balance_minor end as balance_minor,
              sum(net_minor) over (partition by local_day order by at, position, line_id) as until_minor,
              sum(net_minor) over (partition by local_day) as total_minor
         from statement_lines where application_id = $1 and wallet = $2 and local_day between $3 and $4)
     select distinct on (local_day) local_day::text as day, (first_value(balance_minor - until_minor) over w)::bigint as "openingMinor",
            (last_value(balance_minor + total_minor - until_minor) over w)::bigint as "closingMinor"
       from moved where balance_minor is not null
     window w as (partition by local_day order by at, position, line_id rows between unbounded preceding and unbounded following)
      order by local_day`,
    [applicationId, wallet.wallet, from, to],
  )
  return rows
}

/** The balance at the beginning of a day: from the last line before it that prints one, and what later lines moved. Null if no statement has. */
export async function findBalanceBefore(queryable: Queryable, { applicationId, wallet, from }: DayScope): Promise<bigint | null> {
  const { rows } = await queryable.query<{ balanceMinor: bigint }>(
    `select (l.balance_minor + coalesce((
              select sum(n.net_minor) from statement_lines n
               where n.application_id = $1 and n.wallet = $2 and n.local_day < $3
                 and (n.local_day, n.at, n.position, n.line_id) > (l.local_day, l.at, l.position, l.line_id)), 0))::bigint as "balanceMinor"
       from statement_lines l
      where l.application_id = $1 and l.wallet = $2 and l.local_day < $3 and l.balance_minor is not null and l.origin_day is null
        -- Without this a wallet whose operator prints none would be looked through.
        and exists (select 1 from statement_files f where f.application_id = $1 and f.wallet = $2 and f.state = 'imported' and f.first_day < $3
                       and f.prints_balances)
      order by l.local_day desc, l.at desc, l.position desc, l.line_id desc limit 1`,
    [applicationId, wallet.wallet, from],
  )
  return rows[0]?.balanceMinor ?? null
}

/** The days of these that an imported statement covers. */
export async function listCoveredDays(
  queryable: Queryable,
  applicationId: string,
  from: string,
  to: string,
): Promise<{ wallet: string; day: string }[]> {
  const { rows } = await queryable.query<{ wallet: string; day: string }>(
    `select distinct f.wallet, d.day::date::text as day
       from statement_files f cross join lateral generate_series(greatest(f.first_day, $2::date), least(f.last_day, $3::date), interval '1 day') d (day)
      where f.application_id = $1 and f.state = 'imported'`,
    [applicationId, from, to],
  )
  return rows
}

export type DayItem = {
  lineId: bigint | null
  at: Date
  /** The signed day that it is from, if it was found later. */
  originDay: string | null
  grossMinor: bigint
  feeMinor: bigint
  phone: string | null
  operatorId: string | null
  type: string
  status: string
  rule: string | null
  isTwin: boolean
  exceptionId: string | null
  transactionId: string | null
  application: string | null
  transactionStatus: string | null
  adjustments: AdjustmentKind[]
  transactionAt: Date | null
  amountMinor: bigint | null
}

const TRANSACTION = `t.transaction_id as "transactionId", a.name as application, t.status as "transactionStatus",
  ${ADJUSTMENTS} as adjustments,   coalesce(t.final_at, t.created_at) as "transactionAt", t.amount_minor as "amountMinor"`

/** SQL: the open exception about one of these subjects (`../exceptions/examine-store.ts`). */
const exceptionOf = (...subjects: readonly string[]) => `(select e.exception_id from exceptions e
  where e.application_id = $1 and e.subject in (${subjects.join(', ')}) and e.outcome is null limit 1) as "exceptionId"`
const transactionSubject = (ledger: string, id: string) => `format('transaction %s %s', ${ledger}, ${id})`

/** SQL: the transfer between our wallets that a line or a move is part of. */
const pairOf = (isPart: string) => `select from transfer_pairs p where p.application_id = $1 and ${isPart}`

/** The lines of a class on the days, in order of time. */
export async function selectLinesOf(queryable: Queryable, scope: DayScope, lineClass: string, limit: number): Promise<DayItem[]> {
  const { rows } = await queryable.query<DayItem>(
    `with ${classed('as signed')}
     select l.line_id as "lineId", l.at, l.origin_day::text as "originDay", l.gross_minor as "grossMinor", l.fee_minor + l.tax_minor as "feeMinor", l.phone_forms[1] as phone,
            l.operator_id as "operatorId", l.type, l.status, case when l.kind = 'transfer' and exists (${pairOf('l.line_id in (p.out_line_id, p.in_line_id)')}) then 'pair' else l.rule end as rule,
            l.group_id is not null as "isTwin", ${exceptionOf("'line ' || l.line_id", transactionSubject('l.matched_application_id', 'l.transaction_id'))}, ${TRANSACTION}
       from lines l cross join (select $5::text, $6::text) unused
       left join transactions t on t.application_id = l.matched_application_id and t.transaction_id = l.transaction_id
       left join applications a on a.application_id = t.application_id
      where l.class = $11
      order by l.at, l.line_id limit $12`,
    [...valuesOf(scope), lineClass, limit],
  )
  return rows
}

/** The postings of a kind in the wallet book of the days, in their order. */
export async function selectBookOf(queryable: Queryable, scope: DayScope, kind: WalletPostingKind, limit: number): Promise<DayItem[]> {
  const { applicationId, wallet, from, to } = scope
  const { rows } = await queryable.query<DayItem>(
    `select w.line_id as "lineId", w.at, w.origin_day::text as "originDay", w.wallet_minor as "grossMinor", 0::bigint as "feeMinor", l.phone_forms[1] as phone,
            l.operator_id as "operatorId", w.reason as type, '' as status, null as rule, false as "isTwin", null::uuid as "exceptionId", null::uuid as "transactionId",
            null as application, null as "transactionStatus", null::timestamptz as "transactionAt", null::bigint as "amountMinor"
       from wallet_postings w
       left join statement_lines l on l.application_id = w.application_id and l.line_id = w.line_id
      where w.application_id = $1 and w.wallet = $2 and w.day between $3 and $4 and w.kind = $5 order by w.at, w.subject limit $6`,
    [applicationId, wallet.wallet, from, to, kind, limit],
  )
  return rows
}

/** Our postings of a class on the days, in order of time. */
export async function selectBookedOf(queryable: Queryable, scope: DayScope, dayClass: string, limit: number): Promise<DayItem[]> {
  const { rows } = await queryable.query<DayItem>(
    `with ${BOOKED}
     select null::bigint as "lineId", c.at, null as "originDay", c.effect_minor as "grossMinor", 0::bigint as "feeMinor", t.phone_number as phone,
            t.operator_reference as "operatorId", coalesce(t.type, c.kind) as type, coalesce(t.status, '') as status,
            case when c.kind = 'move' and exists (${pairOf('p.move_application_id = c.application_id and p.move_id = c.subject_id')}) then 'pair' end as rule,
            false as "isTwin", ${exceptionOf(transactionSubject('c.application_id', 'c.subject_id'))}, ${TRANSACTION}
       from classed c cross join (select $9::timestamptz, $10::jsonb) unused
       left join transactions t on c.kind in ('settle', 'late', 'reverse') and t.application_id = c.application_id and t.transaction_id = c.subject_id
       join applications a on a.application_id = c.application_id
      where c.class = $11 order by c.at, c.subject_id limit $12`,
    [...valuesOf(scope), dayClass, limit],
  )
  return rows
}
