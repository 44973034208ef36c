import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BATCH_COLUMNS_MAX, BATCH_ROWS_MAX } from '#lib/batches/batch-fields.ts'
import { problemText } from '#lib/batches/batches.ts'
import { readRow } from '#lib/batches/read-row.ts'
import { recogniseColumns } from '#lib/batches/recognise-columns.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import { MESSAGES } from '#server/messages.ts'
import { batchTemplate } from '#server/reports/batches/batch-files.ts'
import { rowsXml, sheetXml, workbook } from '#server/testing/batches/workbook.ts'
import { watchEventLoop } from '#server/testing/cpu-time.ts'
import { must } from '#server/testing/partner.ts'
import { BAD_FILES } from '../testing/bad-files.ts'
import { createFileReader } from './file-reader.ts'
import { type ReadFile, readFile } from './read-file.ts'

const HEAD = 'Téléphone;Nom;Montant;Opérateur'
const ROW = '237677209341;Clarisse Mbarga;5000;MOMOCM'

async function read(content: string | Buffer): Promise<ReadFile> {
  return must(await readFile(Buffer.from(content)))
}

async function cellsOf(content: string | Buffer): Promise<unknown[][]> {
  return (await read(content)).rows.map(({ cells }) => cells)
}

for (const bad of BAD_FILES) {
  const expected = 'file' in bad ? bad.file : bad.row
  test(`${expected}, with a sentence in both languages: ${bad.name}`, async () => {
    const result = await readFile(await bad.bytes())
    for (const locale of ['en', 'fr'] as const) {
      const t = createTranslate(locale, MESSAGES[locale])
      if ('file' in bad) {
        assert.ok(!result.ok, 'the file is refused')
        assert.equal(result.error.kind, bad.file)
        assertSentence(t(`batches.file.${result.error.kind}`, result.error.values ?? {}))
      } else {
        const file = must(result)
        const columns = recogniseColumns(file.headers)
        assert.ok(columns)
        const { problems } = readRow(file.rows[0]?.cells ?? [], {}, { columns, defaultOperator: null, acceptedRepairs: new Set() })
        assert.deepEqual(
          problems.map(({ kind }) => kind),
          [bad.row],
        )
        for (const problem of problems) assertSentence(problemText({ t, locale, timeZone: 'UTC' }, problem))
      }
    }
  })
}

function assertSentence(text: string): void {
  assert.match(text, /^[\p{Lu}“«].+\.$/u)
  assert.doesNotMatch(text, /[{}]|undefined|batches\./)
}

test('at least fifty bad files', () => assert.ok(BAD_FILES.length >= 50))

test('the same rows in every encoding, with and without a byte order mark', async () => {
  const text = `${HEAD}\r\n237677209341;Étienne Ngoûma;5000;MOMOCM\r\n`
  const utf16be = Buffer.from(text, 'utf16le').swap16()
  const files: [string, Buffer][] = [
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', utf16be],
    ['utf-16be', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be])],
    ['windows-1252', Buffer.from(text, 'latin1')],
  ]
  for (const [encoding, bytes] of files) {
    const file = await read(bytes)
    assert.equal(file.reading.encoding, encoding)
    assert.deepEqual(file.headers, ['Téléphone', 'Nom', 'Montant', 'Opérateur'])
    assert.deepEqual(file.rows, [{ rowNumber: 2, cells: ['237677209341', 'Étienne Ngoûma', '5000', 'MOMOCM'] }])
  }
})

test('the same rows with every separator, line end and quoting; decimal commas do not confuse it', async () => {
  for (const separator of [';', ',', '\t', '|']) {
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = [
        ['Phone number', 'Name', 'Amount'],
        ['237677209341', 'Awa "la grande"\nDiop', '1 234,50'],
        ['237677209342', 'B', '7'],
      ]
      const text = lines.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator)).join(end)
      assert.deepEqual(await cellsOf(text), [
        ['237677209341', 'Awa "la grande" Diop', '1 234,50'],
        ['237677209342', 'B', '7'],
      ])
    }
  }
  assert.deepEqual(await cellsOf('Téléphone;Nom;Montant\n237677209341;A;1234,50\n237677209342;B;99,00\n'), [
    ['237677209341', 'A', '1234,50'],
    ['237677209342', 'B', '99,00'],
  ])
  assert.deepEqual(await cellsOf(`sep=|\n${HEAD.replaceAll(';', '|')}\n${ROW.replaceAll(';', '|')}`), [ROW.split(';')])
})

test('row numbers are those of the spreadsheet: titles and empty rows are left out and counted', async () => {
  const file = await read(`Paie de janvier;;;\n;;;\n${HEAD}\n\n${ROW}\n;;;\n${ROW}\n`)
  assert.deepEqual(
    file.rows.map(({ rowNumber }) => rowNumber),
    [5, 7],
  )
  assert.equal(file.reading.rowsAbove, 1)
})

test('any rows come back as they were written, as separated values and as a workbook', async () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 30 })
    .map((cell) => cell.replace(/\p{Cc}+/gu, ' ').trim())
    .filter((cell) => cell !== '' && !cell.startsWith('<') && !/[\ufffe\uffff]/.test(cell))
  const rows = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(rows, async (written) => {
      const lines = [['Phone', 'Name', 'Amount'], ...written]
      const csv = `\ufeff${lines.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')).join('\r\n')}`
      const expected = written.map((cells) => cells.map((cell) => cell.toWellFormed()))
      // A row that consists of headers is one.
      fc.pre(written.every((cells) => !cells.some((cell) => /^(phone|name|amount|nom|tel)/i.test(cell))))
      assert.deepEqual(await cellsOf(csv), expected)
      assert.deepEqual(await cellsOf(await workbook({ sheet: sheetXml(rowsXml(lines)) })), expected)
    }),
    { numRuns: 60 },
  )
})

test('numbers keep every digit, dates, formulas and shared texts are known for what they are, hidden rows are left out', async () => {
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yy;@"/><numFmt numFmtId="171" formatCode="#,##0 &quot;day&quot;"/></numFmts><cellXfs><xf/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>'
  const sharedStrings = '<sst><si><t>Phone</t></si><si><r><t>Na</t></r><r><t>me</t></r><rPh><t>x</t></rPh></si></sst>'
  const head = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>Amount</t></is></c></row>'
  const rows = `<row r="2"><c r="A2"><v>2.37677209341E11</v></c><c r="C2" s="1"><v>46027</v></c></row>
    <row r="3" hidden="1"><c r="A3"><v>1</v></c></row>
    <row r="4"><c r="A4" t="str"><f>A2</f><v>237</v></c><c r="C4" s="2"><f>1+1</f><v>2</v></c></row>`
  const file = await read(await workbook({ sheet: sheetXml(head + rows), styles, sharedStrings }))
  assert.deepEqual(file.headers, ['Phone', 'Name', 'Amount'])
  assert.deepEqual(file.rows, [
    { rowNumber: 2, cells: [{ text: '2.37677209341E11', kind: 'number' }, '', { text: '2026-01-05', kind: 'date' }] },
    { rowNumber: 4, cells: [{ text: '237', kind: 'text', isFormula: true }, '', { text: '2', kind: 'number', isFormula: true }] },
  ])
  assert.deepEqual([file.reading.hiddenRows, file.reading.sheet], [1, 'Paie'])
})

test('the template of each language and format is recognised and has no problem', async () => {
  for (const locale of ['en', 'fr'] as const) {
    for (const format of ['csv', 'xlsx'] as const) {
      const pieces: Buffer[] = []
      for await (const piece of batchTemplate(createTranslate(locale, MESSAGES[locale]), format)) pieces.push(piece)
      const file = await read(Buffer.concat(pieces))
      const columns = recogniseColumns(file.headers)
      assert.deepEqual(columns, { phoneNumber: 0, amount: 1, customerName: 2, purpose: 3, operator: 4, country: 5 })
      for (const { cells } of file.rows) {
        const row = readRow(cells, {}, { columns, defaultOperator: null, acceptedRepairs: new Set() })
        assert.deepEqual([row.problems, row.repairs], [[], []])
      }
    }
  }
})

test('the event loop is free while 10,000 rows and a zip of 200 MB are read; two applications upload at once', async () => {
  const reader = createFileReader()
  const zeros = BAD_FILES.find(({ name }) => name.startsWith('200 MB'))
  const bomb = await zeros?.bytes()
  const large = Buffer.from([HEAD, ...Array.from({ length: 10_000 }, () => ROW)].join('\n'))
  const eventLoop = watchEventLoop()
  const [rows, refused] = await Promise.all([reader.read(large, 'kora'), reader.read(bomb ?? Buffer.alloc(0), 'teranga')])
  const { mostMs } = eventLoop.stop()
  assert.equal(must(rows).rows.length, 10_000)
  assert.ok(!refused.ok)
  assert.ok(mostMs < 250, `the event loop stood still for ${mostMs} ms`)
})

test('too_slow: a file that takes longer than the limit; the next file is read', async () => {
  const reader = createFileReader({ timeLimitMs: 1 })
  assert.deepEqual(await reader.read(Buffer.from(`${HEAD}\n${ROW}`), 'kora'), { ok: false, error: { kind: 'too_slow' } })
  assert.equal(must(await createFileReader().read(Buffer.from(`${HEAD}\n${ROW}`), 'kora')).rows.length, 1)
})

test('busy: the third file of an application of which one is read and one waits', async () => {
  const reader = createFileReader()
  const results = await Promise.all(Array.from({ length: 4 }, () => reader.read(Buffer.from(`${HEAD}\n${ROW}`), 'kora')))
  assert.deepEqual(
    results.map((result) => (result.ok ? result.value.rows.length : result.error)),
    [1, 1, 'busy', 'busy'],
  )
})

const MEGABYTE = 1024 * 1024
/** Takes seconds to read, and says nothing. */
const EMPTY_ELEMENT = '<x a="" b="" c=""/>'
const many = (megabytes: number) => EMPTY_ELEMENT.repeat(Math.floor((megabytes * MEGABYTE) / EMPTY_ELEMENT.length))
const ROWS = rowsXml([HEAD.split(';'), ROW.split(';')])

test('the file of an application is read before the first of four workbooks of another one that take as long as they may', async () => {
  const hostile = await workbook({ sheet: sheetXml(`${many(62)}${ROWS}`) })
  const reader = createFileReader({ timeLimitMs: 4_000 })
  const ended: unknown[] = []
  const uploads = Array.from({ length: 4 }, async () => {
    const result = await reader.read(Buffer.from(hostile), 'hostile')
    ended.push(result.ok ? 'read' : result.error)
  })
  assert.equal(must(await reader.read(Buffer.from(`${HEAD}\n${ROW}`), 'kora')).rows.length, 1)
  assert.deepEqual(ended, ['busy', 'busy'])
  await Promise.all(uploads)
  assert.equal(ended.length, 4)
  const impatient = createFileReader({ timeLimitMs: 200 })
  assert.deepEqual(await impatient.read(Buffer.from(hostile), 'hostile'), { ok: false, error: { kind: 'too_slow' } })
})

test('unpacks_too_large for more stored texts than a table has cells, and for more than 16 million characters of them', async () => {
  for (const texts of ['<si></si>'.repeat(BATCH_ROWS_MAX * BATCH_COLUMNS_MAX + 1), `<si><t>${'x'.repeat(16 * MEGABYTE + 1)}</t></si>`]) {
    const result = await readFile(await workbook({ sheet: sheetXml(ROWS), sharedStrings: `<sst>${texts}</sst>` }))
    assert.deepEqual(result, { ok: false, error: { kind: 'unpacks_too_large' } })
  }
})

test('unpacks_too_large, before anything is unpacked, for parts that are too large together, and for a directory of sheets beyond 4 MB', async () => {
  for (const parts of [
    { sheet: sheetXml(`${ROWS}${many(41)}`), sharedStrings: `<sst>${many(41)}</sst>` },
    { sheet: sheetXml(ROWS), workbook: `<workbook><sheets><sheet name="a" r:id="rId1"/></sheets>${many(5)}</workbook>` },
  ]) {
    const bytes = await workbook(parts)
    // Damaged where a part begins: only its directory can have been read.
    const start = bytes.indexOf('xl/sharedStrings.xml') >= 0 ? bytes.indexOf('xl/sharedStrings.xml') : bytes.indexOf('xl/workbook.xml')
    bytes.fill(0xff, start + 40, start + 60)
    const result = await readFile(bytes)
    assert.deepEqual(result, { ok: false, error: { kind: 'unpacks_too_large' } })
  }
})

test('a part that the sheet does not need is neither unpacked nor counted', async () => {
  const file = must(await readFile(await workbook({ sheet: sheetXml(ROWS), extra: { 'xl/worksheets/sheet2.xml': sheetXml(many(90)) } })))
  assert.equal(file.rows.length, 1)
})

test('the thread of a file has ended when its answer is there, so that the next one has its memory', async () => {
  const reader = createFileReader()
  for (const [file, isRead] of [
    [Buffer.from(`${HEAD}\n${ROW}`), true],
    [Buffer.from('%PDF-1.7'), false],
  ] as const) {
    assert.equal((await reader.read(file, 'kora')).ok, isRead)
    assert.ok(!process.getActiveResourcesInfo().includes('MessagePort'))
  }
})
