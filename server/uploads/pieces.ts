import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { err, ok, type Result } from '#lib/result.ts'
import { PIECE_BYTES } from '#lib/uploads.ts'
import type { Queryable } from '#server/database/pool.ts'
import { countBytes, type FileKey, insertPiece, selectPieces, type UploadTables } from './piece-store.ts'

const [compress, decompress] = [promisify(gzip), promisify(gunzip)]
/** Level 1: pieces of a text compress to a tenth, in a few milliseconds. */
const COMPRESSION = { level: 1 }

/** A piece as it is stored. */
export function compressPiece(bytes: Uint8Array): Promise<Buffer> {
  return compress(bytes, COMPRESSION)
}

type Piece = FileKey & { personId: string; number: number; bytes: Uint8Array; fileBytesMax: number }

/** Stores one piece. Sent again, it changes nothing. `not_found`: no such upload of this person, or it is complete. */
export async function storeUploadPiece(
  queryable: Queryable,
  tables: UploadTables,
  { applicationId, fileId, personId, number, bytes, fileBytesMax }: Piece,
): Promise<Result<null, 'not_found' | 'invalid'>> {
  if (bytes.length === 0 || bytes.length > PIECE_BYTES || number * PIECE_BYTES >= fileBytesMax) return err('invalid')
  const content = await compressPiece(bytes)
  const piece = { applicationId, fileId, uploadedBy: personId, number, byteCount: bytes.length, content }
  return (await insertPiece(queryable, tables, piece)) ? ok(null) : err('not_found')
}

/** The bytes of a stored file, piece by piece: never more than one piece is in memory. */
export async function* readUploadPieces(queryable: Queryable, tables: UploadTables, file: FileKey): AsyncGenerator<Buffer> {
  for await (const content of selectPieces(queryable, tables, file)) yield await decompress(content)
}

/** The SHA-256 of an upload that is complete; undefined if pieces are missing. `onPiece` is called with each piece in order. */
export async function digestUpload(
  queryable: Queryable,
  tables: UploadTables,
  file: FileKey & { byteCount: bigint },
  onPiece: (piece: Buffer) => void = () => undefined,
): Promise<Buffer | undefined> {
  if ((await countBytes(queryable, tables, file)) !== file.byteCount) return undefined
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of readUploadPieces(queryable, tables, file)) {
    hash.update(piece)
    bytes += piece.length
    onPiece(piece)
  }
  // Pieces behind a missing one are not read.
  return BigInt(bytes) === file.byteCount ? hash.digest() : undefined
}
