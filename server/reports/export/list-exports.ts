import type { ExportDto } from '#lib/export-dto.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type ExportRow, selectExport, selectExportByFile, selectExports } from './export-store.ts'

const SHOWN_MAX = 100

/** The newest files that were taken out of an application, ready for JSON. */
export async function listExports(queryable: Queryable, applicationId: string): Promise<ExportDto[]> {
  return (await selectExports(queryable, applicationId, SHOWN_MAX)).map(toDto)
}

/** The export that made exactly this file, by its SHA-256 in hex; undefined when the file was changed or is not from here. */
export async function findExportByFile(queryable: Queryable, applicationId: string, fileSha256: string): Promise<ExportDto | undefined> {
  const row = await selectExportByFile(queryable, applicationId, fileSha256)
  return row && toDto(row)
}

/** An export by its id; undefined when the application has none of that id. */
export async function findExport(queryable: Queryable, applicationId: string, exportId: string): Promise<ExportDto | undefined> {
  const row = await selectExport(queryable, applicationId, exportId)
  return row && toDto(row)
}

function toDto({ cutOffAt, finishedAt, rowCount, ...row }: ExportRow): ExportDto {
  return {
    ...row,
    cutOffAt: cutOffAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    rowCount: rowCount === null ? null : Number(rowCount),
  }
}
