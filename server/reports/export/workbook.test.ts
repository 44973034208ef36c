import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import readWorkbook, { readSheet } from 'read-excel-file/node'
import { createTranslate } from '#lib/i18n/translate.ts'
import { AMOUNT_MINOR_MAX } from '#lib/money/money.ts'
import type { ListColumn } from '#lib/payments/transactions/transaction-exports.ts'
import { MESSAGES } from '#server/messages.ts'
import { EXPORT_COLUMNS, type ExportedRow } from './export-columns.ts'
import { readEntries } from './verify-workbook.ts'
import { createXlsxWriter } from './xlsx.ts'

// Our workbooks, read by a library: what a spreadsheet program finds in them.

const t = createTranslate('en', MESSAGES.en)
const SUBJECT = {
  exportId: randomUUID(),
  applicationName: 'Kora & Söhne <1>',
  personName: 'Awa Traoré',
  format: 'xlsx' as const,
  query: 'operator=UGMTN&min=100',
  selected: null,
  columns: null,
  timeZone: 'Africa/Douala',
  cutOffAt: new Date('2026-11-21T22:08:48.123Z'),
}

function aTransaction(overrides: Partial<ExportedRow> = {}): ExportedRow {
  return {
    applicationId: randomUUID(),
    transactionId: randomUUID(),
    sequence: 1n,
    externalId: randomUUID(),
    type: 'COLLECT',
    status: 'SUCCESS',
    adjustments: [],
    refund: null,
    operator: 'MOMOCM',
    currency: 'XAF',
    amountMinor: 500_000n,
    feeSystemMinor: 5_000n,
    feeAppMinor: 2_500n,
    heldMinor: 0n,
    customerName: 'Clarisse Mbarga',
    purpose: '',
    phoneNumber: '237677209341',
    webhookUrl: 'https://partner.example/hooks',
    payToken: randomUUID(),
    operatorReference: null,
    operatorReferenceOther: null,
    message: null,
    source: 'api',
    makerId: null,
    checkerId: null,
    batchId: null,
    makerName: null,
    version: 2,
    createdAt: new Date('2026-11-20T10:24:08Z'),
    finalAt: new Date('2026-11-20T10:24:59.500Z'),
    ...overrides,
  }
}

async function write(rows: readonly ExportedRow[], sheetRowsMax?: number, columns: ListColumn[] | null = null): Promise<Buffer> {
  const writer = createXlsxWriter({ subject: { ...SUBJECT, columns }, t, ...(sheetRowsMax === undefined ? {} : { sheetRowsMax }) })
  const chunks = [...(await writer.open()), ...(await writer.rows(rows))]
  chunks.push(...(await writer.close({ rowCount: rows.length, totals: [{ currency: 'XAF', count: rows.length, amount: '5000' }] })).chunks)
  return Buffer.concat(chunks)
}

/** The cells of one column below its head. */
async function columnOf(bytes: Buffer, id: string, options: { parseNumber?: (text: string) => number } = {}) {
  const place = EXPORT_COLUMNS.findIndex((column) => column.id === id)
  const [, ...rows] = await readSheet(bytes, 1, { trim: false, ...options })
  return rows.map((row) => row[place])
}

test('a row per transaction below a row of heads, in their order', async () => {
  const rows = [aTransaction(), aTransaction(), aTransaction()]
  const [head, ...body] = await readSheet(await write(rows), 1)
  assert.deepEqual(
    head,
    EXPORT_COLUMNS.map((column) => column.label(t, 'Africa/Douala')),
  )
  assert.deepEqual(
    body.map((row) => row[0]),
    rows.map((row) => row.transactionId),
  )
})

test('a phone number and a name of digits are text cells with every digit', async () => {
  const bytes = await write([aTransaction({ phoneNumber: '237677209341', customerName: '007' })])
  assert.deepEqual(await columnOf(bytes, 'phoneReceiver'), ['237677209341'])
  assert.deepEqual(await columnOf(bytes, 'receiverName'), ['007'])
})

test('a text that looks like a formula or like XML is a text cell, character for character', async () => {
  const names = ['=HYPERLINK("http://evil.example")', '+1', '@SUM(A1)', '<b>&_x0041_</b>', ' Awa "la grande", Traoré ', '&#65;', ']]>']
  assert.deepEqual(await columnOf(await write(names.map((customerName) => aTransaction({ customerName }))), 'receiverName'), names)
})

test('an amount is a number cell with the exact decimal', async () => {
  const read: string[] = []
  const parseNumber = (text: string) => {
    read.push(text)
    return Number(text)
  }
  const bytes = await write([aTransaction({ amountMinor: AMOUNT_MINOR_MAX }), aTransaction({ amountMinor: 10_050n })])
  assert.deepEqual(await columnOf(bytes, 'amount', { parseNumber }), [9_999_999_999.99, 100.5])
  assert.ok(read.includes('9999999999.99'))
})

test('an instant is a date cell with the clock time of the business zone, to the millisecond', async () => {
  const bytes = await write([aTransaction(), aTransaction({ createdAt: new Date('2028-02-29T23:59:59Z') })])
  const [first, leapDay] = await columnOf(bytes, 'createdAt')
  assert.ok(first instanceof Date && leapDay instanceof Date)
  // The library cuts fractions of a millisecond off.
  const isClose = (at: Date, clock: string) => Math.abs(at.getTime() - Date.parse(clock)) <= 1
  assert.ok(isClose(first, '2026-11-20T11:24:08.000Z'), first.toISOString())
  assert.ok(isClose(leapDay, '2028-03-01T00:59:59.000Z'), leapDay.toISOString())
  const [finished] = await columnOf(bytes, 'finalAt')
  assert.ok(finished instanceof Date && isClose(finished, '2026-11-20T11:24:59.500Z'))
})

test('an absent value is an empty cell', async () => {
  const bytes = await write([aTransaction({ finalAt: null, message: null, batchId: null, status: 'PENDING' })])
  assert.deepEqual(
    [await columnOf(bytes, 'finalAt'), await columnOf(bytes, 'message'), await columnOf(bytes, 'batchId')],
    [[null], [null], [null]],
  )
})

test('rows beyond one sheet continue in the next, below the same heads', async () => {
  const rows = Array.from({ length: 5 }, () => aTransaction())
  const sheets = await readWorkbook(await write(rows, 2))
  assert.deepEqual(
    sheets.map(({ sheet, data }) => [sheet, data.length]),
    [
      ['Transactions', 3],
      ['Transactions 2', 3],
      ['Transactions 3', 2],
      ['Record', 10],
    ],
  )
  assert.deepEqual(
    sheets.slice(0, 3).flatMap(({ data }) => data.slice(1).map((row) => row[0])),
    rows.map((row) => row.transactionId),
  )
})

test('the last sheet is the record, as pairs of texts', async () => {
  const sheets = await readWorkbook(await write([aTransaction()]))
  const record = new Map(sheets.at(-1)?.data.map(([name, value]) => [name, value]))
  assert.deepEqual(
    [record.get('Application'), record.get('Filter'), record.get('Cut-off (UTC)'), record.get('Rows'), record.get('Total XAF')],
    ['Kora & Söhne <1>', 'operator=UGMTN&min=100', '2026-11-21T22:08:48.123Z', '1', '5000 in 1 rows'],
  )
})

test('the chosen columns in their order, under heads that state the zone of times', async () => {
  const [head, row] = await readSheet(await write([aTransaction()], undefined, ['finished', 'customerName', 'id']), 1)
  assert.deepEqual(head, ['Finished (Africa/Douala)', 'Name', 'Phone number', 'Transaction id'])
  assert.ok(row?.[0] instanceof Date)
  assert.deepEqual(row?.slice(1, 3), ['Clarisse Mbarga', '237677209341'])
})

/** The files of a workbook with one transaction, by name. */
async function writtenEntries(): Promise<Map<string, string>> {
  return new Map(readEntries(await write([aTransaction()])).map(({ name, content }) => [name, content.toString('utf8')]))
}

test('text cells have the format text, without the mark of numbers stored as text', async () => {
  const entries = await writtenEntries()
  const sheet = entries.get('xl/worksheets/sheet1.xml') ?? ''
  assert.match(sheet, /t="inlineStr" s="5"><is><t xml:space="preserve">237677209341</)
  assert.match(
    entries.get('xl/styles.xml') ?? '',
    /<cellXfs count="7">(<xf[^>]*\/>){5}<xf numFmtId="49" applyNumberFormat="1"\/><xf numFmtId="166"[^>]*\/><\/cellXfs>/,
  )
  assert.match(sheet, /<ignoredErrors><ignoredError sqref="A1:X2" numberStoredAsText="1"\/><\/ignoredErrors>/)
})

test('the heads stay in sight and have filters', async () => {
  const sheet = (await writtenEntries()).get('xl/worksheets/sheet1.xml') ?? ''
  assert.match(sheet, /<autoFilter ref="A1:X2"\/>/)
  assert.match(sheet, /<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/)
})
