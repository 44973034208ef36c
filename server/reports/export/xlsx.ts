import { createHash } from 'node:crypto'
import { clockIn } from '#lib/time/format-time.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { cellText, type TableCell, type TableRows } from './csv.ts'
import { type Cell, chooseColumns } from './export-columns.ts'
import type { FilePieces } from './export-file.ts'
import { type ExportResult, type ExportWriter, recordLines, type WriterOptions } from './export-record.ts'
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
  const zone = subject.timeZone
  const heads = columns.map(({ label, width }) => ({ label: label(t, zone), width }))
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
                  columns.map((column) => onClock(column.cell(row), zone)),
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

/** Wide enough for an amount and a day; words may need more. */
const WIDTH = 16

/** A table as a workbook of one sheet, piece by piece. `first` is the step that was read already; the rows have to fit into one sheet. */
export async function* writeTableXlsx(
  name: string,
  heads: readonly string[],
  first: Awaited<ReturnType<TableRows['next']>>,
  rows: TableRows,
): FilePieces {
  const zip = new ZipStream()
  try {
    yield* zip.begin('xl/worksheets/sheet1.xml')
    yield* await zip.write(Buffer.from(sheetHead(heads.map((label) => ({ label, width: Math.max(WIDTH, label.length + 2) })))))
    let count = 0
    for (let step = first; !step.done; step = await rows.next()) {
      const xml = step.value.map((cells) => rowXml(cells.map(toCell), ++count + 1)).join('')
      if (xml !== '') yield* await zip.write(Buffer.from(xml))
    }
    yield* await zip.write(Buffer.from(sheetEnd(heads.length, count)))
    yield* await zip.end()
    const { workbook, relations } = workbookParts([name])
    const parts = [
      ['xl/styles.xml', STYLES],
      ['xl/workbook.xml', workbook],
      ['xl/_rels/workbook.xml.rels', relations],
      ['_rels/.rels', ROOT_RELATIONS],
      ['[Content_Types].xml', contentTypes(1)],
    ] as const
    for (const [path, text] of parts) yield* await zip.add(path, text)
    yield* zip.close()
  } finally {
    zip.discard()
  }
}

function toCell(cell: TableCell): Cell {
  if ('decimal' in cell) return { kind: 'number', decimal: cell.decimal }
  if ('instant' in cell) return { kind: 'instant', at: new Date(cell.instant) }
  if ('clock' in cell) return clockCell(cell.clock)
  if ('day' in cell) return cell.day === null ? { kind: 'empty' } : { kind: 'day', day: cell.day }
  return cell.text === '' ? { kind: 'empty' } : { kind: 'text', text: cell.text }
}

function onClock(cell: Cell, zone: string): Cell {
  return cell.kind === 'instant' ? clockCell(clockIn(zone, cell.at), cell.at.getUTCMilliseconds()) : cell
}

/** A workbook knows no zone: the cell shows what the clock showed. */
function clockCell(clock: string, milliseconds = 0): Cell {
  return { kind: 'instant', at: new Date(Date.parse(`${clock.replace(' ', 'T')}Z`) + milliseconds) }
}

/** Day 0 of a workbook's calendar. */
const EPOCH_MS = Date.UTC(1899, 11, 30)
const STYLE = { head: 1, amount: 2, instant: 3, amountWithCents: 4, text: 5, day: 6 } as const

type SheetColumn = { label: string /** In characters. */; width: number }

/** The start of a sheet: the widths, and the row of heads, which stays in sight. */
function sheetHead(columns: readonly SheetColumn[]): string {
  const widths = columns
    .map((column, place) => `<col min="${place + 1}" max="${place + 1}" width="${column.width}" customWidth="1"/>`)
    .join('')
  const heads = columns.map((column, place) => textCell(addressOf(place, 1), column.label, STYLE.head)).join('')
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths}</cols><sheetData><row r="1">${heads}</row>`
}

/** A row of cells; the first one below the heads is number 2. */
function rowXml(cells: readonly Cell[], number: number): string {
  return `<row r="${number}">${cells.map((cell, place) => cellXml(addressOf(place, number), cell)).join('')}</row>`
}

/** The end of a sheet with this many rows below its heads. */
function sheetEnd(columns: number, rows: number): string {
  const lastCell = addressOf(columns - 1, rows + 1)
  // Otherwise Excel marks each phone number with a green corner: a number stored as text.
  const ignored = `<ignoredErrors><ignoredError sqref="A1:${lastCell}" numberStoredAsText="1"/></ignoredErrors>`
  return `</sheetData><autoFilter ref="A1:${lastCell}"/>${ignored}</worksheet>`
}

/** A cell's address: `A1`. Optional in the format, but some readers refuse cells without it. */
function addressOf(column: number, row: number): string {
  return `${String.fromCharCode(65 + column)}${row}`
}

function cellXml(address: string, cell: Cell): string {
  switch (cell.kind) {
    case 'text':
      return textCell(address, cell.text)
    case 'number':
      return `<c r="${address}" s="${cell.decimal.includes('.') ? STYLE.amountWithCents : STYLE.amount}"><v>${cell.decimal}</v></c>`
    case 'instant':
      return `<c r="${address}" s="${STYLE.instant}"><v>${((cell.at.getTime() - EPOCH_MS) / DAY_MS).toFixed(8)}</v></c>`
    case 'day':
      return dayCell(address, cell.day)
    case 'empty':
      return ''
  }
}

/** Days before the calendar of a workbook begins are texts. */
function dayCell(address: string, day: string): string {
  const number = (Date.parse(day) - EPOCH_MS) / DAY_MS
  return number < 1 ? textCell(address, day) : `<c r="${address}" s="${STYLE.day}"><v>${number}</v></c>`
}

function textCell(address: string, text: string, style: number = STYLE.text): string {
  return `<c r="${address}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`
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

// The fixed parts of a workbook (ECMA-376): what is in the zip besides the sheets.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Styles: 0 plain, 1 head, 2 whole amount, 3 instant, 4 amount with hundredths, 5 text, 6 day. */
export const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="7"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="3" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="4" applyNumberFormat="1"/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="166" applyNumberFormat="1"/></cellXfs></styleSheet>`

export const ROOT_RELATIONS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

/** The content type of each part of a workbook with this number of sheets. */
export function contentTypes(sheets: number): string {
  const parts = Array.from(
    { length: sheets },
    (_, place) => `<Override PartName="/xl/worksheets/sheet${place + 1}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
  ).join('')
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${parts}</Types>`
}

/** The list of sheets by name, and where each is. */
export function workbookParts(sheetNames: readonly string[]): { workbook: string; relations: string } {
  const sheets = sheetNames
    .map(
      (name, place) =>
        `<sheet name="${name.replace(/[&<>"[\]:*?/\\]/g, ' ').slice(0, 31)}" sheetId="${place + 1}" r:id="rId${place + 1}"/>`,
    )
    .join('')
  const relations = sheetNames
    .map((_, place) => `<Relationship Id="rId${place + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${place + 1}.xml"/>`)
    .join('')
  return {
    workbook: `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets}</sheets></workbook>`,
    relations: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations}<Relationship Id="rId${sheetNames.length + 1}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  }
}
