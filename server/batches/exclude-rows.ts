import { err, ok, type Result } from '#lib/result.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, changeBatch } from './change-batch.ts'
import { compareRows } from './check-rows.ts'
import { selectPhones, updateExclusions } from './row-store.ts'

/**
 * Leaves rows out of the batch with a reason, or takes them in again (null). They stay in the file and in every download of it. Rows that
 * are left out for that reason already, or taken in already, change nothing: the answer is the version as it was.
 */
export async function excludeRows(
  deps: ChangeDeps,
  command: ChangeCommand & { rowNumbers: readonly number[]; reason: string | null },
): Promise<Result<{ version: number }, ChangeFailure>> {
  const { rowNumbers, reason } = command
  return changeBatch<ChangeFailure>(deps, command, async (trx, batch) => {
    const { found, changed } = await updateExclusions(trx, batch, rowNumbers, reason)
    if (found === 0) return err('not_found')
    if (changed === 0) return ok('unchanged')
    await compareRows(trx, batch, batch.type, await selectPhones(trx, batch, rowNumbers))
    const action = reason === null ? 'batch.rows_included' : 'batch.rows_excluded'
    return ok({ action, details: { rows: rowNumbers.slice(0, 50).join(', '), count: changed, ...(reason === null ? {} : { reason }) } })
  })
}
