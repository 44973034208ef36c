import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createTranslate } from '#lib/i18n/translate.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import {
  ROW_PROBLEM_KINDS,
  type RowProblemKind,
  type StatementProblem,
  statementProblemText,
} from '#lib/reconciliation/statement-problem.ts'
import { BAD_FILES } from '#server/batches/testing/bad-files.ts'
import { MESSAGES } from '#server/messages.ts'
import { rowsXml, sheetXml, workbook } from '#server/testing/batches/workbook.ts'
import { must } from '#server/testing/partner.ts'
import { AIRTEL_HEADER, aReadingWallet, csv, MTN_HEADER, mtnRow, readLines, WAVE_COLLECT_HEADER } from '../testing/statements.ts'
import type { ReadingWallet } from './statement-lines.ts'

const AIRTEL = ['1', '05-11-2026 14:00', 'from 0751234567', 'Success', '100', 'Credit', '0', '100']
const MTN = {
  Id: '1',
  Date: '2026-11-05 08:00:00',
  Status: 'Successful',
  Type: 'Debit',
  From: 'FRI:237677000001/MSISDN',
  To: 'FRI:237670000009/MSISDN',
  Amount: '100',
}
const airtel = (...rows: string[][]) => csv([AIRTEL_HEADER, ...rows])
const changed = (place: number, cell: string) => AIRTEL.map((each, index) => (index === place ? cell : each))

type Bad = {
  name: string
  kind: StatementProblem['kind']
  bytes: string | Uint8Array | Promise<Buffer>
  operator?: OperatorCode
  wallet?: Partial<ReadingWallet>
}

const BAD_STATEMENTS: readonly Bad[] = [
  { name: 'a text', kind: 'unknown_format', bytes: 'Dear customer, your statement is attached.' },
  { name: 'a list of payments', kind: 'unknown_format', bytes: 'phone;name;amount\n237677209341;Awa;5000' },
  { name: 'no header', kind: 'unknown_format', bytes: csv([AIRTEL, AIRTEL]) },
  {
    name: 'a header below more than forty rows',
    kind: 'unknown_format',
    bytes: csv([...Array.from({ length: 41 }, () => ['x', 'y']), AIRTEL_HEADER, AIRTEL]),
  },
  { name: 'a header alone', kind: 'no_rows', bytes: airtel() },
  { name: 'a column at another place', kind: 'columns_moved', bytes: csv([AIRTEL_HEADER.toReversed(), AIRTEL]) },
  { name: 'a column too few', kind: 'columns_moved', bytes: csv([AIRTEL_HEADER.slice(0, 7), AIRTEL]) },
  { name: 'a column too many', kind: 'columns_moved', bytes: csv([[...AIRTEL_HEADER, 'Tax'], AIRTEL]) },
  {
    name: 'the statement of another operator',
    kind: 'wrong_operator',
    bytes: csv([WAVE_COLLECT_HEADER, ['2026-11-05 08:00:00', '1', 'x', '1', '0', 'XOF', '', '', '', '', '']]),
  },
  {
    name: 'the statement of another wallet, by its banner',
    kind: 'wrong_wallet',
    bytes: csv([['Mobile Number', '256750000888'], AIRTEL_HEADER, AIRTEL]),
    wallet: { number: '256750000777' },
  },
  {
    name: 'the statement of another wallet, by its rows',
    kind: 'wrong_wallet',
    bytes: csv([MTN_HEADER, mtnRow(MTN)]),
    operator: 'MOMOCM',
    wallet: { number: '237670000008' },
  },
  { name: 'dates in both orders', kind: 'mixed_dates', bytes: airtel(changed(1, '05/11/2026 14:00'), changed(1, '11/25/2026 14:00')) },
  { name: 'gzip that was cut', kind: 'gzip_damaged', bytes: gzipSync(airtel(AIRTEL)).subarray(0, 40) },
  {
    name: 'gzip with changed bytes',
    kind: 'gzip_damaged',
    bytes: corrupted(gzipSync(airtel(...Array.from({ length: 50 }, () => AIRTEL)))),
  },
  { name: 'gzip in gzip', kind: 'compressed', bytes: gzipSync(gzipSync(airtel(AIRTEL))) },
  { name: 'gzip of nothing', kind: 'empty', bytes: gzipSync('') },
  {
    name: 'formulas',
    kind: 'formula',
    bytes: workbook({ sheet: sheetXml(rowsXml([AIRTEL_HEADER, changed(4, '<c t="n"><f>1+1</f><v>2</v></c>')])) }),
  },
]

function corrupted(bytes: Buffer): Buffer {
  bytes.fill(0xff, bytes.length - 20, bytes.length - 9)
  return bytes
}

/** Files that nobody should take for a statement; those that only lack a known header are checked above. */
const SHARED_KINDS = new Set([
  'empty',
  'old_workbook',
  'encrypted',
  'binary_workbook',
  'open_document',
  'apple_numbers',
  'word_document',
  'other_zip',
  'damaged_zip',
  'damaged_workbook',
  'entities',
  'no_sheet',
  'pdf',
  'picture',
  'web_page',
  'json',
  'xml',
])

for (const { name, kind, bytes, operator = 'UGAIRTEL', wallet } of BAD_STATEMENTS) {
  test(`${kind}, with a sentence in both languages: ${name}`, async () => {
    const result = await readLines(await bytes, aReadingWallet(operator, wallet))
    assert.ok(!result.ok, 'the file was accepted')
    assert.equal(result.error.kind, kind)
    assertSentences(result.error)
  })
}

for (const bad of BAD_FILES.filter((each) => 'file' in each && SHARED_KINDS.has(each.file))) {
  test(`refused, with a sentence in both languages: ${bad.name}`, async () => {
    const result = await readLines(Buffer.from(await bad.bytes()), aReadingWallet('UGAIRTEL'))
    assert.ok(!result.ok, 'the file was accepted')
    assertSentences(result.error)
  })
}

function assertSentences(problem: StatementProblem): void {
  for (const locale of ['en', 'fr'] as const) {
    const text = statementProblemText(createTranslate(locale, MESSAGES[locale]), problem)
    assert.match(text, /^[\p{Lu}“«].+\.$/u)
    assert.doesNotMatch(text, /[{}]|undefined|statements\.|batches\./)
  }
}

const BAD_ROWS: readonly [RowProblemKind, string, string[]][] = [
  ['amount', 'words', changed(4, 'a hundred')],
  ['amount', 'three decimals', changed(4, '100.1234')],
  ['amount', 'an exponent', changed(4, '2.37E+11')],
  ['amount', 'nothing', changed(4, '')],
  ['time', 'no time', changed(1, '')],
  ['time', 'a day that does not exist', changed(1, '31-02-2026 10:00')],
  ['future', 'next year', changed(1, '05-11-2027 10:00')],
  ['status', 'a word that is not known', changed(3, 'Maybe')],
  ['direction', 'no mark', changed(5, '')],
]

for (const [kind, name, row] of BAD_ROWS) {
  test(`the row is set aside as ${kind} and the others are read: ${name}`, async () => {
    const file = must(await readLines(airtel(AIRTEL, row, AIRTEL), aReadingWallet('UGAIRTEL')))
    assert.deepEqual([file.lines.length, file.bad.map(({ row_number, problem }) => [row_number, problem])], [2, [[3, kind]]])
  })
}

test('every problem of a row has a sentence in both languages', () => {
  for (const locale of ['en', 'fr'] as const) {
    const t = createTranslate(locale, MESSAGES[locale])
    for (const kind of ROW_PROBLEM_KINDS) assert.match(t(`statements.row.${kind}`), /^\p{Lu}.+\.$/u)
  }
})
