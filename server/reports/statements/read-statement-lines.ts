import type { LineFilter, LineKind, StatementLine, StatementLinesDto } from '#lib/finance/finance-dto.ts'
import { formatMinor } from '#lib/money/money.ts'
import type { UtcDay } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { openSnapshot, withSnapshot } from '#server/database/with-transaction.ts'
import { readLedger, type Sums } from './day-ledger.ts'
import { type LineRow, type PeriodLength, selectLines, sumLines, walkLines } from './ledger-days-store.ts'
import {
  type LedgerRange,
  lengthOf,
  oneOf,
  PERIODS_MAX,
  type Period,
  periodsOf,
  rangeOf,
  type StatementRequest,
} from './statement-periods.ts'

const LINES_PER_PAGE = 50

type LinesRequest = StatementRequest & { kind: LineFilter | null; page: number; size?: number }

/**
 * One page of the postings behind a statement, oldest first; of one kind, those behind one of its figures, with their sum. The counts of
 * the days show on which days the page lies, so that only their postings are read.
 */
export function readStatementLines(pool: Pool, request: LinesRequest): Promise<StatementLinesDto> {
  const { operator, kind, page, size = LINES_PER_PAGE } = request
  const { from, to } = rangeOf(request)
  const begin = BigInt(page) * BigInt(size)
  return withSnapshot(pool, async (snapshot) => {
    if (kind !== null) {
      const { count, amountMinor } = await sumLines(snapshot, request, { operator, from, to, kind })
      const rows = await selectLines(snapshot, request, { operator, from, to, kind, offset: begin, limit: size })
      return { lines: rows.map((row) => toLine(row, null)), sum: formatMinor(amountMinor), total: Number(count), page, size }
    }
    const { place, total } = await findPage(snapshot, { ...request, from, to }, begin, BigInt(size))
    const rows = place ? await selectLines(snapshot, request, { operator, ...place, kind, limit: size }) : []
    const lines = rows.map((row) => toLine(row, place ? place.openingMinor + row.movedMinor : null))
    return { lines, sum: null, total, page, size }
  })
}

const BATCH_ROWS = 1_000

/**
 * The first `limit` postings behind a statement, oldest first, in batches from one snapshot. It holds a connection until it is read to its
 * end or closed with `return()`.
 */
export async function* walkStatementLines(
  pool: Pool,
  request: StatementRequest & { kind: LineFilter | null },
  limit: number,
): AsyncGenerator<StatementLine[], void, undefined> {
  const { operator, kind } = request
  const { from, to } = rangeOf(request)
  const snapshot = await openSnapshot(pool)
  try {
    // Lines of one kind leave others out, so a balance beside them would not add up.
    const openingMinor = kind === null ? await openingOf(snapshot.client, { ...request, from, to }) : null
    for await (const rows of walkLines(snapshot.client, request, { operator, from, to, kind, offset: 0n, limit }, BATCH_ROWS)) {
      yield rows.map((row) => toLine(row, openingMinor === null ? null : openingMinor + row.movedMinor))
    }
  } finally {
    await snapshot.close()
  }
}

/** All balances together before the first day of a range. */
async function openingOf(snapshot: Queryable, range: LedgerRange): Promise<bigint> {
  const length = await lengthOf(snapshot, range, PERIODS_MAX)
  const asked = { operator: range.operator, fromDay: range.from, toDay: range.to, length }
  return balanceOf(oneOf(await readLedger(snapshot, range, asked)).before)
}

/** `openingMinor`: all balances together before the first of these days. */
type Place = { from: string; to: string; offset: bigint; openingMinor: bigint }

/** Where the lines from `begin` on are, and how many there are in all. A long range is looked through by month or year first, then by day. */
async function findPage(
  snapshot: Queryable,
  range: LedgerRange,
  begin: bigint,
  size: bigint,
): Promise<{ place: Place | undefined; total: number }> {
  const length = await lengthOf(snapshot, range, PERIODS_MAX)
  const periodsIn = async (from: UtcDay, to: UtcDay, by: PeriodLength) => {
    const asked = { operator: range.operator, fromDay: from, toDay: to, length: by }
    const { before, days } = oneOf(await readLedger(snapshot, range, asked))
    return { openingMinor: balanceOf(before), periods: periodsOf(days, { from, to }, Number.POSITIVE_INFINITY) }
  }
  const found = await periodsIn(range.from, range.to, length)
  const total = Number(found.periods.reduce((count, { sums }) => count + sums.count, 0n))
  const rough = placeOf(found, begin, size)
  if (!rough || length === 10) return { place: rough, total }
  return { place: placeOf(await periodsIn(rough.from, rough.to, 10), rough.offset, size), total }
}

/** The periods that hold the lines from `begin` on, and how far into the first of them they begin. */
function placeOf(
  { openingMinor, periods }: { openingMinor: bigint; periods: readonly Period[] },
  begin: bigint,
  size: bigint,
): Place | undefined {
  let counted = 0n
  let balanceMinor = openingMinor
  let found: Place | undefined
  for (const { from, to, sums } of periods) {
    if (counted + sums.count > begin && counted < begin + size)
      found = found ? { ...found, to } : { from, to, offset: begin - counted, openingMinor: balanceMinor }
    counted += sums.count
    balanceMinor += balanceOf(sums)
  }
  return found
}

function balanceOf({ collectMinor, depositMinor, heldMinor }: Pick<Sums, 'collectMinor' | 'depositMinor' | 'heldMinor'>): bigint {
  return collectMinor + depositMinor + heldMinor
}

function toLine(row: LineRow, balanceMinor: bigint | null): StatementLine {
  const kind: LineKind = row.kind === 'settle' ? (row.heldMinor === 0n ? 'collect' : 'pay') : row.kind
  return {
    id: `${row.subjectId} ${row.kind}`,
    at: row.at.toISOString(),
    kind,
    transactionId: row.isTransaction ? row.subjectId : null,
    adjustments: row.adjustments,
    customerName: row.customerName,
    amount: row.amountMinor === null ? null : formatMinor(row.amountMinor),
    phoneNumber: row.phoneNumber,
    externalId: row.externalId,
    operatorReference: row.operatorReference,
    reason: row.reason,
    collect: formatMinor(row.collectMinor),
    deposit: formatMinor(row.depositMinor),
    held: formatMinor(row.heldMinor),
    fees: formatMinor(row.feesMinor),
    balance: balanceMinor === null ? null : formatMinor(balanceMinor),
  }
}
