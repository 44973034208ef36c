import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Account } from '../books.ts'
import type { LocalTime } from './print-times.ts'
import type { StatementLine } from './statement-lines.ts'

/** The contents of a layout. `time` writes an instant on the clock of the wallet. */
export type Printed = {
  operator: OperatorCode
  account: Account | undefined
  walletNumber: string
  currency: string
  lines: readonly StatementLine[]
  openingMinor: bigint
  closingMinor: bigint
  from: LocalTime
  to: LocalTime
  time(atMs: number): LocalTime
}

/** Rows of cells, in order. `headings` are those rows that name columns: a moved column moves in them and in all rows below. */
type Sheet = { rows: string[][]; firstHeading: number }

/** One way in which operators write statements. */
export type Layout = {
  /** The name of the file, without its ending. */
  name: string
  ending: 'csv' | 'csv.gz' | 'xls'
  sheet(printed: Printed): Sheet
}
