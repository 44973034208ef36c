import { randomUUID } from 'node:crypto'
import type { ExportFormat } from '#lib/export-formats.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { toQuery } from '#lib/paths.ts'
import { can, type Role } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import { toAddressValues } from '#lib/transaction-query.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { openSnapshot } from '#server/database/with-snapshot.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { stretchOfDates } from '../search-transactions.ts'
import { selectRowsByIds, selectRowsOfWalk } from '../search-transactions-store.ts'
import { toTransactionQuery } from '../transaction-list.ts'
import type { ExportSubject } from './export-record.ts'
import { completeExport, insertExport, readCutOff } from './export-store.ts'
import { type FileResult, writeExport } from './write-export.ts'

const BATCH_ROWS = 2_000
/** Each holds a connection and a view of the database for as long as the browser takes. */
const UNDER_WAY_MAX = 3
/** An export that nobody reads any more gives its connection back after this long. */
const DURATION_MS_MAX = 30 * 60_000

export type ExportRequest = {
  applicationId: string
  applicationName: string
  person: { id: string; name: string; roles: readonly Role[] }
  format: ExportFormat
  filter: TransactionFilter
  /** Only these, where rows were ticked; null: everything that the filter leaves. */
  transactionIds: readonly string[] | null
  t: Translate
}

/** `file` must be read to its end or given back with `return()`: it holds a connection. */
export type ExportFile = { exportId: string; cutOffAt: Date; file: AsyncGenerator<Buffer, void, undefined> }

let underWay = 0

/**
 * Takes a list of transactions out as a file, in memory that does not grow with it: rows are walked by their sequence inside one
 * unchanging view of the database. That somebody takes it is on record (exports, audit) before the first byte leaves, what it held and
 * its SHA-256 before the last.
 */
export async function exportTransactions(
  deps: { pool: Pool; reportPool: Pool },
  request: ExportRequest,
): Promise<Result<ExportFile, 'forbidden' | 'busy'>> {
  if (!can(request.person.roles, 'export:create')) return err('forbidden')
  if (underWay >= UNDER_WAY_MAX) return err('busy')
  underWay++
  const snapshot = await openSnapshot(deps.reportPool).catch((error: unknown) => {
    underWay--
    throw error
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  async function end(): Promise<void> {
    if (isOver) return
    isOver = true
    underWay--
    clearTimeout(timer)
    await snapshot.close()
  }
  try {
    const subject = subjectOf(request, await readCutOff(snapshot.client))
    await recordStart(deps.pool, request, subject)
    timer = setTimeout(() => void end(), DURATION_MS_MAX)
    timer.unref()
    const rows = request.transactionIds
      ? batchesByIds(snapshot.client, request.applicationId, request.transactionIds)
      : batchesByFilter(snapshot.client, request.applicationId, request.filter)
    const file = endingWith(
      writeExport({ subject, t: request.t }, rows, (result) => recordEnd(deps.pool, request, subject.exportId, result)),
      end,
    )
    return ok({ exportId: subject.exportId, cutOffAt: subject.cutOffAt, file })
  } catch (error) {
    await end()
    throw error
  }
}

/** Runs `end` when the last piece was taken, when a piece could not be made, and when nobody wants the rest. */
function endingWith(source: AsyncGenerator<Buffer, void, undefined>, end: () => Promise<void>): AsyncGenerator<Buffer, void, undefined> {
  return {
    async next() {
      try {
        const step = await source.next()
        if (step.done) await end()
        return step
      } catch (error) {
        await end()
        throw error
      }
    },
    async return() {
      await source.return()
      await end()
      return { done: true, value: undefined }
    },
    async throw(error: unknown) {
      await end()
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await this.return()
    },
  }
}

function subjectOf({ format, filter, transactionIds, applicationName, person }: ExportRequest, cutOffAt: Date): ExportSubject {
  const query = toQuery(toAddressValues({ ...toTransactionQuery(filter), page: 1, size: 50 })).replace(/^\?/, '')
  return {
    exportId: randomUUID(),
    applicationName,
    personName: person.name,
    format,
    query,
    selected: transactionIds?.length ?? null,
    cutOffAt,
  }
}

async function recordStart(
  pool: Pool,
  { applicationId, person }: ExportRequest,
  { exportId, format, query, selected, cutOffAt }: ExportSubject,
): Promise<void> {
  await withTransaction(pool, async (trx) => {
    await insertExport(trx, { applicationId, exportId, personId: person.id, format, query, selected, cutOffAt })
    await appendAudit(trx, {
      applicationId,
      actor: { kind: 'person', id: person.id },
      action: 'export.started',
      subject: exportId,
      details: { format, query, selected, cutOffAt: cutOffAt.toISOString() },
    })
    return ok(null)
  })
}

async function recordEnd(pool: Pool, { applicationId, person }: ExportRequest, exportId: string, result: FileResult): Promise<void> {
  const { rowCount, totals, dataSha256, fileSha256, fileBytes } = result
  await withTransaction(pool, async (trx) => {
    await completeExport(trx, { applicationId, exportId, rowCount, totals, dataSha256, fileSha256, fileBytes })
    await appendAudit(trx, {
      applicationId,
      actor: { kind: 'person', id: person.id },
      action: 'export.finished',
      subject: exportId,
      details: { rowCount, totals: totals.map((total) => ({ ...total })), fileSha256 },
    })
    return ok(null)
  })
}

async function* batchesByFilter(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
): AsyncGenerator<Transaction[], void, undefined> {
  const found = await stretchOfDates(queryable, applicationId, filter)
  if (!found) return
  const order = filter.sort === 'oldest' ? 'oldest' : 'newest'
  let { first, last } = found
  for (;;) {
    const rows = await selectRowsOfWalk(queryable, applicationId, filter, { stretch: { first, last }, order, limit: BATCH_ROWS })
    const end = rows.at(-1)
    if (!end) return
    yield rows
    if (rows.length < BATCH_ROWS) return
    if (order === 'oldest') first = end.sequence + 1n
    else last = end.sequence - 1n
  }
}

async function* batchesByIds(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): AsyncGenerator<Transaction[], void, undefined> {
  yield await selectRowsByIds(queryable, applicationId, transactionIds)
}
