import type { BatchCell, RepairKind, RowEdits, RowProblem, RowRepair, RowTexts, RowWarning } from '#lib/batches/batch-fields.ts'
import type { StagedBatch } from '#lib/batches/batch-stage.ts'
import { BATCH_PAGE_SIZE, type RowFilter } from '#lib/batches/batches.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { EventName, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { BatchListFilter } from '#lib/schemas/page-address.ts'
import { BATCH_COLUMNS, type Batch } from '#server/batches/batch-store.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectTexts } from '#server/transactions/payment-text-columns.ts'

export type ListedBatch = Batch & StagedBatch & { makerName: string; decidedBy: string[]; total: number }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** One page of the batches of an application, newest first. A search by id finds a batch by its own id and by those of its rows. */
export async function selectBatches(queryable: Queryable, applicationId: string, filter: BatchListFilter): Promise<ListedBatch[]> {
  const conditions = [sql`b.application_id = ${applicationId}`]
  if (filter.state) conditions.push(sql`name_batch_state(b.state, places_of_batch(b)) = ${filter.state}`)
  else conditions.push(sql`b.state <> 'discarded'`)
  if (filter.q) conditions.push(matches(applicationId, filter.q))
  return runQuery<ListedBatch>(
    queryable,
    sql`select ${sql.raw(BATCH_COLUMNS)}, maker_name_of(b.application_id, b.maker_id, b.api_user_id) as "makerName", listed.total, s.places, name_batch_state(b.state, s.places) as stage,
          coalesce((select array_agg(w.name order by w.first_at) from (
            select c.name, min(d.decided_at) as first_at from list_batch_decisions(b.application_id, b.batch_id) d
              join people c on c.person_id = d.checker_id group by c.person_id) w), '{}') as "decidedBy"
        from (select b.application_id, b.batch_id, count(*) over ()::integer as total from batches b
               where ${sql.join(conditions, sql` and `)}
               order by b.created_at desc, b.batch_id desc limit ${BATCH_PAGE_SIZE} offset ${filter.page * BATCH_PAGE_SIZE}) listed
          join batches b on b.application_id = listed.application_id and b.batch_id = listed.batch_id
          cross join lateral (select places_of_batch(b) as places offset 0) s
        order by b.created_at desc, b.batch_id desc`,
  )
}

function matches(applicationId: string, typed: string): Sql {
  const id = typed.toLowerCase()
  if (!UUID.test(id)) return sql`b.name ilike ${`%${typed.replace(/[\\%_]/g, '\\$&')}%`}`
  return sql`b.batch_id in (select ${id}::uuid union all
    select t.batch_id from transactions t where t.application_id = ${applicationId} and t.transaction_id = ${id}::uuid union all
    select t.batch_id from transactions t where t.application_id = ${applicationId} and t.external_id = ${id}::uuid)`
}

export type FoundBatch = Batch & { makerName: string; createdByName: string }

export async function selectBatch(queryable: Queryable, applicationId: string, batchId: string): Promise<FoundBatch | undefined> {
  const { rows } = await queryable.query<FoundBatch>(
    `select ${BATCH_COLUMNS}, maker_name_of(b.application_id, b.maker_id, b.api_user_id) as "makerName",
         maker_name_of(b.application_id, b.created_by, b.api_user_id) as "createdByName"
       from batches b
      where b.application_id = $1 and b.batch_id = $2`,
    [applicationId, batchId],
  )
  return rows[0]
}

export type StoredRow = RowTexts & {
  rowNumber: number
  cells: BatchCell[]
  edits: RowEdits
  operator: OperatorCode | null
  phoneNumber: string | null
  amountMinor: bigint | null
  problems: RowProblem[]
  repairs: RowRepair[]
  warnings: RowWarning[]
  exclusion: string | null
  refusal: string | null
  transactionId: string | null
  earlier: { type: TransactionType; event: EventName; message: string | null; at: string } | null
}

const ROW_COLUMNS = `r.row_number as "rowNumber", r.cells, r.edits, r.operator, r.phone_number as "phoneNumber",
  ${selectTexts('r')}, r.amount_minor as "amountMinor", r.problems, r.repairs, r.notes || r.warnings as warnings,
  r.exclusion, r.refusal, r.transaction_id as "transactionId",
  (select jsonb_build_object('type', t.type, 'event', e.event, 'message', t.message, 'at', t.final_at)
     from batch_retries o
       join transactions t on t.application_id = o.application_id and t.transaction_id = o.failed_transaction_id
       join transaction_events e on e.application_id = t.application_id and e.transaction_id = t.transaction_id and e.version = t.version
     where o.application_id = r.application_id and o.batch_id = r.batch_id and o.row_number = r.row_number) as earlier`

/** Of `batch_rows r`: the rows that a filter shows. */
export const ROW_CONDITIONS: Readonly<Record<RowFilter, Sql>> = {
  all: sql`true`,
  problems: sql`r.problems <> '[]' and r.exclusion is null`,
  warnings: sql`(r.warnings <> '[]' or r.notes <> '[]') and r.exclusion is null`,
  repairs: sql`r.repairs <> '[]' and r.exclusion is null`,
  excluded: sql`r.exclusion is not null`,
}

/** Rows in the order of the file, from after one of them on or from an offset. */
export async function selectRows(
  queryable: Queryable,
  { applicationId, batchId }: { applicationId: string; batchId: string },
  { show, offset, limit }: { show: RowFilter; offset: number; limit: number },
): Promise<StoredRow[]> {
  return runQuery<StoredRow>(
    queryable,
    sql`select ${sql.raw(ROW_COLUMNS)} from batch_rows r
      where r.application_id = ${applicationId} and r.batch_id = ${batchId} and ${ROW_CONDITIONS[show]}
      order by r.row_number limit ${limit} offset ${offset}`,
  )
}

type RowCounts = { warnings: number; repairs: number; refused: number }

export async function countRows(queryable: Queryable, applicationId: string, batchId: string): Promise<RowCounts> {
  const [counts] = await runQuery<RowCounts>(
    queryable,
    sql`select count(*) filter (where ${ROW_CONDITIONS.warnings})::integer as warnings, count(*) filter (where ${ROW_CONDITIONS.repairs})::integer as repairs,
          count(*) filter (where r.refusal is not null)::integer as refused
        from batch_rows r where r.application_id = ${applicationId} and r.batch_id = ${batchId}`,
  )
  return counts ?? { warnings: 0, repairs: 0, refused: 0 }
}

type RepairGroup = { kind: RepairKind; count: number; examples: { rowNumber: number; before: string; after: string }[] }

/** Every kind of repair with the number of its rows and the first three of them. */
export async function groupRepairs(queryable: Queryable, applicationId: string, batchId: string): Promise<RepairGroup[]> {
  const { rows } = await queryable.query<RepairGroup>(
    `select kind, count(*)::integer as count,
            json_agg(json_build_object('rowNumber', row_number, 'before', before, 'after', after) order by row_number)
              filter (where place <= 3) as examples
       from (select r.row_number, p ->> 'kind' as kind, p ->> 'before' as before, p ->> 'after' as after,
                    row_number() over (partition by p ->> 'kind' order by r.row_number) as place
               from batch_rows r cross join lateral jsonb_array_elements(r.repairs) as p
              where r.application_id = $1 and r.batch_id = $2 and r.exclusion is null) each_repair
      group by kind order by count(*) desc, kind`,
    [applicationId, batchId],
  )
  return rows
}

/** The free deposit balance at these operators, and what all waiting deposits there will take from it. */
export async function selectFloats(
  queryable: Queryable,
  applicationId: string,
  operators: readonly OperatorCode[],
): Promise<{ operator: OperatorCode; depositMinor: bigint; waitingMinor: bigint }[]> {
  const { rows } = await queryable.query<{ operator: OperatorCode; depositMinor: bigint; waitingMinor: bigint }>(
    `select o.operator, coalesce(b.deposit_minor, 0) as "depositMinor", coalesce(w.waiting_minor, 0) as "waitingMinor"
       from unnest($2::text[]) as o (operator)
       left join ledger_balances b on b.application_id = $1 and b.operator = o.operator
       left join (select t.operator, sum(t.amount_minor + t.fee_system_minor + t.fee_app_minor) as waiting_minor from transactions t
                   where t.application_id = $1 and t.is_waiting and t.type = 'DEPOSIT' group by t.operator) w
         on w.operator = o.operator`,
    [applicationId, operators],
  )
  return rows
}

/** The active checkers of an application by name, without the maker. */
export async function selectCheckerNames(queryable: Queryable, applicationId: string, exceptId: string | null): Promise<string[]> {
  const { rows } = await queryable.query<{ name: string }>(
    `select p.name from memberships m join people p on p.person_id = m.person_id
      where m.application_id = $1 and m.is_active and 'checker' = any (m.roles) and not p.is_blocked and p.person_id is distinct from $2 order by p.name limit 20`,
    [applicationId, exceptId],
  )
  return rows.map(({ name }) => name)
}

/** Whether any person in the batch was never paid (or collected from) before. */
export async function hasFirstTime(
  queryable: Queryable,
  { applicationId, batchId, type }: Pick<Batch, 'applicationId' | 'batchId' | 'type'>,
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select 1 from batch_rows r
      where r.application_id = $1 and r.batch_id = $2 and r.problems = '[]' and r.exclusion is null
        and not exists (select 1 from unnest(r.phone_forms) as f (phone)
                          cross join lateral (select t.type, t.status from transactions t
                            where t.application_id = $1 and t.phone_number = f.phone order by t.sequence desc limit 500) t
                         where t.type = $3 and t.status = 'SUCCESS')
      limit 1`,
    [applicationId, batchId, type],
  )
  return rowCount === 1
}

/** Batches whose name contains the text, or whose id lies between two UUIDs: for the search box. */
export async function suggestBatches(
  queryable: Queryable,
  applicationId: string,
  typed: { text: string; range: { low: string; high: string } | undefined },
  limit: number,
): Promise<{ batchId: string; name: string }[]> {
  const { rows } = await queryable.query<{ batchId: string; name: string }>(
    `select batch_id as "batchId", name from batches
      where application_id = $1 and state <> 'discarded' and (name ilike $2 or ($3::uuid is not null and batch_id between $3 and $4))
      order by created_at desc limit $5`,
    [applicationId, `%${typed.text.replace(/[\\%_]/g, '\\$&')}%`, typed.range?.low ?? null, typed.range?.high ?? null, limit],
  )
  return rows
}
