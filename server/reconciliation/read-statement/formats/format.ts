import type { OperatorCode } from '#lib/operators/operators.ts'
import type { LineKind } from '#lib/reconciliation/classes.ts'
import type { StatementRow } from '../cells/statement-row.ts'
import type { PrintedTime } from '../cells/times.ts'

/** One row as a format reads it. Amounts are hundredths, signed from the wallet's side: money that leaves it is negative. */
export type RawLine = {
  time: PrintedTime
  kind: LineKind
  /** The amount that the customer paid or received. */
  grossMinor: bigint
  /** The operator's fee for this row. `grossMinor - feeMinor - taxMinor` is what the row does to the balance. */
  feeMinor: bigint
  taxMinor: bigint
  /** The balance after the row, if the format prints one. */
  balanceMinor: bigint | null
  operatorId: string | null
  ourId: string | null
  ourApplicationId: string | null
  phone: string | null
  type: string
  status: string
  /** The number of our account in the row, if the row has one. */
  ownAccount: string | null
}

/** The facts of the file around a row. */
export type RowContext = { dialCode: string; currency: string; ownNumbers: ReadonlySet<string> }

export type StatementFormat = {
  id: 'mtn' | 'wave' | 'orange-cm' | 'orange-bf' | 'moov' | 'airtel' | 'mapped'
  /** The operators that print it. */
  operators: readonly OperatorCode[]
  /** The header in its variants. A name that ends with `?` may be missing. */
  headers: readonly (readonly string[])[]
  headerRows: 1 | 2
  /** A file has a section per account, each with a header and a printed total. */
  hasSections: boolean
  /** Each balance must follow from the one before. */
  balancesChain: boolean
  read(row: StatementRow, context: RowContext): RawLine
}
