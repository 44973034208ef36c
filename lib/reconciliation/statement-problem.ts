import type { FileProblemKind } from '#lib/batches/file-problem.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'

/** Why a statement as a whole is refused, beside what is wrong with any file. The texts, which say what to do, are `statements.file.<kind>`. */
const STATEMENT_PROBLEM_KINDS = [
  'too_large',
  'unpacks_too_large',
  'too_many_lines',
  'no_rows',
  'compressed',
  'gzip_damaged',
  'damaged_zip',
  'unknown_format',
  'columns_moved',
  'wrong_operator',
  'wrong_wallet',
  'several_accounts',
  'mixed_dates',
  'total_differs',
  'balance_broken',
  'formula',
  'too_slow',
  'not_storable',
] as const
type StatementProblemKind = (typeof STATEMENT_PROBLEM_KINDS)[number] | FileProblemKind

/** `values` are those of the text. `sample`: the first rows of a table whose header is not known, for a person who says what its columns are. */
export type StatementProblem = {
  kind: StatementProblemKind
  values?: Readonly<Record<string, string | number>>
  sample?: readonly (readonly string[])[]
}

/** Why one row of a statement was not read. The texts are `statements.row.<kind>`. */
export const ROW_PROBLEM_KINDS = ['amount', 'time', 'future', 'currency', 'status', 'direction', 'sum', 'error'] as const
export type RowProblemKind = (typeof ROW_PROBLEM_KINDS)[number]

/** Returns the sentence about a refused statement. */
export function statementProblemText(t: Translate, { kind, values = {} }: StatementProblem): string {
  const own: readonly string[] = STATEMENT_PROBLEM_KINDS
  const key = (own.includes(kind) ? `statements.file.${kind}` : `batches.file.${kind}`) as MessageKey
  return t(key, values)
}

/** The largest statement, as it is uploaded: a million lines are 100 to 300 MB, and a tenth of that compressed. */
export const STATEMENT_BYTES_MAX = 512 * 1024 * 1024
