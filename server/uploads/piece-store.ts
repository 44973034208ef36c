import type { Queryable } from '#server/database/pool.ts'

/**
 * The tables of one kind of uploads. `files` has the columns application_id, file_id, uploaded_by, byte_count and state, which is `uploading`
 * until the file is complete; `pieces` has application_id, file_id, number, byte_count and content, and (application_id, file_id, number) is its key.
 */
export type UploadTables = { readonly files: string; readonly pieces: string }

export type FileKey = { applicationId: string; fileId: string }

export type CompressedPiece = FileKey & { uploadedBy: string; number: number; byteCount: number; content: Buffer }

/** Stores a piece of an upload that its own person continues; a piece that is there stays. False if there is no such upload. */
export async function insertPiece(queryable: Queryable, { files, pieces }: UploadTables, piece: CompressedPiece): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `with upload as (
       select application_id, file_id from ${files}
        where application_id = $1 and file_id = $2 and uploaded_by = $3 and state = 'uploading' for share),
     stored as (
       insert into ${pieces} (application_id, file_id, number, byte_count, content)
       select application_id, file_id, $4, $5, $6 from upload on conflict do nothing)
     select 1 from upload`,
    [piece.applicationId, piece.fileId, piece.uploadedBy, piece.number, piece.byteCount, piece.content],
  )
  return rowCount === 1
}

/** The pieces of a file in their order, each still compressed. */
export async function* selectPieces(
  queryable: Queryable,
  { pieces }: UploadTables,
  { applicationId, fileId }: FileKey,
): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    const { rows } = await queryable.query<{ content: Buffer }>({
      name: `select_of_${pieces}`,
      text: `select content from ${pieces} where application_id = $1 and file_id = $2 and number = $3`,
      values: [applicationId, fileId, number],
    })
    if (!rows[0]) return
    yield rows[0].content
  }
}

/** The sum of the bytes that arrived. */
export async function countBytes(queryable: Queryable, { pieces }: UploadTables, { applicationId, fileId }: FileKey): Promise<bigint> {
  const { rows } = await queryable.query<{ bytes: bigint }>(
    `select coalesce(sum(byte_count), 0)::bigint as bytes from ${pieces}
      where application_id = $1 and file_id = $2`,
    [applicationId, fileId],
  )
  return rows[0]?.bytes ?? 0n
}
