import { crc32, createInflateRaw } from 'node:zlib'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { UnreadableFile } from './table-collector.ts'

export type ZipEntry = { name: string; compressed: Uint8Array; method: number; crc: number; size: number }

const DIRECTORY_END = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 0x0001
const ENTRIES_MAX = 1_000

/** Reads the directory of a zip; nothing is unpacked. */
export function readZipDirectory(bytes: Buffer): Map<string, ZipEntry> {
  const end = bytes.lastIndexOf(DIRECTORY_END)
  if (end < 0 || end + 22 > bytes.length) throw new UnreadableFile('damaged_zip')
  const entries = new Map<string, ZipEntry>()
  let at = bytes.readUInt32LE(end + 16)
  const count = bytes.readUInt16LE(end + 10)
  if (count > ENTRIES_MAX) throw new UnreadableFile('other_zip')
  for (let left = count; left > 0; left--) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw new UnreadableFile('damaged_zip')
    const [nameLength, extraLength, commentLength] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32)]
    const name = bytes.subarray(at + 46, at + 46 + nameLength).toString('utf8')
    entries.set(name, readEntry(bytes, at, name))
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}

function readEntry(bytes: Buffer, at: number, name: string): ZipEntry {
  if ((bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw new UnreadableFile('encrypted')
  const [method, crc, length, size, offset] = [
    bytes.readUInt16LE(at + 10),
    bytes.readUInt32LE(at + 16),
    bytes.readUInt32LE(at + 20),
    bytes.readUInt32LE(at + 24),
    bytes.readUInt32LE(at + 42),
  ]
  // The marks of a zip beyond 4 GiB have no place in a file of this size.
  if (offset + 30 > bytes.length || (method !== STORED && method !== DEFLATED)) throw new UnreadableFile('damaged_zip')
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  if (start + length > bytes.length) throw new UnreadableFile('damaged_zip')
  return { name, compressed: bytes.subarray(start, start + length), method, crc, size }
}

/** Refuses parts that unpack to more than `bytesMax` together, before anything is unpacked: from what the directory says, which `unpack` holds them to. */
export function limitTogether(entries: readonly (ZipEntry | undefined)[], bytesMax: number): void {
  const bytes = entries.reduce((sum, entry) => sum + (entry?.size ?? 0), 0)
  if (bytes > bytesMax) throw new UnreadableFile('unpacks_too_large')
}

/** Unpacks an entry piece by piece, and stops as soon as it is larger than its directory stated. */
async function* unpack(entry: ZipEntry): AsyncGenerator<Uint8Array> {
  let [unpacked, crc] = [0, 0]
  const pieces = entry.method === STORED ? [entry.compressed] : inflate(entry.compressed)
  try {
    for await (const piece of pieces) {
      unpacked += piece.length
      if (unpacked > entry.size) throw new UnreadableFile('unpacks_too_large')
      crc = crc32(piece, crc)
      yield piece
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(Z_|ERR_)/.test(error.code)) {
      throw new UnreadableFile('damaged_zip')
    }
    throw error
  }
  if (unpacked !== entry.size || crc !== entry.crc) throw new UnreadableFile('damaged_zip')
}

function inflate(compressed: Uint8Array): AsyncIterable<Uint8Array> {
  const stream = createInflateRaw({ chunkSize: 64 * 1024 })
  stream.end(compressed)
  return stream
}

export type XmlHandler = {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  text?(text: string): void
  close?(name: string): void
  /** Whether the rest is not needed. */
  isDone?(): boolean
  /** Awaited after each piece of the part. */
  afterPiece?(): Promise<void> | undefined
}

/**
 * Reads one XML part of a workbook as a stream. Names come without their prefix. A document type is refused before anything in it is
 * read, so no entity is ever declared; the parser itself knows only the five that XML has.
 */
export async function readXml(entry: ZipEntry, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ xmlns: false })
  const fail = (error: Error) => {
    throw error
  }
  // biome-ignore lint/plugin/no-silent-error: The XML error is only useful to the author of the XML.
  parser.on('error', () => fail(new UnreadableFile('damaged_workbook')))
  parser.on('doctype', () => fail(new UnreadableFile('entities')))
  parser.on('opentag', (tag: SaxesTagPlain) => handler.open?.(localName(tag.name), tag.attributes))
  if (handler.text) {
    parser.on('text', (text) => handler.text?.(text))
    parser.on('cdata', (text) => handler.text?.(text))
  }
  parser.on('closetag', (tag: SaxesTagPlain) => handler.close?.(localName(tag.name)))
  const decoder = new TextDecoder('utf-8')
  for await (const piece of unpack(entry)) {
    parser.write(decoder.decode(piece, { stream: true }))
    if (handler.isDone?.()) return
    await handler.afterPiece?.()
  }
  parser.write(decoder.decode())
  parser.close()
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
