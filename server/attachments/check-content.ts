import { type AttachmentProblem, type AttachmentType, isNamedLike } from '#lib/payments/attachments.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { readPictureSize, type Size } from './picture-size.ts'

/** The parts of a file that are examined: its beginning, up to 1 MB, and its end, at least ZIP_END_MAX bytes where it has them. */
export type FileEnds = { head: Buffer; tail: Buffer; byteCount: number }

type Problem = Extract<AttachmentProblem, 'unknown_type' | 'wrong_name' | 'damaged' | 'two_types' | 'too_many_pixels'>

/** The record at the end of a ZIP, with the longest comment. */
export const ZIP_END_MAX = 22 + 65_535

/** As many as browsers and readers of PDF search for a signature. */
const SEARCHED_BYTES = 1024

/** Above every photograph of a telephone that fits the size; decoded, four bytes each. */
const PIXELS_MAX = 64_000_000

const PNG_END = Buffer.from('IEND\xae\x42\x60\x82', 'latin1')
const JPEG_END = Buffer.from([0xff, 0xd9])

/**
 * Returns the type of a file by its content; its name only has to agree. A file that another program would take for something else than its type
 * is refused: the checker must not see a picture where finance opens an archive or a page.
 */
export function checkContent(ends: FileEnds, fileName: string): Result<AttachmentType, Problem> {
  const { head, tail } = ends
  const type = findType(head)
  if (!type) return err('unknown_type')
  if (!isNamedLike(fileName, type)) return err('wrong_name')
  if (!isWhole(type, ends)) return err('damaged')
  if (hasOtherSignature(type, head) || endsAsZip(tail)) return err('two_types')
  if (type === 'application/pdf') return ok(type)
  const size = readPictureSize(type, head)
  if (!size) return err('damaged')
  return isTooLarge(size) ? err('too_many_pixels') : ok(type)
}

function findType(head: Buffer): AttachmentType | undefined {
  const startsWith = (text: string, at = 0) => head.toString('latin1', at, at + text.length) === text
  if (/^%PDF-[12]\.\d/.test(head.toString('latin1', 0, 8))) return 'application/pdf'
  if (startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (startsWith('\xff\xd8\xff')) return 'image/jpeg'
  return startsWith('RIFF') && startsWith('WEBP', 8) ? 'image/webp' : undefined
}

/** Whether the file has its end: an upload of a file that was cut off shows half of an invoice, or nothing. */
function isWhole(type: AttachmentType, { head, tail, byteCount }: FileEnds): boolean {
  if (type === 'application/pdf') return tail.subarray(-SEARCHED_BYTES).includes('%%EOF')
  if (type === 'image/png') return tail.includes(PNG_END)
  // Telephones append data of their own behind the end of a photograph.
  if (type === 'image/jpeg') return tail.includes(JPEG_END)
  return byteCount >= 12 && head.readUInt32LE(4) + 8 <= byteCount
}

function hasOtherSignature(type: AttachmentType, head: Buffer): boolean {
  const start = head.toString('latin1', 0, SEARCHED_BYTES).toLowerCase()
  if (/<!doctype|<html|<script|<svg/.test(start)) return true
  return type !== 'application/pdf' && start.includes('%pdf-')
}

/** Whether the file is an archive too: a ZIP is found by the record at its very end. */
function endsAsZip(tail: Buffer): boolean {
  for (let at = tail.indexOf('PK\x05\x06', 0, 'latin1'); at >= 0; at = tail.indexOf('PK\x05\x06', at + 1, 'latin1'))
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return true
  return false
}

function isTooLarge({ width, height }: Size): boolean {
  return width * height > PIXELS_MAX
}
