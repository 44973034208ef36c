import { createHash, randomUUID, randomUUIDv7 } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchCell, BatchColumns } from '#lib/batches/batch-fields.ts'
import type { FileReading } from '#lib/batches/file-problem.ts'
import { headerKey, recogniseColumns } from '#lib/batches/recognise-columns.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { mapTexts } from '#lib/payments/payment-fields.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Result } from '#lib/result.ts'
import { batchColumnsSchema } from '#lib/schemas/batch.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { toTextColumns } from '#server/transactions/payment-text-columns.ts'
import { findColumns, insertBatch, recountBatch } from './batch-store.ts'
import { CHECK_PART, checkRow, compareRows } from './rows/check-rows.ts'
import { insertRows, type NewRow } from './rows/row-store.ts'

export type PersonActor = Extract<CommandActor, { kind: 'person' }>

type CreateBatchDeps = { pool: Pool; connectors: Connected }

type CreateBatch = {
  application: ApplicationSnapshot
  actor: PersonActor
  name: string
  type: TransactionType
  defaultOperator: OperatorCode | null
  fileName: string
  fileSha256: Buffer
  /** As read-file/read-file.ts returns it. */
  file: { headers: readonly string[]; rows: readonly { rowNumber: number; cells: readonly BatchCell[] }[]; reading: FileReading }
}

/**
 * Stores a file that was read as a batch and checks it. Moves nothing. All of it is one database transaction: after a crash there is
 * either the whole checked batch or none of it. A file whose columns are not known waits for a person to assign them (`checking`).
 */
export async function createBatch(deps: CreateBatchDeps, command: CreateBatch): Promise<Result<{ batchId: string }, 'not_permitted'>> {
  const { application, actor, type, file, defaultOperator } = command
  const { applicationId } = application
  const batchId = randomUUIDv7()
  return runCommand<{ batchId: string }, never>(deps.pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    const columns = recogniseColumns(file.headers) ?? readColumns(await findColumns(trx, applicationId, hashHeaders(file.headers)))
    await insertBatch(trx, {
      applicationId,
      batchId,
      name: command.name,
      type,
      madeBy: actor.id,
      fileName: command.fileName,
      fileSha256: command.fileSha256,
      state: columns ? 'draft' : 'checking',
      rowCount: file.rows.length,
      reading: file.reading,
      headers: file.headers,
      columns: columns ?? null,
      defaultOperator,
    })
    for (let start = 0; start < file.rows.length; start += CHECK_PART) {
      const part = file.rows.slice(start, start + CHECK_PART)
      const context = columns && { application, connectors: deps.connectors, type, columns, defaultOperator, acceptedRepairs: [] }
      await insertRows(
        trx,
        { applicationId, batchId },
        part.map((row) => ({
          ...(context ? checkRow({ ...row, edits: {} }, context) : unchecked(row.rowNumber)),
          cells: row.cells,
          edits: {},
          external_id: randomUUID(),
        })),
      )
      await nextTurn()
    }
    if (columns) {
      await compareRows(trx, { applicationId, batchId }, type, null)
      await recountBatch(trx, applicationId, batchId, actor.id)
    }
    const { name, fileName } = command
    const details = { name, type, fileName, fileSha256: command.fileSha256.toString('hex'), rows: file.rows.length }
    return done({ action: 'batch.created', subject: batchId, details }, { batchId })
  })
}

/** The key under which a header row's column assignment is stored. */
export function hashHeaders(headers: readonly string[]): Buffer {
  return createHash('sha256').update(headerKey(headers)).digest()
}

/** A remembered assignment, unless a later release no longer knows one of its fields. */
function readColumns(stored: unknown): BatchColumns | undefined {
  const parsed = batchColumnsSchema.safeParse(stored)
  return parsed.success ? parsed.data : undefined
}

function unchecked(rowNumber: number): Omit<NewRow, 'cells' | 'edits' | 'external_id'> {
  return {
    row_number: rowNumber,
    operator: null,
    phone_number: null,
    phone_forms: null,
    ...toTextColumns(mapTexts(() => null)),
    amount_minor: null,
    fee_minor: null,
    problems: [],
    repairs: [],
    notes: [],
  }
}
