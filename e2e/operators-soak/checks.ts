import { checkRefunds } from '#e2e/crash/check-refunds.ts'
import { judge, type Verdict } from '#e2e/crash/judge.ts'
import type { Receiver } from '#e2e/crash/receiver.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { countDenied, readBooks } from '#server/operators/testing/compare-books.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import type { Sent } from './load.ts'
import type { Repetitions } from './repetitions.ts'

type Evidence = {
  pool: Pool
  simulatorUrl: string
  sent: readonly Sent[]
  receiver: Receiver
  open: readonly string[]
  /** Collects of an operator that answers no queries, whose reply was lost: people have to ask, so they stay PENDING. */
  unanswerable: ReadonlySet<string>
  repetitions: Repetitions
}
type Row = {
  transaction_id: string
  operator: string
  type: string
  status: string
  amount_minor: bigint
  message: string
  operator_reference: string | null
}
type Books = ReadonlyMap<string, BookEntry>

/** Checks every guarantee after all faults. The operators' books are read from the simulator, which knows nothing of ours. */
export async function checkEverything(evidence: Evidence): Promise<Verdict[]> {
  const { pool, simulatorUrl, sent, receiver, open, unanswerable, repetitions } = evidence
  const { rows } = await pool.query<Row>(
    'select transaction_id, operator, type, status, amount_minor, message, operator_reference from transactions where transaction_id = any ($1)',
    [sent.map((one) => one.transactionId)],
  )
  const books = await readBooks(simulatorUrl)
  const byId = new Map(rows.map((row) => [row.transaction_id, row]))
  const entries = sent.flatMap(({ transactionId }) => books.get(transactionId) ?? [])
  const [left, ended] = [
    rows.filter((row) => unanswerable.has(row.transaction_id)),
    rows.filter((row) => !unanswerable.has(row.transaction_id)),
  ]
  const endedEntries = entries.filter((entry) => !unanswerable.has(entry.reference))
  const differences = await verifyDatabase(pool)
  const denied = await countDenied(pool)
  const executed = new Map([...books].map(([id, { timesExecuted }]) => [id, { executed: timesExecuted }]))
  return [
    judge('every transaction ended that somebody can answer for', ended, () => undefined, open),
    judge('a collect that nobody can be asked about is PENDING, and nobody was told otherwise', left, (row) =>
      row.status === 'PENDING' && !receiver.arrivals.has(row.transaction_id) ? undefined : `${row.transaction_id} is ${row.status}`,
    ),
    judge('what was answered exists once, with its amount', sent, ({ transactionId, amount }) =>
      byId.get(transactionId)?.amount_minor === BigInt(amount) * 100n ? undefined : `${transactionId} is missing or has another amount`,
    ),
    judge('no transfer was executed twice', entries, (entry) =>
      entry.timesExecuted > 1 ? `${entry.reference} was executed ${entry.timesExecuted} times` : undefined,
    ),
    judge('nothing was sent again that the operator had taken', entries, (entry) =>
      entry.duplicates > repetitions.causedFor(entry) + denied(entry)
        ? `${entry.reference} (${entry.protocol}) arrived ${entry.duplicates} times more`
        : undefined,
    ),
    judge('SUCCESS here and executed there are the same transactions', ended, (row) => compareResult(row, books)),
    judge(
      'the sums of both sides are equal, for each operator and direction',
      OPERATOR_CODES.flatMap((operator) => TRANSACTION_TYPES.map((type) => ({ operator, type }))),
      ({ operator, type }) => compareSums(operator, type, ended, endedEntries),
    ),
    judge(
      "each success keeps the operator's own reference",
      rows.filter((row) => row.status === 'SUCCESS'),
      (row) => (row.operator_reference ? undefined : `${row.operator} ${row.type} ${row.transaction_id} has none`),
    ),
    judge('no operator reference belongs to two transactions', [...Map.groupBy(rows, referenceOf)], ([reference, having]) =>
      reference !== undefined && having.length > 1 ? `${reference} belongs to ${having.length}` : undefined,
    ),
    ...(await checkRefunds(pool, executed)),
    judge('every protocol of the sandbox took part', simulatedOperators('', ''), ({ operator, protocol }) =>
      entries.some((entry) => entry.operator === operator && entry.protocol === protocol)
        ? undefined
        : `${operator} was never reached by ${protocol}`,
    ),
    judge('the partner was told each result once, as it is stored', ended, (row) => {
      const arrivals = receiver.arrivals.get(row.transaction_id) ?? []
      return arrivals.length === 1 && arrivals[0]?.status === row.status
        ? undefined
        : `${row.transaction_id} is ${row.status}, told ${arrivals.map((one) => one.status).join(', ') || 'nothing'}`
    }),
    judge('balances, counters, roll-ups, sequences, events and audit chains equal a recount', rows, () => undefined, differences),
  ]
}

/** Unique for an operator and direction. */
function referenceOf({ operator, type, operator_reference: reference }: Row): string | undefined {
  return reference === null ? undefined : `${operator} ${type} ${reference}`
}

function compareResult(row: Row, books: Books): string | undefined {
  const entry = books.get(row.transaction_id)
  const isExecuted = (entry?.timesExecuted ?? 0) > 0
  if ((row.status === 'SUCCESS') !== isExecuted)
    return `${row.operator} ${row.type} ${row.transaction_id} is ${row.status} (${row.message}) and was ${isExecuted ? '' : 'not '}executed`
  return isExecuted && entry?.operator !== row.operator ? `${row.transaction_id} was executed by ${entry?.operator}` : undefined
}

function compareSums(operator: string, type: string, rows: readonly Row[], entries: readonly BookEntry[]): string | undefined {
  const ours = rows
    .filter((row) => row.operator === operator && row.type === type && row.status === 'SUCCESS')
    .reduce((sum, row) => sum + row.amount_minor, 0n)
  const theirs = entries
    .filter((entry) => entry.operator === operator && entry.direction === type && entry.status === 'SUCCESS')
    .reduce((sum, entry) => sum + BigInt(Math.round(Number(entry.amount) * 100)), 0n)
  return ours === theirs ? undefined : `${operator} ${type}: ${ours} here and ${theirs} there, in hundredths`
}
