import { deflateRawSync } from 'node:zlib'

const MEGABYTE = 1024 * 1024

/** A file of an archive, whose head may lie about what is inside. */
function entry(name: string, content: Buffer, lies: { size?: number; method?: number } = {}): { local: Buffer; central: Buffer } {
  const packed = deflateRawSync(content)
  const named = Buffer.from(name)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(lies.method ?? 8, 8)
  local.writeUInt32LE(packed.length, 18)
  local.writeUInt32LE(lies.size ?? content.length, 22)
  local.writeUInt16LE(named.length, 26)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50, 0)
  central.writeUInt16LE(lies.method ?? 8, 10)
  central.writeUInt32LE(packed.length, 20)
  central.writeUInt32LE(lies.size ?? content.length, 24)
  central.writeUInt16LE(named.length, 28)
  return { local: Buffer.concat([local, named, packed]), central: Buffer.concat([central, named]) }
}

function archive(entries: readonly { local: Buffer; central: Buffer }[], count = entries.length): Buffer {
  const locals = Buffer.concat(entries.map(({ local }) => local))
  let offset = 0
  const centrals = Buffer.concat(
    entries.map(({ local, central }) => {
      central.writeUInt32LE(offset, 42)
      offset += local.length
      return central
    }),
  )
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(centrals.length, 12)
  end.writeUInt32LE(locals.length, 16)
  return Buffer.concat([locals, centrals, end])
}

const SHEET = 'xl/worksheets/sheet1.xml'
/** As many spaces. */
export const spaces = (megabytes: number) => Buffer.alloc(megabytes * MEGABYTE, ' ')
/** Files that say they are workbooks. */
export const ARCHIVES: Readonly<Record<string, () => Buffer>> = {
  'an empty archive': () => archive([]),
  'an archive that ends early': () => archive([entry(SHEET, Buffer.from('<a/>'))]).subarray(0, 60),
  'an archive of 60,000 files that are not there': () => archive([entry(SHEET, Buffer.from('<a/>'))], 60_000),
  'a sheet of 100 MB of spaces': () => archive([entry(SHEET, spaces(100))]),
  'a sheet that says it has one byte': () => archive([entry(SHEET, spaces(30), { size: 1 })]),
  'a sheet that says it has 4 GB': () => archive([entry(SHEET, Buffer.from('<a/>'), { size: 0xffff_ffff })]),
  'an unknown compression': () => archive([entry(SHEET, Buffer.from('<a/>'), { method: 99 })]),
  'a name that leaves the folder': () => archive([entry('../../../tmp/x', Buffer.from('<a/>'))]),
  'entities that grow': () =>
    archive([entry(SHEET, Buffer.from('<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;&b;">]><worksheet>&c;</worksheet>'))]),
  'an entity that is a file': () =>
    archive([entry(SHEET, Buffer.from('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><worksheet>&b;</worksheet>'))]),
  'elements within elements': () => archive([entry(SHEET, Buffer.from('<a>'.repeat(200_000)))]),
}
const made = new Map<string, Buffer>()

/** Returns one of them; each is made once, because the largest takes a second. */
export function archiveOf(name: string): Buffer {
  const known = made.get(name) ?? ARCHIVES[name]?.() ?? Buffer.alloc(0)
  made.set(name, known)
  return known
}
