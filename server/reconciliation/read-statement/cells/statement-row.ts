import { type BatchCell, cellKind, cellText } from '#lib/batches/batch-fields.ts'
import { cleanCell } from '#server/batches/read-file/table-collector.ts'
import type { Columns } from '../header.ts'
import { BadRow, readAmount } from './cells.ts'
import { type PrintedTime, readTime } from './times.ts'

/** A row whose cells are found by the names of the header. */
export class StatementRow {
  readonly #cells: readonly BatchCell[]
  readonly #columns: Columns
  readonly #isMonthFirst: boolean

  constructor(cells: readonly BatchCell[], columns: Columns, isMonthFirst = false) {
    this.#cells = cells
    this.#columns = columns
    this.#isMonthFirst = isMonthFirst
  }

  /** The text of a column; empty if the format leaves this column out. Some formats begin texts with a tab, so that spreadsheets keep them. */
  text(column: string): string {
    return this.#at(this.#columns.get(column))
  }

  /** The text of the column behind another one: the currency behind an amount. */
  textBehind(column: string): string {
    const place = this.#columns.get(column)
    return place === undefined ? '' : this.#at(place + 1)
  }

  /** Hundredths; null for an empty cell. Throws BadRow. */
  amount(column: string): bigint | null {
    const place = this.#columns.get(column)
    return place === undefined ? null : readAmount(this.#at(place), cellKind(this.#cells[place]) === 'number')
  }

  /**
   * Throws BadRow if the row ends in this column of an amount, which always has others behind it: a file that was cut off while it was written or sent
   * would have `12` for `1,250`.
   */
  demandWhole(...columns: readonly string[]): void {
    if (columns.some((column) => this.#columns.get(column) === this.#cells.length - 1)) throw new BadRow('amount')
  }

  /** Hundredths without a sign; 0 for an empty cell. */
  size(column: string): bigint {
    const amount = this.amount(column) ?? 0n
    return amount < 0n ? -amount : amount
  }

  /** The first of these columns that has a time, or a date and a time in two columns. Throws BadRow. */
  time(...columns: readonly (string | readonly [date: string, clock: string])[]): PrintedTime {
    for (const column of columns) {
      const text = typeof column === 'string' ? this.text(column) : joinTime(this.text(column[0]), this.text(column[1]))
      const time = readTime(text, this.#isMonthFirst)
      if (time) return time
      if (text !== '') break
    }
    throw new BadRow('time')
  }

  #at(place: number | undefined): string {
    const cell = place === undefined ? undefined : this.#cells[place]
    // Only the cells that are read are cleaned: they are a fifth of a wide format.
    return cell === undefined || cell === '' ? '' : cellText(cleanCell(cell))
  }
}

/** A workbook stores a time of day as a time on its first day. */
function joinTime(date: string, clock: string): string {
  const day = date.replace(/[ T]00:00(:00)?$/, '')
  const time = clock.replace(/^(1899-12-3[01]|1904-01-01) /, '')
  return day === '' ? time : `${day} ${time}`
}
