import { BATCH_CELL_LENGTH_MAX, EDITED_CELLS_MAX } from './batch-fields.ts'

/** The values of one column, from the top; an empty text is an empty cell. */
type PastedColumn = { values: string[] } | { problem: 'several_columns' | 'too_many' | 'too_long' }

/**
 * Reads what a spreadsheet puts on the clipboard for cells of one column: a line each. A cell that contains a line break or a quotation mark
 * is in quotation marks, with each of its own doubled; its line breaks are read as spaces. Empty cells at the end are left out.
 */
export function readPastedColumn(text: string): PastedColumn {
  const values: string[] = []
  for (let at = 0; at < text.length; ) {
    const cell = readCell(text, at)
    if (text[cell.end] === '\t') return { problem: 'several_columns' }
    values.push(cell.value.replace(/\s+/gu, ' ').trim())
    at = cell.end + (text.startsWith('\r\n', cell.end) ? 2 : 1)
  }
  while (values.length > 1 && values.at(-1) === '') values.pop()
  if (values.length > EDITED_CELLS_MAX) return { problem: 'too_many' }
  return values.some((value) => value.length > BATCH_CELL_LENGTH_MAX) ? { problem: 'too_long' } : { values }
}

const QUOTED = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y
const PLAIN = /[^\t\r\n]*/y

function readCell(text: string, at: number): { value: string; end: number } {
  for (const [pattern, isQuoted] of [
    [QUOTED, true],
    [PLAIN, false],
  ] as const) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) return { value: isQuoted ? (match[1] ?? '').replaceAll('""', '"') : match[0], end: at + match[0].length }
  }
  return { value: '', end: at }
}
