import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { sheetXml, workbook } from '#server/testing/batches/workbook.ts'

const MEGABYTE = 1024 * 1024
/** The growth allowed to a process while it reads a workbook: with 150 MB of its own it stays below 350 MB. */
const GROWTH_MAX_MB = 190

let folder = ''
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hostile-workbooks-'))
})
after(() => rm(folder, { recursive: true }))

const shared = (text: string, count: number) =>
  `<sst>${Array.from({ length: count }, (_, id) => `<si><t>${text}${id}</t></si>`).join('')}</sst>`
const sheet = sheetXml('<row><c t="s"><v>1</v></c></row>')

const HOSTILE: readonly { name: string; bytes: () => Promise<Buffer> }[] = [
  { name: 'nearly as many shared texts as a workbook may have', bytes: () => workbook({ sheet, sharedStrings: shared('', 990_000) }) },
  { name: 'shared texts of two bytes a character', bytes: () => workbook({ sheet, sharedStrings: shared('ŋ'.repeat(200), 79_000) }) },
  {
    name: 'one cell of 60 MB',
    bytes: () => workbook({ sheet: sheetXml(`<row><c t="str"><v>${'x'.repeat(60 * MEGABYTE)}</v></c></row>`) }),
  },
  {
    name: 'more bytes than a workbook may have',
    bytes: async () => Buffer.concat([await workbook({ sheet }), Buffer.alloc(40 * MEGABYTE)]),
  },
]

/** Reads one file as the service does, in a process of its own: the memory of this one has held what the file was made of. */
const READER = `
  import { createReadStream } from 'node:fs'
  import { readInThread } from '#server/reconciliation/read-statement/statement-reader.ts'
  import { aReadingWallet } from '#server/reconciliation/testing/statements.ts'
  const before = process.memoryUsage().rss
  let most = before
  setInterval(() => { most = Math.max(most, process.memoryUsage().rss) }, 5).unref()
  const pieces = createReadStream(process.argv[1], { highWaterMark: ${MEGABYTE} })
  const read = await readInThread(pieces, { wallet: aReadingWallet('MOMOCM'), columns: [] }, async () => undefined)
  console.log(JSON.stringify({ isRead: read.ok, problem: read.error?.kind, growthMb: Math.round((most - before) / ${MEGABYTE}) }))`

async function read(file: string): Promise<{ isRead: boolean; problem: string; growthMb: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', READER, file])
  return JSON.parse(stdout)
}

for (const { name, bytes } of HOSTILE) {
  test(`refused while the process grows by at most ${GROWTH_MAX_MB} MB: a workbook with ${name}`, async (context) => {
    const file = path.join(folder, 'statement.xlsx')
    await writeFile(file, await bytes())
    const { isRead, problem, growthMb } = await read(file)
    context.diagnostic(`${problem}, ${growthMb} MB`)
    assert.equal(isRead, false)
    assert.ok(growthMb < GROWTH_MAX_MB, `${growthMb} MB`)
  })
}
