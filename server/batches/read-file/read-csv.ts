import { CsvError, parse } from 'csv-parse/sync'
import type { FileReading } from '#lib/batch-file/file-problem.ts'
import { fieldOfHeader } from '#lib/batch-file/recognise-columns.ts'
import { decodeText } from './decode-text.ts'
import { type FileTable, TableCollector } from './table-collector.ts'
import { UnreadableFile } from './unreadable-file.ts'

const SEPARATORS = [';', ',', '\t', '|'] as const
/** The line that spreadsheets read as an instruction: `sep=;`. */
const INSTRUCTION = /^sep=(.)\r?\n/i
const SAMPLE_LENGTH = 16_384
const SAMPLE_LINES = 20
const RECORD_LENGTH_MAX = 64 * 1024

/** Reads a file of separated values. Throws UnreadableFile. */
export function readCsv(bytes: Uint8Array): FileTable & { reading: Omit<FileReading, 'rowsAbove'> } {
  const { text, encoding } = decodeText(bytes)
  const instruction = INSTRUCTION.exec(text)
  const body = instruction ? text.slice(instruction[0].length) : text
  const separator = instruction?.[1] ?? detectSeparator(body)
  const collector = new TableCollector()
  let rowNumber = instruction ? 1 : 0
  try {
    parse(body, {
      delimiter: separator,
      // Lines of different lengths are the rule where people edit by hand. A quote inside a field is text.
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: RECORD_LENGTH_MAX,
      on_record: (record: string[]) => {
        collector.add(++rowNumber, record)
        // Nothing is kept twice.
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw new UnreadableFile('record_too_long', { line: rowNumber + 1 })
    // The other codes concern options that are not used: what remains is a quote that nothing closes.
    throw new UnreadableFile('quote_open', { line: rowNumber + 1 })
  }
  return { ...collector.finish(), reading: { format: 'csv', encoding, separator, sheet: null, otherSheets: [], hiddenRows: 0 } }
}

/**
 * The separator that splits the header into the most known fields; then the one that splits the most lines alike. Signs inside quotes do
 * not count.
 */
function detectSeparator(text: string): string {
  const lines = text
    .slice(0, SAMPLE_LENGTH)
    .replace(/"(?:[^"]|"")*"/g, (quoted) => quoted.replace(/[;,\t|\r\n]/g, ' '))
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES)
  const scores = SEPARATORS.map((separator) => ({ separator, score: scoreOf(separator, lines) }))
  const best = scores.reduce((left, right) => (right.score > left.score ? right : left))
  if (lines.length > 0 && best.score === 0) throw new UnreadableFile('one_column')
  return best.separator
}

function scoreOf(separator: string, lines: readonly string[]): number {
  const counts = lines.map((line) => line.split(separator).length - 1)
  if (counts.every((count) => count === 0)) return 0
  const known = Math.max(
    ...lines.map((line) => new Set(line.split(separator).flatMap((cell) => fieldOfHeader(cell.replaceAll('"', '')) ?? [])).size),
  )
  const frequency = Map.groupBy(counts, (count) => count)
  const alike = Math.max(...[...frequency].map(([count, same]) => (count === 0 ? 0 : same.length)))
  return known * 1_000 + (alike / lines.length) * 100 + Math.min(Math.max(...counts), 20)
}
