import { crc32, gzipSync } from 'node:zlib'
import type { Layout } from './layout.ts'

/** Writes rows in the form of a layout's file: text, compressed text, or a workbook. */
export function writeFile(rows: readonly (readonly string[])[], ending: Layout['ending']): Buffer {
  if (ending === 'xls') return workbookOf(rows)
  const text = Buffer.from(rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join(''))
  return ending === 'csv.gz' ? gzipSync(text) : text
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** An XLSX of one sheet, whatever its name ends with: operators name such files `.xls`. Every cell is a text. */
function workbookOf(rows: readonly (readonly string[])[]): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const packaged = 'http://schemas.openxmlformats.org/package/2006'
  const sheet = rows
    .map((row, index) => {
      const cells = row.map((text, column) => (text === '' ? '' : cellOf(`${columnName(column)}${index + 1}`, text)))
      return `<row r="${index + 1}">${cells.join('')}</row>`
    })
    .join('')
  const ofType = (part: string, type: string) =>
    `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`
  return zipOf({
    '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${ofType('xl/workbook.xml', 'sheet.main')}${ofType('xl/worksheets/sheet1.xml', 'worksheet')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${sheet}</sheetData></worksheet>`,
  })
}

function cellOf(place: string, text: string): string {
  const escaped = text.replaceAll(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped}</t></is></c>`
}

/** A, B, …, Z, AA, … */
function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last
}

/** An archive of these files, not compressed. The date of each is the first that the format can write. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${text}`)
    const path = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x21, 8)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(path.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    parts.push(Buffer.from('PK\x03\x04'), common, path, content)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, place, path)
    offset += 4 + common.length + path.length + content.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(parts.length / 4, 8)
  end.writeUInt16LE(parts.length / 4, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}
