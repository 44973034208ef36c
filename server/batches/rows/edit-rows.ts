import { createHash } from 'node:crypto'
import { BATCH_FIELDS, type RowEdits, type RowProblem } from '#lib/batches/batch-fields.ts'
import { err, type Result } from '#lib/result.ts'
import { done } from '#server/audit/run-command.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { type Batch, recountBatch } from '../batch-store.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, contextOf, runBatchCommand } from '../change-batch.ts'
import { compareRows, recheckPart } from './check-rows.ts'
import { type RawRow, selectNumberedRows, selectProblems, updateEdits } from './row-store.ts'

/** The texts that a maker typed in one row. Fields that are not named keep what they had; null returns to the cell of the file. */
type RowRepairs = { rowNumber: number; fields: { [Field in keyof RowEdits]: string | null } }

/** The version that the repair made, and what is still wrong in each row that it named. */
export type EditedRows = { version: number; rows: { rowNumber: number; problems: RowProblem[] }[] }

/**
 * Replaces cells of a batch by what the maker typed, pasted or took back: all of them, or none. The file's own cells stay as they are.
 *
 * The same person's repetition of the repair that made the present version returns what the first call returned: a browser that got no
 * answer can send it again. Cells that have those values already change nothing: the answer is the version as it was.
 */
export async function editRows(
  deps: ChangeDeps,
  command: ChangeCommand & { rows: readonly RowRepairs[] },
): Promise<Result<EditedRows, ChangeFailure>> {
  const { application, actor, batchId, version, rows } = command
  const rowNumbers = rows.map(({ rowNumber }) => rowNumber)
  const digest = digestOf(actor.id, rows)
  const problemsOf = (trx: TrxClient, batch: Batch) => selectProblems(trx, batch, rowNumbers)
  return runBatchCommand<EditedRows, ChangeFailure>(
    deps.pool,
    command,
    ['draft'],
    async (trx, batch) => {
      const context = contextOf(deps, application, batch)
      if (!context) return err('not_a_draft')
      const before = await selectNumberedRows(trx, batch, rowNumbers)
      if (before.length < rowNumbers.length) return err('not_found')
      const changed = changedRows(before, rows)
      if (changed.length === 0) return done(null, { version, rows: await problemsOf(trx, batch) })
      await updateEdits(
        trx,
        batch,
        changed.map(({ rowNumber, edits }) => ({ row_number: rowNumber, edits })),
      )
      const checked = await recheckPart(trx, batch, context, changed)
      // The rows of the persons they named before lose a duplicate, those of the new ones may get one.
      const phones = [...changed.map(({ phone }) => phone), ...checked.map((row) => row.phone_forms?.[0] ?? null)]
      await compareRows(trx, batch, batch.type, [...new Set(phones.filter((phone) => phone !== null))])
      await recountBatch(trx, batch.applicationId, batchId, actor.id, digest)
      return done(
        { action: 'batch.rows_edited', subject: batchId, details: describeRepairs(rows) },
        { version: version + 1, rows: await problemsOf(trx, batch) },
      )
    },
    { digest, answer: async (trx, batch) => ({ version: batch.version, rows: await problemsOf(trx, batch) }) },
  )
}

/** The rows whose values differ from those they had, with the new ones. */
function changedRows(before: readonly RawRow[], repairs: readonly RowRepairs[]): RawRow[] {
  const fieldsOf = new Map(repairs.map(({ rowNumber, fields }) => [rowNumber, fields]))
  return before.flatMap((row) => {
    const fields = fieldsOf.get(row.rowNumber) ?? {}
    const edits: RowEdits = {}
    for (const field of BATCH_FIELDS) {
      const typed = fields[field] === undefined ? row.edits[field] : fields[field]
      if (typed !== undefined && typed !== null) edits[field] = typed
    }
    return BATCH_FIELDS.every((field) => edits[field] === row.edits[field]) ? [] : [{ ...row, edits }]
  })
}

function digestOf(personId: string, rows: readonly RowRepairs[]): Buffer {
  const content = rows
    .toSorted((one, other) => one.rowNumber - other.rowNumber)
    .map(({ rowNumber, fields }) => [rowNumber, ...BATCH_FIELDS.map((field) => (fields[field] === undefined ? [] : [fields[field]]))])
  return createHash('sha256')
    .update(JSON.stringify([personId, content]))
    .digest()
}

/** The rows and fields for the audit record, not the values: those are in the batch. */
function describeRepairs(rows: readonly RowRepairs[]) {
  const fields = BATCH_FIELDS.filter((field) => rows.some((row) => row.fields[field] !== undefined))
  const cells = rows.flatMap((row) => Object.values(row.fields)).filter((value) => value !== undefined)
  return {
    rows: rows
      .slice(0, 50)
      .map(({ rowNumber }) => rowNumber)
      .join(', '),
    count: rows.length,
    fields: fields.join(', '),
    restored: cells.filter((value) => value === null).length,
  }
}
