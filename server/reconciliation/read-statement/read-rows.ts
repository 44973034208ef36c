import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { recogniseOther } from '#server/batches/read-file/read-file.ts'
import { type RowSink, readSheet, type SheetLimits } from '#server/batches/read-file/read-workbook.ts'
import { recogniseHeader } from './recognise-format.ts'
import { UnreadableValues, ValueSplitter } from './split-values.ts'
import { UnreadableStatement } from './unreadable-statement.ts'

const MEGABYTE = 1024 * 1024
/** A million lines of the widest format are about 400 MB as text. */
const TEXT_BYTES_MAX = 2_048 * MEGABYTE
/** A workbook is held in memory, because its directory is at its end: about 300,000 lines. Larger statements come as text. */
const WORKBOOK_BYTES_MAX = 32 * MEGABYTE
/** Shared texts are held too. With them, a thread of this size (statement-reader.ts) and the bytes, the process grows by at most 190 MB. */
const SHEET_LIMITS: SheetLimits = { columns: 80, contentBytes: 512 * MEGABYTE, sharedLength: 16 * MEGABYTE, sharedCount: 1_000_000 }
/** How much is looked at to recognise content, encoding and separator. */
const SAMPLE_BYTES = 64 * 1024
const SAMPLE_ROWS = 60
const SEPARATORS = [',', ';', '\t', '|'] as const
const GZIP = [0x1f, 0x8b]
const ZIP = [0x50, 0x4b]

/**
 * Reads the rows of a statement into `sink`: a workbook or separated values, also compressed with gzip, known by its bytes and not by its name.
 * Text is read as a stream. Throws UnreadableStatement, or UnreadableFile of the reader of workbooks.
 */
export async function readRows(pieces: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const file = await peek(pieces)
  if (!startsWith(file.start, GZIP)) return readPlain(file, sink)
  const unpacked = await peek(gunzip(file.pieces))
  if (startsWith(unpacked.start, GZIP)) throw new UnreadableStatement('compressed')
  return readPlain(unpacked, sink)
}

type Peeked = { start: Buffer; pieces: AsyncIterable<Uint8Array> }

async function readPlain({ start, pieces }: Peeked, sink: RowSink): Promise<void> {
  if (start.length === 0) throw new UnreadableStatement('empty')
  if (startsWith(start, ZIP)) {
    await readSheet(await collect(pieces), { ...sink, add: (rowNumber, cells) => sink.add(rowNumber, cells) }, SHEET_LIMITS)
    return
  }
  const other = recogniseOther(start)
  if (other) throw new UnreadableStatement(other)
  await readText(start, pieces, sink)
}

async function readText(start: Buffer, pieces: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const encoding = encodingOf(start)
  const sample = new TextDecoder(encoding).decode(start)
  if (sample.includes('\0')) throw new UnreadableStatement('encoding')
  const instruction = /^\ufeff?sep=(.)\r?\n/i.exec(sample)
  const splitter = new ValueSplitter(instruction?.[1] ?? separatorOf(sample), (rowNumber, values) => {
    if (rowNumber > 1 || !instruction) sink.add(rowNumber, values)
  })
  try {
    for await (const text of decode(pieces, encoding)) {
      splitter.write(text)
      // The rows of each piece are taken away before the next one is read.
      await sink.afterPiece?.()
    }
    splitter.end()
    await sink.afterPiece?.()
  } catch (error) {
    if (!(error instanceof UnreadableValues)) throw error
    throw new UnreadableStatement(error.kind, { line: error.row })
  }
}

async function* decode(pieces: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > TEXT_BYTES_MAX) throw new UnreadableStatement('unpacks_too_large')
    yield decoder.decode(piece, { stream: true })
  }
  yield decoder.decode()
}

/**
 * By its byte order mark; UTF-16 without one if every second byte is zero. Text that is no valid UTF-8 is Windows-1252, unless parts of it are
 * valid: then single signs are broken, as in headers that were converted twice, and the rest must stay readable.
 */
function encodingOf(start: Buffer): string {
  if (startsWith(start, [0xff, 0xfe])) return 'utf-16le'
  if (startsWith(start, [0xfe, 0xff])) return 'utf-16be'
  const zeros = [0, 1].map((first) => start.filter((byte, place) => place % 2 === first && byte === 0).length)
  const pairs = start.length / 2
  if ((zeros[1] ?? 0) > pairs * 0.7) return 'utf-16le'
  if ((zeros[0] ?? 0) > pairs * 0.7) return 'utf-16be'
  const text = new TextDecoder('utf-8').decode(start, { stream: true })
  const isBroken = text.includes('\ufffd')
  return isBroken && !/[\u0080-\ufffc]/.test(text) ? 'windows-1252' : 'utf-8'
}

/** The separator with which the sample has a known header; without one, the one that splits it into the most columns. */
function separatorOf(sample: string): string {
  const tries = SEPARATORS.map((separator) => {
    const rows = parseSample(sample, separator)
    const headers = rows.map((row, place) => recogniseHeader(row, rows[place - 1])?.kind)
    const known = headers.includes('columns') ? 2_000 : headers.includes('moved') ? 1_000 : 0
    return { separator, score: known + Math.max(0, ...rows.map((row) => row.length)) }
  })
  return tries.reduce((best, each) => (each.score > best.score ? each : best)).separator
}

function parseSample(sample: string, separator: string): string[][] {
  const rows: string[][] = []
  const splitter = new ValueSplitter(separator, (_, values) => {
    if (rows.length < SAMPLE_ROWS && values.some((value) => value.trim() !== '')) rows.push(values)
  })
  try {
    splitter.write(sample.slice(0, sample.lastIndexOf('\n') + 1) || sample)
    if (!sample.includes('\n')) splitter.end()
  } catch (error) {
    // With this separator the quotes do not fit.
    if (error instanceof UnreadableValues) return []
    throw error
  }
  return rows
}

async function peek(source: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  while (length < SAMPLE_BYTES) {
    const next = await iterator.next()
    if (next.done) break
    first.push(next.value)
    length += next.value.length
  }
  async function* again(): AsyncGenerator<Uint8Array> {
    yield* first
    first.length = 0
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  return { start: Buffer.concat(first).subarray(0, SAMPLE_BYTES), pieces: again() }
}

async function* gunzip(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = Readable.from(pieces).pipe(createGunzip())
  try {
    for await (const piece of stream) yield piece as Buffer
  } catch (error) {
    const isGzip = error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')
    if (isGzip) throw new UnreadableStatement('gzip_damaged')
    throw error
  }
}

/** The bytes in one piece. The memory of a buffer is only taken where it is written, so that nothing is copied when the last piece has come. */
async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(WORKBOOK_BYTES_MAX)
  let bytes = 0
  for await (const piece of pieces) {
    if (bytes + piece.length > WORKBOOK_BYTES_MAX) throw new UnreadableStatement('too_large', { megabytes: WORKBOOK_BYTES_MAX / MEGABYTE })
    whole.set(piece, bytes)
    bytes += piece.length
  }
  return whole.subarray(0, bytes)
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte)
}
