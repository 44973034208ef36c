import type { AttachmentType } from '#lib/payments/attachments.ts'

export type Size = { width: number; height: number }

/** The size of a picture in pixels, from its header; undefined if there is none where its type has it. */
export function readPictureSize(type: Exclude<AttachmentType, 'application/pdf'>, head: Buffer): Size | undefined {
  const size = type === 'image/png' ? ofPng(head) : type === 'image/jpeg' ? ofJpeg(head) : ofWebp(head)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

function ofPng(head: Buffer): Size | undefined {
  if (head.length < 24 || head.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}

/** The markers that begin a frame: C0 to CF without the tables that lie between them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Goes from segment to segment; each has a marker and its length, up to the frame with the size. */
function ofJpeg(head: Buffer): Size | undefined {
  for (let at = 2; at + 9 < head.length; ) {
    if (head[at] !== 0xff) return undefined
    const marker = head[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
    else at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

/** Three layouts, by the name of the first chunk: lossy, lossless, and with an extended header. */
function ofWebp(head: Buffer): Size | undefined {
  if (head.length < 30) return undefined
  const layout = head.toString('latin1', 12, 16)
  if (layout === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
  if (layout === 'VP8L' && head[20] === 0x2f) {
    const bits = head.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (layout === 'VP8 ' && head.readUIntBE(23, 3) === 0x9d012a)
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  return undefined
}
