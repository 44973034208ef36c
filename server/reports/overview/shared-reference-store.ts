import type { Queryable } from '#server/database/pool.ts'
import type { AlertedRow } from './contradiction-store.ts'

/** Transactions whose operator gave their reference to another one too, recorded since this instant; the newest first. */
export async function selectSharedReferences(
  queryable: Queryable,
  applicationId: string,
  since: Date,
  limit: number,
): Promise<AlertedRow[]> {
  const { rows } = await queryable.query<AlertedRow>({
    name: 'select_shared_references',
    text: `select s.transaction_id as "transactionId", s.operator, t.currency, t.amount_minor as "amountMinor", t.status, s.at
      from shared_operator_references s
      join transactions t on t.application_id = s.application_id and t.transaction_id = s.transaction_id
      where s.application_id = $1 and s.at >= $2 order by s.at desc limit $3`,
    values: [applicationId, since, limit],
  })
  return rows
}

/** How many there are, counted up to `limit`. */
export async function countSharedReferences(queryable: Queryable, applicationId: string, since: Date, limit: number): Promise<number> {
  const { rows } = await queryable.query<{ count: bigint }>({
    name: 'count_shared_references',
    text: `select count(*) as count
      from (select 1 from shared_operator_references s where s.application_id = $1 and s.at >= $2 limit $3) counted`,
    values: [applicationId, since, limit],
  })
  return Number(rows[0]?.count ?? 0n)
}
