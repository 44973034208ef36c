import { type BatchField, EDITED_CELLS_MAX, type ProblemKind } from '#lib/batches/batch-fields.ts'
import { BATCH_PAGE_SIZE, type RowFilter } from '#lib/batches/batches.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import { ROW_CONDITIONS } from './batch-report-store.ts'

type Place = { applicationId: string; batchId: string }

export type StoredCell = { rowNumber: number; name: string | null; value: string; edit: string | null; total: number }

/**
 * One field of the rows from a number on, in the order of the file: as many as one repair may change, and how many there are. `alike`
 * selects the rows with this value and this problem. `column` is that of the field, from 0; null if the file has none.
 */
export async function selectCells(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  cells: { field: BatchField; column: number | null; show: RowFilter; from: number; alike: { kind: ProblemKind; value: string } | null },
): Promise<StoredCell[]> {
  const { field, column, alike } = cells
  const isAlike = alike
    ? sql`r.problems @> ${JSON.stringify([{ field, kind: alike.kind }])}::jsonb and v.value = ${alike.value}`
    : sql.raw('true')
  return runQuery<StoredCell>(
    queryable,
    sql`select r.row_number as "rowNumber", r.customer_name as name, v.value, r.edits ->> ${field} as edit, count(*) over ()::integer as total
        from batch_rows r
          cross join lateral (select r.cells -> ${column}::integer as cell) c
          cross join lateral (select coalesce(r.edits ->> ${field}, c.cell ->> 'text', c.cell #>> '{}', '') as value) v
       where r.application_id = ${applicationId} and r.batch_id = ${batchId} and ${ROW_CONDITIONS[cells.show]}
         and r.row_number >= ${cells.from} and ${isAlike}
       order by r.row_number limit ${EDITED_CELLS_MAX}`,
  )
}

/** Of the pages of this list, the nearest ones before and after a page that have a row with a problem; null if none has. */
export async function selectProblemPages(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  { show, page }: { show: RowFilter; page: number },
): Promise<{ previous: number | null; next: number | null }> {
  const [pages] = await runQuery<{ previous: number | null; next: number | null }>(
    queryable,
    sql`select max(p.page) filter (where p.page < ${page}) as previous, min(p.page) filter (where p.page > ${page}) as next
        from (select ((row_number() over (order by r.row_number) - 1) / ${BATCH_PAGE_SIZE}::integer)::integer as page,
                     ${ROW_CONDITIONS.problems} as is_problem
                from batch_rows r
               where r.application_id = ${applicationId} and r.batch_id = ${batchId} and ${ROW_CONDITIONS[show]}) p
       where p.is_problem`,
  )
  return pages ?? { previous: null, next: null }
}
