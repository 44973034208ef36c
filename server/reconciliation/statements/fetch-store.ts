import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** The application that runs the installation, to which its wallets belong; undefined if none does. */
export async function readInstallation(queryable: Queryable): Promise<string | undefined> {
  const { rows } = await queryable.query<{ id: string }>('select application_id as id from applications where runs_installation')
  return rows[0]?.id
}

/** The days of a wallet, from one on, whose list was fetched already. */
export async function listFetchedDays(queryable: Queryable, applicationId: string, wallet: string, since: string): Promise<string[]> {
  const { rows } = await queryable.query<{ day: string }>(
    `select fetched_day::text as day from statement_files where application_id = $1 and wallet = $2 and fetched_day >= $3`,
    [applicationId, wallet, since],
  )
  return rows.map(({ day }) => day)
}

export type FetchedStatement = {
  applicationId: string
  fileId: string
  wallet: string
  day: string
  fileName: string
  sha256: Buffer
  /** The file in pieces, each compressed. */
  pieces: readonly { byteCount: number; content: Buffer }[]
}

/** Stores a fetched statement for the worker that checks it. False if the day of this wallet is there already. */
export async function insertFetched(trx: TrxClient, statement: FetchedStatement): Promise<boolean> {
  const { applicationId, fileId, wallet, day, fileName, sha256, pieces } = statement
  const byteCount = pieces.reduce((sum, piece) => sum + piece.byteCount, 0)
  const { rowCount } = await trx.query(
    `insert into statement_files (application_id, file_id, wallet, fetched_day, file_name, byte_count, modified_ms, sha256, state)
       values ($1, $2, $3, $4, $5, $6, 0, $7, 'checking') on conflict do nothing`,
    [applicationId, fileId, wallet, day, fileName, byteCount, sha256],
  )
  if (rowCount === 0) return false
  for (const [number, piece] of pieces.entries()) {
    await trx.query('insert into statement_pieces (application_id, file_id, number, byte_count, content) values ($1, $2, $3, $4, $5)', [
      applicationId,
      fileId,
      number,
      piece.byteCount,
      piece.content,
    ])
  }
  return true
}
