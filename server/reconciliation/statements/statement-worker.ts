import { OPERATORS } from '#lib/operators/operators.ts'
import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'
import { ok } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { type Pool, TASK_STATEMENT_LIMIT_MS, type TrxClient, withStatementLimit } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { matchWallet } from '../matching/match-wallet.ts'
import type { ReadingWallet, StatementSummary } from '../read-statement/statement-lines.ts'
import { readInThread } from '../read-statement/statement-reader.ts'
import { listWallets } from '../wallets/wallet-store.ts'
import { insertLines, insertRows, lockNextFile, type StatementFile, updateReady, updateRefused } from './statement-store.ts'
import { readPieces } from './upload-statement.ts'

export type StatementWorker = {
  /** Looks for files that people have uploaded or decided to import, from time to time and after `wake`. */
  start(): void
  wake(): void
  /** Ends after the file that is in progress. */
  drain(): Promise<void>
}

const POLL_MS = 1_000

/** Reads uploaded statements and stores imported ones, one at a time in a process. Any number of processes may run one. */
export function createStatementWorker(deps: { pool: Pool; clock: Clock }): StatementWorker {
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
        reportUnexpected('reconciliation: statement', error, { message: 'A statement could not be read or stored; it is tried again' }),
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
 * before, and the next worker takes it at once. Returns whether there was one.
 */
export async function workOnce({ pool, clock }: { pool: Pool; clock: Clock }): Promise<boolean> {
  const worked = await withStatementLimit(TASK_STATEMENT_LIMIT_MS, () =>
    withTransaction<boolean, never>(pool, async (trx) => {
      const file = await lockNextFile(trx)
      if (!file) return ok(false)
      if (file.state === 'checking') await check(trx, file, clock.now())
      else await store(trx, file, clock.now())
      return ok(true)
    }),
  )
  return worked.ok && worked.value
}

async function check(trx: TrxClient, file: StatementFile, now: Date): Promise<void> {
  const { applicationId, fileId } = file
  const wallet = await readingWallet(trx, file, now)
  const read = await withTransaction<StatementSummary, StatementProblem>(trx, (part) =>
    readInThread(readPieces(part, applicationId, fileId), wallet, (chunk) => insertRows(part, applicationId, fileId, chunk)),
  )
  if (read.ok) await updateReady(trx, applicationId, fileId, read.value)
  else await updateRefused(trx, applicationId, fileId, read.error)
}

async function store(trx: TrxClient, { applicationId, fileId, wallet }: StatementFile, now: Date): Promise<void> {
  await insertLines(trx, applicationId, fileId)
  await matchWallet(trx, { applicationId, wallet, fileId, now })
}

async function readingWallet(trx: TrxClient, file: StatementFile, now: Date): Promise<ReadingWallet> {
  const wallets = await listWallets(trx, file.applicationId)
  const own = wallets.find(({ wallet }) => wallet === file.wallet)
  if (!own) throw new Error(`The wallet ${file.wallet} of a statement does not exist`)
  const { operator, number, zone, cutoffMinute } = own
  const ownNumbers = wallets.flatMap((each) => (each.operator === operator && each.number !== null ? [each.number] : []))
  return { operator, currency: OPERATORS[operator].country.currency, number, ownNumbers, zone, cutoffMinute, nowMs: now.getTime() }
}
