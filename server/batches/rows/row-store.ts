import type { BatchCell, RepairKind, RowEdits, RowProblem } from '#lib/batches/batch-fields.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { PaymentTexts } from '#lib/payments/payment-fields.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { encodeRows, type RowColumns, type RowOf, recordOf } from '#server/database/json-row.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { NULLABLE_TEXT_COLUMNS, selectTexts } from '#server/transactions/payment-text-columns.ts'

type Place = { applicationId: string; batchId: string }

export async function insertRows(trx: TrxClient, { applicationId, batchId }: Place, rows: readonly NewRow[]): Promise<void> {
  const columns = Object.keys(NEW_ROW)
  await trx.query(
    `insert into batch_rows (application_id, batch_id, ${columns.join(', ')})
       select $1, $2, ${columns.map((name) => `r.${name}`).join(', ')} from json_to_recordset($3) as r (${recordOf(NEW_ROW)})`,
    [applicationId, batchId, encodeRows(NEW_ROW, rows)],
  )
}

/** Stores what a check found. A row for which nothing changed is not written: the check at submission rarely finds anything else. */
export async function updateCheckedRows(trx: TrxClient, { applicationId, batchId }: Place, rows: readonly CheckedRow[]): Promise<void> {
  const numbers = rows.map((row) => row.row_number)
  const columns = Object.keys(CHECKED_ROW).filter((name) => name !== 'row_number')
  await trx.query(
    `update batch_rows b set ${columns.map((name) => `${name} = r.${name}`).join(', ')}
       from json_to_recordset($3) as r (${recordOf(CHECKED_ROW)})
      where b.application_id = $1 and b.batch_id = $2 and b.row_number = r.row_number and b.row_number between $4 and $5
        and (${columns.map((name) => `b.${name}`).join(', ')}) is distinct from (${columns.map((name) => `r.${name}`).join(', ')})`,
    [applicationId, batchId, encodeRows(CHECKED_ROW, rows), Math.min(...numbers), Math.max(...numbers)],
  )
}

export type RawRow = { rowNumber: number; cells: BatchCell[]; edits: RowEdits; phone: string | null; externalId: string }

/** Rows as read, for another check: all of them from a row on, or only those with a kind of repair. */
export async function selectRawRows(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  { afterRow, limit, repair }: { afterRow: number; limit: number; repair: RepairKind | null },
): Promise<RawRow[]> {
  const { rows } = await queryable.query<RawRow>(
    `select row_number as "rowNumber", cells, edits, phone_forms[1] as phone, external_id as "externalId" from batch_rows
      where application_id = $1 and batch_id = $2 and row_number > $3
        and ($5::text is null or repairs @> jsonb_build_array(jsonb_build_object('kind', $5::text)))
      order by row_number limit $4`,
    [applicationId, batchId, afterRow, limit, repair],
  )
  return rows
}

/** The rows with these numbers, in the order of the file; those that the batch does not have are missing. */
export async function selectNumberedRows(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  rowNumbers: readonly number[],
): Promise<RawRow[]> {
  const { rows } = await queryable.query<RawRow>(
    `select row_number as "rowNumber", cells, edits, phone_forms[1] as phone, external_id as "externalId" from batch_rows
      where application_id = $1 and batch_id = $2 and row_number = any ($3) order by row_number`,
    [applicationId, batchId, rowNumbers],
  )
  return rows
}

/** The problems of each of these rows. */
export async function selectProblems(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  rowNumbers: readonly number[],
): Promise<{ rowNumber: number; problems: RowProblem[] }[]> {
  const { rows } = await queryable.query<{ rowNumber: number; problems: RowProblem[] }>(
    `select row_number as "rowNumber", problems from batch_rows
      where application_id = $1 and batch_id = $2 and row_number = any ($3) order by row_number`,
    [applicationId, batchId, rowNumbers],
  )
  return rows
}

export async function updateEdits(trx: TrxClient, { applicationId, batchId }: Place, rows: readonly EditedRow[]): Promise<void> {
  await trx.query(
    `update batch_rows b set edits = r.edits from json_to_recordset($3) as r (${recordOf(EDITED_ROW)})
      where b.application_id = $1 and b.batch_id = $2 and b.row_number = r.row_number`,
    [applicationId, batchId, encodeRows(EDITED_ROW, rows)],
  )
}

/** Sets or removes (null) the exclusion of rows. Returns how many of them the batch has, and how many had another one before. */
export async function updateExclusions(
  trx: TrxClient,
  { applicationId, batchId }: Place,
  rowNumbers: readonly number[],
  exclusion: string | null,
): Promise<{ found: number; changed: number }> {
  const { rows } = await trx.query<{ found: number; changed: number }>(
    `with wanted as (
       select row_number from batch_rows where application_id = $1 and batch_id = $2 and row_number = any ($3)
     ), changed as (
       update batch_rows set exclusion = $4 where application_id = $1 and batch_id = $2 and row_number = any ($3)
           and exclusion is distinct from $4
         returning 1
     )
     select (select count(*)::integer from wanted) as found, (select count(*)::integer from changed) as changed`,
    [applicationId, batchId, rowNumbers, exclusion],
  )
  return rows[0] ?? { found: 0, changed: 0 }
}

/** The persons of these rows, as the present forms of their numbers. */
export async function selectPhones(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  rowNumbers: readonly number[],
): Promise<string[]> {
  const { rows } = await queryable.query<{ phone: string }>(
    `select distinct phone_forms[1] as phone from batch_rows
      where application_id = $1 and batch_id = $2 and row_number = any ($3) and phone_forms is not null`,
    [applicationId, batchId, rowNumbers],
  )
  return rows.map(({ phone }) => phone)
}

export type ComparisonRow = {
  rowNumber: number
  customerName: string | null
  /** The first row with the same number and amount; for that one the next. */
  otherRow: number | null
  count: number | null
  paidId: string | null
  paidAt: Date | null
  paidMinor: bigint | null
  paidCurrency: string | null
  nameBefore: string | null
}

/**
 * Compares rows with each other and with earlier transactions in one statement, regardless of their number. `phones` limits it to these
 * persons; null compares all rows. Per person the newest `limit` transactions are read. Only rows with a finding are returned.
 */
export async function selectComparisons(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  options: { type: TransactionType; phones: readonly string[] | null; recentDays: number; limit: number },
): Promise<ComparisonRow[]> {
  const { rows } = await queryable.query<ComparisonRow>(
    `with r as materialized (
       select row_number, phone_forms, customer_name, amount_minor, operator,
              min(row_number) over same as first_row, count(*) over same as same_count,
              lead(row_number) over (partition by phone_forms[1], amount_minor order by row_number) as next_row
         from batch_rows
        where application_id = $1 and batch_id = $2 and exclusion is null and phone_forms is not null
          and ($4::text[] is null or phone_forms[1] = any ($4))
       window same as (partition by phone_forms[1], amount_minor)
     ), known as materialized (
       select a.phone, t.*
         from (select distinct phone_forms[1] as phone, phone_forms from r) a
         cross join lateral unnest(a.phone_forms) as f (form)
         cross join lateral (select n.transaction_id, n.type, n.status, n.currency, n.amount_minor, n.customer_name, n.created_at, n.sequence
                               from transactions n where n.application_id = $1 and n.phone_number = f.form
                              order by n.sequence desc limit $6) t
        where t.type = $3
     ), last_name as materialized (
       select distinct on (phone) phone, customer_name from known where status = 'SUCCESS' order by phone, sequence desc
     ), paid as materialized (
       select distinct on (phone, amount_minor) phone, amount_minor, transaction_id, currency, created_at
         from known where status <> 'FAILED' and created_at > clock_timestamp() - make_interval(days => $5)
        order by phone, amount_minor, sequence desc
     )
     select r.row_number as "rowNumber", r.customer_name as "customerName",
            case when r.same_count > 1 and r.amount_minor is not null then case when r.row_number = r.first_row then r.next_row else r.first_row end
            end as "otherRow", r.same_count::integer as count,
            p.transaction_id as "paidId", p.created_at as "paidAt", p.amount_minor as "paidMinor", p.currency as "paidCurrency",
            case when l.customer_name <> r.customer_name then l.customer_name end as "nameBefore"
       from r left join paid p on p.phone = r.phone_forms[1] and p.amount_minor = r.amount_minor
         left join last_name l on l.phone = r.phone_forms[1]
      where (r.same_count > 1 and r.amount_minor is not null) or p.transaction_id is not null or l.customer_name <> r.customer_name`,
    [applicationId, batchId, options.type, options.phones, options.recentDays, options.limit],
  )
  return rows
}

/** Stores the findings of a comparison; rows of these persons without a finding, and rows without a number, lose the ones they had. */
export async function updateWarnings(
  trx: TrxClient,
  { applicationId, batchId }: Place,
  phones: readonly string[] | null,
  rows: readonly ComparedRow[],
): Promise<void> {
  await trx.query(
    `with found as materialized (select * from json_to_recordset($4) as f (${recordOf(COMPARED_ROW)}))
     update batch_rows b set warnings = coalesce((select f.warnings from found f where f.row_number = b.row_number), '[]')
      where b.application_id = $1 and b.batch_id = $2 and ($3::text[] is null or b.phone_forms is null or b.phone_forms[1] = any ($3))
        and (b.warnings <> '[]' or b.row_number in (select f.row_number from found f))`,
    [applicationId, batchId, phones, encodeRows(COMPARED_ROW, rows)],
  )
}

export type StartableRow = PaymentTexts & {
  rowNumber: number
  operator: OperatorCode
  phoneNumber: string
  amountMinor: bigint
  externalId: string
}

/** The next rows of a submitted batch after a row that were neither started nor refused. */
export async function selectStartable(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  { afterRow, limit }: { afterRow: number; limit: number },
): Promise<StartableRow[]> {
  const { rows } = await queryable.query<StartableRow>(
    `select row_number as "rowNumber", operator, phone_number as "phoneNumber", ${selectTexts('r')},
            amount_minor as "amountMinor", external_id as "externalId" from batch_rows r
      where application_id = $1 and batch_id = $2 and row_number > $3 and problems = '[]' and exclusion is null and transaction_id is null
        and refusal is null
      order by row_number limit $4`,
    [applicationId, batchId, afterRow, limit],
  )
  return rows
}

/** Which of these transactions do not belong to the batch. */
export async function selectForeign(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  transactionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await queryable.query<{ id: string }>(
    `select transaction_id as id from transactions
      where application_id = $1 and transaction_id = any ($3) and batch_id is distinct from $2`,
    [applicationId, batchId, transactionIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Notes what became of rows that were submitted. Returns how many of them are noted now for the first time. */
export async function updateStarted(trx: TrxClient, { applicationId, batchId }: Place, rows: readonly StartedRow[]): Promise<number> {
  // Where the rows are, so that a part reads itself and not the whole batch.
  const numbers = rows.map((row) => row.row_number)
  const { rowCount } = await trx.query(
    `update batch_rows b set transaction_id = r.transaction_id, refusal = r.refusal
       from json_to_recordset($3) as r (${recordOf(STARTED_ROW)})
      where b.application_id = $1 and b.batch_id = $2 and b.row_number = r.row_number and b.transaction_id is null and b.refusal is null
        and b.row_number between $4 and $5`,
    [applicationId, batchId, encodeRows(STARTED_ROW, rows), Math.min(...numbers), Math.max(...numbers)],
  )
  return rowCount ?? 0
}

/** The columns that the check of a row stores. */
const CHECKED_ROW = {
  row_number: 'integer',
  operator: 'text | null',
  phone_number: 'text | null',
  phone_forms: 'text[] | null',
  ...NULLABLE_TEXT_COLUMNS,
  amount_minor: 'bigint | null',
  fee_minor: 'bigint | null',
  problems: 'jsonb',
  repairs: 'jsonb',
  notes: 'jsonb',
} as const satisfies RowColumns
export type CheckedRow = RowOf<typeof CHECKED_ROW>

const NEW_ROW = { ...CHECKED_ROW, cells: 'jsonb', edits: 'jsonb', external_id: 'uuid' } as const satisfies RowColumns
export type NewRow = RowOf<typeof NEW_ROW>

const EDITED_ROW = { row_number: 'integer', edits: 'jsonb' } as const satisfies RowColumns
type EditedRow = RowOf<typeof EDITED_ROW>

const COMPARED_ROW = { row_number: 'integer', warnings: 'jsonb' } as const satisfies RowColumns
type ComparedRow = RowOf<typeof COMPARED_ROW>

const STARTED_ROW = { row_number: 'integer', transaction_id: 'uuid | null', refusal: 'text | null' } as const satisfies RowColumns
export type StartedRow = RowOf<typeof STARTED_ROW>
