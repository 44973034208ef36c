import type { StatementLine } from './statement-lines.ts'

/** Lines as PostgreSQL reads them: for each column, its values as the text of an array. */
export type EncodedLines = { columns: string[]; count: number }

/**
 * Encodes the named columns of lines. The database splits arrays three times as fast as JSON, and they are made here, in the thread that reads: the
 * process passes them on as they are. The forms of a phone number, which are digits, are one text with spaces.
 */
export function encodeLines(lines: readonly StatementLine[], names: readonly (keyof StatementLine)[]): EncodedLines {
  return { columns: names.map((name) => `{${lines.map((line) => encode(line[name])).join(',')}}`), count: lines.length }
}

/** Values that need no quotes in the text of an array; `null` needs them. */
const PLAIN = /^(?!null$)[\w.:+-]+$/i

function encode(value: StatementLine[keyof StatementLine]): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : value.join(' ')
  return PLAIN.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
