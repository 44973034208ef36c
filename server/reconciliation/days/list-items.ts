import { formatMinor } from '#lib/money/money.ts'
import { type DayItemDto, WALLET_POSTING_KINDS } from '#lib/reconciliation/days.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { openSnapshot } from '#server/database/with-transaction.ts'
import { type DayItem, type DayScope, selectBookedOf, selectBookOf, selectLinesOf } from './day-store.ts'
import { type Difference, walkDifferences } from './difference-store.ts'

/** Classes of our own postings; all others are classes of lines. */
const BOOKED_CLASSES: ReadonlySet<string> = new Set([
  'success_failed_there',
  'success_absent_there',
  'in_transit',
  'adjusted',
  'funding',
  'move',
  'withdraw',
])

/** The lines or transactions of one class of a day, in order of time, up to a limit. */
export async function listDayItems(queryable: Queryable, scope: DayScope, dayClass: string, limit: number): Promise<DayItemDto[]> {
  const kind = WALLET_POSTING_KINDS.find((each) => dayClass === `book_${each}`)
  if (kind) return (await selectBookOf(queryable, scope, kind, limit)).map(toDto)
  const select = BOOKED_CLASSES.has(dayClass) ? selectBookedOf : selectLinesOf
  return (await select(queryable, scope, dayClass, limit)).map(toDto)
}

const BATCH_ROWS = 1_000

/**
 * Every line and transaction that adds to the difference of a day, in order of time, in batches. It holds a connection until it is read to its
 * end or closed.
 */
export async function* walkDayDifferences(pool: Pool, scope: DayScope): AsyncGenerator<Difference[], void, undefined> {
  const snapshot = await openSnapshot(pool)
  try {
    yield* walkDifferences(snapshot.client, scope, BATCH_ROWS)
  } finally {
    await snapshot.close()
  }
}

function toDto(item: DayItem): DayItemDto {
  const { transactionId, application, adjustments, transactionStatus, transactionAt, amountMinor } = item
  return {
    lineId: item.lineId === null ? null : String(item.lineId),
    at: item.at.toISOString(),
    originDay: item.originDay,
    amount: formatMinor(item.grossMinor),
    fee: formatMinor(item.feeMinor),
    phone: item.phone,
    operatorId: item.operatorId,
    type: item.type,
    status: item.status,
    rule: item.rule,
    isTwin: item.isTwin,
    exceptionId: item.exceptionId,
    transaction:
      transactionId === null || application === null || transactionStatus === null || transactionAt === null || amountMinor === null
        ? null
        : {
            transactionId,
            application,
            status: transactionStatus,
            adjustments,
            at: transactionAt.toISOString(),
            amount: formatMinor(amountMinor),
          },
  }
}
