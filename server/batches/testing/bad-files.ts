import { gzipSync } from 'node:zlib'
import type { ProblemKind } from '#lib/batches/batch-fields.ts'
import type { FileProblemKind } from '#lib/batches/file-problem.ts'
import { rowsXml, sheetXml, workbook, zipOf } from '#server/testing/batches/workbook.ts'

type BadFile = { name: string; bytes(): Buffer | Promise<Buffer> } & (
  | { file: FileProblemKind }
  /** The first row has this problem. */
  | { row: ProblemKind }
)

const HEAD = 'Téléphone;Nom;Montant;Opérateur'
const HEADS = ['Téléphone', 'Nom', 'Montant', 'Opérateur']
const RIGHT = ['237677209341', 'Clarisse Mbarga', '5000', 'MOMOCM'] as const
const MEGABYTE = 1024 * 1024
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const DATE_STYLES =
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'

function csv(...lines: string[]): () => Buffer {
  return () => Buffer.from([HEAD, ...lines].join('\r\n'))
}

/** A right row with other texts in some columns. */
function row(change: { phone?: string; name?: string; amount?: string; operator?: string }): () => Buffer {
  const [phone, name, amount, operator] = RIGHT
  const right = { phone, name, amount, operator, ...change }
  return csv([right.phone, right.name, right.amount, right.operator].map((cell) => `"${cell}"`).join(';'))
}

/** A workbook whose only row has other cells in some columns; cells that start with `<` are XML. */
function cells(change: { phone?: string; name?: string; amount?: string }): () => Promise<Buffer> {
  const [phone, name, amount, operator] = RIGHT
  const right = { phone, name, amount, ...change }
  return () => workbook({ sheet: sheetXml(rowsXml([HEADS, [right.phone, right.name, right.amount, operator]])), styles: DATE_STYLES })
}

/** A workbook from which the directory at the end is cut off. */
async function cutOff(): Promise<Buffer> {
  const whole = await cells({})()
  return whole.subarray(0, whole.length - 60)
}

/** A workbook in which one byte of the compressed sheet was changed. */
async function damaged(): Promise<Buffer> {
  const whole = Buffer.from(await workbook({ sheet: sheetXml(rowsXml([HEADS, RIGHT, ...Array.from({ length: 50 }, () => RIGHT)])) }))
  const at = whole.indexOf('xl/worksheets/sheet1.xml') + 60
  whole.writeUInt8(whole.readUInt8(at) ^ 0xff, at)
  return whole
}

/** A workbook whose directory states another checksum than that of the sheet. */
async function withAnotherChecksum(): Promise<Buffer> {
  const whole = Buffer.from(await cells({})())
  const entry = whole.lastIndexOf('xl/worksheets/sheet1.xml') - 46
  whole.writeUInt32LE((whole.readUInt32LE(entry + 16) ^ 1) >>> 0, entry + 16)
  return whole
}

/** A workbook whose sheet is a part outside the file, of the same name as one inside it. */
async function withExternalSheet(): Promise<Buffer> {
  const relations = '<Relationships><Relationship Id="rId1" Type="x" Target="worksheets/sheet1.xml" TargetMode="External"/></Relationships>'
  return workbook({ sheet: sheetXml(rowsXml([HEADS, RIGHT])), extra: { 'xl/_rels/workbook.xml.rels': relations } })
}

/** A workbook whose directory says that the sheet is smaller than what it unpacks to. */
async function lyingAboutItsSize(): Promise<Buffer> {
  const whole = Buffer.from(await workbook({ sheet: sheetXml(' '.repeat(8 * MEGABYTE)) }))
  const entry = whole.lastIndexOf('xl/worksheets/sheet1.xml') - 46
  whole.writeUInt32LE(1_000, entry + 24)
  return whole
}

/** Files that people upload by mistake, or that break readers, each with what is said about it. Small, and made when they are needed. */
export const BAD_FILES: readonly BadFile[] = [
  { name: 'nothing', bytes: () => Buffer.alloc(0), file: 'empty' },
  { name: 'only spaces and line ends', bytes: () => Buffer.from(' \r\n \n'), file: 'empty' },
  { name: 'more than three megabytes', bytes: () => Buffer.alloc(3 * MEGABYTE + 1, 'a'), file: 'too_large' },
  { name: 'headers without rows', bytes: csv(), file: 'no_rows' },
  { name: 'headers and empty rows', bytes: csv(';;;', ' ; ;;'), file: 'no_rows' },
  { name: '10,001 rows', bytes: csv(...Array.from({ length: 10_001 }, () => RIGHT.join(';'))), file: 'too_many_rows' },
  { name: '51 columns', bytes: csv(Array(51).fill('1').join(';')), file: 'too_many_columns' },
  { name: 'one column', bytes: () => Buffer.from('Téléphone\n237677209341\n237677209342\n'), file: 'one_column' },
  { name: 'a quote that is never closed', bytes: csv('237677209341;"Clarisse;5000;MOMOCM', RIGHT.join(';')), file: 'quote_open' },
  {
    name: 'a quote that swallows a long rest',
    bytes: csv('237677209341;"Clarisse;5000;MOMOCM', ...Array.from({ length: 3_000 }, () => RIGHT.join(';'))),
    file: 'record_too_long',
  },
  { name: 'zero bytes in a text', bytes: () => Buffer.from(`${HEAD}\n${RIGHT.join(';')}\0`), file: 'encoding' },
  { name: 'half of a UTF-16 file', bytes: () => Buffer.from([0xff, 0xfe, 0x54, 0x00, 0x00, 0xd8]), file: 'encoding' },
  { name: 'an old workbook', bytes: () => Buffer.concat([COMPOUND, Buffer.alloc(600)]), file: 'old_workbook' },
  {
    name: 'a workbook with a password',
    bytes: () => Buffer.concat([COMPOUND, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')]),
    file: 'encrypted',
  },
  { name: 'a binary workbook', bytes: () => zipOf({ 'xl/workbook.bin': 'x' }), file: 'binary_workbook' },
  { name: 'an OpenDocument file', bytes: () => zipOf({ mimetype: 'x', 'content.xml': '<a/>' }), file: 'open_document' },
  { name: 'a Numbers file', bytes: () => zipOf({ 'Index/Document.iwa': 'x' }), file: 'apple_numbers' },
  { name: 'a text document', bytes: () => zipOf({ 'word/document.xml': '<a/>' }), file: 'word_document' },
  { name: 'a text document in RTF', bytes: () => Buffer.from('{\\rtf1 Paie}'), file: 'word_document' },
  { name: 'an archive of files', bytes: () => zipOf({ 'paie.csv': HEAD }), file: 'other_zip' },
  { name: 'a workbook that was cut off', bytes: cutOff, file: 'damaged_zip' },
  { name: 'a workbook with a changed byte', bytes: damaged, file: 'damaged_zip' },
  { name: 'a workbook whose checksum is wrong', bytes: withAnotherChecksum, file: 'damaged_zip' },
  { name: 'a sheet outside the file', bytes: withExternalSheet, file: 'damaged_workbook' },
  { name: 'a sheet that is no XML', bytes: () => workbook({ sheet: '<worksheet><row>' }), file: 'damaged_workbook' },
  {
    name: 'a workbook without relations',
    bytes: () => zipOf({ 'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>' }),
    file: 'damaged_workbook',
  },
  {
    name: 'a workbook whose sheets are hidden',
    bytes: () =>
      workbook({ sheet: sheetXml(''), workbook: '<workbook><sheets><sheet name="a" state="hidden" id="rId1"/></sheets></workbook>' }),
    file: 'no_sheet',
  },
  {
    name: 'a workbook whose rows are hidden',
    bytes: () => workbook({ sheet: sheetXml(rowsXml([HEADS, RIGHT]).replace('<row r="2"', '<row r="2" hidden="1"')) }),
    file: 'no_rows',
  },
  {
    name: 'entities that grow',
    bytes: () =>
      workbook({
        sheet: '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><worksheet><sheetData>&b;</sheetData></worksheet>',
      }),
    file: 'entities',
  },
  {
    name: 'an entity outside the file',
    bytes: () =>
      workbook({ sheet: '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet><sheetData>&a;</sheetData></worksheet>' }),
    file: 'entities',
  },
  { name: '200 MB of zipped zeros', bytes: () => workbook({ sheet: '\0'.repeat(200 * MEGABYTE) }), file: 'unpacks_too_large' },
  { name: 'a zip that lies about its size', bytes: lyingAboutItsSize, file: 'unpacks_too_large' },
  { name: 'a PDF', bytes: () => Buffer.from('%PDF-1.7\n'), file: 'pdf' },
  { name: 'a picture', bytes: () => Buffer.from('89504e470d0a1a0a', 'hex'), file: 'picture' },
  { name: 'a web page named .xls', bytes: () => Buffer.from('<html><table><tr><td>1</td></tr></table></html>'), file: 'web_page' },
  { name: 'a JSON file', bytes: () => Buffer.from('[{"phone":"237677209341"}]'), file: 'json' },
  { name: 'an XML file', bytes: () => Buffer.from('<?xml version="1.0"?><Workbook/>'), file: 'xml' },
  { name: 'a compressed file', bytes: () => gzipSync(HEAD), file: 'compressed' },
  { name: 'a phone number with lost digits', bytes: row({ phone: '2.37E+11' }), row: 'phone_digits_lost' },
  { name: 'a phone number that is a date', bytes: row({ phone: '05/01/2026' }), row: 'phone_date' },
  { name: 'a phone number with letters', bytes: row({ phone: '237 677 O9341' }), row: 'phone_characters' },
  { name: 'a phone number that is too short', bytes: row({ phone: '23767720934' }), row: 'phone_length' },
  { name: 'a phone number of another country', bytes: row({ phone: '221771234567' }), row: 'phone_country' },
  { name: 'a phone number without dial code', bytes: row({ phone: '677209341' }), row: 'phone_dial_code' },
  { name: 'a cell that became a date', bytes: cells({ amount: '<c s="1"><v>46027</v></c>' }), row: 'amount_date' },
  { name: 'a formula without a result', bytes: cells({ amount: '<c><f>B2*2</f></c>' }), row: 'amount_error' },
  { name: 'a reference that is broken', bytes: cells({ name: '<c t="e"><f>X!A1</f><v>#REF!</v></c>' }), row: 'text_error' },
  { name: 'an amount in words', bytes: row({ amount: 'cinq mille' }), row: 'amount_characters' },
  { name: 'an amount with lost digits', bytes: row({ amount: '2,5E+05' }), row: 'amount_digits_lost' },
  { name: 'an amount that may be thousands', bytes: row({ amount: '1.234' }), row: 'amount_thousands' },
  { name: 'an amount with cents in a currency without', bytes: row({ amount: '1 500,50' }), row: 'amount_decimals' },
  { name: 'a negative amount', bytes: row({ amount: '-500' }), row: 'amount_not_positive' },
  { name: 'an amount in another currency', bytes: row({ amount: '500 UGX' }), row: 'amount_currency' },
  { name: 'an operator without a country', bytes: row({ operator: 'PayPal' }), row: 'operator_unknown' },
  { name: 'no operator', bytes: row({ operator: '' }), row: 'operator_missing' },
  { name: 'no name', bytes: row({ name: ' ' }), row: 'text_missing' },
]
