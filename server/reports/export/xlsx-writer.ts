import { createHash } from 'node:crypto'
import { DAY_MS } from '#lib/durations.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { type Cell, chooseColumns, type ExportedRow } from './export-columns.ts'
import { type ExportResult, recordLines } from './export-record.ts'
import type { ExportWriter, WriterOptions } from './export-writer.ts'
import { cellText } from './safe-text.ts'
import { contentTypes, ROOT_RELATIONS, STYLES, workbookParts } from './xlsx-parts.ts'
import { ZipStream } from './zip-stream.ts'

/** What a sheet can hold with its head. */
const SHEET_ROWS_MAX = 1_048_575
/** Day 0 of a workbook's calendar. */
const EPOCH_MS = Date.UTC(1899, 11, 30)
const STYLE = { head: 1, amount: 2, instant: 3, amountWithCents: 4, text: 5 } as const

type Columns = ReturnType<typeof chooseColumns>

/**
 * A workbook of its own making: sheets of inline strings written in one pass, so that memory does not grow with the list. Texts are
 * cells of the type text and in the format text, so no content becomes a formula, not even when somebody edits the cell, and a phone number
 * keeps every digit. A list longer than a sheet goes on in another one. The SHA-256 is over the XML of all data sheets, in order, as it is in the zip.
 */
export function createXlsxWriter({ subject, t, sheetRowsMax = SHEET_ROWS_MAX }: WriterOptions & { sheetRowsMax?: number }): ExportWriter {
  const columns = chooseColumns(subject.columns)
  const zip = new ZipStream()
  const hash = createHash('sha256')
  let sheets = 0
  let rowsInSheet = 0

  async function data(xml: string): Promise<Buffer[]> {
    const bytes = Buffer.from(xml)
    hash.update(bytes)
    return zip.write(bytes)
  }

  async function openSheet(): Promise<Buffer[]> {
    sheets++
    rowsInSheet = 0
    return [...zip.begin(`xl/worksheets/sheet${sheets}.xml`), ...(await data(sheetHead(columns, t)))]
  }

  async function closeSheet(): Promise<Buffer[]> {
    const lastCell = addressOf(columns.length - 1, rowsInSheet + 1)
    // Otherwise Excel marks each phone number with a green corner: a number stored as text.
    const ignored = `<ignoredErrors><ignoredError sqref="A1:${lastCell}" numberStoredAsText="1"/></ignoredErrors>`
    return [...(await data(`</sheetData><autoFilter ref="A1:${lastCell}"/>${ignored}</worksheet>`)), ...(await zip.end())]
  }

  return {
    open: openSheet,
    async rows(rows) {
      const chunks: Buffer[] = []
      for (let at = 0; at < rows.length; ) {
        if (rowsInSheet === sheetRowsMax) chunks.push(...(await closeSheet()), ...(await openSheet()))
        const part = rows.slice(at, at + sheetRowsMax - rowsInSheet)
        const firstRow = rowsInSheet + 2
        chunks.push(...(await data(part.map((row, place) => rowXml(columns, row, firstRow + place)).join(''))))
        rowsInSheet += part.length
        at += part.length
      }
      return chunks
    },
    async close(counted) {
      const chunks = await closeSheet()
      const result: ExportResult = { ...counted, dataSha256: hash.digest('hex') }
      const names = Array.from({ length: sheets }, (_, place) =>
        place === 0 ? t('transactions.title') : `${t('transactions.title')} ${place + 1}`,
      )
      const { workbook, relations } = workbookParts([...names, t('exports.record')])
      chunks.push(...(await zip.add(`xl/worksheets/sheet${sheets + 1}.xml`, recordSheet(recordLines(subject, result)))))
      chunks.push(...(await zip.add('xl/styles.xml', STYLES)), ...(await zip.add('xl/workbook.xml', workbook)))
      chunks.push(...(await zip.add('xl/_rels/workbook.xml.rels', relations)), ...(await zip.add('_rels/.rels', ROOT_RELATIONS)))
      chunks.push(...(await zip.add('[Content_Types].xml', contentTypes(sheets + 1))), ...zip.close())
      return { chunks, result }
    },
    discard: () => zip.discard(),
  }
}

function sheetHead(columns: Columns, t: Translate): string {
  const widths = columns
    .map((column, place) => `<col min="${place + 1}" max="${place + 1}" width="${column.width}" customWidth="1"/>`)
    .join('')
  const heads = columns.map((column, place) => textCell(addressOf(place, 1), column.label(t), STYLE.head)).join('')
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths}</cols><sheetData><row r="1">${heads}</row>`
}

/** A cell's address: `A1`. Optional in the format, but some readers refuse cells without it. */
function addressOf(column: number, row: number): string {
  return `${String.fromCharCode(65 + column)}${row}`
}

function rowXml(columns: Columns, row: ExportedRow, number: number): string {
  const cells = columns.map((column, place) => cellXml(addressOf(place, number), column.cell(row))).join('')
  return `<row r="${number}">${cells}</row>`
}

function cellXml(address: string, cell: Cell): string {
  switch (cell.kind) {
    case 'text':
      return textCell(address, cell.text)
    case 'number':
      return `<c r="${address}" s="${cell.decimal.includes('.') ? STYLE.amountWithCents : STYLE.amount}"><v>${cell.decimal}</v></c>`
    case 'instant':
      return `<c r="${address}" s="${STYLE.instant}"><v>${((cell.at.getTime() - EPOCH_MS) / DAY_MS).toFixed(8)}</v></c>`
    case 'empty':
      return ''
  }
}

function textCell(address: string, text: string, style: number = STYLE.text): string {
  return `<c r="${address}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`
}

function recordSheet(lines: readonly (readonly [string, string])[]): string {
  const rows = lines
    .map(([name, value], place) => {
      const number = place + 1
      return `<row r="${number}">${textCell(addressOf(0, number), name, STYLE.head)}${textCell(addressOf(1, number), value)}</row>`
    })
    .join('')
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cols><col min="1" max="1" width="24" customWidth="1"/><col min="2" max="2" width="72" customWidth="1"/></cols><sheetData>${rows}</sheetData></worksheet>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as XML may hold it: control characters, which no XML can carry, are dropped; `_x0041_` is not read back as an escape. */
function escapeXml(text: string): string {
  return (
    cellText(text)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are not allowed in XML
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
      .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
  )
}
