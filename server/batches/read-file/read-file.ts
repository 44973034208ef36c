import { BATCH_FILE_BYTES_MAX, type FileProblem, type FileProblemKind, type FileReading } from '#lib/batch-file/file-problem.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { readCsv } from './read-csv.ts'
import { readWorkbook } from './read-workbook.ts'
import type { FileRow } from './table-collector.ts'
import { UnreadableFile } from './unreadable-file.ts'

export type ReadFile = { headers: string[]; rows: FileRow[]; reading: FileReading }

const ZIP = [0x50, 0x4b]
/** How files begin that people choose by mistake. The first match counts. */
const SIGNATURES: readonly (readonly [readonly number[], FileProblemKind])[] = [
  [[0x25, 0x50, 0x44, 0x46], 'pdf'],
  [[0x89, 0x50, 0x4e, 0x47], 'picture'],
  [[0xff, 0xd8, 0xff], 'picture'],
  [[0x47, 0x49, 0x46, 0x38], 'picture'],
  [[0x1f, 0x8b], 'compressed'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'compressed'],
  [[0x52, 0x61, 0x72, 0x21], 'compressed'],
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], 'word_document'],
]
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0]

/**
 * Reads a file of payments as a workbook or as separated values, depending on its content and not on its name. Returns rows of cells and
 * how they were read; what they mean is for `lib/batch-file`. Runs in a thread of its own (`file-thread.ts`).
 */
export async function readFile(bytes: Uint8Array): Promise<Result<ReadFile, FileProblem>> {
  try {
    if (bytes.length > BATCH_FILE_BYTES_MAX) throw new UnreadableFile('too_large', { megabytes: BATCH_FILE_BYTES_MAX / 1024 / 1024 })
    if (bytes.length === 0) throw new UnreadableFile('empty')
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const known = recognise(buffer)
    if (known) throw new UnreadableFile(known)
    const { headers, rows, rowsAbove, reading } = startsWith(buffer, ZIP) ? await readWorkbook(buffer) : readCsv(buffer)
    return ok({ headers, rows, reading: { ...reading, rowsAbove } })
  } catch (error) {
    if (error instanceof UnreadableFile) return err(error.problem)
    throw error
  }
}

function recognise(bytes: Buffer): FileProblemKind | undefined {
  const signature = SIGNATURES.find(([mark]) => startsWith(bytes, mark))
  if (signature) return signature[1]
  // A workbook with a password is wrapped in the format of old workbooks.
  if (startsWith(bytes, COMPOUND)) return bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted' : 'old_workbook'
  const start = bytes
    .subarray(0, 512)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .toLowerCase()
  if (start === '') return bytes.length <= 512 ? 'empty' : undefined
  if (/^<(?:!doctype html|html|table|meta|head)/.test(start)) return 'web_page'
  if (start.startsWith('<?xml') || start.startsWith('<workbook')) return 'xml'
  if (/^[[{]\s*["{[]/.test(start)) return 'json'
  return undefined
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte)
}
