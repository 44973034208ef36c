import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'

type Entry = { name: Buffer; crc: number; compressed: number; size: number; offset: number }

const VERSION = 20
/** Sizes come after the data, because they are not known before; names are UTF-8. */
const FLAGS = 0x0808
const DEFLATE = 8
/** 1 January 1980: the same content results in the same bytes. */
const DOS_DATE = 0x0021
const MAX = 0xffff_ffff

/**
 * Writes a zip piece by piece in constant memory, one entry after the other. Every method returns the bytes that are ready to send. Throws beyond
 * 4 GiB, which a list of a few million rows does not reach.
 */
export class ZipStream {
  private readonly entries: Entry[] = []
  private written = 0
  private current: { entry: Entry; deflate: DeflateRaw; ready: Buffer[] } | undefined

  /** Begins an entry; the one before must have ended. */
  begin(name: string): Buffer[] {
    const entry: Entry = { name: Buffer.from(name), crc: 0, compressed: 0, size: 0, offset: this.written }
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(VERSION, 4)
    header.writeUInt16LE(FLAGS, 6)
    header.writeUInt16LE(DEFLATE, 8)
    header.writeUInt16LE(DOS_DATE, 12)
    header.writeUInt16LE(entry.name.length, 26)
    const ready: Buffer[] = []
    const deflate = createDeflateRaw({ level: 6 })
    deflate.on('data', (chunk: Buffer) => ready.push(chunk))
    // The caller gets the error through the callback or the promise; without a listener it would end the process.
    // biome-ignore lint/plugin/no-silent-error: the comment above says why.
    deflate.on('error', () => undefined)
    this.current = { entry, deflate, ready }
    return this.send([header, entry.name])
  }

  /** Adds content to the entry that was started, and waits until it is compressed: nothing piles up. */
  async write(content: Buffer): Promise<Buffer[]> {
    const { entry, deflate, ready } = this.open()
    entry.crc = crc32(content, entry.crc)
    entry.size += content.length
    await new Promise<void>((resolve, reject) => deflate.write(content, (error) => (error ? reject(error) : resolve())))
    return this.take(entry, ready)
  }

  async end(): Promise<Buffer[]> {
    const { entry, deflate, ready } = this.open()
    await new Promise<void>((resolve, reject) => {
      deflate.once('error', reject)
      deflate.once('end', resolve)
      deflate.end()
    })
    const compressed = this.take(entry, ready)
    const descriptor = Buffer.alloc(16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(entry.crc, 4)
    descriptor.writeUInt32LE(within(entry.compressed), 8)
    descriptor.writeUInt32LE(within(entry.size), 12)
    this.entries.push(entry)
    this.current = undefined
    return [...compressed, ...this.send([descriptor])]
  }

  /** Frees the entry that was started and not ended. */
  discard(): void {
    this.current?.deflate.destroy()
    this.current = undefined
  }

  /** A whole entry at once. */
  async add(name: string, content: string): Promise<Buffer[]> {
    return [...this.begin(name), ...(await this.write(Buffer.from(content))), ...(await this.end())]
  }

  /** The list of entries at the end of the file. */
  close(): Buffer[] {
    const offset = this.written
    const directory = this.entries.flatMap((entry) => {
      const header = Buffer.alloc(46)
      header.writeUInt32LE(0x02014b50, 0)
      header.writeUInt16LE(VERSION, 4)
      header.writeUInt16LE(VERSION, 6)
      header.writeUInt16LE(FLAGS, 8)
      header.writeUInt16LE(DEFLATE, 10)
      header.writeUInt16LE(DOS_DATE, 14)
      header.writeUInt32LE(entry.crc, 16)
      header.writeUInt32LE(entry.compressed, 20)
      header.writeUInt32LE(entry.size, 24)
      header.writeUInt16LE(entry.name.length, 28)
      header.writeUInt32LE(within(entry.offset), 42)
      return this.send([header, entry.name])
    })
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(this.entries.length, 8)
    end.writeUInt16LE(this.entries.length, 10)
    end.writeUInt32LE(within(this.written - offset), 12)
    end.writeUInt32LE(within(offset), 16)
    return [...directory, ...this.send([end])]
  }

  private open() {
    if (!this.current) throw new Error('No entry of the zip was started')
    return this.current
  }

  private take(entry: Entry, ready: Buffer[]): Buffer[] {
    const chunks = ready.splice(0)
    entry.compressed += chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    return this.send(chunks)
  }

  private send(chunks: Buffer[]): Buffer[] {
    for (const chunk of chunks) this.written += chunk.length
    return chunks
  }
}

function within(size: number): number {
  if (size > MAX) throw new Error('The workbook would be larger than 4 GiB: export it as CSV, or in parts')
  return size
}
