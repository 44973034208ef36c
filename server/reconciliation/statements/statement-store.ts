import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'
import type { StatementState } from '#lib/reconciliation/statements.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { StatementChunk } from '../read-statement/read-statement.ts'
import type { StatementSummary } from '../read-statement/statement-lines.ts'

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
  lineCount: number
  failedCount: number
  knownCount: number
  badCount: number
  inMinor: bigint
  outMinor: bigint
  openingMinor: bigint | null
  closingMinor: bigint | null
  problem: StatementProblem | null
  uploadedBy: string
  uploadedAt: Date
  decidedAt: Date | null
}

const COLUMNS = `f.application_id as "applicationId", f.file_id as "fileId", f.wallet, f.file_name as "fileName", f.byte_count as "byteCount", f.state,
  f.format, f.accounts, f.first_day::text as "firstDay", f.last_day::text as "lastDay", f.line_count as "lineCount",
  f.failed_count as "failedCount", f.known_count as "knownCount", f.bad_count as "badCount", f.in_minor as "inMinor", f.out_minor as "outMinor",
  f.opening_minor as "openingMinor", f.closing_minor as "closingMinor", f.problem, f.uploaded_by as "uploadedBy", f.uploaded_at as "uploadedAt",
  f.decided_at as "decidedAt"`

/** The newest statements, with the name of who uploaded them; uploads that were never completed are left out. */
export async function listStatementFiles(
  queryable: Queryable,
  applicationId: string,
  limit: number,
): Promise<(StatementFile & { uploader: string })[]> {
  const { rows } = await queryable.query<StatementFile & { uploader: string }>(
    `select ${COLUMNS}, p.name as uploader from statement_files f join people p on p.person_id = f.uploaded_by
      where f.application_id = $1 and f.state <> 'uploading' order by f.uploaded_at desc limit $2`,
    [applicationId, limit],
  )
  return rows
}

/** One statement with the name of who uploaded it; undefined if there is none. */
export async function readStatementFile(
  queryable: Queryable,
  applicationId: string,
  fileId: string,
): Promise<(StatementFile & { uploader: string }) | undefined> {
  const { rows } = await queryable.query<StatementFile & { uploader: string }>(
    `select ${COLUMNS}, p.name as uploader from statement_files f join people p on p.person_id = f.uploaded_by
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

type Piece = { applicationId: string; fileId: string; uploadedBy: string; number: number; byteCount: number; content: Buffer }

/** Stores a piece of an upload that its own person continues; a piece that is there stays. False if there is no such upload. */
export async function insertPiece(queryable: Queryable, piece: Piece): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `with upload as (
       select application_id, file_id from statement_files
        where application_id = $1 and file_id = $2 and uploaded_by = $3 and state = 'uploading' for share),
     stored as (
       insert into statement_pieces (application_id, file_id, number, byte_count, content)
       select application_id, file_id, $4, $5, $6 from upload on conflict do nothing)
     select 1 from upload`,
    [piece.applicationId, piece.fileId, piece.uploadedBy, piece.number, piece.byteCount, piece.content],
  )
  return rowCount === 1
}

/** The pieces of a file in their order, each still compressed. */
export async function* selectPieces(queryable: Queryable, applicationId: string, fileId: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    const { rows } = await queryable.query<{ content: Buffer }>({
      name: 'select_statement_piece',
      text: 'select content from statement_pieces where application_id = $1 and file_id = $2 and number = $3',
      values: [applicationId, fileId, number],
    })
    if (!rows[0]) return
    yield rows[0].content
  }
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

/** The sum of the bytes that arrived, and how many pieces they are. */
export async function countPieces(queryable: Queryable, applicationId: string, fileId: string): Promise<{ pieces: number; bytes: bigint }> {
  const { rows } = await queryable.query<{ pieces: number; bytes: bigint }>(
    `select count(*)::integer as pieces, coalesce(sum(byte_count), 0)::bigint as bytes from statement_pieces
      where application_id = $1 and file_id = $2`,
    [applicationId, fileId],
  )
  return rows[0] ?? { pieces: 0, bytes: 0n }
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

/** Locks the oldest file that a worker has to read or to store. Files that other workers hold, and those in `except`, are passed over. */
export async function lockNextFile(trx: TrxClient, except: readonly string[]): Promise<StatementFile | undefined> {
  const { rows } = await trx.query<StatementFile>(
    `select ${COLUMNS} from statement_files f where ${WAITS}
      order by f.uploaded_at limit 1 for update skip locked`,
    [except],
  )
  return rows[0]
}

const ROW = `row_number integer, line_key text, at timestamptz, local_day date, kind text, gross_minor bigint, fee_minor bigint, tax_minor bigint,
  net_minor bigint, balance_minor bigint, operator_id text, our_id uuid, our_application_id uuid, phone_forms text[], type text, status text, cells text[]`
const LINE_COLUMNS = `at, local_day, kind, gross_minor, fee_minor, tax_minor, net_minor, balance_minor, operator_id, our_id, our_application_id,
  phone_forms, type, status, cells`

/** Stores a chunk of what was read of a file. */
export async function insertRows(trx: TrxClient, applicationId: string, fileId: string, { lines, bad }: StatementChunk): Promise<void> {
  await trx.query({
    name: 'insert_statement_rows',
    text: `insert into statement_rows (application_id, file_id, row_number, line_key, ${LINE_COLUMNS})
           select $1, $2, row_number, line_key, ${LINE_COLUMNS} from json_to_recordset($3::json) as item (${ROW})`,
    values: [applicationId, fileId, lines],
  })
  if (bad === '[]') return
  await trx.query(
    `insert into statement_bad_rows (application_id, file_id, row_number, problem, cells)
       select $1, $2, row_number, problem, cells from json_to_recordset($3::json) as item (row_number integer, problem text, cells text[])`,
    [applicationId, fileId, bad],
  )
}

/** Ends the check of a file that can be imported, and counts the lines that other files brought already. */
export async function updateReady(trx: TrxClient, applicationId: string, fileId: string, summary: StatementSummary): Promise<void> {
  await trx.query(
    `update statement_files f
        set state = 'ready', format = $3, accounts = $4, first_at = $5, last_at = $6, first_day = $7, last_day = $8, is_newest_first = $9,
            line_count = $10, failed_count = $11, bad_count = $12, in_minor = $13, out_minor = $14, opening_minor = $15, closing_minor = $16,
            known_count = (
              select count(*) from (
                select r.line_key, row_number() over (partition by r.line_key order by r.row_number) - 1 as occurrence
                  from statement_rows r where r.application_id = $1 and r.file_id = $2) n
              join statement_lines l on l.application_id = $1 and l.wallet = f.wallet and l.line_key = n.line_key and l.occurrence = n.occurrence)
      where f.application_id = $1 and f.file_id = $2`,
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
    ],
  )
}

/** Refuses a file that is being checked or imported. Its bytes stay. */
export async function updateRefused(trx: TrxClient, applicationId: string, fileId: string, problem: StatementProblem): Promise<void> {
  const { rowCount } = await trx.query(
    `update statement_files set state = 'refused', problem = $3
      where application_id = $1 and file_id = $2 and state in ('checking', 'importing')`,
    [applicationId, fileId, JSON.stringify(problem)],
  )
  if (rowCount === 1) await deleteRows(trx, applicationId, fileId)
}

/** A person's decision about a file that was checked. */
export async function updateDecided(
  trx: TrxClient,
  { applicationId, fileId, state, personId }: { applicationId: string; fileId: string; state: 'importing' | 'withdrawn'; personId: string },
): Promise<void> {
  await trx.query(
    `update statement_files set state = $3, decided_by = $4, decided_at = clock_timestamp() where application_id = $1 and file_id = $2`,
    [applicationId, fileId, state, personId],
  )
  if (state === 'withdrawn') await deleteRows(trx, applicationId, fileId)
}

/**
 * Stores the lines of a checked file that no other file has brought, and ends the import. A line of a signed day counts on the next open day.
 * Returns how many are new.
 */
export async function insertLines(trx: TrxClient, { applicationId, fileId, wallet }: StatementFile): Promise<number> {
  // Before the days are read: nobody signs one until these lines are stored.
  await trx.query('select lock_wallet_days($1, $2, false)', [applicationId, wallet])
  const { rowCount } = await trx.query(
    `with signed as materialized (select day, next_day from signed_days where application_id = $1 and wallet = $3)
     insert into statement_lines (application_id, wallet, line_key, occurrence, file_id, position, origin_day, ${LINE_COLUMNS})
       select r.application_id, f.wallet, r.line_key, row_number() over (partition by r.line_key order by r.row_number) - 1, r.file_id,
              case when f.is_newest_first then -r.row_number else r.row_number end, case when s.day is not null then r.local_day end,
              ${LINE_COLUMNS.replaceAll(/\b([a-z_]+)\b/g, 'r.$1').replace('r.local_day', 'coalesce(s.next_day, r.local_day)')}
         from statement_rows r join statement_files f using (application_id, file_id)
         left join signed s on s.day = r.local_day
        where r.application_id = $1 and r.file_id = $2
        order by r.row_number
     on conflict on constraint statement_lines_key do nothing`,
    [applicationId, fileId, wallet],
  )
  const added = rowCount ?? 0
  await trx.query(
    `update statement_files set state = 'imported', known_count = line_count - $3 where application_id = $1 and file_id = $2`,
    [applicationId, fileId, added],
  )
  await deleteRows(trx, applicationId, fileId)
  return added
}

async function deleteRows(trx: TrxClient, applicationId: string, fileId: string): Promise<void> {
  await trx.query('delete from statement_rows where application_id = $1 and file_id = $2', [applicationId, fileId])
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
