import type { Cell } from './export-columns.ts'
import type { FilePieces } from './export-file.ts'
import type { TableCell, TableRows } from './table-csv.ts'
import { contentTypes, ROOT_RELATIONS, STYLES, workbookParts } from './xlsx-parts.ts'
import { rowXml, sheetEnd, sheetHead } from './xlsx-sheet.ts'
import { ZipStream } from './zip-stream.ts'

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
  if ('day' in cell) return cell.day === null ? { kind: 'empty' } : { kind: 'day', day: cell.day }
  return cell.text === '' ? { kind: 'empty' } : { kind: 'text', text: cell.text }
}
