import type { FileReading } from '#lib/batch-file/file-problem.ts'
import { UnreadableFile } from './unreadable-file.ts'

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
export function decodeText(bytes: Uint8Array): { text: string; encoding: Encoding } {
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
