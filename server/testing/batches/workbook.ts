import { ZipStream } from '#server/reports/export/zip-stream.ts'

/** Parts of a workbook by their path, as bytes. The other parts are those of a usual workbook with one sheet. */
type WorkbookParts = {
  sheet: string
  sharedStrings?: string
  styles?: string
  workbook?: string
  extra?: Readonly<Record<string, string>>
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const WORKBOOK = `<workbook xmlns="${MAIN}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Paie" sheetId="1" r:id="rId1"/></sheets></workbook>`

/** The XML of a sheet with these rows. */
export function sheetXml(rows: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`
}

/** Rows of texts, as a program writes them that knows no numbers. A cell that starts with `<` is taken as XML. */
export function rowsXml(rows: readonly (readonly string[])[]): string {
  return rows
    .map((cells, index) => {
      const xml = cells.map((cell, column) => {
        const address = `${String.fromCharCode(65 + column)}${index + 1}`
        return cell.startsWith('<')
          ? cell.replace('<c', `<c r="${address}"`)
          : `<c r="${address}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`
      })
      return `<row r="${index + 1}">${xml.join('')}</row>`
    })
    .join('')
}

/** A workbook of these parts. */
export async function workbook({ sheet, sharedStrings, styles, workbook: main = WORKBOOK, extra = {} }: WorkbookParts): Promise<Buffer> {
  return zipOf({
    'xl/workbook.xml': main,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="x" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="x" Target="worksheets/sheet2.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': sheet,
    ...(sharedStrings === undefined ? {} : { 'xl/sharedStrings.xml': sharedStrings }),
    ...(styles === undefined ? {} : { 'xl/styles.xml': styles }),
    ...extra,
  })
}

/** A zip of these entries. */
export async function zipOf(entries: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipStream()
  const chunks: Buffer[] = []
  for (const [name, content] of Object.entries(entries)) chunks.push(...(await zip.add(name, content)))
  return Buffer.concat([...chunks, ...zip.close()])
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
