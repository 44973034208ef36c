import type { RepairKind } from '#lib/batch-file/batch-fields.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { updateReading } from './batch-store.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, changeBatch, contextOf } from './change-batch.ts'
import { compareRows, recheckRows } from './check-rows.ts'

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
