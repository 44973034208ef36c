import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { UnreadableFile } from '#server/batches/read-file/table-collector.ts'
import { readRows } from './read-rows.ts'
import { type BadStatementRow, type ReadingWallet, type StatementLine, StatementLines, type StatementSummary } from './statement-lines.ts'
import { UnreadableStatement } from './unreadable-statement.ts'

/** Lines per statement to the database. */
const CHUNK_LINES = 5_000

/**
 * Reads a statement as a stream and passes its lines on in chunks, each after the one before was taken. Returns what the file is, or why it is
 * refused; then nothing that was passed on may be kept.
 */
export async function readStatement(
  pieces: AsyncIterable<Uint8Array>,
  wallet: ReadingWallet,
  onChunk: (lines: StatementLine[], bad: BadStatementRow[]) => Promise<void>,
): Promise<Result<StatementSummary, StatementProblem>> {
  const lines = new StatementLines(wallet)
  const pass = async () => {
    const taken = lines.take()
    await onChunk(taken.lines, taken.bad)
  }
  try {
    await readRows(pieces, {
      add: (rowNumber, cells) => lines.add(rowNumber, cells),
      afterPiece: () => (lines.waiting >= CHUNK_LINES ? pass() : undefined),
    })
    const summary = lines.finish()
    if (lines.waiting > 0) await pass()
    return ok(summary)
  } catch (error) {
    if (error instanceof UnreadableStatement || error instanceof UnreadableFile) return err(error.problem)
    throw error
  }
}
