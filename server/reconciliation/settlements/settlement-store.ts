import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { DayClass } from '#lib/reconciliation/days.ts'
import type { Queryable } from '#server/database/pool.ts'
import { ADJUSTMENTS } from '#server/ledger/ledger-store.ts'
import { BOOKED, type DayScope, valuesOf } from '../days/day-store.ts'

export type SignedDay = {
  /** The application that runs the installation. */
  installation: string
  wallet: string
  operator: string
  account: 'collect' | 'deposit' | 'both'
  day: string
  startsAt: Date
  endsAt: Date
  version: number
  state: 'signed' | 'to_be_signed_again'
  signedAt: Date
  hash: string
}

const SIGNED = `select c.application_id as installation, c.wallet, c.operator, c.account, c.day::text, c.starts_at as "startsAt", c.ends_at as "endsAt",
  c.version, c.state, c.signed_at as "signedAt", encode(c.hash, 'hex') as hash
  from day_certificates c join applications i on i.application_id = c.application_id and i.runs_installation
 where c.state in ('signed', 'to_be_signed_again')`

/** The signed days of the range at operators where the ledger of an application moved on them, the newest first; of one wallet, or of all. */
export async function listSignedDays(
  queryable: Queryable,
  applicationId: string,
  { wallet, from, to }: { wallet: string | null; from: string; to: string },
): Promise<SignedDay[]> {
  const { rows } = await queryable.query<SignedDay>(
    `${SIGNED} and c.day between $1 and $2 and ($3::text is null or c.wallet = $3)
       and exists (select from ledger_days d where d.application_id = $4 and d.operator = c.operator
                      and d.day between (c.starts_at at time zone 'UTC')::date and (c.ends_at at time zone 'UTC')::date)
     order by c.day desc, c.wallet`,
    [from, to, wallet, applicationId],
  )
  return rows
}

/** One signed day of a wallet; undefined while nobody has signed it. */
export async function findSignedDay(queryable: Queryable, wallet: string, day: string): Promise<SignedDay | undefined> {
  const { rows } = await queryable.query<SignedDay>(`${SIGNED} and c.wallet = $1 and c.day = $2`, [wallet, day])
  return rows[0]
}

/** SQL: what a posting does to the balance of its application that is in the account `$account`; held money is part of it. */
const effectOf = (account: string, posting: string) => `(case ${account} when 'collect' then ${posting}.collect_minor
  when 'deposit' then ${posting}.deposit_minor + ${posting}.held_minor
  else ${posting}.collect_minor + ${posting}.deposit_minor + ${posting}.held_minor end)`

export type SettlementSums = {
  openingMinor: bigint
  transactionCount: number
  transactionsMinor: bigint
  adjustmentCount: number
  adjustmentsMinor: bigint
}

/**
 * The balance of an application at the beginning of a signed day, and what the day did to it. UTC days before the day come from `ledger_days`: they
 * are complete up to every signed day.
 */
export async function readSettlementSums(queryable: Queryable, applicationId: string, signed: SignedDay): Promise<SettlementSums> {
  const { rows } = await queryable.query<SettlementSums>(
    `with day as (
       select p.kind, ${effectOf('$3', 'p')} as minor from ledger_postings p
        where p.application_id = $1 and p.operator = $2 and p.at >= $4 and p.at < $5)
     select ((select coalesce(sum(${effectOf('$3', 'd')}), 0) from ledger_days d
               where d.application_id = $1 and d.operator = $2 and d.day < ($4::timestamptz at time zone 'UTC')::date)
             + (select coalesce(sum(${effectOf('$3', 'p')}), 0) from ledger_postings p
                 where p.application_id = $1 and p.operator = $2 and p.at < $4
                   and p.at >= date_trunc('day', $4::timestamptz at time zone 'UTC') at time zone 'UTC'))::bigint as "openingMinor",
            (count(*) filter (where kind = 'settle' and minor <> 0))::integer as "transactionCount",
            coalesce(sum(minor) filter (where kind = 'settle'), 0)::bigint as "transactionsMinor",
            (count(*) filter (where kind <> 'settle' and minor <> 0))::integer as "adjustmentCount",
            coalesce(sum(minor) filter (where kind <> 'settle'), 0)::bigint as "adjustmentsMinor"
       from day`,
    [applicationId, signed.operator, signed.account, signed.startsAt, signed.endsAt],
  )
  const [sums] = rows
  if (!sums) throw new Error('An aggregate returns one row')
  return sums
}

export type SettledRow = {
  transactionId: string
  externalId: string
  type: TransactionType
  operatorReference: string | null
  grossMinor: bigint
  feeSystemMinor: bigint
  feeAppMinor: bigint
  netMinor: bigint
  completedAt: Date
  operatorTime: Date | null
  class: DayClass
  adjustments: AdjustmentKind[]
}

/**
 * One page of the payments of an application that were booked on a signed day, in order of time. The scope is the installation's: its statements
 * say when the operator has each, and in which class it is; no other application's row is read.
 */
export async function selectSettled(
  queryable: Queryable,
  applicationId: string,
  scope: DayScope,
  { offset, limit }: { offset: bigint; limit: number },
): Promise<SettledRow[]> {
  const { rows } = await queryable.query<SettledRow>(
    `with ${BOOKED}
     select t.transaction_id as "transactionId", t.external_id as "externalId", t.type, t.operator_reference as "operatorReference",
            t.amount_minor as "grossMinor", t.fee_system_minor as "feeSystemMinor", t.fee_app_minor as "feeAppMinor",
            ${effectOf('$6', 'c')} as "netMinor", c.at as "completedAt", l.at as "operatorTime", c.class, ${ADJUSTMENTS} as adjustments
       from classed c cross join (select $9::timestamptz, $10::jsonb) unused
       join transactions t on t.application_id = c.application_id and t.transaction_id = c.subject_id
       left join statement_lines l on l.application_id = $1 and l.line_id = c.line_id
      where c.application_id = $11 and c.kind = 'settle' and ${effectOf('$6', 'c')} <> 0
      order by c.at, c.subject_id offset $12 limit $13`,
    [...valuesOf(scope), applicationId, offset, limit],
  )
  return rows
}

export type AdjustmentRow = {
  kind: 'fund' | 'move' | 'correct' | 'withdraw' | AdjustmentKind
  id: string
  transactionId: string | null
  netMinor: bigint
  at: Date
}

/** Everything else that changed the balance of an application on a signed day, in order of time. */
export async function selectSettledAdjustments(
  queryable: Queryable,
  applicationId: string,
  signed: SignedDay,
  limit: number,
): Promise<AdjustmentRow[]> {
  const { rows } = await queryable.query<AdjustmentRow>(
    `select p.kind, p.subject_id as id, t.transaction_id as "transactionId", ${effectOf('$3', 'p')} as "netMinor", p.at
       from ledger_postings p
       left join transactions t on t.application_id = p.application_id and t.transaction_id = p.subject_id
      where p.application_id = $1 and p.operator = $2 and p.at >= $4 and p.at < $5 and p.kind not in ('settle', 'hold', 'release')
        and ${effectOf('$3', 'p')} <> 0
      order by p.at, p.subject_id, p.kind limit $6`,
    [applicationId, signed.operator, signed.account, signed.startsAt, signed.endsAt, limit],
  )
  return rows
}
