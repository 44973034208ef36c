import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'
import type { StatementState } from '#lib/reconciliation/statements.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { UploadTables } from '#server/uploads/piece-store.ts'
import type { EncodedLines } from '../read-statement/encode-lines.ts'
import type { BadStatementRow, ReadingWallet, StatementLine, StatementSummary } from '../read-statement/statement-lines.ts'

/** Where the mechanism of uploads finds statements. */
export const STATEMENT_TABLES = { files: 'statement_files', pieces: 'statement_pieces' } as const satisfies UploadTables

/** A statement as it is stored. */
export type StatementFile = {
  applicationId: string
  fileId: string
  wallet: string
  fileName: string
  byteCount: bigint
  state: StatementState
  format: string | null
  accounts: string[]
  firstDay: string | null
  lastDay: string | null
  isNewestFirst: boolean
  /** For what it was checked, so that the import reads the same lines; null before the check. */
  checkedFor: ReadingWallet | null
  lineCount: number
  failedCount: number
  knownCount: number
  badCount: number
  inMinor: bigint
  outMinor: bigint
  openingMinor: bigint | null
  closingMinor: bigint | null
  problem: StatementProblem | null
  /** Null for a file that was fetched from the operator. */
  uploadedBy: string | null
  uploadedAt: Date
  decidedAt: Date | null
}

const COLUMNS = `f.application_id as "applicationId", f.file_id as "fileId", f.wallet, f.file_name as "fileName", f.byte_count as "byteCount", f.state,
  f.format, f.accounts, f.first_day::text as "firstDay", f.last_day::text as "lastDay",
  f.is_newest_first as "isNewestFirst", f.checked_for as "checkedFor", f.line_count as "lineCount",
  f.failed_count as "failedCount", f.known_count as "knownCount", f.bad_count as "badCount", f.in_minor as "inMinor", f.out_minor as "outMinor",
  f.opening_minor as "openingMinor", f.closing_minor as "closingMinor", f.problem, f.uploaded_by as "uploadedBy", f.uploaded_at as "uploadedAt",
  f.decided_at as "decidedAt"`

/**
 * The newest statements, with the name of the person who uploaded them, and without their first rows; uploads that were never completed are left out.
 */
export async function listStatementFiles(
  queryable: Queryable,
  applicationId: string,
  limit: number,
): Promise<(StatementFile & { uploader: string | null })[]> {
  const { rows } = await queryable.query<StatementFile & { uploader: string | null }>(
    `select ${COLUMNS.replace('f.problem', `f.problem - 'sample' as problem`)}, p.name as uploader
       from statement_files f left join people p on p.person_id = f.uploaded_by
      where f.application_id = $1 and f.state <> 'uploading' order by f.uploaded_at desc limit $2`,
    [applicationId, limit],
  )
  return rows
}

/** One statement with the name of the person who uploaded it; undefined if there is none. */
export async function readStatementFile(
  queryable: Queryable,
  applicationId: string,
  fileId: string,
): Promise<(StatementFile & { uploader: string | null }) | undefined> {
  const { rows } = await queryable.query<StatementFile & { uploader: string | null }>(
    `select ${COLUMNS}, p.name as uploader from statement_files f left join people p on p.person_id = f.uploaded_by
      where f.application_id = $1 and f.file_id = $2`,
    [applicationId, fileId],
  )
  return rows[0]
}

/** Locks a statement until the transaction ends. */
export async function lockStatementFile(trx: TrxClient, applicationId: string, fileId: string): Promise<StatementFile | undefined> {
  const { rows } = await trx.query<StatementFile>(
    `select ${COLUMNS} from statement_files f where f.application_id = $1 and f.file_id = $2 for update`,
    [applicationId, fileId],
  )
  return rows[0]
}

export type NewUpload = {
  applicationId: string
  fileId: string
  wallet: string
  fileName: string
  byteCount: number
  modifiedMs: number
  uploadedBy: string
}

/** Begins an upload, or finds the one of the same file that was interrupted. Returns its id and the pieces that arrived. */
export async function insertUpload(queryable: Queryable, upload: NewUpload): Promise<{ fileId: string; pieces: number[] }> {
  const values = [upload.applicationId, upload.wallet, upload.uploadedBy, upload.fileName, upload.byteCount, upload.modifiedMs]
  await queryable.query(
    `insert into statement_files (application_id, wallet, uploaded_by, file_name, byte_count, modified_ms, file_id, state)
       values ($1, $2, $3, $4, $5, $6, $7, 'uploading') on conflict do nothing`,
    [...values, upload.fileId],
  )
  const { rows } = await queryable.query<{ fileId: string; pieces: number[] }>(
    `select f.file_id as "fileId", coalesce(array_agg(p.number order by p.number) filter (where p.number is not null), '{}') as pieces
       from statement_files f left join statement_pieces p using (application_id, file_id)
      where f.application_id = $1 and f.wallet = $2 and f.uploaded_by = $3 and f.file_name = $4 and f.byte_count = $5 and f.modified_ms = $6
        and f.state = 'uploading'
      group by f.file_id`,
    values,
  )
  return rows[0] ?? { fileId: upload.fileId, pieces: [] }
}

/** Completes an upload: from here on a worker reads it. Returns the file with the same content that is there already, if one is. */
export async function completeUpload(trx: TrxClient, applicationId: string, fileId: string, sha256: Buffer): Promise<string | undefined> {
  // Of several uploads of one content that are completed at once, one completes first, and the others find it.
  await trx.query(`select pg_advisory_xact_lock(hashtext('countersign.statement'), hashtext($1))`, [sha256.toString('hex')])
  const { rows } = await trx.query<{ fileId: string }>(
    `select o.file_id as "fileId" from statement_files f
       join statement_files o on o.application_id = f.application_id and o.wallet = f.wallet and o.sha256 = $3
                             and o.state not in ('refused', 'withdrawn')
      where f.application_id = $1 and f.file_id = $2`,
    [applicationId, fileId, sha256],
  )
  const [same] = rows
  if (same) {
    await trx.query('delete from statement_pieces where application_id = $1 and file_id = $2', [applicationId, fileId])
    await trx.query('delete from statement_files where application_id = $1 and file_id = $2', [applicationId, fileId])
    return same.fileId
  }
  await trx.query(`update statement_files set state = 'checking', sha256 = $3 where application_id = $1 and file_id = $2`, [
    applicationId,
    fileId,
    sha256,
  ])
  return undefined
}

const WAITS = `f.state in ('checking', 'importing') and f.file_id <> all($1)`

/** Whether there is a file that a worker has to read or to store, besides those in `except`. */
export async function hasNextFile(queryable: Queryable, except: readonly string[]): Promise<boolean> {
  const { rows } = await queryable.query<{ isFound: boolean }>({
    name: 'has_next_statement_file',
    text: `select exists (select from statement_files f where ${WAITS}) as "isFound"`,
    values: [except],
  })
  return rows[0]?.isFound ?? false
}

/**
 * Locks the oldest file that a worker has to read or to store, until the transaction ends. Files that other workers hold, and those in `except`,
 * are passed over. The lock is no row's: a check writes nothing until it ends, so that the database removes old row versions meanwhile.
 */
export async function lockNextFile(trx: TrxClient, except: readonly string[]): Promise<StatementFile | undefined> {
  const { rows } = await trx.query<{ applicationId: string; fileId: string }>(
    `select application_id as "applicationId", file_id as "fileId"
       from (select application_id, file_id from statement_files f where ${WAITS}
              order by f.uploaded_at offset 0) open
      where pg_try_advisory_xact_lock(hashtext('countersign.statement_file'), hashtext(file_id::text)) limit 1`,
    [except],
  )
  // Another worker may have ended its step before the lock was free.
  return rows[0] && readStatementFile(trx, rows[0].applicationId, rows[0].fileId)
}

/** Stores rows that could not be read. */
export async function insertBadRows(trx: TrxClient, applicationId: string, fileId: string, bad: readonly BadStatementRow[]): Promise<void> {
  if (bad.length === 0) return
  await trx.query(
    `insert into statement_bad_rows (application_id, file_id, row_number, problem, cells)
       select $1, $2, row_number, problem, cells from json_to_recordset($3::json) as item (row_number integer, problem text, cells text[])`,
    [applicationId, fileId, JSON.stringify(bad)],
  )
}

/** The columns by which a line is known. */
export const KEY_COLUMNS = ['line_key', 'occurrence'] as const satisfies readonly (keyof StatementLine)[]

/** How many of these lines, in their KEY_COLUMNS, other files have brought already. */
export async function countKnown(queryable: Queryable, applicationId: string, wallet: string, { columns }: EncodedLines): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>({
    name: 'count_known_statement_lines',
    text: `select count(*)::integer as count from unnest($3::text[], $4::integer[]) as item (line_key, occurrence)
             join statement_lines l on l.application_id = $1 and l.wallet = $2 and l.line_key = item.line_key and l.occurrence = item.occurrence`,
    values: [applicationId, wallet, ...columns],
  })
  return rows[0]?.count ?? 0
}

type Checked = { summary: StatementSummary; known: number; wallet: ReadingWallet }

/** Ends the check of a file that can be imported. */
export async function updateReady(trx: TrxClient, applicationId: string, fileId: string, checked: Checked): Promise<void> {
  const { summary, known, wallet } = checked
  await trx.query(
    `update statement_files f
        set state = 'ready', format = $3, accounts = $4, first_at = $5, last_at = $6, first_day = $7, last_day = $8, is_newest_first = $9,
            line_count = $10, failed_count = $11, bad_count = $12, in_minor = $13, out_minor = $14, opening_minor = $15, closing_minor = $16,
            known_count = $17, checked_for = $18, prints_balances = $19
      where f.application_id = $1 and f.file_id = $2 and f.state = 'checking'`,
    [
      applicationId,
      fileId,
      summary.format,
      summary.accounts,
      summary.firstAt,
      summary.lastAt,
      summary.firstDay,
      summary.lastDay,
      summary.isNewestFirst,
      summary.lines,
      summary.failed,
      summary.bad,
      summary.inMinor,
      summary.outMinor,
      summary.openingMinor,
      summary.closingMinor,
      known,
      JSON.stringify(wallet),
      summary.printsBalances,
    ],
  )
}

/** Has a file checked again: what a person saw is not what an import would store now. */
export async function updateUnchecked(trx: TrxClient, applicationId: string, fileId: string): Promise<void> {
  await trx.query('delete from statement_bad_rows where application_id = $1 and file_id = $2', [applicationId, fileId])
  await trx.query(`update statement_files set state = 'checking', checked_for = null where application_id = $1 and file_id = $2`, [
    applicationId,
    fileId,
  ])
}

/** Refuses a file that is being checked or imported, or has it wait for a person who says what its columns are. Its bytes stay. */
export async function updateRefused(trx: TrxClient, applicationId: string, fileId: string, problem: StatementProblem): Promise<void> {
  await trx.query(
    `update statement_files set state = $4, problem = $3
      where application_id = $1 and file_id = $2 and state in ('checking', 'importing')`,
    [applicationId, fileId, JSON.stringify(problem), problem.sample ? 'unmapped' : 'refused'],
  )
}

/** A person's decision about a file that was checked. */
export async function updateDecided(
  trx: TrxClient,
  { applicationId, fileId, state, personId }: { applicationId: string; fileId: string; state: 'importing' | 'withdrawn'; personId: string },
): Promise<void> {
  await trx.query(
    `update statement_files set state = $3, problem = null, decided_by = $4, decided_at = clock_timestamp() where application_id = $1 and file_id = $2`,
    [applicationId, fileId, state, personId],
  )
}

/** The columns of a line, with the types of the database. */
const LINE_COLUMNS = {
  row_number: 'integer',
  line_key: 'text',
  occurrence: 'integer',
  at: 'timestamptz',
  local_day: 'date',
  kind: 'text',
  gross_minor: 'bigint',
  fee_minor: 'bigint',
  tax_minor: 'bigint',
  net_minor: 'bigint',
  balance_minor: 'bigint',
  operator_id: 'text',
  our_id: 'uuid',
  our_application_id: 'uuid',
  phone_forms: 'text',
  type: 'text',
  status: 'text',
} as const satisfies Record<keyof StatementLine, string>
export const STORED_COLUMNS: readonly (keyof StatementLine)[] = Object.keys(LINE_COLUMNS) as (keyof StatementLine)[]

/** A line of a signed day counts on the next open day. */
const INSERT_LINES = `with signed as materialized (select day, next_day from signed_days where application_id = $1 and wallet = $2)
  insert into statement_lines (application_id, wallet, file_id, position, line_key, occurrence, at, local_day, origin_day, kind, gross_minor,
    fee_minor, tax_minor, net_minor, balance_minor, operator_id, our_id, our_application_id, phone_forms, type, status)
  select $1, $2, $3, row_number * $4, line_key, occurrence, at, coalesce(s.next_day, local_day),
         case when s.day is not null then local_day end, kind, gross_minor, fee_minor, tax_minor, net_minor, balance_minor, operator_id, our_id, our_application_id, string_to_array(phone_forms, ' '), type, status
    from unnest(${Object.values(LINE_COLUMNS)
      .map((type, place) => `$${place + 5}::${type}[]`)
      .join(', ')}) as item (${STORED_COLUMNS.join(', ')})
    left join signed s on s.day = item.local_day
  on conflict on constraint statement_lines_key do nothing`

type Lines = { applicationId: string; fileId: string; wallet: string; isNewestFirst: boolean }

/** Stores lines, in their STORED_COLUMNS, that no other file has brought. Returns how many are new. */
export async function insertLines(trx: TrxClient, file: Lines, { columns }: EncodedLines): Promise<number> {
  const { applicationId, fileId, wallet, isNewestFirst } = file
  const { rowCount } = await trx.query({
    name: 'insert_statement_lines',
    text: INSERT_LINES,
    values: [applicationId, wallet, fileId, isNewestFirst ? -1 : 1, ...columns],
  })
  return rowCount ?? 0
}

/** Imports of a wallet store one after the other: files that overlap would wait for each other's lines. Nobody signs a day meanwhile. */
export async function lockImports(trx: TrxClient, applicationId: string, wallet: string): Promise<void> {
  await trx.query('select lock_wallet_days($1, $2, false)', [applicationId, wallet])
  await trx.query(`select pg_advisory_xact_lock(hashtext('countersign.import'), hashtext($1))`, [`${applicationId} ${wallet}`])
}

/** Ends an import. */
export async function updateImported(trx: TrxClient, applicationId: string, fileId: string, added: number): Promise<void> {
  await trx.query(
    `update statement_files set state = 'imported', known_count = line_count - $3 where application_id = $1 and file_id = $2`,
    [applicationId, fileId, added],
  )
}

/** The rows of a file that could not be read. */
export async function* listBadRows(
  queryable: Queryable,
  applicationId: string,
  fileId: string,
): AsyncGenerator<{ rowNumber: number; problem: string; cells: string[] }[]> {
  for (let after = -1; ; ) {
    const { rows } = await queryable.query<{ rowNumber: number; problem: string; cells: string[] }>(
      `select row_number as "rowNumber", problem, cells from statement_bad_rows
        where application_id = $1 and file_id = $2 and row_number > $3 order by row_number limit 1000`,
      [applicationId, fileId, after],
    )
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.rowNumber
  }
}

/** Removes uploads that nobody continued since an instant. */
export async function deleteAbandoned(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query(
    `with gone as (delete from statement_files where state = 'uploading' and uploaded_at < $1 returning application_id, file_id)
     delete from statement_pieces p using gone where p.application_id = gone.application_id and p.file_id = gone.file_id`,
    [before],
  )
}
