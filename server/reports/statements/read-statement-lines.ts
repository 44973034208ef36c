import type { LineFilter, LineKind, StatementLine, StatementLinesDto } from '#lib/finance-dto.ts'
import { formatMinor } from '#lib/money.ts'
import type { UtcDay } from '#lib/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { openSnapshot, withSnapshot } from '#server/database/with-snapshot.ts'
import { readLedger } from './day-ledger.ts'
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
  const { applicationId, operator, filter, now, kind, page, size = LINES_PER_PAGE } = request
  const { from, to } = rangeOf(filter, now)
  const begin = BigInt(page) * BigInt(size)
  return withSnapshot(pool, async (snapshot) => {
    if (kind !== null) {
      const { count, amountMinor } = await sumLines(snapshot, applicationId, { operator, from, to, kind })
      const rows = await selectLines(snapshot, applicationId, { operator, from, to, kind, offset: begin, limit: size })
      return { lines: rows.map(toLine), sum: formatMinor(amountMinor), total: Number(count), page, size }
    }
    const { place, total } = await findPage(snapshot, { applicationId, operator, from, to }, begin, BigInt(size))
    const rows = place ? await selectLines(snapshot, applicationId, { operator, ...place, kind, limit: size }) : []
    return { lines: rows.map(toLine), sum: null, total, page, size }
  })
}

const BATCH_ROWS = 1_000

/**
 * The first `limit` postings behind a statement, oldest first, in batches from one snapshot. It holds a connection until it is read to its
 * end or closed with `return()`.
 */
export async function* walkStatementLines(
  pool: Pool,
  { applicationId, operator, filter, now, kind }: StatementRequest & { kind: LineFilter | null },
  limit: number,
): AsyncGenerator<StatementLine[], void, undefined> {
  const { from, to } = rangeOf(filter, now)
  const snapshot = await openSnapshot(pool)
  try {
    for await (const rows of walkLines(snapshot.client, applicationId, { operator, from, to, kind, offset: 0n, limit }, BATCH_ROWS)) {
      yield rows.map(toLine)
    }
  } finally {
    await snapshot.close()
  }
}

type Place = { from: string; to: string; offset: bigint }

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
    return periodsOf(oneOf(await readLedger(snapshot, range.applicationId, asked)).days, { from, to }, Number.POSITIVE_INFINITY)
  }
  const periods = await periodsIn(range.from, range.to, length)
  const total = Number(periods.reduce((count, { sums }) => count + sums.count, 0n))
  const rough = placeOf(periods, begin, size)
  if (!rough || length === 10) return { place: rough, total }
  return { place: placeOf(await periodsIn(rough.from, rough.to, 10), rough.offset, size), total }
}

/** The periods that hold the lines from `begin` on, and how far into the first of them they begin. */
function placeOf(periods: readonly Period[], begin: bigint, size: bigint): Place | undefined {
  let counted = 0n
  let found: Place | undefined
  for (const { from, to, sums } of periods) {
    if (counted + sums.count > begin && counted < begin + size)
      found = { from: found?.from ?? from, to, offset: found?.offset ?? begin - counted }
    counted += sums.count
  }
  return found
}

function toLine(row: LineRow): StatementLine {
  const kind: LineKind = row.kind === 'settle' ? (row.heldMinor === 0n ? 'collect' : 'pay') : row.kind
  return {
    id: `${row.subjectId} ${row.kind}`,
    at: row.at.toISOString(),
    kind,
    transactionId: row.isTransaction ? row.subjectId : null,
    customerName: row.customerName,
    reason: row.reason,
    collect: formatMinor(row.collectMinor),
    deposit: formatMinor(row.depositMinor),
    held: formatMinor(row.heldMinor),
    fees: formatMinor(row.feesMinor),
  }
}
