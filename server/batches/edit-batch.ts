import type { BatchColumns, RepairKind } from '#lib/batches/batch-fields.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { done } from '#server/audit/run-command.ts'
import { rememberColumns, removeRows, updateReading, updateState } from './batch-store.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, changeBatch, contextOf, runBatchCommand } from './change-batch.ts'
import { hashHeaders } from './create-batch.ts'
import { compareRows, recheckRows } from './rows/check-rows.ts'
import { selectPhones, updateExclusions } from './rows/row-store.ts'

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

/** Accepts all repairs of one kind, or undoes them: the rows are read again from their cells, which are never changed. */
export async function decideRepair(
  deps: ChangeDeps,
  command: ChangeCommand & { repair: RepairKind; isAccepted: boolean },
): Promise<Result<{ version: number }, ChangeFailure>> {
  const { application, repair, isAccepted } = command
  return changeBatch<ChangeFailure>(deps, command, async (trx, batch) => {
    const others = batch.acceptedRepairs.filter((kind) => kind !== repair)
    const changed = { ...batch, acceptedRepairs: isAccepted ? [...others, repair] : others }
    const context = contextOf(deps, application, changed)
    if (!context) return err('not_a_draft')
    await updateReading(trx, changed)
    await recheckRows(trx, batch, context, repair)
    await compareRows(trx, batch, batch.type, null)
    return ok({ action: isAccepted ? 'batch.repair_accepted' : 'batch.repair_undone', details: { repair } })
  })
}

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

/** Discards a batch that was not submitted. Its rows are removed; that it existed stays on record. */
export async function discardBatch(deps: Pick<ChangeDeps, 'pool'>, command: ChangeCommand): Promise<Result<null, ChangeFailure>> {
  return runBatchCommand<null, ChangeFailure>(deps.pool, command, ['checking', 'draft'], async (trx, batch) => {
    const { applicationId, batchId, name, rowCount } = batch
    await updateState(trx, { applicationId, batchId, state: 'discarded' })
    await removeRows(trx, applicationId, batchId)
    return done({ action: 'batch.discarded', subject: batchId, details: { name, rows: rowCount } }, null)
  })
}
