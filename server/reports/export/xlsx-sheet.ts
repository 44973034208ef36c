import { DAY_MS } from '#lib/durations.ts'
import type { Cell } from './export-columns.ts'
import { cellText } from './safe-text.ts'

/** Day 0 of a workbook's calendar. */
const EPOCH_MS = Date.UTC(1899, 11, 30)
export const STYLE = { head: 1, amount: 2, instant: 3, amountWithCents: 4, text: 5, day: 6 } as const

type SheetColumn = { label: string /** In characters. */; width: number }

/** The start of a sheet: the widths, and the row of heads, which stays in sight. */
export function sheetHead(columns: readonly SheetColumn[]): string {
  const widths = columns
    .map((column, place) => `<col min="${place + 1}" max="${place + 1}" width="${column.width}" customWidth="1"/>`)
    .join('')
  const heads = columns.map((column, place) => textCell(addressOf(place, 1), column.label, STYLE.head)).join('')
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths}</cols><sheetData><row r="1">${heads}</row>`
}

/** A row of cells; the first one below the heads is number 2. */
export function rowXml(cells: readonly Cell[], number: number): string {
  return `<row r="${number}">${cells.map((cell, place) => cellXml(addressOf(place, number), cell)).join('')}</row>`
}

/** The end of a sheet with this many rows below its heads. */
export function sheetEnd(columns: number, rows: number): string {
  const lastCell = addressOf(columns - 1, rows + 1)
  // Otherwise Excel marks each phone number with a green corner: a number stored as text.
  const ignored = `<ignoredErrors><ignoredError sqref="A1:${lastCell}" numberStoredAsText="1"/></ignoredErrors>`
  return `</sheetData><autoFilter ref="A1:${lastCell}"/>${ignored}</worksheet>`
}

/** A cell's address: `A1`. Optional in the format, but some readers refuse cells without it. */
export function addressOf(column: number, row: number): string {
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

export function textCell(address: string, text: string, style: number = STYLE.text): string {
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
