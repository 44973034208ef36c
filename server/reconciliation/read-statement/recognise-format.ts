import type { StatementFormat } from './formats/format.ts'
import { FORMATS } from './formats/formats.ts'
import { type Columns, matchHeader } from './header.ts'

/** A recognised header; `moved`: the header of a format whose columns are not where they belong. */
export type Recognised =
  | { kind: 'columns'; format: StatementFormat; columns: Columns }
  | { kind: 'moved'; format: StatementFormat; expected: readonly string[]; found: readonly string[] }

/** Which format has this row as its header, alone or together with the row above it. Undefined for any other row. */
export function recogniseHeader(row: readonly string[], above: readonly string[] | undefined): Recognised | undefined {
  let moved: Recognised | undefined
  for (const format of FORMATS) {
    for (const expected of format.headers) {
      const tries = format.headerRows === 2 && above ? [[row], [above, row]] : [[row]]
      for (const rows of tries) {
        const match = matchHeader(expected, rows)
        if (match.kind === 'columns') return { kind: 'columns', format, columns: match.columns }
        if (match.kind === 'moved') moved ??= { kind: 'moved', format, expected, found: match.found }
      }
    }
  }
  return moved
}
