import { createHash } from 'node:crypto'
import { chooseColumns } from './export-columns.ts'
import { type ExportResult, recordLines } from './export-record.ts'
import type { ExportWriter, WriterOptions } from './export-writer.ts'
import { contentTypes, ROOT_RELATIONS, STYLES, workbookParts } from './xlsx-parts.ts'
import { addressOf, rowXml, STYLE, sheetEnd, sheetHead, textCell } from './xlsx-sheet.ts'
import { ZipStream } from './zip-stream.ts'

/** The rows that fit on a sheet with its head. */
const SHEET_ROWS_MAX = 1_048_575
/**
 * A workbook of its own making: sheets of inline strings written in one pass, so that memory does not grow with the list. Texts are
 * cells of the type text and in the format text, so no content becomes a formula, not even when somebody edits the cell, and a phone number
 * keeps every digit. A list longer than a sheet goes on in another one. The SHA-256 is over the XML of all data sheets, in order, as it is
 * in the zip.
 */
export function createXlsxWriter({ subject, t, sheetRowsMax = SHEET_ROWS_MAX }: WriterOptions & { sheetRowsMax?: number }): ExportWriter {
  const columns = chooseColumns(subject.columns)
  const heads = columns.map(({ label, width }) => ({ label: label(t), width }))
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
    return [...zip.begin(`xl/worksheets/sheet${sheets}.xml`), ...(await data(sheetHead(heads)))]
  }

  async function closeSheet(): Promise<Buffer[]> {
    return [...(await data(sheetEnd(columns.length, rowsInSheet))), ...(await zip.end())]
  }

  return {
    open: openSheet,
    async rows(rows) {
      const chunks: Buffer[] = []
      for (let at = 0; at < rows.length; ) {
        if (rowsInSheet === sheetRowsMax) chunks.push(...(await closeSheet()), ...(await openSheet()))
        const part = rows.slice(at, at + sheetRowsMax - rowsInSheet)
        const firstRow = rowsInSheet + 2
        chunks.push(
          ...(await data(
            part
              .map((row, place) =>
                rowXml(
                  columns.map((column) => column.cell(row)),
                  firstRow + place,
                ),
              )
              .join(''),
          )),
        )
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

function recordSheet(lines: readonly (readonly [string, string])[]): string {
  const rows = lines
    .map(([name, value], place) => {
      const number = place + 1
      return `<row r="${number}">${textCell(addressOf(0, number), name, STYLE.head)}${textCell(addressOf(1, number), value)}</row>`
    })
    .join('')
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cols><col min="1" max="1" width="24" customWidth="1"/><col min="2" max="2" width="72" customWidth="1"/></cols><sheetData>${rows}</sheetData></worksheet>`
}
