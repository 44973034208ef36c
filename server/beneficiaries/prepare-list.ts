import { randomUUID } from 'node:crypto'
import { BATCH_ROWS_MAX } from '#lib/batches/batch-fields.ts'
import { formatMinor } from '#lib/money/money.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockBatch } from '#server/batches/batch-store.ts'
import type { PersonActor } from '#server/batches/create-batch.ts'
import { findOpenRows } from '#server/batches/retry-store.ts'
import { cellsOf, nextName, PAYMENT_LAYOUT, storeDraft } from '#server/batches/store-draft.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { listMembers } from './beneficiary-store.ts'
import { findGroupOf, findLastOfGroup, insertSource, selectEarlierRows } from './list-store.ts'
import { type NextRow, payGroup, repeatList } from './next-list.ts'

/** The people to pay: those of an earlier list, or of a group of the book. */
export type ListSource = { batchId: string } | { groupName: string }

export type PrepareFailure =
  | 'not_found'
  /** Rows of the earlier list wait for a decision or for their operator. */
  | 'still_open'
  /** Nobody is left, or the group is empty. */
  | 'nobody'
  /** More rows than a batch may have. */
  | 'too_many'

/** `name` null: that of the earlier list, with a number. `purpose` null: as in the earlier list. */
export type ListTerms = { source: ListSource; name: string | null; purpose: string | null }
type PrepareList = { application: ApplicationSnapshot; makerId: string } & ListTerms
type PreparedList = { batchId: string; rows: number }

/**
 * Prepares a batch from an earlier list or a group. It moves nothing: like any other batch it is checked, changed and submitted by a maker, and needs
 * its own approval.
 */
export function prepareList(
  { pool, connectors }: { pool: Pool; connectors: Connected },
  { actor, ...command }: Omit<PrepareList, 'makerId'> & { actor: PersonActor },
): Promise<Result<PreparedList, PrepareFailure | 'not_permitted'>> {
  const { applicationId } = command.application
  return runCommand<PreparedList, PrepareFailure>(pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    const prepared = await storeList(trx, connectors, { ...command, makerId: actor.id })
    if (!prepared.ok) return prepared
    return done(
      { action: 'batch.repeated', subject: prepared.value.batchId, details: detailsOf(command.source, prepared.value) },
      prepared.value,
    )
  })
}

/** The details of a prepared list in the audit record. */
export function detailsOf(source: ListSource, { rows }: PreparedList): Record<string, string | number> {
  return 'batchId' in source ? { repeats: source.batchId, rows } : { group: source.groupName, rows }
}

/** Stores the batch in the caller's transaction, in the name of a maker. */
export async function storeList(
  trx: TrxClient,
  connectors: Connected,
  { application, makerId, source, name, purpose }: PrepareList,
): Promise<Result<PreparedList, PrepareFailure>> {
  const { applicationId } = application
  const read =
    'batchId' in source ? await readBatchAgain(trx, applicationId, source.batchId) : await readGroup(trx, applicationId, source.groupName)
  if (!read.ok) return read
  const { sourceBatchId, groupName, fileName, listName, list } = read.value
  const next = list(purpose)
  if (next.length === 0) return err('nobody')
  if (next.length > BATCH_ROWS_MAX) return err('too_many')
  const rows = next.map((row, index) => ({ ...row, rowNumber: index + 2 }))
  const place = await storeDraft(trx, connectors, {
    ...PAYMENT_LAYOUT,
    application,
    makerId,
    type: 'DEPOSIT',
    name: name ?? listName,
    fileName,
    rows: rows.map((row) => ({
      rowNumber: row.rowNumber,
      cells: cellsOf({ ...row, amount: row.amountMinor === null ? '' : formatMinor(row.amountMinor) }),
      edits: {},
      externalId: randomUUID(),
    })),
  })
  await insertSource(
    trx,
    { ...place, sourceBatchId, groupName },
    rows.map((row) => ({ row_number: row.rowNumber, source_row_number: row.sourceRowNumber, beneficiary_id: row.beneficiaryId })),
  )
  return ok({ batchId: place.batchId, rows: rows.length })
}

type ReadList = {
  sourceBatchId: string | null
  groupName: string | null
  fileName: string
  listName: string
  list(purpose: string | null): NextRow[]
}

/** An earlier list, whose payments have all ended: before that, some of it may still be stopped or rejected. */
async function readBatchAgain(trx: TrxClient, applicationId: string, batchId: string): Promise<Result<ReadList, PrepareFailure>> {
  const batch = await lockBatch(trx, applicationId, batchId)
  if (batch?.type !== 'DEPOSIT' || (batch.state !== 'submitted' && batch.state !== 'submitting')) return err('not_found')
  const open = await findOpenRows(trx, batch)
  if (batch.state === 'submitting' || open.waiting + open.pendingIds.length > 0) return err('still_open')
  const groupName = await findGroupOf(trx, { applicationId, batchId })
  const earlier = await selectEarlierRows(trx, { applicationId, batchId })
  const members = groupName === null ? [] : await listMembers(trx, applicationId, groupName, BATCH_ROWS_MAX + 1)
  return ok({
    sourceBatchId: batchId,
    groupName,
    fileName: batch.fileName,
    listName: nextName(batch.name),
    list: (purpose) => repeatList({ earlier, members, purpose }),
  })
}

async function readGroup(trx: TrxClient, applicationId: string, groupName: string): Promise<Result<ReadList, PrepareFailure>> {
  const members = await listMembers(trx, applicationId, groupName, BATCH_ROWS_MAX + 1)
  const sourceBatchId = (await findLastOfGroup(trx, applicationId, groupName)) ?? null
  const earlier = sourceBatchId === null ? [] : await selectEarlierRows(trx, { applicationId, batchId: sourceBatchId })
  return ok({
    sourceBatchId,
    groupName,
    fileName: groupName,
    listName: groupName,
    list: (purpose) => payGroup({ earlier, members, purpose }),
  })
}
