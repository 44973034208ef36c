import { CsvError, parse } from 'csv-parse/sync'
import { BATCH_FILE_BYTES_MAX, type FileProblem, type FileProblemKind, type FileReading } from '#lib/batches/file-problem.ts'
import { fieldOfHeader } from '#lib/batches/recognise-columns.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { readWorkbook } from './read-workbook.ts'
import { type FileRow, type FileTable, TableCollector, UnreadableFile } from './table-collector.ts'

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
    const known = recogniseOther(buffer)
    if (known) throw new UnreadableFile(known)
    const { headers, rows, rowsAbove, reading } = startsWith(buffer, ZIP) ? await readWorkbook(buffer) : readCsv(buffer)
    return ok({ headers, rows, reading: { ...reading, rowsAbove } })
  } catch (error) {
    if (error instanceof UnreadableFile) return err(error.problem)
    throw error
  }
}

/** The kind of a file that is neither a workbook nor text, by its first bytes. */
export function recogniseOther(bytes: Buffer): FileProblemKind | undefined {
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

type Encoding = NonNullable<FileReading['encoding']>

const MARKS: readonly (readonly [readonly number[], Encoding])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]
/** How much is looked at to recognise UTF-16 without a mark. */
const LOOKED_AT_BYTES = 4_096

/**
 * Decodes a text file: by its byte order mark; without one as UTF-16 if every second byte is zero, as UTF-8 if it is valid, otherwise as
 * Windows-1252, which is what spreadsheets in Western Europe and Africa write. A remaining NUL is not text.
 */
function decodeText(bytes: Uint8Array): { text: string; encoding: Encoding } {
  const marked = MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))
  const encoding = marked?.[1] ?? unmarkedUtf16(bytes)
  const decoded = encoding ? { text: decode(bytes, encoding), encoding } : decodeBytes(bytes)
  if (decoded.text === undefined || decoded.text.includes('\0')) throw new UnreadableFile('encoding')
  return { text: decoded.text, encoding: decoded.encoding }
}

function decodeBytes(bytes: Uint8Array): { text: string | undefined; encoding: Encoding } {
  const text = decode(bytes, 'utf-8')
  return text === undefined ? { text: decode(bytes, 'windows-1252'), encoding: 'windows-1252' } : { text, encoding: 'utf-8' }
}

function decode(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    // The decoder throws a TypeError for bytes that are not of this encoding.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function unmarkedUtf16(bytes: Uint8Array): Encoding | undefined {
  const sample = bytes.subarray(0, Math.min(bytes.length, LOOKED_AT_BYTES) & ~1)
  if (sample.length < 4) return undefined
  let [even, odd] = [0, 0]
  for (let at = 0; at < sample.length; at += 2) {
    if (sample[at] === 0) even++
    if (sample[at + 1] === 0) odd++
  }
  const pairs = sample.length / 2
  if (odd > pairs * 0.7 && even < pairs * 0.1) return 'utf-16le'
  if (even > pairs * 0.7 && odd < pairs * 0.1) return 'utf-16be'
  return undefined
}

const SEPARATORS = [';', ',', '\t', '|'] as const
/** The line that spreadsheets read as an instruction: `sep=;`. */
const INSTRUCTION = /^sep=(.)\r?\n/i
const SAMPLE_LENGTH = 16_384
const SAMPLE_LINES = 20
const RECORD_LENGTH_MAX = 64 * 1024

/** Reads a file of separated values. Throws UnreadableFile. */
function readCsv(bytes: Uint8Array): FileTable & { reading: Omit<FileReading, 'rowsAbove'> } {
  const { text, encoding } = decodeText(bytes)
  const instruction = INSTRUCTION.exec(text)
  const body = instruction ? text.slice(instruction[0].length) : text
  const separator = instruction?.[1] ?? detectSeparator(body)
  const collector = new TableCollector()
  let rowNumber = instruction ? 1 : 0
  try {
    parse(body, {
      delimiter: separator,
      // Lines of different lengths are the rule where people edit by hand. A quote inside a field is text.
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: RECORD_LENGTH_MAX,
      on_record: (record: string[]) => {
        collector.add(++rowNumber, record)
        // Nothing is kept twice.
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw new UnreadableFile('record_too_long', { line: rowNumber + 1 })
    // The other codes concern options that are not used: what remains is a quote that nothing closes.
    throw new UnreadableFile('quote_open', { line: rowNumber + 1 })
  }
  return { ...collector.finish(), reading: { format: 'csv', encoding, separator, sheet: null, otherSheets: [], hiddenRows: 0 } }
}

/**
 * The separator that splits the header into the most known fields; then the one that splits the most lines alike. Signs inside quotes do
 * not count.
 */
function detectSeparator(text: string): string {
  const lines = text
    .slice(0, SAMPLE_LENGTH)
    .replace(/"(?:[^"]|"")*"/g, (quoted) => quoted.replace(/[;,\t|\r\n]/g, ' '))
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES)
  const scores = SEPARATORS.map((separator) => ({ separator, score: scoreOf(separator, lines) }))
  const best = scores.reduce((left, right) => (right.score > left.score ? right : left))
  if (lines.length > 0 && best.score === 0) throw new UnreadableFile('one_column')
  return best.separator
}

function scoreOf(separator: string, lines: readonly string[]): number {
  const counts = lines.map((line) => line.split(separator).length - 1)
  if (counts.every((count) => count === 0)) return 0
  const known = Math.max(
    ...lines.map((line) => new Set(line.split(separator).flatMap((cell) => fieldOfHeader(cell.replaceAll('"', '')) ?? [])).size),
  )
  const frequency = Map.groupBy(counts, (count) => count)
  const alike = Math.max(...[...frequency].map(([count, same]) => (count === 0 ? 0 : same.length)))
  return known * 1_000 + (alike / lines.length) * 100 + Math.min(Math.max(...counts), 20)
}
