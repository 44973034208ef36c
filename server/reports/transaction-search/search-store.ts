import { DECISION_COUNTS } from '#server/approvals/may-decide.ts'
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
       union all select o.transaction_id, 4 from operator_tokens o where o.application_id = $1 and o.operator_token = $2
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

/** Returns the people of an application by name: who may have created its transactions. */
export async function listMemberNames(queryable: Queryable, applicationId: string): Promise<{ personId: string; name: string }[]> {
  const { rows } = await queryable.query<{ personId: string; name: string }>(
    `select p.person_id as "personId", p.name from memberships m join people p on p.person_id = m.person_id
       where m.application_id = $1 order by p.name, p.person_id`,
    [applicationId],
  )
  return rows
}

export type RowNote = {
  transactionId: string
  unconfirmedSince: Date | null
  approvalsDone: number | null
  approvalsNeeded: number | null
  makerName: string | null
}

/**
 * The notes of the transactions of one page, by their ids: since when the outcome at the operator is unknown, how many approvals there
 * are, and who made them. A few index look-ups per row.
 */
export async function selectRowNotes(queryable: Queryable, applicationId: string, transactionIds: readonly string[]): Promise<RowNote[]> {
  const { rows } = await queryable.query<RowNote>({
    name: 'select_row_notes',
    text: `select t.transaction_id as "transactionId", w.unconfirmed_since as "unconfirmedSince", p.name as "makerName",
        case when i.transaction_id is null then null else (select count(*)::integer from approval_decisions d
          where d.application_id = $1 and d.transaction_id = t.transaction_id and d.decision = 'validated'
            and ${DECISION_COUNTS}) end as "approvalsDone",
        (select sum(s)::integer from unnest(i.steps) as s) as "approvalsNeeded"
      from unnest($2::uuid[]) as wanted (transaction_id)
      join transactions t on t.application_id = $1 and t.transaction_id = wanted.transaction_id
      left join operator_work w on w.application_id = $1 and w.transaction_id = t.transaction_id
      left join approval_items i on i.application_id = $1 and i.transaction_id = t.transaction_id
      left join people p on p.person_id = t.maker_id`,
    values: [applicationId, transactionIds],
  })
  return rows
}
