import type { OperatorCode } from '#lib/operators/operators.ts'
import { encodeRows, type RowColumns, type RowOf, recordOf } from '#server/database/json-row.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { selectTexts } from '#server/transactions/payment-text-columns.ts'
import type { EarlierRow } from './next-list.ts'

type Place = { applicationId: string; batchId: string }

/**
 * The rows of a submitted batch that were started, each with the person who had its number when it was submitted; if the book had nobody then, the
 * first who got it later. The person is as they are in the book now.
 */
export async function selectEarlierRows(queryable: Queryable, { applicationId, batchId }: Place): Promise<EarlierRow[]> {
  const { rows } = await queryable.query<EarlierRow>(
    `select r.row_number as "rowNumber", r.operator, r.phone_number as "phoneNumber", r.amount_minor as "amountMinor", ${selectTexts('r')},
            case when p.beneficiary_id is not null then jsonb_build_object('beneficiaryId', p.beneficiary_id, 'name', p.name, 'operator', p.operator,
              'phoneNumber', p.phone_number, 'isArchived', p.archived_at is not null) end as holder
       from batch_rows r join batches b on b.application_id = r.application_id and b.batch_id = r.batch_id
         left join lateral (
           select n.beneficiary_id from beneficiary_numbers n
            where n.application_id = r.application_id and n.phone_key = r.phone_forms[1]
              and not exists (select from beneficiary_numbers m where m.application_id = n.application_id and m.beneficiary_id = n.beneficiary_id
                and m.at > n.at and m.at <= b.submitted_at)
            order by n.at <= b.submitted_at desc, case when n.at <= b.submitted_at then n.at end desc, n.at limit 1) h on true
         left join beneficiaries p on p.application_id = r.application_id and p.beneficiary_id = h.beneficiary_id
      where r.application_id = $1 and r.batch_id = $2 and r.transaction_id is not null
      order by r.row_number`,
    [applicationId, batchId],
  )
  return rows
}

/** The newest submitted list of a group. */
export async function findLastOfGroup(queryable: Queryable, applicationId: string, groupName: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ batchId: string }>(
    `select b.batch_id as "batchId" from batch_sources s join batches b on b.application_id = s.application_id and b.batch_id = s.batch_id
      where s.application_id = $1 and s.group_name = $2 and b.state = 'submitted' order by b.submitted_at desc limit 1`,
    [applicationId, groupName],
  )
  return rows[0]?.batchId
}

/** The group that a batch was made from. */
export async function findGroupOf(queryable: Queryable, { applicationId, batchId }: Place): Promise<string | null> {
  const { rows } = await queryable.query<{ groupName: string | null }>(
    'select group_name as "groupName" from batch_sources where application_id = $1 and batch_id = $2',
    [applicationId, batchId],
  )
  return rows[0]?.groupName ?? null
}

const SOURCE_ROW = {
  row_number: 'integer',
  source_row_number: 'integer | null',
  beneficiary_id: 'uuid | null',
} as const satisfies RowColumns

/** Stores what a batch repeats, and whom each of its rows is about. */
export async function insertSource(
  trx: TrxClient,
  { applicationId, batchId, sourceBatchId, groupName }: Place & { sourceBatchId: string | null; groupName: string | null },
  rows: readonly RowOf<typeof SOURCE_ROW>[],
): Promise<void> {
  await trx.query('insert into batch_sources (application_id, batch_id, source_batch_id, group_name) values ($1, $2, $3, $4)', [
    applicationId,
    batchId,
    sourceBatchId,
    groupName,
  ])
  await trx.query(
    `insert into batch_source_rows (application_id, batch_id, row_number, source_row_number, beneficiary_id)
       select $1, $2, r.row_number, r.source_row_number, r.beneficiary_id from json_to_recordset($3) as r (${recordOf(SOURCE_ROW)})`,
    [applicationId, batchId, encodeRows(SOURCE_ROW, rows)],
  )
}

export type Source = { batchId: string | null; batchName: string | null; groupName: string | null }

/** The list that a batch repeats; undefined if it repeats none. */
export async function findSource(queryable: Queryable, { applicationId, batchId }: Place): Promise<Source | undefined> {
  const { rows } = await queryable.query<Source>(
    `select s.source_batch_id as "batchId", e.name as "batchName", s.group_name as "groupName"
       from batch_sources s left join batches e on e.application_id = s.application_id and e.batch_id = s.source_batch_id
      where s.application_id = $1 and s.batch_id = $2`,
    [applicationId, batchId],
  )
  return rows[0]
}

export type Difference = {
  people: number
  newPeople: number
  leftOut: number
  changedNames: number
  changedNumbers: number
  changedAmounts: number
  totals: { operator: OperatorCode; beforeMinor: string; afterMinor: string }[]
}

/** Compares the rows that a batch would send, or has sent, with the rows of the list that it repeats. One statement, whatever their number. */
export async function findDifference(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  sourceBatchId: string | null,
): Promise<Difference> {
  const { rows } = await queryable.query<Difference>(
    `with present as materialized (
       select r.operator, r.phone_forms[1] as phone, r.customer_name, r.amount_minor, s.source_row_number
         from batch_rows r left join batch_source_rows s on s.application_id = r.application_id and s.batch_id = r.batch_id and s.row_number = r.row_number
        where r.application_id = $1 and r.batch_id = $2 and r.problems = '[]' and r.exclusion is null
     ), earlier as materialized (
       select row_number, operator, phone_forms[1] as phone, customer_name, amount_minor
         from batch_rows where application_id = $1 and batch_id = $3 and transaction_id is not null
     ), pairs as materialized (
       select p.phone <> e.phone or p.operator <> e.operator as other_number, p.customer_name <> e.customer_name as other_name,
              p.amount_minor <> e.amount_minor as other_amount, p.source_row_number
         from present p join earlier e on e.row_number = p.source_row_number
     ), sides as (
       select operator, 0::numeric as before_minor, amount_minor as after_minor from present
       union all select operator, amount_minor, 0 from earlier
     ), totals as (select operator, sum(before_minor) as before_minor, sum(after_minor) as after_minor from sides group by operator)
     select (select count(*)::integer from present) as people,
       (select count(*)::integer from present where source_row_number is null) as "newPeople",
       (select count(*)::integer from earlier e where not exists (select from pairs x where x.source_row_number = e.row_number)) as "leftOut",
       (select count(*)::integer from pairs where other_name) as "changedNames",
       (select count(*)::integer from pairs where other_number) as "changedNumbers",
       (select count(*)::integer from pairs where other_amount) as "changedAmounts",
       (select coalesce(jsonb_agg(jsonb_build_object('operator', operator, 'beforeMinor', before_minor::text, 'afterMinor', after_minor::text)
          order by operator), '[]') from totals) as totals`,
    [applicationId, batchId, sourceBatchId],
  )
  const [row] = rows
  if (!row) throw new Error('A statement of sums returns one row')
  return row
}
