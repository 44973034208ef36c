import { cellText } from '../export/safe-text.ts'
import { contentTypes, ROOT_RELATIONS, STYLES, workbookParts } from '../export/xlsx-parts.ts'
import { ZipStream } from '../export/zip-stream.ts'

type Rows = AsyncIterable<readonly (readonly string[])[]>

const HEAD_STYLE = 1
const TEXT_STYLE = 5
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/**
 * Writes a workbook with one sheet of texts, part by part. Every cell has the format text, so that no spreadsheet turns a phone number
 * into 2.37E+11, and nothing in it becomes a formula.
 */
export async function* writeTextWorkbook(sheetName: string, heads: readonly string[], rows: Rows): AsyncGenerator<Buffer, void, undefined> {
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
