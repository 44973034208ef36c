import type { Holdings, LineFilter, LineKind, Movements, StatementDto, StatementLine, StatementLinesDto } from '#lib/finance-dto.ts'
import { formatMinor } from '#lib/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import type { StatementFilter } from '#lib/schemas/finance-query.ts'
import { FIRST_DAY, monthEnd, resolveDateRange, type UtcDay, utcDayOf } from '#lib/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { openSnapshot, withSnapshot } from '#server/database/with-snapshot.ts'
import { addSums, addsUp, type LedgerDay, type OperatorLedger, readLedger, type Sums, ZERO_SUMS } from './day-ledger.ts'
import { countPeriods, type LineRow, type PeriodLength, selectLines, sumLines, walkLines } from './ledger-days-store.ts'

export const LINES_PER_PAGE = 50

export type StatementRequest = {
  applicationId: string
  operator: OperatorCode
  filter: Pick<StatementFilter, 'dates' | 'from' | 'to'>
  now: Date
}

/** A statement with movements on more days than this is by month, on more months by year: a page stays one however long the range. */
const PERIODS_MAX = 400

/**
 * The statement of one operator: opening, what came in and went out, closing, in sum and by day (by month or year where there are more
 * than `periodsMax` days or months). Opening plus movements is closing by construction of the postings, and everything together is
 * the live balance (`agrees`), in one snapshot.
 */
export function readStatement(
  pool: Pool,
  { applicationId, operator, filter, now }: StatementRequest,
  periodsMax = PERIODS_MAX,
): Promise<StatementDto> {
  const { from, to } = rangeOf(filter, now)
  return withSnapshot(pool, async (snapshot) => {
    const length = await lengthOf(snapshot, { applicationId, operator, from, to }, periodsMax)
    const ledger = oneOf(await readLedger(snapshot, applicationId, { operator, fromDay: from, toDay: to, length }))
    const { days } = ledger
    let closing = ledger.before
    const periods = periodsOf(days, { from, to }, periodsMax).map(({ sums, ...period }) => {
      closing = addSums(closing, sums)
      return { ...toMovements(sums), ...period, closing: toHoldings(closing) }
    })
    return {
      operator,
      currency: OPERATORS[operator].country.currency,
      asOf: now.toISOString(),
      from: from === FIRST_DAY ? (periods[0]?.from ?? to) : from,
      to,
      opening: toHoldings(ledger.before),
      movements: toMovements(days.reduce<Sums>(addSums, ZERO_SUMS)),
      closing: toHoldings(closing),
      days: periods,
      agrees: addsUp(ledger),
    }
  })
}

type Period = { day: string; from: UtcDay; to: UtcDay; sums: Sums }

/** Days, or months, or years: the finest of which there are at most `periodsMax`, each cut to the range. */
function periodsOf(days: readonly LedgerDay[], range: { from: UtcDay; to: UtcDay }, periodsMax: number): Period[] {
  const given = days[0]?.day.length ?? 10
  for (const length of [10, 7, 4].filter((each) => each <= given)) {
    const groups = Map.groupBy(days, (day) => day.day.slice(0, length))
    if (groups.size > periodsMax && length > 4) continue
    return [...groups].map(([period, own]) => {
      const [first, last] = endsOf(period)
      return {
        day: period,
        from: first < range.from ? range.from : first,
        to: last > range.to ? range.to : last,
        sums: own.reduce<Sums>(addSums, ZERO_SUMS),
      }
    })
  }
  return []
}

/** The first and the last day of a day, a month or a year. */
function endsOf(period: string): [UtcDay, UtcDay] {
  if (period.length === 10) return [period, period]
  return period.length === 7 ? [`${period}-01`, monthEnd(period)] : [`${period}-01-01`, `${period}-12-31`]
}

export type LinesRequest = StatementRequest & { kind: LineFilter | null; page: number; size?: number }

/**
 * One page of the postings behind a statement, oldest first; of one kind, those behind one of its figures, with their sum. The days' counts say on which days the page lies, so that only their postings are read.
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
 * The first `limit` postings behind a statement, oldest first, some at a time out of one snapshot. It holds a connection: read it to its
 * end or give it back with `return()`.
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

type LedgerRange = { applicationId: string; operator: OperatorCode; from: UtcDay; to: UtcDay }
type Place = { from: string; to: string; offset: bigint }

/** Day, month or year: the finest of which a range has at most `periodsMax`, so that what is read of it does not grow with it. */
async function lengthOf(snapshot: Queryable, { applicationId, ...range }: LedgerRange, periodsMax: number): Promise<PeriodLength> {
  if (periodsMax === Number.POSITIVE_INFINITY) return 10
  const { days, months } = await countPeriods(snapshot, applicationId, range)
  return days <= periodsMax ? 10 : months <= periodsMax ? 7 : 4
}

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

function rangeOf(filter: StatementRequest['filter'], now: Date): { from: string; to: string } {
  const { from, to } = resolveDateRange(filter, now)
  const today = utcDayOf(now)
  // Nothing is posted after today; the statement of a month ends where the month does.
  return { from: from ?? FIRST_DAY, to: to ?? today }
}

function oneOf(ledgers: readonly OperatorLedger[]): OperatorLedger {
  const [ledger] = ledgers
  if (!ledger) throw new Error('Every operator has a ledger')
  return ledger
}

function toMovements(sums: Sums): Movements {
  return {
    collected: formatMinor(sums.collectedMinor),
    funded: formatMinor(sums.fundedMinor),
    paid: formatMinor(sums.paidMinor),
    fees: formatMinor(sums.feesMinor),
    corrected: formatMinor(sums.correctedMinor),
    placed: formatMinor(sums.placedMinor),
    released: formatMinor(sums.releasedMinor),
    count: Number(sums.count),
  }
}

function toHoldings({ collectMinor, depositMinor, heldMinor }: Sums): Holdings {
  return {
    collect: formatMinor(collectMinor),
    deposit: formatMinor(depositMinor),
    held: formatMinor(heldMinor),
    total: formatMinor(collectMinor + depositMinor + heldMinor),
  }
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
