import assert from 'node:assert/strict'
import { test } from 'node:test'
import { savedName } from '#lib/payments/attachments.ts'
import { checkContent } from './check-content.ts'
import { sampleJpeg, samplePdf, samplePng, sampleWebp } from './testing/sample-files.ts'

function check(bytes: Buffer, name = 'scan') {
  const checked = checkContent({ head: bytes.subarray(0, 1024 * 1024), tail: bytes.subarray(-65_557), byteCount: bytes.length }, name)
  return checked.ok ? checked.value : checked.error
}

/** The end of a ZIP without entries, with a comment. */
const zipEnd = (comment = '') => {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([end, Buffer.from(comment)])
}

test('the type of each kind of file by its content, whatever its name is without a known ending', () => {
  assert.deepEqual(
    [samplePdf(), samplePng(), sampleJpeg(), sampleWebp('VP8 '), sampleWebp('VP8L'), sampleWebp('VP8X')].map((bytes) => check(bytes)),
    ['application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'image/webp', 'image/webp'],
  )
  assert.deepEqual([check(samplePdf(), 'A.PDF'), check(sampleJpeg(), 'photo.JPEG')], ['application/pdf', 'image/jpeg'])
})

test('unknown_type: text, a page, a GIF, an SVG, an archive, nothing, and a PDF that begins later', () => {
  const pdf = samplePdf()
  for (const bytes of ['Total 5000', '<html>%PDF-1.4', 'GIF89a', '<svg xmlns="x"/>', zipEnd(), '', Buffer.concat([Buffer.from(' '), pdf])])
    assert.equal(check(Buffer.from(bytes)), 'unknown_type')
})

test('wrong_name: a name with the ending of another type', () => {
  assert.equal(check(samplePdf(), 'invoice.png'), 'wrong_name')
  assert.equal(check(samplePng(), 'invoice.pdf'), 'wrong_name')
})

test('damaged: a file without its end or without the size of its picture', () => {
  for (const bytes of [
    samplePdf().subarray(0, -5),
    samplePng().subarray(0, -4),
    sampleJpeg().subarray(0, -2),
    sampleWebp('VP8X').subarray(0, 36),
  ])
    assert.equal(check(bytes), 'damaged')
  assert.equal(check(Buffer.from([0xff, 0xd8, 0xff, 0xd9])), 'damaged')
  assert.equal(check(samplePng(4, 4, { width: 0, height: 4 })), 'damaged')
})

test('two_types: a picture that is a PDF, a page or an archive too, and a PDF that is an archive or a page', () => {
  const comment = Buffer.from([0xff, 0xfe, 0, 11])
  const jpegWith = (text: string) => Buffer.concat([sampleJpeg().subarray(0, 2), comment, Buffer.from(text), sampleJpeg().subarray(2)])
  for (const bytes of [
    jpegWith('%PDF-1.4\n'),
    jpegWith('<SCRIPT> \n'),
    Buffer.concat([samplePng(), zipEnd()]),
    Buffer.concat([samplePdf(), zipEnd('%%EOF')]),
    Buffer.concat([Buffer.from('%PDF-1.4\n%<html><body>\n'), samplePdf()]),
  ])
    assert.equal(check(bytes), 'two_types')
})

test('too_many_pixels: a small file whose picture would fill the memory of a browser', () => {
  assert.equal(check(samplePng(4, 4, { width: 60_000, height: 60_000 })), 'too_many_pixels')
  assert.equal(check(sampleJpeg(8_000, 8_000)), 'image/jpeg')
})

test('a name with an ending of the type, so that no machine takes a saved file for a program', () => {
  assert.deepEqual(
    ['invoice.PDF', 'invoice', 'invoice.exe'].map((fileName) => savedName({ fileName, mediaType: 'application/pdf' })),
    ['invoice.PDF', 'invoice.pdf', 'invoice.exe.pdf'],
  )
})
