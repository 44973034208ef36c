import type { Currency } from '#lib/money.ts'
import type { Queryable } from '#server/database/pool.ts'

export type UnconfirmedSum = { currency: Currency; bucket: number; count: bigint; amountMinor: bigint }

/** Unconfirmed transactions per currency and age; `edges` are the instants between the buckets, newest first. */
export async function selectUnconfirmed(queryable: Queryable, applicationId: string, edges: readonly Date[]): Promise<UnconfirmedSum[]> {
  const { rows } = await queryable.query<UnconfirmedSum>(
    `select t.currency, (select count(*) from unnest($2::timestamptz[]) as e (at) where w.unconfirmed_since < e.at)::integer as bucket,
            count(*) as count, sum(t.amount_minor) as "amountMinor"
     from operator_work w join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
     where w.application_id = $1 and w.unconfirmed_since is not null and t.status = 'PENDING'
     group by 1, 2`,
    [applicationId, edges],
  )
  return rows
}
