import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The files of the package, as its package.json names them. */
const PACKED = ['package.json', 'README.md', 'countersign.mjs']

const BLOCK = 512
/** npm packs every file with this time, so that the same content is the same archive. */
const TIME_SECONDS = Date.UTC(1985, 9, 26, 8, 15) / 1_000

/** The program that brings webhooks to a developer's machine, as `npm pack` would make it: nobody has to pack it and hand it on. */
export function packListen(): Buffer<ArrayBuffer> {
  const entries = PACKED.flatMap((name) => {
    const content = readFileSync(join(/* turbopackIgnore: true */ process.cwd(), 'server/listen', name))
    return [tarHeader(`package/${name}`, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
  })
  // Two empty blocks end an archive.
  return Buffer.from(gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)])))
}

/** The header of a file in a ustar archive. Its sum counts the field of the sum as spaces. */
function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(TIME_SECONDS, 11), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)} `, 148)
  return header
}
