import { crc32, deflateSync } from 'node:zlib'

/** A PDF of one page with one line of text. */
export function samplePdf(text = 'Invoice 4711'): Buffer {
  const content = `BT /F1 24 Tf 20 100 Td (${text}) Tj ET`
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj',
      `4 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj`,
      '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
      'trailer<</Root 1 0 R>>',
      '%%EOF',
    ].join('\n'),
  )
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A grey PNG. `header`: the size that its header says. */
export function samplePng(width = 40, height = 30, header = { width, height }): Buffer {
  const about = Buffer.alloc(13)
  about.writeUInt32BE(header.width, 0)
  about.writeUInt32BE(header.height, 4)
  about[8] = 8
  const rows = Buffer.alloc(height * (width + 1), 128)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', about), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}

/** The segments of a JPEG without its picture: beginning, comment, frame, end. */
export function sampleJpeg(width = 40, height = 30): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 4, 1, 2]), frame, Buffer.from([0xff, 0xd9])])
}

/** The header of a WebP of one layout. */
export function sampleWebp(layout: 'VP8 ' | 'VP8L' | 'VP8X', width = 40, height = 30): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write(`WEBP${layout}`, 8, 'latin1')
  if (layout === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  } else if (layout === 'VP8L') {
    bytes[20] = 0x2f
    bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  } else {
    bytes.writeUIntBE(0x9d012a, 23, 3)
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  }
  return bytes
}
