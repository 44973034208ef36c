import { BATCH_FIELDS, type RowEdits } from '#lib/batch-file/batch-fields.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, changeBatch, contextOf } from './change-batch.ts'
import { compareRows, recheckPart } from './check-rows.ts'
import { selectRawRow, updateEdits } from './row-store.ts'

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
