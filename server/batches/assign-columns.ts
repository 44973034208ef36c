import type { BatchColumns } from '#lib/batch-file/batch-fields.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { rememberColumns, updateReading } from './batch-store.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, changeBatch, contextOf } from './change-batch.ts'
import { compareRows, recheckRows } from './check-rows.ts'
import { hashHeaders } from './create-batch.ts'

type AssignColumns = ChangeCommand & { columns: BatchColumns; defaultOperator: OperatorCode | null }

/**
 * Says which column contains which field, and which operator the rows without one have, and checks all rows with it. The columns are
 * remembered for files with the same headers.
 */
export async function assignColumns(
  deps: ChangeDeps,
  command: AssignColumns,
): Promise<Result<{ version: number }, ChangeFailure | 'no_such_column'>> {
  const { application, actor, columns, defaultOperator } = command
  return changeBatch<'no_such_column'>(deps, command, async (trx, batch) => {
    // A file without headers has as many columns as its rows.
    if (batch.headers.length > 0 && Object.values(columns).some((column) => column >= batch.headers.length)) return err('no_such_column')
    const changed = { ...batch, columns, defaultOperator }
    await updateReading(trx, changed)
    if (batch.headers.length > 0) {
      const headerHash = hashHeaders(batch.headers)
      await rememberColumns(trx, { applicationId: batch.applicationId, headerHash, columns, personId: actor.id })
    }
    const context = contextOf(deps, application, changed)
    if (context) await recheckRows(trx, batch, context, null)
    await compareRows(trx, batch, batch.type, null)
    return ok({ action: 'batch.columns_assigned', details: { columns: JSON.stringify(columns), defaultOperator: defaultOperator ?? '' } })
  })
}
