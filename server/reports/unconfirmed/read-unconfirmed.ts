import type { UnconfirmedPage, UnconfirmedRow } from '#lib/finance/unconfirmed.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import type { UnconfirmedFilter } from '#lib/schemas/page-address.ts'
import { DAY_MS } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { openSnapshot, withSnapshot } from '#server/database/with-transaction.ts'
import { selectAnswerTimes } from '../operator-outcomes/outcome-store.ts'
import { percentileOf } from '../operator-outcomes/read-operator-history.ts'
import { type Asked, type FoundRow, selectUnconfirmed, sumUnconfirmed } from './unconfirmed-store.ts'

/** As many as a page of the desk has. */
const UNCONFIRMED_PAGE_SIZE = 50
const EXPORTED_AT_ONCE = 500
/** The days whose answer times are the usual ones. */
const USUAL_DAYS = 7
/** A payment is late after the time within which nearly all results came, and not sooner than this: a fast operator may take its time once. */
const LATE_SHARE = 0.95
const LATE_MIN_MS = 600_000

type Request = { applicationId: string; viewerId: string; filter: UnconfirmedFilter; now: Date }

/** A page of the payments whose outcome is unknown, the longest first, and the sums of all that fit the filter. */
export function readUnconfirmed(pool: Pool, request: Request): Promise<UnconfirmedPage> {
  return withSnapshot(pool, async (snapshot) => {
    const { asked, toRow } = await withUsualTimes(snapshot, request)
    const size = UNCONFIRMED_PAGE_SIZE
    const rows = await selectUnconfirmed(snapshot, asked, { limit: size, offset: request.filter.page * size })
    const sums = await sumUnconfirmed(snapshot, asked)
    return {
      rows: rows.map(toRow),
      total: sums.reduce((total, { count }) => total + Number(count), 0),
      sums: sums.map(({ amountMinor, count, ...sum }) => ({ ...sum, count: Number(count), amount: formatMinor(amountMinor) })),
      size,
    }
  })
}

/** All payments that fit the filter, in batches of one snapshot, which is closed at the end. */
export async function* walkUnconfirmed(pool: Pool, request: Request): AsyncGenerator<UnconfirmedRow[], void, undefined> {
  const snapshot = await openSnapshot(pool)
  try {
    const { asked, toRow } = await withUsualTimes(snapshot.client, request)
    for (let offset = 0; ; offset += EXPORTED_AT_ONCE) {
      const rows = await selectUnconfirmed(snapshot.client, asked, { limit: EXPORTED_AT_ONCE, offset })
      if (rows.length > 0) yield rows.map(toRow)
      if (rows.length < EXPORTED_AT_ONCE) return
    }
  } finally {
    await snapshot.close()
  }
}

async function withUsualTimes(queryable: Queryable, request: Request): Promise<{ asked: Asked; toRow: (row: FoundRow) => UnconfirmedRow }> {
  const times = await selectAnswerTimes(queryable, request.applicationId, new Date(request.now.getTime() - USUAL_DAYS * DAY_MS))
  const directions = OPERATOR_CODES.flatMap((operator) =>
    TRANSACTION_TYPES.map((type) => {
      const own = times.filter((row) => row.operator === operator && row.type === type)
      return { operator, type, usualMs: percentileOf(own, 0.5), lateMs: Math.max(LATE_MIN_MS, percentileOf(own, LATE_SHARE) ?? 0) }
    }),
  )
  const usualOf = (row: FoundRow) =>
    directions.find(({ operator, type }) => operator === row.operator && type === row.type)?.usualMs ?? null
  return {
    asked: { ...request, lateAfter: { directions, otherwiseLateMs: LATE_MIN_MS } },
    toRow: (row) => toDto(row, usualOf(row)),
  }
}

function toDto(row: FoundRow, usualMs: number | null): UnconfirmedRow {
  const { amountMinor, since, queriedAt, said, nextQueryAt, ownerId, ownerName, notes, ...shown } = row
  return {
    ...shown,
    amount: formatMinor(amountMinor),
    since: since.toISOString(),
    usualMs,
    lastQuery: queriedAt === null ? null : { at: queriedAt.toISOString(), said },
    nextQueryAt: nextQueryAt?.toISOString() ?? null,
    owner: ownerId === null ? null : { personId: ownerId, name: ownerName ?? '' },
    notes: notes.map((note) => ({ ...note, at: new Date(note.at).toISOString() })),
  }
}
