import { formatMinor } from '#lib/money/money.ts'
import type { DayItemDto } from '#lib/reconciliation/days.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type DayItem, type DayScope, selectBookedOf, selectLinesOf } from './day-store.ts'

/** Classes of our own postings; all others are classes of lines. */
const BOOKED_CLASSES: ReadonlySet<string> = new Set(['success_failed_there', 'success_absent_there', 'in_transit', 'adjusted', 'funding'])

/** The lines or transactions of one class of a day, in order of time, up to a limit. */
export async function listDayItems(queryable: Queryable, scope: DayScope, dayClass: string, limit: number): Promise<DayItemDto[]> {
  const select = BOOKED_CLASSES.has(dayClass) ? selectBookedOf : selectLinesOf
  return (await select(queryable, scope, dayClass, limit)).map(toDto)
}

function toDto(item: DayItem): DayItemDto {
  const { transactionId, application, adjustments, transactionStatus, transactionAt, amountMinor } = item
  return {
    lineId: item.lineId === null ? null : String(item.lineId),
    at: item.at.toISOString(),
    amount: formatMinor(item.grossMinor),
    fee: formatMinor(item.feeMinor),
    phone: item.phone,
    operatorId: item.operatorId,
    type: item.type,
    status: item.status,
    rule: item.rule,
    isTwin: item.isTwin,
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
