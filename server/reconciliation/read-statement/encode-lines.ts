import type { StatementLine } from './statement-lines.ts'

/** Lines as PostgreSQL reads them: for each column, its values as the text of an array. */
export type EncodedLines = { columns: string[]; count: number }

/** Columns whose values come from the file; all others are numbers, times and ids. */
const TEXTS: ReadonlySet<keyof StatementLine> = new Set(['line_key', 'operator_id', 'type', 'status'])

/**
 * Encodes the named columns of lines. This is done in the thread that reads, and the process passes the texts on as they are. The forms of a phone
 * number, which are digits, are one text with spaces.
 */
export function encodeLines(lines: readonly StatementLine[], names: readonly (keyof StatementLine)[]): EncodedLines {
  const columns = names.map((name) => {
    const encode = name === 'phone_forms' ? encodeForms : TEXTS.has(name) ? encodeText : encodePlain
    return `{${lines.map((line) => encode(line[name])).join(',')}}`
  })
  return { columns, count: lines.length }
}

type Value = StatementLine[keyof StatementLine]

const encodePlain = (value: Value) => (value === null ? 'null' : String(value))
const encodeForms = (value: Value) => (Array.isArray(value) ? `"${value.join(' ')}"` : 'null')

/** Values that need no quotes in the text of an array; the word `null` needs them. */
const PLAIN = /^(?!null$)[\w.:+|#-]+$/i

function encodeText(value: Value): string {
  if (value === null) return 'null'
  const text = String(value)
  return PLAIN.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
