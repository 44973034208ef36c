import { BATCH_FIELDS, type BatchField } from '#lib/batches/batch-fields.ts'
import { type BatchWords, operatorText, problemText, type RowFilter, warningText } from '#lib/batches/batches.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { EMPTY_TEXTS, PAYMENT_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Batch } from '#server/batches/batch-store.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { cellText, type TableCell, type TableRows } from '../export/csv.ts'
import { type FilePieces, guardFile, takeExportSlot } from '../export/export-file.ts'
import { contentTypes, ROOT_RELATIONS, STYLES, workbookParts } from '../export/xlsx.ts'
import { ZipStream } from '../export/zip-stream.ts'
import { type StoredRow, selectBatch, selectRows } from './batch-report-store.ts'
import type { BatchResult } from './batch-run-store.ts'
import { readBatchResults, toRow } from './read-batch.ts'

const EXAMPLES: readonly Readonly<Record<BatchField, string>>[] = [
  { ...EMPTY_TEXTS, phoneNumber: '237690441208', amount: '25000', customerName: 'Clarisse Mbarga', operator: 'OMCM', country: '' },
  { ...EMPTY_TEXTS, phoneNumber: '2290197123456', amount: '12500', customerName: 'Koffi Adjovi', operator: 'BJMTN', country: '' },
]

/** An empty file with the headers that are recognised and two rows as an example, in the language of the person. */
export function batchTemplate(t: Translate, format: 'csv' | 'xlsx'): AsyncGenerator<Buffer, void, undefined> {
  const heads = BATCH_FIELDS.map((field) => t(`payment.field.${field}`))
  const rows = EXAMPLES.map((example) => BATCH_FIELDS.map((field) => example[field]))
  return format === 'xlsx' ? writeTextWorkbook(t('batches.template.sheet'), heads, parts(rows)) : csv([heads, ...rows])
}

/** With semicolons and a byte order mark, which spreadsheets in both languages open in columns. */
async function* csv(lines: readonly (readonly string[])[]): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(`\ufeff${lines.map((cells) => cells.join(';')).join('\r\n')}\r\n`)
}

async function* parts(rows: string[][]): AsyncGenerator<string[][]> {
  yield rows
}

const PART = 500

type DownloadRows = { applicationId: string; personId: string; batchId: string; show: RowFilter; words: BatchWords }

/**
 * Returns the rows of a batch as a workbook, each with what was found about it. Its first columns have the headers of the template, so
 * that the file can be corrected and uploaded again. An audit entry is written before the first byte.
 */
export async function downloadRows(
  deps: { pool: Pool; reportPool: Pool },
  { applicationId, personId, batchId, show, words }: DownloadRows,
): Promise<Result<{ file: FilePieces; name: string }, 'not_found' | 'busy'>> {
  const batch = await selectBatch(deps.pool, applicationId, batchId)
  if (!batch) return err('not_found')
  const slot = takeExportSlot(applicationId, deps.reportPool.options.max ?? 0)
  if (!slot) return err('busy')
  try {
    const by = { applicationId, actor: { kind: 'person' as const, id: personId } }
    await recordAct(deps.pool, by, { action: 'batch.exported', subject: batchId, details: { rows: show } })
  } catch (error) {
    slot.release()
    throw error
  }
  const { t } = words
  const heads = [...BATCH_FIELDS.map((field) => t(`payment.field.${field}`)), t('batches.row'), t('batches.result'), t('batches.reasons')]
  const file = writeTextWorkbook(t('batches.rows'), heads, readParts(deps.reportPool, batch, show, words))
  return ok({ file: guardFile(file, async () => slot.release()), name: batchId })
}

async function* readParts(pool: Pool, batch: Batch, show: RowFilter, words: BatchWords): AsyncGenerator<string[][]> {
  for (let offset = 0; ; offset += PART) {
    const rows = await selectRows(pool, batch, { show, offset, limit: PART })
    if (rows.length > 0) yield rows.map((row) => toCells(row, batch, words))
    if (rows.length < PART) return
  }
}

function toCells(stored: StoredRow, batch: Batch, words: BatchWords): string[] {
  const { t } = words
  const row = toRow(stored, batch.columns)
  const state =
    row.exclusion !== null
      ? 'excluded'
      : row.problems.length > 0 || stored.refusal !== null
        ? 'refused'
        : stored.transactionId
          ? 'started'
          : 'ready'
  return [
    ...BATCH_FIELDS.map((field) => {
      if (field === 'operator' && row.operator) return row.operator
      if (field === 'phoneNumber' && row.phoneNumber) return row.phoneNumber
      return row.typed[field]
    }),
    String(row.rowNumber),
    t(`batches.rowState.${state}`),
    [
      ...(row.exclusion === null ? [] : [row.exclusion]),
      ...(stored.refusal === null ? [] : [t('batches.rowRefused', { operator: row.operator ? operatorText(t, row.operator) : '' })]),
      ...row.problems.map((problem) => problemText(words, problem)),
      ...row.warnings.map((warning) => warningText(words, warning)),
    ].join(' · '),
  ]
}

type ResultColumn = { head: MessageKey; cell: (row: BatchResult, t: Translate) => TableCell }

const RESULT_COLUMNS: readonly ResultColumn[] = [
  { head: 'batch.head.row', cell: (row) => ({ text: row.rowNumber === null ? '' : String(row.rowNumber) }) },
  { head: 'batch.head.transactionId', cell: (row) => ({ text: row.transactionId }) },
  { head: 'batch.head.externalId', cell: (row) => ({ text: row.externalId }) },
  { head: 'payment.field.operator', cell: (row) => ({ text: row.operator }) },
  { head: 'payment.field.phoneNumber', cell: (row) => ({ text: row.phoneNumber }) },
  ...PAYMENT_TEXT_NAMES.map((name): ResultColumn => ({ head: `payment.field.${name}`, cell: (row) => ({ text: row[name] }) })),
  { head: 'payment.field.amount', cell: (row) => ({ decimal: formatMinor(row.amountMinor) }) },
  { head: 'batch.head.fees', cell: (row) => ({ decimal: formatMinor(row.feeMinor) }) },
  { head: 'batch.head.currency', cell: (row) => ({ text: row.currency }) },
  { head: 'batch.head.status', cell: (row) => ({ text: row.status }) },
  { head: 'batch.head.place', cell: (row, t) => ({ text: t(`batch.place.${row.place}`) }) },
  { head: 'batch.head.message', cell: (row) => ({ text: row.message ?? '' }) },
  { head: 'batch.head.finalAt', cell: (row) => ({ text: row.finalAt?.toISOString() ?? '' }) },
  { head: 'batch.head.payToken', cell: (row) => ({ text: row.payToken }) },
  { head: 'batch.head.repeats', cell: (row) => ({ text: row.repeats ?? '' }) },
  { head: 'batch.head.repeatedAs', cell: (row) => ({ text: row.repeatedAs ?? '' }) },
]

/** Returns the result of each row of a submitted batch as a table, in the order of the file. */
export function batchResultsTable(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
  t: Translate,
): { heads: string[]; rows: TableRows } {
  async function* rows(): TableRows {
    for await (const part of readBatchResults(queryable, applicationId, batchId)) {
      yield part.map((row) => RESULT_COLUMNS.map(({ cell }) => cell(row, t)))
    }
  }
  return { heads: RESULT_COLUMNS.map(({ head }) => t(head)), rows: rows() }
}

type Rows = AsyncIterable<readonly (readonly string[])[]>

const HEAD_STYLE = 1
const TEXT_STYLE = 5
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/**
 * Writes a workbook with one sheet of texts, part by part. Every cell has the format text, so that no spreadsheet turns a phone number
 * into 2.37E+11, and nothing in it becomes a formula.
 */
async function* writeTextWorkbook(sheetName: string, heads: readonly string[], rows: Rows): AsyncGenerator<Buffer, void, undefined> {
  const zip = new ZipStream()
  try {
    const columns = heads.map((_, place) => `<col min="${place + 1}" max="${place + 1}" width="24" style="${TEXT_STYLE}" customWidth="1"/>`)
    yield* zip.begin('xl/worksheets/sheet1.xml')
    const start = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${MAIN}"><cols>${columns.join('')}</cols><sheetData>`
    yield* await zip.write(Buffer.from(start + rowXml(heads, 1, HEAD_STYLE)))
    let number = 1
    for await (const part of rows) yield* await zip.write(Buffer.from(part.map((row) => rowXml(row, ++number, TEXT_STYLE)).join('')))
    yield* await zip.write(Buffer.from('</sheetData></worksheet>'))
    yield* await zip.end()
    const { workbook, relations } = workbookParts([sheetName])
    yield* await zip.add('xl/styles.xml', STYLES)
    yield* await zip.add('xl/workbook.xml', workbook)
    yield* await zip.add('xl/_rels/workbook.xml.rels', relations)
    yield* await zip.add('_rels/.rels', ROOT_RELATIONS)
    yield* await zip.add('[Content_Types].xml', contentTypes(1))
    yield* zip.close()
  } finally {
    zip.discard()
  }
}

function rowXml(cells: readonly string[], number: number, style: number): string {
  const xml = cells.map(
    (cell, column) =>
      `<c r="${String.fromCharCode(65 + column)}${number}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`,
  )
  return `<row r="${number}">${xml.join('')}</row>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeXml(text: string): string {
  return (
    cellText(text)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are not allowed in XML
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
      .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
  )
}
