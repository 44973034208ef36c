import type { OperatorCode } from '#lib/operators.ts'
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
