import { createHash, randomUUID } from 'node:crypto'
import { STATEMENT_BYTES_MAX } from '#lib/reconciliation/statement-problem.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { addDays, type Clock } from '#lib/time/time.ts'
import { PIECE_BYTES } from '#lib/uploads.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Connectors, DayList } from '#server/operators/connector.ts'
import { compressPiece } from '#server/uploads/pieces.ts'
import { listWallets, type SetWallet } from '../wallets/wallet-store.ts'
import { insertFetched, listFetchedDays, readInstallation } from './fetch-store.ts'

/** A day is listed when it has been over for this long: the last payments of the day are in the operator's books by then. */
const OVER_FOR_MS = 3_600_000
/** An operator that did not answer is asked again for the days since. For older ones a person uploads the file. */
const DAYS_BACK = 3
/** A hundred lines each are as many as a statement may have, so that a list without an end ends. */
const PAGES_MAX = 20_000

type Deps = { pool: Pool; connectors: Connectors; clock: Clock }

/**
 * Fetches the statements of operators that list a day to a program, once per wallet and day, and stores each as the file that a person would have
 * uploaded: it is checked, and waits for a person who imports it. A day without a line is not stored. A list that breaks off leaves nothing: the others are
 * fetched, then this throws an Error that names them, and the next run asks for them again.
 */
export async function fetchStatements({ pool, connectors, clock }: Deps, isEnding: () => boolean): Promise<void> {
  const applicationId = await readInstallation(pool)
  if (applicationId === undefined) return
  const problems: string[] = []
  for (const wallet of await listWallets(pool, applicationId)) {
    const list = connectors.get(wallet.operator)?.dayList
    if (!list) continue
    const today = dayIn(wallet.zone, new Date(clock.now().getTime() - OVER_FOR_MS))
    const since = addDays(today, -DAYS_BACK)
    const fetched = await listFetchedDays(pool, applicationId, wallet.wallet, since)
    for (let day = since; day < today; day = addDays(day, 1)) {
      if (isEnding()) return
      if (fetched.includes(day)) continue
      const problem = await fetchDay({ pool, applicationId }, wallet, list, day)
      if (problem !== undefined) problems.push(`${wallet.wallet} ${day}: ${problem}`)
    }
  }
  if (problems.length > 0) throw new Error(`Statements could not be fetched: ${problems.join('; ')}`)
}

/** Fetches and stores one day. Returns a sentence about what went wrong; undefined if nothing did. */
async function fetchDay(
  { pool, applicationId }: { pool: Pool; applicationId: string },
  { wallet }: SetWallet,
  list: DayList,
  day: string,
): Promise<string | undefined> {
  const file = createFile(list.header)
  let page: string | undefined
  let pages = 0
  let lines = 0
  do {
    const outcome = await list.read(day, page)
    if (outcome.kind === 'unknown') return outcome.detail
    if (++pages > PAGES_MAX || file.size() > STATEMENT_BYTES_MAX || (page !== undefined && outcome.next === page))
      return 'The list has no end'
    await file.add(outcome.lines)
    lines += outcome.lines.length
    page = outcome.next
  } while (page !== undefined)
  if (lines === 0) return undefined
  const { pieces, sha256 } = await file.end()
  const fileId = randomUUID()
  const fileName = `${wallet} ${day}.csv`
  await runRecorded<void, never>(pool, { applicationId, actor: SYSTEM_ACTOR }, async (trx) => {
    const isNew = await insertFetched(trx, { applicationId, fileId, wallet, day, fileName, sha256, pieces })
    const details = { name: fileName, wallet, sha256: sha256.toString('hex') }
    return done(isNew ? { action: 'statement.fetched', subject: fileId, details } : null)
  })
  return undefined
}

/** A file of rows that are added, in compressed pieces: a national operator's day is 1 to 2 MB so. */
function createFile(header: readonly string[]) {
  const hash = createHash('sha256')
  const pieces: { byteCount: number; content: Buffer }[] = []
  let rest = Buffer.from(rowOf(header))
  let bytes = rest.length
  async function cut(atLeast: number): Promise<void> {
    while (rest.length >= atLeast && rest.length > 0) {
      const piece = rest.subarray(0, PIECE_BYTES)
      rest = rest.subarray(piece.length)
      hash.update(piece)
      pieces.push({ byteCount: piece.length, content: await compressPiece(piece) })
    }
  }
  return {
    size: () => bytes,
    async add(rows: readonly (readonly string[])[]): Promise<void> {
      const more = Buffer.from(rows.map(rowOf).join(''))
      bytes += more.length
      rest = Buffer.concat([rest, more])
      await cut(PIECE_BYTES)
    },
    async end(): Promise<{ pieces: typeof pieces; sha256: Buffer }> {
      await cut(1)
      return { pieces, sha256: hash.digest() }
    },
  }
}

/** A row of RFC 4180. Line ends within a cell would be rows of their own to people who open the file. */
function rowOf(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${cell.replaceAll(/[\r\n]+/g, ' ').replaceAll('"', '""')}"`).join(',')}\n`
}
