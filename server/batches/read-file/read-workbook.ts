import { BATCH_CELL_LENGTH_MAX, BATCH_COLUMNS_MAX, BATCH_ROWS_MAX, type BatchCell } from '#lib/batches/batch-fields.ts'
import type { FileReading } from '#lib/batches/file-problem.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { type FileTable, TableCollector, UnreadableFile } from './table-collector.ts'
import { limitTogether, readXml, readZipDirectory, type XmlHandler, type ZipEntry } from './zip-entries.ts'

type Sheet = { name: string; relation: string; isVisible: boolean }

/** The names of sheets and where they are: a few KB in any workbook. */
const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024
/** How large a sheet may be. `contentBytes`: texts, styles and the sheet together. `shared…`: texts that a workbook stores once for all cells. */
export type SheetLimits = { columns: number; contentBytes: number; sharedLength: number; sharedCount: number }

/** Ten thousand rows with fifty columns are about 25 MB; more shared texts than cells are not a list of payments. */
const BATCH_LIMITS: SheetLimits = {
  columns: BATCH_COLUMNS_MAX,
  contentBytes: 80 * 1024 * 1024,
  sharedLength: 16 * 1024 * 1024,
  sharedCount: BATCH_ROWS_MAX * BATCH_COLUMNS_MAX,
}
/** The formats of dates that every workbook knows, by number. */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47, ...range(27, 36), ...range(50, 58)])

/** Receives the rows of a sheet. `afterPiece`: awaited from time to time, so that rows need not be collected. */
export type RowSink = { add(rowNumber: number, cells: readonly BatchCell[]): void; afterPiece?(): Promise<void> | undefined }

/** Reads the first visible sheet of a workbook (.xlsx, .xlsm) as a list of payments. Throws UnreadableFile. */
export async function readWorkbook(bytes: Buffer): Promise<FileTable & { reading: Omit<FileReading, 'rowsAbove'> }> {
  const collector = new TableCollector()
  const read = await readSheet(bytes, collector, BATCH_LIMITS)
  return { ...collector.finish(), reading: { format: 'xlsx', encoding: null, separator: null, ...read } }
}

/**
 * Reads the rows of the first visible sheet as a stream. Formulas are not computed. Only the parts that this sheet needs are unpacked, and
 * their sizes count together. Returns the name of the sheet and of others. Throws UnreadableFile.
 */
export async function readSheet(
  bytes: Buffer,
  sink: RowSink,
  limits: SheetLimits,
): Promise<Pick<FileReading, 'sheet' | 'otherSheets' | 'hiddenRows'>> {
  const entries = readZipDirectory(bytes)
  const workbook = entries.get('xl/workbook.xml')
  if (!workbook) throw new UnreadableFile(kindOfZip(entries))
  const relations = entries.get('xl/_rels/workbook.xml.rels')
  if (!relations) throw new UnreadableFile('damaged_workbook')
  limitTogether([workbook, relations], DIRECTORY_BYTES_MAX)
  const { sheets, is1904 } = await readSheets(workbook)
  const visible = sheets.filter((sheet) => sheet.isVisible)
  const [sheet] = visible
  if (!sheet) throw new UnreadableFile('no_sheet')
  const entry = entries.get((await readRelations(relations)).get(sheet.relation) ?? '')
  if (!entry) throw new UnreadableFile('damaged_workbook')
  const [texts, styles] = [entries.get('xl/sharedStrings.xml'), entries.get('xl/styles.xml')]
  limitTogether([texts, styles, entry], limits.contentBytes)
  const handler = sheetHandler(sink, limits.columns, {
    sharedStrings: await readSharedStrings(texts, limits),
    dateStyles: await readDateStyles(styles),
    is1904,
  })
  await readXml(entry, handler)
  const otherSheets = visible.slice(1, 6).map(({ name }) => name.slice(0, 60))
  return { sheet: sheet.name.slice(0, 60), otherSheets, hiddenRows: handler.hiddenRows() }
}

function kindOfZip(
  entries: ReadonlyMap<string, ZipEntry>,
): 'binary_workbook' | 'word_document' | 'open_document' | 'apple_numbers' | 'other_zip' {
  if (entries.has('xl/workbook.bin')) return 'binary_workbook'
  if (entries.has('word/document.xml')) return 'word_document'
  if (entries.has('content.xml')) return 'open_document'
  if (entries.has('Index/Document.iwa') || entries.has('Index.zip')) return 'apple_numbers'
  return 'other_zip'
}

async function readSheets(workbook: ZipEntry): Promise<{ sheets: Sheet[]; is1904: boolean }> {
  const sheets: Sheet[] = []
  let is1904 = false
  await readXml(workbook, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = attributes['date1904'] === '1' || attributes['date1904'] === 'true'
      if (name !== 'sheet') return
      const relation = Object.entries(attributes).find(([key]) => key === 'id' || key.endsWith(':id'))?.[1] ?? ''
      sheets.push({ name: attributes['name'] ?? '', relation, isVisible: (attributes['state'] ?? 'visible') === 'visible' })
    },
  })
  return { sheets, is1904 }
}

/** The paths of parts by the id of their relation. Parts outside the file are never followed. */
async function readRelations(entry: ZipEntry): Promise<Map<string, string>> {
  const relations = new Map<string, string>()
  await readXml(entry, {
    open(name, attributes) {
      if (name !== 'Relationship' || attributes['TargetMode'] === 'External') return
      const target = attributes['Target'] ?? ''
      relations.set(attributes['Id'] ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`)
    },
  })
  return relations
}

async function readSharedStrings(entry: ZipEntry | undefined, limits: SheetLimits): Promise<string[]> {
  const strings: string[] = []
  if (!entry) return strings
  let [text, length] = ['', 0]
  let isInText = false
  let isPhonetic = false
  await readXml(entry, {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isInText = !isPhonetic
    },
    text(part) {
      if (isInText) text += part
      length += part.length
      if (length > limits.sharedLength) throw new UnreadableFile('unpacks_too_large')
    },
    close(name) {
      if (name === 't') isInText = false
      else if (name === 'rPh') isPhonetic = false
      else if (name === 'si' && strings.push(text) > limits.sharedCount) throw new UnreadableFile('unpacks_too_large')
    },
  })
  return strings
}

async function readDateStyles(entry: ZipEntry | undefined): Promise<Set<number>> {
  const dateStyles = new Set<number>()
  if (!entry) return dateStyles
  const own = new Map<number, boolean>()
  let isInCells = false
  let index = 0
  await readXml(entry, {
    open(name, attributes) {
      if (name === 'numFmt') own.set(Number(attributes['numFmtId']), isDateFormat(attributes['formatCode'] ?? ''))
      else if (name === 'cellXfs') isInCells = true
      else if (name === 'xf' && isInCells) {
        const format = Number(attributes['numFmtId'] ?? 0)
        if (own.get(format) ?? DATE_FORMATS.has(format)) dateStyles.add(index)
        index++
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return dateStyles
}

/** Whether a format shows days, months, years or hours; quoted text, colours and conditions do not count. */
function isDateFormat(code: string): boolean {
  const signs = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_./g, '')
  return /[dmyhs]/i.test(signs) && !/[0#?]/.test(signs.replace(/[hms]+[.,]0+/gi, ''))
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place)
}

type SheetContext = {
  sharedStrings: readonly string[]
  /** The indexes of cell styles that show a number as a date. */
  dateStyles: ReadonlySet<number>
  /** Workbooks from old Macintosh programs count days from 1904. */
  is1904: boolean
}

type OpenCell = { column: number; type: string; style: number; text: string; hasFormula: boolean; hasValue: boolean }

const DAY_SECONDS = DAY_MS / 1_000

/** The limit of a cell's text while it is read: one cell of 60 MB must not be held in memory. */
const TEXT_LENGTH_MAX = BATCH_CELL_LENGTH_MAX * 2

/** Returns what reads the XML of one sheet into `sink`. Hidden rows are left out and counted. */
function sheetHandler(sink: RowSink, columnsMax: number, context: SheetContext): XmlHandler & { hiddenRows(): number } {
  let [rowNumber, hiddenRows] = [0, 0]
  let isHidden = false
  let cells: BatchCell[] = []
  let cell: OpenCell | undefined
  let isInText = false
  return {
    hiddenRows: () => hiddenRows,
    afterPiece: () => sink.afterPiece?.(),
    open(name, attributes) {
      if (name === 'row') {
        rowNumber = Number(attributes['r'] ?? rowNumber + 1)
        isHidden = attributes['hidden'] === '1' || attributes['hidden'] === 'true'
        cells = []
      } else if (name === 'c') {
        const column = columnOf(attributes['r']) ?? cells.length
        cell = { column, type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0), text: '', hasFormula: false, hasValue: false }
      } else if (cell && name === 'f') cell.hasFormula = true
      else if (cell && (name === 'v' || name === 't')) {
        isInText = true
        cell.hasValue = true
      }
    },
    text(text) {
      if (cell && isInText && cell.text.length < TEXT_LENGTH_MAX) cell.text += text.slice(0, TEXT_LENGTH_MAX)
    },
    close(name) {
      if (name === 'v' || name === 't') isInText = false
      else if (name === 'c' && cell) {
        // Far to the right there are at most formats; a value there is one column too many.
        if (cell.column < columnsMax) fill(cells, cell.column, toCell(cell, context))
        else if (cell.text.trim() !== '') throw new UnreadableFile('too_many_columns', { columns: columnsMax })
        cell = undefined
      } else if (name === 'row') {
        if (!Number.isSafeInteger(rowNumber) || rowNumber < 1 || rowNumber > 1_048_576) throw new UnreadableFile('damaged_workbook')
        if (isHidden && cells.length > 0) hiddenRows++
        else if (!isHidden) sink.add(rowNumber, cells)
      }
    },
  }
}

function fill(cells: BatchCell[], column: number, value: BatchCell): void {
  while (cells.length < column) cells.push('')
  cells[column] = value
}

function columnOf(address: string | undefined): number | undefined {
  const letters = address === undefined ? null : /^([A-Z]{1,3})\d+$/.exec(address)
  if (!letters) return undefined
  return [...(letters[1] ?? '')].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function toCell(cell: OpenCell, context: SheetContext): BatchCell {
  const value = toValue(cell, context)
  if (!cell.hasFormula) return value
  // A program wrote the formula and computed nothing.
  if (!cell.hasValue) return { text: '', kind: 'error', isFormula: true }
  return typeof value === 'string' ? { text: value, kind: 'text', isFormula: true } : { ...value, isFormula: true }
}

function toValue({ type, style, text }: OpenCell, { sharedStrings, dateStyles, is1904 }: SheetContext): BatchCell {
  switch (type) {
    case 's':
      return sharedStrings[Number(text)] ?? ''
    case 'inlineStr':
    case 'str':
      return text
    case 'b':
      return text === '1' ? 'TRUE' : 'FALSE'
    case 'e':
      return { text, kind: 'error' }
    case 'd':
      return { text: text.slice(0, 19).replace('T', ' '), kind: 'date' }
    default:
      if (text.trim() === '') return ''
      return dateStyles.has(style) ? { text: dateOf(Number(text), is1904), kind: 'date' } : { text: text.trim(), kind: 'number' }
  }
}

/** A date, with its time of day if it has one. The number of days is binary, so the time is right to the second. */
function dateOf(days: number, is1904: boolean): string {
  const sinceFirstMs = Math.round(days * DAY_SECONDS) * 1_000
  const at = new Date((is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)) + sinceFirstMs)
  if (Number.isNaN(at.getTime())) return String(days)
  return at
    .toISOString()
    .slice(0, Number.isInteger(days) ? 10 : 19)
    .replace('T', ' ')
}
