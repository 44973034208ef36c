import { isDeepStrictEqual } from 'node:util'
import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'
import { err, ok } from '#lib/result.ts'
import { type Clock, utcDayOf } from '#lib/time/time.ts'
import { type Pool, TASK_STATEMENT_LIMIT_MS, type TrxClient, withStatementLimit } from '#server/database/pool.ts'
import { isDataError, keepToOneCore, withTransaction } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type Backoff, backoffMs } from '#server/retry.ts'
import { announceClose } from '../close-revision-store.ts'
import { insertDays } from '../exceptions/examine-store.ts'
import { matchStored } from '../matching/match-wallet.ts'
import { queryPaidOpen } from '../matching/query-paid-open.ts'
import type { StatementSummary } from '../read-statement/statement-lines.ts'
import { readInThread } from '../read-statement/statement-reader.ts'
import { insertFromLines } from '../wallet-book/wallet-book-store.ts'
import { isInUse } from '../wallets/wallet-store.ts'
import { readingWallet } from './map-columns.ts'
import {
  countKnown,
  hasNextFile,
  insertBadRows,
  insertLines,
  KEY_COLUMNS,
  lockImports,
  lockNextFile,
  STORED_COLUMNS,
  type StatementFile,
  updateImported,
  updateReady,
  updateRefused,
  updateUnchecked,
} from './statement-store.ts'
import { readPieces } from './upload-statement.ts'

export type StatementWorker = {
  /** Looks for files that people have uploaded or decided to import, from time to time and after `wake`. */
  start(): void
  wake(): void
  /** Ends after the file that is in progress. */
  drain(): Promise<void>
}

const POLL_MS = 1_000
/** How long a file rests after a failure that says nothing about the file, such as a full disk: the others go on meanwhile. */
const REST: Backoff = { firstMs: 1_000, maxMs: 60_000 }
/** More files than fail at once; the oldest rests are forgotten first. */
const RESTS_MAX = 1_000

/** The files whose last step failed in this process: how often, and until when they rest. */
export type Rests = Map<string, { failures: number; untilMs: number }>

type Deps = { pool: Pool; clock: Clock; rests: Rests }

/** Reads uploaded statements and stores imported ones, one at a time in a process. Any number of processes may run one. */
export function createStatementWorker({ pool, clock }: { pool: Pool; clock: Clock }): StatementWorker {
  const deps: Deps = { pool, clock, rests: new Map() }
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isEnding = false

  async function run(): Promise<void> {
    while (!isEnding && (await workOnce(deps)));
  }
  function wake(): void {
    if (isEnding || running) return
    running = run()
      .catch((error: unknown) =>
        reportUnexpected('reconciliation: statement', error, { message: 'Statements could not be looked for; it is tried again' }),
      )
      .finally(() => {
        running = undefined
      })
  }
  return {
    start() {
      timer ??= setInterval(wake, POLL_MS)
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

/**
 * Takes the oldest file through its next step in one database transaction, which holds the row of the file: after a kill the file is as it was
 * before, and the next worker takes it at once. A file with values that the database does not accept is refused; after any other failure it
 * rests. Returns whether there was a file.
 */
export async function workOnce({ pool, clock, rests }: Deps): Promise<boolean> {
  const now = clock.now()
  const resting = [...rests].flatMap(([fileId, { untilMs }]) => (untilMs > now.getTime() ? [fileId] : []))
  if (!(await hasNextFile(pool, resting))) return false
  let file: StatementFile | undefined
  try {
    await withStatementLimit(TASK_STATEMENT_LIMIT_MS, () =>
      withTransaction<null, never>(pool, async (trx) => {
        await keepToOneCore(trx)
        file = await lockNextFile(trx, resting)
        if (file?.state === 'checking') await check(trx, file, now)
        else if (file?.state === 'importing') await store(trx, file, now)
        if (file) await announceClose(trx, file.applicationId)
        return ok(null)
      }),
    )
    if (file) rests.delete(file.fileId)
    // After the commit: operators are not queried about what is rolled back. The task of each minute repeats it.
    if (file?.state === 'importing') await queryPaidOpen(pool)
  } catch (error) {
    if (!file) throw error
    if (isDataError(error)) await refuse(pool, file)
    else rest(rests, file, now)
    const message = isDataError(error)
      ? 'A statement was refused by the database'
      : 'A statement could not be read or stored; it is tried again'
    reportUnexpected('reconciliation: statement', error, { message, fileId: file.fileId })
  }
  return file !== undefined
}

async function refuse(pool: Pool, { applicationId, fileId }: StatementFile): Promise<void> {
  await withTransaction<null, never>(pool, async (trx) => {
    await updateRefused(trx, applicationId, fileId, { kind: 'not_storable' })
    await announceClose(trx, applicationId)
    return ok(null)
  })
}

function rest(rests: Rests, { fileId }: StatementFile, now: Date): void {
  const failures = (rests.get(fileId)?.failures ?? 0) + 1
  rests.delete(fileId)
  rests.set(fileId, { failures, untilMs: now.getTime() + backoffMs(failures, REST) })
  const [oldest] = rests.keys()
  if (rests.size > RESTS_MAX && oldest !== undefined) rests.delete(oldest)
}

async function check(trx: TrxClient, { applicationId, fileId, ...file }: StatementFile, now: Date): Promise<void> {
  const wallet = await readingWallet(trx, { applicationId, wallet: file.wallet }, now)
  const mayKnow = await isInUse(trx, applicationId, file.wallet)
  let known = 0
  const read = await withTransaction<StatementSummary, StatementProblem>(trx, (part) =>
    readInThread(readPieces(part, applicationId, fileId), { wallet, columns: mayKnow ? KEY_COLUMNS : [] }, async ({ lines, bad }) => {
      if (mayKnow) known += await countKnown(part, applicationId, file.wallet, lines)
      await insertBadRows(part, applicationId, fileId, bad)
    }),
  )
  if (read.ok) await updateReady(trx, applicationId, fileId, { summary: read.value, known, wallet })
  else await updateRefused(trx, applicationId, fileId, read.error)
}

/**
 * Reads a file again and stores its lines, so that nothing of it is stored before a person has seen the counts. It is read for the wallet for which
 * it was checked; if its settings are others now, the person has to see other counts.
 */
async function store(trx: TrxClient, file: StatementFile, now: Date): Promise<void> {
  const { applicationId, fileId, wallet, checkedFor } = file
  const current = await readingWallet(trx, file, now)
  if (!checkedFor || !isDeepStrictEqual({ ...checkedFor, nowMs: 0 }, { ...current, nowMs: 0 })) {
    return updateUnchecked(trx, applicationId, fileId)
  }
  await lockImports(trx, applicationId, wallet)
  const order = { wallet: checkedFor, columns: STORED_COLUMNS }
  const stored = await withTransaction<number, 'read_otherwise'>(trx, async (part) => {
    let added = 0
    const read = await readInThread(readPieces(part, applicationId, fileId), order, async ({ lines }) => {
      added += await insertLines(part, file, lines)
    })
    // Another release may read a file in another way.
    return read.ok && read.value.lines === file.lineCount ? ok(added) : err('read_otherwise')
  })
  if (!stored.ok) return updateUnchecked(trx, applicationId, fileId)
  await insertFromLines(trx, applicationId, fileId)
  const sinceDay = file.firstDay ?? utcDayOf(now)
  const days = await matchStored(trx, { applicationId, wallet, sinceDay, lines: stored.value })
  await updateImported(trx, applicationId, fileId, stored.value)
  await insertDays(trx, { applicationId, wallet, days })
}
