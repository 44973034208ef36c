import type { Holdings, Movements, StatementDto } from '#lib/finance/finance-dto.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { FIRST_DAY } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { addSums, addsUp, readLedger, type Sums, ZERO_SUMS } from './day-ledger.ts'
import { lengthOf, oneOf, PERIODS_MAX, periodsOf, rangeOf, type StatementRequest } from './statement-periods.ts'

/**
 * The statement of one operator: opening, what came in and went out, closing, in sum and by day (by month or year where there are more
 * than `periodsMax` days or months). Opening plus movements is closing by construction of the postings, and everything together is
 * the live balance (`agrees`), in one snapshot.
 */
export function readStatement(pool: Pool, request: StatementRequest, periodsMax = PERIODS_MAX): Promise<StatementDto> {
  const { operator, now } = request
  const { from, to } = rangeOf(request)
  return withSnapshot(pool, async (snapshot) => {
    const length = await lengthOf(snapshot, { ...request, from, to }, periodsMax)
    const ledger = oneOf(await readLedger(snapshot, request, { operator, fromDay: from, toDay: to, length }))
    const { days } = ledger
    let closing = ledger.before
    const periods = periodsOf(days, { from, to }, periodsMax).map(({ sums, ...period }) => {
      closing = addSums(closing, sums)
      return { ...toMovements(sums), ...period, closing: toHoldings(closing) }
    })
    return {
      zone: request.businessZone,
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

function toMovements(sums: Sums): Movements {
  return {
    collected: formatMinor(sums.collectedMinor),
    funded: formatMinor(sums.fundedMinor),
    paid: formatMinor(sums.paidMinor),
    fees: formatMinor(sums.feesMinor),
    corrected: formatMinor(sums.correctedMinor),
    withdrawn: formatMinor(sums.withdrawnMinor),
    adjusted: formatMinor(sums.adjustedMinor),
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
