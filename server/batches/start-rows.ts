import { setTimeout as delay } from 'node:timers/promises'
import type { Currency } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { SYSTEM_ACTOR } from '#server/transactions/actor.ts'
import { type StartTransactionsDeps, startTransactions } from '#server/transactions/start-transactions.ts'
import type { Batch } from './batch.ts'
import { addStarted, lockBatch, updateState } from './batch-store.ts'
import type { StartedRow } from './row-columns.ts'
import { type StartableRow, selectStartable, updateStarted } from './row-store.ts'

export type StartRowsDeps = StartTransactionsDeps & { pool: Pool }

/**
 * Rows of one part: a fraction of what the intake queue of an application holds, so that the API of the same application is served too, and no
 * more than one statement of intake takes, so that checkers find the rows in the order of the file.
 */
const PART = 250
/**
 * The rows are less urgent than people's pages, so they are started no faster than this, where the machine is fast enough: the
 * rest of its time is for others.
 */
const ROWS_PER_SECOND = 3_000

/**
 * Starts the rows of a submitted batch that were not started yet, part by part, and ends with the batch `submitted`. Every row keeps its
 * externalId, so a part that was started and not noted before a crash is found again and noted, never started twice. `pause`: nothing
 * can be started at present; it is continued later.
 */
export async function startRows(
  deps: StartRowsDeps,
  application: ApplicationSnapshot,
  batch: Batch,
  options: { leaseMs: number; isEnding(): boolean },
): Promise<Result<null, 'pause'>> {
  let afterRow = 0
  while (!options.isEnding()) {
    const dueMs = performance.now() + (PART / ROWS_PER_SECOND) * 1_000
    const rows = await selectStartable(deps.pool, batch, { afterRow, limit: PART })
    const last = rows.at(-1)
    if (!last) {
      await finish(deps.pool, batch)
      return ok(null)
    }
    const outcomes = await startPart(deps, application, batch, rows)
    if (outcomes === 'pause') return err('pause')
    await withTransaction(deps.pool, async (trx) => {
      await lockBatch(trx, batch.applicationId, batch.batchId)
      const started = await updateStarted(trx, batch, outcomes)
      await addStarted(trx, { ...batch, started, leaseMs: options.leaseMs })
      return ok(null)
    })
    afterRow = last.rowNumber
    if (rows.length === PART) await delay(Math.max(0, dueMs - performance.now()))
  }
  return err('pause')
}

/**
 * Starts the rows and returns the outcome of each. If some are refused because the application was changed after the submission, the others
 * are started all the same, and the reason is noted with the row.
 */
async function startPart(
  deps: StartRowsDeps,
  application: ApplicationSnapshot,
  batch: Batch,
  rows: readonly StartableRow[],
): Promise<StartedRow[] | 'pause'> {
  const started = await startTransactions(deps, {
    application,
    type: batch.type,
    source: 'file',
    // Submitting was checked when the person submitted. A person who loses the role afterwards leaves no half of a batch behind: what is
    // started here waits for checkers.
    actor: { kind: 'person', id: batch.makerId, applicationId: batch.applicationId, roles: ['maker'] },
    batchId: batch.batchId,
    batchSumsMinor: sumsOf(batch),
    requests: rows.map((row) => ({
      transferMethod: row.operator,
      customerName: row.customerName,
      externalId: row.externalId,
      phoneNumber: row.phoneNumber,
      amount: row.amountMinor,
      countryName: OPERATORS[row.operator].country.name,
      webhookUrl: null,
    })),
  })
  if (started.ok) {
    return started.value.map((outcome, index) => ({
      row_number: rows[index]?.rowNumber ?? 0,
      transaction_id: outcome.kind === 'conflict' ? null : outcome.transactionId,
      refusal: outcome.kind === 'conflict' ? 'external_id_taken' : null,
    }))
  }
  if (started.error.kind !== 'refused') return 'pause'
  const { problems } = started.error
  const refused = problems.map(({ index, kind }) => ({ row_number: rows[index]?.rowNumber ?? 0, transaction_id: null, refusal: kind }))
  const refusedIndexes = new Set(problems.map(({ index }) => index))
  const others = rows.filter((_, index) => !refusedIndexes.has(index))
  if (others.length === 0) return refused
  const rest = await startPart(deps, application, batch, others)
  return rest === 'pause' ? rest : [...refused, ...rest]
}

/** The totals of the whole batch, which the approval rules weigh with every row of it. */
function sumsOf(batch: Batch): Map<Currency, bigint> {
  const sums = new Map<Currency, bigint>()
  for (const { operator, amountMinor } of batch.sums) {
    const { currency } = OPERATORS[operator].country
    sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amountMinor))
  }
  return sums
}

async function finish(pool: Pool, { applicationId, batchId }: Batch): Promise<void> {
  await withTransaction(pool, async (trx) => {
    const batch = await lockBatch(trx, applicationId, batchId)
    // Another process that took over after a pause was quicker.
    if (batch?.state !== 'submitting') return ok(null)
    await updateState(trx, { applicationId, batchId, state: 'submitted' })
    await appendAudit(trx, {
      applicationId,
      actor: SYSTEM_ACTOR,
      action: 'batch.started',
      subject: batchId,
      details: { rows: batch.readyCount, started: batch.startedCount },
    })
    return ok(null)
  })
}
