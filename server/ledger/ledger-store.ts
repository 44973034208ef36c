import type { OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'

export type FundingRow = {
  applicationId: string
  fundingId: string
  operator: OperatorCode
  currency: string
  amountMinor: bigint
  kind: 'fund' | 'correct'
  actorId: string | null
  reason: string
}

/** Takes the lock that orders an application's money. False: there is no such application. */
export async function lockApplication(queryable: Queryable, applicationId: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select 1 from application_counters where application_id = $1 for no key update', [
    applicationId,
  ])
  return rowCount === 1
}

/** Posts money that entered or left the deposit balance outside any transaction. False: posted before under this id. */
export async function insertFunding(queryable: Queryable, row: FundingRow): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, clearing_minor, actor_id, reason, at)
     values ($1, $2, $3, $4, $5, $6, -$6::bigint, $7, $8, clock_timestamp())
     on conflict (application_id, subject_id, kind) do nothing`,
    [row.applicationId, row.fundingId, row.kind, row.operator, row.currency, row.amountMinor, row.actorId, row.reason],
  )
  if (rowCount === 0) return false
  const moved = await queryable.query(
    `update ledger_balances set deposit_minor = deposit_minor + $3, clearing_minor = clearing_minor - $3
     where application_id = $1 and operator = $2`,
    [row.applicationId, row.operator, row.amountMinor],
  )
  if (moved.rowCount !== 1) throw new Error(`The application ${row.applicationId} has no balance at ${row.operator}`)
  await queryable.query('update application_counters set change_number = change_number + 1 where application_id = $1', [row.applicationId])
  return true
}
