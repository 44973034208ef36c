import { createHash } from 'node:crypto'
import { crc32, inflateRawSync } from 'node:zlib'
import { err, ok, type Result } from '#lib/result.ts'

type VerifiedWorkbook = { dataSha256: string; record: ReadonlyMap<string, string> }

const HASH_NAME = 'SHA-256 of the data'
const ZIP_SIGNATURE = 0x04034b50
/** Of a file, and of what a workbook unpacks to: a small zip can hold gigabytes of zeros. */
const FILE_BYTES_MAX = 512 * 1024 * 1024
const UNPACKED_BYTES_MAX = 2 * FILE_BYTES_MAX

/**
 * Whether an exported workbook still holds the data that its own record speaks of: recomputes the SHA-256 over the XML of all sheets but the last
 * and compares. No file can contain a digest of its whole content; that one is in our record (findExportByFile), as for a CSV.
 */
export function verifyWorkbook(bytes: Buffer): Result<VerifiedWorkbook, 'not_an_export' | 'changed' | 'too_large'> {
  if (bytes.length > FILE_BYTES_MAX) return err('too_large')
  const isZip = bytes.length > 4 && bytes.readUInt32LE(0) === ZIP_SIGNATURE
  const parts = isZip ? readWorkbook(bytes) : undefined
  const stated = parts?.record.get(HASH_NAME)
  if (!parts || stated === undefined) return err('not_an_export')
  const hash = createHash('sha256')
  for (const part of parts.data) hash.update(part)
  const dataSha256 = hash.digest('hex')
  return dataSha256 === stated ? ok({ dataSha256, record: parts.record }) : err('changed')
}

type Parts = { data: Buffer[]; record: Map<string, string> }

function readWorkbook(bytes: Buffer): Parts | undefined {
  const sheets = readEntries(bytes).filter(({ name }) => name.startsWith('xl/worksheets/'))
  const last = sheets.at(-1)
  if (!last || sheets.length < 2) return undefined
  const texts = Array.from(last.content.toString('utf8').matchAll(/<t [^<>]*>([^<]*)<\/t>/g), (match) => match[1] ?? '')
  const record = new Map<string, string>()
  for (let at = 0; at + 1 < texts.length; at += 2) record.set(texts[at] ?? '', texts[at + 1] ?? '')
  return { data: sheets.slice(0, -1).map(({ content }) => content), record }
}

/** Every entry of a zip by its directory, unpacked. Throws on a broken one. */
export function readEntries(bytes: Buffer): { name: string; content: Buffer }[] {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0) throw new Error('Not a whole zip: its directory is missing')
  const entries: { name: string; content: Buffer }[] = []
  let unpackedLeft = UNPACKED_BYTES_MAX
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, compressed] = [bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 20)]
    const [nameLength, extraLength, commentLength, offset] = [
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
      bytes.readUInt32LE(at + 42),
    ]
    const name = bytes.subarray(at + 46, at + 46 + nameLength).toString('utf8')
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
    const content = inflateRawSync(bytes.subarray(start, start + compressed), { maxOutputLength: unpackedLeft })
    unpackedLeft = Math.max(1, unpackedLeft - content.length)
    if (crc32(content) !== crc) throw new Error(`${name} is damaged`)
    entries.push({ name, content })
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}
