/**
 * One cell of a file, as read. A plain text, or a value that a spreadsheet stored as something else: `number` with every digit it
 * stores, `date` as `2026-01-31`, `error` as `#REF!`. `isFormula`: the text is the result that was stored with the formula.
 */
export type BatchCell = string | { text: string; kind: 'text' | 'number' | 'date' | 'error'; isFormula?: true }

/** What a cell shows. */
export function cellText(cell: BatchCell | undefined): string {
  return cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text
}

/** The kind of a cell; a plain text is `text`. */
export function cellKind(cell: BatchCell | undefined): 'text' | 'number' | 'date' | 'error' {
  return cell === undefined || typeof cell === 'string' ? 'text' : cell.kind
}
