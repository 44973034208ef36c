import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

type FundingRow = {
  applicationId: string
  fundingId: string
  operator: OperatorCode
  currency: string
  amountMinor: bigint
  kind: 'fund' | 'move' | 'correct'
  /** The balance that a correction is about. */
  account: 'collect' | 'deposit'
  actorId: string | null
  reason: string
}

/** Posts money that entered, left or changed balances outside any transaction. Returns false if this id was posted before. */
export async function insertFunding(queryable: Queryable, row: FundingRow): Promise<boolean> {
  const { rows } = await queryable.query<{ isPosted: boolean; isMoved: boolean }>(
    `with posted as (
       insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, clearing_minor,
           actor_id, reason, at)
         select $1, $2, $3, $4, $5, p.collect_minor, p.deposit_minor, p.clearing_minor, $7, $8, clock_timestamp()
           from posting_amounts($3, $9, $6, 0, 0) p
         on conflict (application_id, subject_id, kind) do nothing
         returning application_id, operator, collect_minor, deposit_minor, clearing_minor
     ), moved as (
       update ledger_balances b set collect_minor = b.collect_minor + p.collect_minor, deposit_minor = b.deposit_minor + p.deposit_minor,
           clearing_minor = b.clearing_minor + p.clearing_minor
         from posted p where b.application_id = p.application_id and b.operator = p.operator
         returning 1
     ), changed as (
       update application_counters c set change_number = c.change_number + 1 from posted p where c.application_id = p.application_id
     )
     select exists (select from posted) as "isPosted", exists (select from moved) as "isMoved"`,
    [
      row.applicationId,
      row.fundingId,
      row.kind,
      row.operator,
      row.currency,
      row.amountMinor,
      row.actorId,
      row.reason,
      row.account === 'collect' ? 'COLLECT' : 'DEPOSIT',
    ],
  )
  const { isPosted = false, isMoved = false } = rows[0] ?? {}
  if (isPosted && !isMoved) throw new Error(`The application ${row.applicationId} has no balance at ${row.operator}`)
  return isPosted
}

/** The balances that a funding can change, in hundredths. */
export type FundedBalances = { collectMinor: bigint; depositMinor: bigint }

/** Undefined if the application has no balances at this operator. */
export async function readFundedBalances(
  queryable: Queryable,
  applicationId: string,
  operator: OperatorCode,
): Promise<FundedBalances | undefined> {
  const { rows } = await queryable.query<FundedBalances>(
    `select collect_minor as "collectMinor", deposit_minor as "depositMinor" from ledger_balances where application_id = $1 and operator = $2`,
    [applicationId, operator],
  )
  return rows[0]
}

/** The instant up to which `ledger_days` is complete, to the microsecond (a Date would lose three digits); `-infinity` if it is empty. */
export async function findSealedUntil(queryable: Queryable): Promise<string> {
  const { rows } = await queryable.query<{ until: string }>('select sealed_until::text as until from ledger_seal')
  return rows[0]?.until ?? '-infinity'
}

/** Adds what was posted since the last time to ledger_days. Returns the instant up to which they are complete. */
export async function sealUntilNow(queryable: Queryable, marginMs: number): Promise<string> {
  const { rows } = await queryable.query<{ until: string }>(
    "select seal_ledger_days($1::double precision * interval '1 millisecond')::text as until",
    [marginMs],
  )
  return rows[0]?.until ?? '-infinity'
}

/** The applications whose days and later postings do not add up to their balances, in one snapshot. */
export async function selectApplicationsThatDiffer(queryable: Queryable, sealedUntil: string): Promise<string[]> {
  const { rows } = await queryable.query<{ applicationId: string }>(
    `select distinct b.application_id as "applicationId" from ledger_balances b
       left join (select application_id, operator, sum(collect_minor) as collect_minor, sum(deposit_minor) as deposit_minor, sum(held_minor) as held_minor
         from (select application_id, operator, collect_minor, deposit_minor, held_minor from ledger_days
               union all
               select application_id, operator, collect_minor, deposit_minor, held_minor from ledger_postings where at >= $1::timestamptz) m
         group by 1, 2) s on s.application_id = b.application_id and s.operator = b.operator
       where (b.collect_minor, b.deposit_minor, b.held_minor)
         is distinct from (coalesce(s.collect_minor, 0), coalesce(s.deposit_minor, 0), coalesce(s.held_minor, 0))`,
    [sealedUntil],
  )
  return rows.map((row) => row.applicationId)
}

export async function rebuildDays(queryable: Queryable, applicationId: string): Promise<void> {
  await queryable.query('select rebuild_ledger_days($1)', [applicationId])
}

export async function upsertThreshold(
  queryable: Queryable,
  row: { applicationId: string; operator: OperatorCode; thresholdMinor: bigint; personId: string },
): Promise<void> {
  await queryable.query(
    `insert into balance_thresholds (application_id, operator, threshold_minor, set_by) values ($1, $2, $3, $4)
     on conflict (application_id, operator) do update set threshold_minor = excluded.threshold_minor, set_by = excluded.set_by, set_at = now()`,
    [row.applicationId, row.operator, row.thresholdMinor, row.personId],
  )
}

export async function removeThreshold(queryable: Queryable, applicationId: string, operator: OperatorCode): Promise<void> {
  await queryable.query('delete from balance_thresholds where application_id = $1 and operator = $2', [applicationId, operator])
}
