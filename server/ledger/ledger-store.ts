import { ADJUSTMENT_KINDS, type AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

type FundingRow = {
  applicationId: string
  fundingId: string
  operator: OperatorCode
  currency: string
  amountMinor: bigint
  kind: 'fund' | 'move' | 'correct' | 'withdraw'
  /** The balance that a correction or a withdrawal is about. */
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

/** A posting of a change of two people to what is final. Amounts in hundredths. */
export type AdjustmentRow = {
  applicationId: string
  /** The transaction that it is about; of fees taken out, the change. */
  subjectId: string
  kind: AdjustmentKind
  operator: OperatorCode
  currency: string
  /** Of the transaction, or of the balance that is changed. */
  type: TransactionType
  amountMinor: bigint
  feeSystemMinor: bigint
  feeAppMinor: bigint
  actorId: string
  reason: string
  change: { applicationId: string; changeId: string }
}

/** Posts an adjustment. Returns false if the subject has one of this kind already. */
export async function insertAdjustment(queryable: Queryable, row: AdjustmentRow): Promise<boolean> {
  const { rows } = await queryable.query<{ isPosted: boolean; isMoved: boolean }>(
    `with posted as (
       insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, fees_minor, clearing_minor,
           revenue_minor, actor_id, reason, change_application_id, change_id, at)
         select $1, $2, $3, $4, $5, p.collect_minor, p.deposit_minor, p.fees_minor, p.clearing_minor, p.revenue_minor, $10, $11, $12, $13,
                clock_timestamp()
           from posting_amounts($3, $6, $7, $8, $9) p
         on conflict (application_id, subject_id, kind) do nothing
         returning application_id, operator, collect_minor, deposit_minor, fees_minor, clearing_minor, revenue_minor
     ), moved as (
       update ledger_balances b set collect_minor = b.collect_minor + p.collect_minor, deposit_minor = b.deposit_minor + p.deposit_minor,
           fees_minor = b.fees_minor + p.fees_minor, clearing_minor = b.clearing_minor + p.clearing_minor,
           revenue_minor = b.revenue_minor + p.revenue_minor
         from posted p where b.application_id = p.application_id and b.operator = p.operator
         returning 1
     ), changed as (
       update application_counters c set change_number = c.change_number + 1 from posted p where c.application_id = p.application_id
     )
     select exists (select from posted) as "isPosted", exists (select from moved) as "isMoved"`,
    [
      row.applicationId,
      row.subjectId,
      row.kind,
      row.operator,
      row.currency,
      row.type,
      row.amountMinor,
      row.feeSystemMinor,
      row.feeAppMinor,
      row.actorId,
      row.reason,
      row.change.applicationId,
      row.change.changeId,
    ],
  )
  const { isPosted = false, isMoved = false } = rows[0] ?? {}
  if (isPosted && !isMoved) throw new Error(`The application ${row.applicationId} has no balance at ${row.operator}`)
  return isPosted
}

/** The balances that an adjustment changes, in hundredths. */
export type AdjustedBalances = { collectMinor: bigint; depositMinor: bigint; feesMinor: bigint }

/** The balances now, and by how much an adjustment would change each; undefined if the application has none at this operator. */
export async function readAdjustedBalances(
  queryable: Queryable,
  row: Pick<AdjustmentRow, 'applicationId' | 'kind' | 'operator' | 'type' | 'amountMinor' | 'feeSystemMinor' | 'feeAppMinor'>,
): Promise<{ before: AdjustedBalances; after: AdjustedBalances } | undefined> {
  const { rows } = await queryable.query<{ before: [bigint, bigint, bigint]; after: [bigint, bigint, bigint] }>(
    `select array[b.collect_minor, b.deposit_minor, b.fees_minor] as before,
            array[b.collect_minor + p.collect_minor, b.deposit_minor + p.deposit_minor, b.fees_minor + p.fees_minor] as after
       from ledger_balances b cross join lateral posting_amounts($3, $4, $5, $6, $7) p where b.application_id = $1 and b.operator = $2`,
    [row.applicationId, row.operator, row.kind, row.type, row.amountMinor, row.feeSystemMinor, row.feeAppMinor],
  )
  const [found] = rows
  return found && { before: named(found.before), after: named(found.after) }
}

function named([collectMinor, depositMinor, feesMinor]: [bigint, bigint, bigint]): AdjustedBalances {
  return { collectMinor, depositMinor, feesMinor }
}

/** SQL: the kinds of adjustments of the transaction `t`, in order of time, as an array; a few probes of the primary key. */
export const ADJUSTMENTS = `array(select a.kind from ledger_postings a where a.application_id = t.application_id
  and a.subject_id = t.transaction_id and a.kind in (${ADJUSTMENT_KINDS.map((kind) => `'${kind}'`).join(', ')}) order by a.at)`

/** The kinds of adjustments of those of the transactions that have any, in order of time. */
export async function listAdjustments(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): Promise<Map<string, AdjustmentKind[]>> {
  const { rows } = await queryable.query<{ transactionId: string; kinds: AdjustmentKind[] }>({
    name: 'list_adjustments',
    text: `select subject_id as "transactionId", array_agg(kind order by at) as kinds from ledger_postings
            where application_id = $1 and subject_id = any ($2::uuid[]) and kind = any ($3) group by subject_id`,
    values: [applicationId, transactionIds, ADJUSTMENT_KINDS],
  })
  return new Map(rows.map(({ transactionId, kinds }) => [transactionId, kinds]))
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
