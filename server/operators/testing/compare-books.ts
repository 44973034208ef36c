import { request } from 'undici'
import type { Pool } from '#server/database/pool.ts'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { idsIn } from '../orange-web/messages.ts'

/** Here an order whose reply was lost is replaced by another one: its page stays unpaid, because nobody has the address. */
const REPLACES_ORDERS = 'orange-web'

/**
 * Reads the books of a simulator, by transaction. Several transfers of one transaction are added up; each after the first is a submission
 * that was repeated under another reference, except for orders that were replaced.
 */
export async function readBooks(simulatorUrl: string): Promise<Map<string, BookEntry>> {
  const answer = await request(`${simulatorUrl}/books`)
  const { entries } = (await answer.body.json()) as { entries: BookEntry[] }
  const byId = new Map<string, BookEntry>()
  for (const entry of entries) {
    const id = transactionIdOf(entry)
    const before = byId.get(id)
    byId.set(id, before ? addUp(before, entry) : entry)
  }
  return byId
}

function addUp(before: BookEntry, entry: BookEntry): BookEntry {
  const leading = before.timesExecuted > 0 ? before : entry
  const repeated = entry.protocol === REPLACES_ORDERS ? 0 : 1
  return {
    ...leading,
    timesExecuted: before.timesExecuted + entry.timesExecuted,
    duplicates: before.duplicates + entry.duplicates + repeated,
  }
}

type StoredRow = { transaction_id: string; status: string; amount_minor: bigint; message: string }

/**
 * Compares a simulator's books with the database and throws on the first difference: money moves once and only for SUCCESS, what is FAILED
 * is not executed, amounts agree, and no reference was sent again while the operator had it, more often than the test itself caused it.
 */
export async function compareBooks(
  pool: Pool,
  books: ReadonlyMap<string, BookEntry>,
  causedRepetitions: (entry: BookEntry) => number = () => 0,
): Promise<void> {
  const { rows } = await pool.query<StoredRow>('select transaction_id, status, amount_minor, message from transactions')
  for (const row of rows) {
    const entry = books.get(row.transaction_id)
    const difference = differenceOf(row, entry && { ...entry, duplicates: entry.duplicates - causedRepetitions(entry) })
    if (difference) throw new Error(`${row.transaction_id} ${row.status} ${row.message}: ${difference}`)
  }
  const stored = new Set(rows.map((row) => row.transaction_id))
  const unknown = [...books.keys()].filter((reference) => !stored.has(reference))
  if (unknown.length > 0) throw new Error(`The operator knows ${unknown.length} references that are not stored`)
}

/**
 * Returns how often each transaction was rightly submitted again: after the operator said twice that it does not know it. On a busy machine a
 * submission can arrive after its own deadline and after both denials, so that the operator has it when it comes again.
 */
export async function countDenied(pool: Pool): Promise<(entry: BookEntry) => number> {
  const { rows } = await pool.query<{ id: string; attempts: string[] }>(
    `select transaction_id as id, array_agg(kind || ' ' || coalesce(outcome, '') order by number) as attempts
       from all_operator_attempts where kind in ('submit', 'query') group by transaction_id`,
  )
  const denied = new Map(rows.map(({ id, attempts }) => [id, deniedOf(attempts)]))
  return (entry) => denied.get(transactionIdOf(entry)) ?? 0
}

function deniedOf(attempts: readonly string[]): number {
  let denials = 0
  let repetitions = 0
  for (const attempt of attempts) {
    if (attempt === 'query not_found') denials++
    if (!attempt.startsWith('submit ')) continue
    if (denials >= 2) repetitions++
    denials = 0
  }
  return repetitions
}

function differenceOf(row: StoredRow, entry: BookEntry | undefined): string | undefined {
  const timesExecuted = entry?.timesExecuted ?? 0
  if (row.status === 'SUCCESS' && timesExecuted !== 1) return `executed ${timesExecuted} times`
  if (row.status === 'FAILED' && timesExecuted !== 0) return 'executed although it failed'
  if (timesExecuted > 1) return `executed ${timesExecuted} times`
  if (entry && entry.duplicates > 0) return `sent again ${entry.duplicates} times while the operator had it`
  if (entry && BigInt(entry.amount) * 100n !== row.amount_minor) return 'the amounts differ'
  return undefined
}

/** The identity of an entry in the books of the simulator. */
type Booked = { protocol?: string; reference: string; context: string }

/** The transaction that an entry is about. An operator's own protocol has another reference; its context begins with the id. */
export function transactionIdOf({ protocol = 'gateway', reference, context }: Booked): string {
  if (protocol === 'gateway') return reference
  // Letters and digits only: the id without its dashes.
  if (protocol === 'airtel') return context.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  if (protocol === 'orange-web') return idsIn(context)?.reference ?? reference
  return context.split('.')[0] ?? reference
}
