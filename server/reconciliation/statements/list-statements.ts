import { formatMinor } from '#lib/money/money.ts'
import type { StatementFileDto } from '#lib/reconciliation/statements.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listStatementFiles, readStatementFile, type StatementFile } from './statement-store.ts'

/** As many as a person looks through; older ones are found through the board. */
const LIST_MAX = 200

/** The newest statements as pages show them. */
export async function listStatements(queryable: Queryable, applicationId: string): Promise<StatementFileDto[]> {
  return (await listStatementFiles(queryable, applicationId, LIST_MAX)).map(toDto)
}

/** One statement as its page shows it; undefined if there is none. */
export async function readStatement(queryable: Queryable, applicationId: string, fileId: string): Promise<StatementFileDto | undefined> {
  const file = await readStatementFile(queryable, applicationId, fileId)
  return file && toDto(file)
}

function toDto(file: StatementFile & { uploader: string | null }): StatementFileDto {
  const decimal = (minor: bigint | null) => (minor === null ? null : formatMinor(minor))
  const { fileId, wallet, fileName, state, format, accounts, firstDay, lastDay, problem } = file
  return {
    ...{ fileId, wallet, fileName, state, format, accounts, firstDay, lastDay, problem },
    lines: file.lineCount,
    failed: file.failedCount,
    known: file.knownCount,
    bad: file.badCount,
    in: formatMinor(file.inMinor),
    out: formatMinor(file.outMinor),
    opening: decimal(file.openingMinor),
    closing: decimal(file.closingMinor),
    uploadedBy: file.uploader,
    uploadedAt: file.uploadedAt.toISOString(),
  }
}
