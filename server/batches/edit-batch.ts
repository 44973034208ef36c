import { BATCH_FIELDS, type BatchColumns, type RepairKind, type RowEdits } from '#lib/batches/batch-fields.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { done } from '#server/audit/run-command.ts'
import { rememberColumns, removeRows, updateReading, updateState } from './batch-store.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, changeBatch, contextOf, runBatchCommand } from './change-batch.ts'
import { compareRows, recheckPart, recheckRows } from './check-rows.ts'
import { hashHeaders } from './create-batch.ts'
import { selectPhones, selectRawRow, updateEdits, updateExclusions } from './row-store.ts'

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

/** Replaces fields of one row by what the maker typed. Fields that are not named keep what they had; null returns to the cell of the file. */
export async function editRow(
  deps: ChangeDeps,
  command: ChangeCommand & { rowNumber: number; fields: { [Field in keyof RowEdits]: string | null } },
): Promise<Result<{ version: number }, ChangeFailure>> {
  const { application, rowNumber, fields } = command
  return changeBatch<ChangeFailure>(deps, command, async (trx, batch) => {
    const context = contextOf(deps, application, batch)
    if (!context) return err('not_a_draft')
    const row = await selectRawRow(trx, batch, rowNumber)
    if (!row) return err('not_found')
    const edits: RowEdits = {}
    for (const field of BATCH_FIELDS) {
      const typed = fields[field] === undefined ? row.edits[field] : fields[field]
      if (typed !== undefined && typed !== null) edits[field] = typed
    }
    await updateEdits(trx, batch, rowNumber, edits)
    const [checked] = await recheckPart(trx, batch, context, [{ ...row, edits }])
    // The rows of the person it named before lose a duplicate, those of the new one may get one.
    await compareRows(
      trx,
      batch,
      batch.type,
      [row.phone, checked?.phone_forms?.[0]].filter((phone) => typeof phone === 'string'),
    )
    return ok({ action: 'batch.row_edited', details: { row: rowNumber, fields: Object.keys(fields).join(', ') } })
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
