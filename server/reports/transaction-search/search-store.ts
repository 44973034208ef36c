import type { Queryable } from '#server/database/pool.ts'

/** The transaction that has this as its id, its external id, one of its pay tokens or its operator's reference; the first kind that fits wins. */
export async function findTransactionByAnyId(
  queryable: Queryable,
  applicationId: string,
  text: string,
  uuid: string | null,
): Promise<string | undefined> {
  const { rows } = await queryable.query<{ transactionId: string }>(
    `select found.transaction_id as "transactionId" from (
       select t.transaction_id, 1 as rank from transactions t where t.application_id = $1 and t.transaction_id = $3::uuid
       union all select t.transaction_id, 2 from transactions t where t.application_id = $1 and t.external_id = $3::uuid
       union all select t.transaction_id, 3 from transactions t where t.application_id = $1 and t.pay_token = $2
       union all select t.transaction_id, 4 from transactions t where t.application_id = $1 and t.operator_token = $2
       union all select r.transaction_id, 5 from operator_references r where r.application_id = $1 and r.operator_reference = $2
     ) as found order by found.rank limit 1`,
    [applicationId, text, uuid],
  )
  return rows[0]?.transactionId
}

/** A batch of this id in this application: with a page of its own, or with transactions only. Undefined if there is none. */
export async function findBatch(queryable: Queryable, applicationId: string, batchId: string): Promise<{ hasPage: boolean } | undefined> {
  const { rows } = await queryable.query<{ hasPage: boolean }>(
    `select true as "hasPage" from batches b where b.application_id = $1 and b.batch_id = $2
     union all (select false from transactions t where t.application_id = $1 and t.batch_id = $2 limit 1)
     limit 1`,
    [applicationId, batchId],
  )
  return rows[0]
}

/** The first of these phone numbers that a transaction of this application was made with. */
export async function findPhone(queryable: Queryable, applicationId: string, phoneNumbers: readonly string[]): Promise<string | undefined> {
  const { rows } = await queryable.query<{ phoneNumber: string }>(
    `select wanted.phone as "phoneNumber" from unnest($2::text[]) with ordinality as wanted (phone, place)
     where exists (select 1 from transactions t where t.application_id = $1 and t.phone_number = wanted.phone)
     order by wanted.place limit 1`,
    [applicationId, phoneNumbers],
  )
  return rows[0]?.phoneNumber
}
