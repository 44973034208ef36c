import type { ExportFormat, ListColumn } from '#lib/payments/transactions/transaction-exports.ts'
import type { SumDto } from '#lib/payments/transactions/transaction-list.ts'
import type { Queryable } from '#server/database/pool.ts'

type NewExport = {
  applicationId: string
  exportId: string
  personId: string
  format: ExportFormat
  query: string
  selected: number | null
  columns: readonly ListColumn[] | null
  timeZone: string
  cutOffAt: Date
}

/** The record of a file, before its first byte leaves. */
export async function insertExport(queryable: Queryable, row: NewExport): Promise<void> {
  await queryable.query(
    `insert into exports (application_id, export_id, person_id, format, query, selected, columns, time_zone, cut_off_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [row.applicationId, row.exportId, row.personId, row.format, row.query, row.selected, row.columns, row.timeZone, row.cutOffAt],
  )
}

type FinishedExport = {
  applicationId: string
  exportId: string
  rowCount: number
  totals: SumDto[]
  dataSha256: string
  fileSha256: string
  fileBytes: number
  isStored: boolean
}

/** Completes the record once the last byte is made. */
export async function completeExport(queryable: Queryable, row: FinishedExport): Promise<void> {
  await queryable.query(
    `update exports set finished_at = clock_timestamp(), row_count = $3, totals = $4::jsonb, data_sha256 = decode($5, 'hex'),
       file_sha256 = decode($6, 'hex'), file_bytes = $7,
       stored_at = case when $8 then clock_timestamp() end where application_id = $1 and export_id = $2 and finished_at is null`,
    [
      row.applicationId,
      row.exportId,
      row.rowCount,
      JSON.stringify(row.totals),
      row.dataSha256,
      row.fileSha256,
      row.fileBytes,
      row.isStored,
    ],
  )
}

export type ExportRow = {
  exportId: string
  personName: string
  format: ExportFormat
  query: string
  selected: number | null
  columns: ListColumn[] | null
  timeZone: string
  cutOffAt: Date
  finishedAt: Date | null
  rowCount: bigint | null
  totals: SumDto[] | null
  fileSha256: string | null
  isStored: boolean
}

const EXPORT_COLUMNS = `x.export_id as "exportId", p.name as "personName", x.format, x.query, x.selected, x.columns, x.time_zone as "timeZone", x.cut_off_at as "cutOffAt", x.finished_at as "finishedAt",
  x.row_count as "rowCount", x.totals, encode(x.file_sha256, 'hex') as "fileSha256",
  x.stored_at is not null and exists (select 1 from export_pieces s
    where s.application_id = x.application_id and s.export_id = x.export_id and s.number = 0) as "isStored"`

/** The newest exports of an application, at most `limit`. */
export async function selectExports(queryable: Queryable, applicationId: string, limit: number): Promise<ExportRow[]> {
  const { rows } = await queryable.query<ExportRow>(
    `select ${EXPORT_COLUMNS} from exports x join people p on p.person_id = x.person_id
     where x.application_id = $1 order by x.started_at desc limit $2`,
    [applicationId, limit],
  )
  return rows
}

/** One export of an application; undefined when it has none of that id. */
export async function selectExport(queryable: Queryable, applicationId: string, exportId: string): Promise<ExportRow | undefined> {
  const { rows } = await queryable.query<ExportRow>(
    `select ${EXPORT_COLUMNS} from exports x join people p on p.person_id = x.person_id where x.application_id = $1 and x.export_id = $2`,
    [applicationId, exportId],
  )
  return rows[0]
}

/** The export whose file has this SHA-256 (hex); undefined when there is none. */
export async function selectExportByFile(queryable: Queryable, applicationId: string, fileSha256: string): Promise<ExportRow | undefined> {
  const { rows } = await queryable.query<ExportRow>(
    `select ${EXPORT_COLUMNS} from exports x join people p on p.person_id = x.person_id
     where x.application_id = $1 and x.file_sha256 = decode($2, 'hex') order by x.started_at limit 1`,
    [applicationId, fileSha256],
  )
  return rows[0]
}

/** The names of people by their ids, for the column of makers. */
export async function selectNames(queryable: Queryable, personIds: readonly string[]): Promise<{ personId: string; name: string }[]> {
  const { rows } = await queryable.query<{ personId: string; name: string }>(
    'select person_id as "personId", name from people where person_id = any ($1::uuid[])',
    [personIds],
  )
  return rows
}

/** The database's clock, as the first statement of a snapshot: what commits later is not seen. */
export async function readCutOff(queryable: Queryable): Promise<Date> {
  const { rows } = await queryable.query<{ at: Date }>('select clock_timestamp() as at')
  const at = rows[0]?.at
  if (!at) throw new Error('The time of the database could not be read')
  return at
}
