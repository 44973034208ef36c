import { setTimeout as delay } from 'node:timers/promises'
import type { Currency } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { pickTexts } from '#lib/payments/payment-fields.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Directory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type StartOutcome, type StartTransactionsDeps, startTransactions } from '#server/transactions/start-transactions.ts'
import { SYSTEM_ACTOR } from '#server/transactions/transition.ts'
import { addStarted, type Batch, claimSubmitting, lockBatch, releaseSubmitting, updateState } from '../batch-store.ts'
import { type StartableRow, type StartedRow, selectForeign, selectStartable, updateStarted } from './row-store.ts'

export type BatchSubmitter = {
  /** Looks for submitted batches from time to time: also those that another process left behind. */
  start(): void
  /** A batch was submitted in this process: starts its rows now. */
  wake(): void
  /** Ends after the part that is in progress; the rest is continued by another process or the next start. */
  drain(): Promise<void>
}

type BatchSubmitterOptions = StartRowsDeps & {
  directory: Pick<Directory, 'find'>
  pollMs?: number
  /** After this time without progress another process continues a batch. */
  leaseMs?: number
}

const POLL_MS = 2_000
const LEASE_MS = 15_000
/** Before a batch is continued that could not go on: the queue was full, or its application is disabled. */
const PAUSE_MS = 1_000

/** Starts the rows of submitted batches, one batch at a time in a process. Any number of processes may run one. */
export function createBatchSubmitter({ directory, pollMs = POLL_MS, leaseMs = LEASE_MS, ...deps }: BatchSubmitterOptions): BatchSubmitter {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isEnding = false
  let isWanted = false

  async function run(): Promise<void> {
    while (!isEnding) {
      isWanted = false
      const batch = await claimSubmitting(deps.pool, leaseMs)
      if (!batch) {
        if (isWanted) continue
        return
      }
      const application = directory.find(batch.applicationId)
      const ended = application && (await startRows(deps, application, batch, { leaseMs, isEnding: () => isEnding }))
      if (!ended?.ok) await releaseSubmitting(deps.pool, batch.applicationId, batch.batchId, isEnding ? 0 : PAUSE_MS)
    }
  }

  function wake(): void {
    isWanted = true
    if (isEnding || running) return
    running = run()
      .catch((error: unknown) =>
        reportUnexpected('batches: submit', error, { message: 'The rows of a submitted batch could not be started; it is tried again' }),
      )
      .finally(() => {
        running = undefined
        // Asked for after the last look.
        if (isWanted) wake()
      })
  }

  return {
    start() {
      timer ??= setInterval(wake, pollMs)
      wake()
    },
    wake,
    async drain() {
      isEnding = true
      clearInterval(timer)
      await running
    },
  }
}

type StartRowsDeps = StartTransactionsDeps & { pool: Pool }

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
    ...starterOf(batch),
    batchId: batch.batchId,
    batchSumsMinor: sumsOf(batch),
    requests: rows.map((row) => ({
      transferMethod: row.operator,
      ...pickTexts(row),
      externalId: row.externalId,
      phoneNumber: row.phoneNumber,
      amount: row.amountMinor,
      countryName: OPERATORS[row.operator].country.name,
      webhookUrl: batch.program?.webhookUrl ?? null,
    })),
  })
  if (started.ok) {
    const foreign = await findForeign(deps.pool, batch, started.value)
    return started.value.map((outcome, index) => {
      const isTaken = outcome.kind === 'conflict' || foreign.has(outcome.transactionId)
      const transaction = isTaken
        ? { transaction_id: null, refusal: 'external_id_taken' }
        : { transaction_id: outcome.transactionId, refusal: null }
      return { row_number: rows[index]?.rowNumber ?? 0, ...transaction }
    })
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

/** Who starts the rows, and by which channel. */
function starterOf({ applicationId, makerId, program }: Batch) {
  if (program) return { source: 'api', actor: { kind: 'api', id: program.apiUserId } } as const
  if (makerId === null) throw new Error('A batch has neither a maker nor a program')
  // Submitting was checked when the person submitted. A person who loses the role afterwards leaves no half of a batch behind: what is
  // started here waits for checkers.
  return { source: 'file', actor: { kind: 'person', id: makerId, applicationId, roles: ['maker'] } } as const
}

/**
 * Of transactions that existed already, those that are not of this batch. A program chooses the externalIds of its rows, so it may have started
 * the same payment by another request: the row must not count it a second time.
 */
async function findForeign(pool: Pool, { applicationId, batchId }: Batch, outcomes: readonly StartOutcome[]): Promise<ReadonlySet<string>> {
  const existing = outcomes.flatMap((outcome) => (outcome.kind === 'existing' ? [outcome.transactionId] : []))
  return existing.length === 0 ? new Set() : selectForeign(pool, { applicationId, batchId }, existing)
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
  await runRecorded<void, never>(pool, { applicationId, actor: SYSTEM_ACTOR }, async (trx) => {
    const batch = await lockBatch(trx, applicationId, batchId)
    // Another process that took over after a pause was quicker.
    if (batch?.state !== 'submitting') return done(null)
    await updateState(trx, { applicationId, batchId, state: 'submitted' })
    return done({ action: 'batch.started', subject: batchId, details: { rows: batch.readyCount, started: batch.startedCount } })
  })
}
