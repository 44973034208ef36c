import { OPERATORS } from '#lib/operators/operators.ts'
import type { BoardDto } from '#lib/reconciliation/days.ts'
import { addDays, daysBetween } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listDayStates } from '../certificates/certificate-store.ts'
import { listWallets } from '../wallets/wallet-store.ts'
import { listCoveredDays } from './day-store.ts'
import { readKeptSums } from './kept-sums.ts'
import { readDays } from './read-days.ts'

/** How many days the board shows. */
const BOARD_DAYS = 14

/** Every wallet on the last days, today included: whether a statement covers the day, and whether it ties. */
export async function readBoard(queryable: Queryable, applicationId: string, today: string): Promise<BoardDto> {
  const [from, to] = [addDays(today, 1 - BOARD_DAYS), today]
  const days = daysBetween(from, to)
  const wallets = await listWallets(queryable, applicationId)
  const covered = await listCoveredDays(queryable, applicationId, from, to)
  const states = await listDayStates(queryable, { applicationId, from, to })
  const rows: BoardDto['wallets'][number][] = []
  for (const wallet of wallets) {
    const own = new Set(covered.flatMap((each) => (each.wallet === wallet.wallet ? [each.day] : [])))
    const [first, last] = [days.find((day) => own.has(day)), days.findLast((day) => own.has(day))]
    const read =
      first === undefined || last === undefined
        ? []
        : await readDays(queryable, { applicationId, wallet, from: first, to: last }, readKeptSums)
    rows.push({
      wallet: wallet.wallet,
      currency: OPERATORS[wallet.operator].country.currency,
      days: days.map((day) => {
        const found = own.has(day) ? read.find((each) => each.day === day) : undefined
        const signing = states.find((each) => each.wallet === wallet.wallet && each.day === day)?.state ?? null
        if (!found) return { day, state: 'none', grave: 0, difference: '0', signing }
        const ties = found.grave === 0 && found.unexplained === '0'
        return { day, state: ties ? 'ties' : 'differs', grave: found.grave, difference: found.difference, signing }
      }),
    })
  }
  return { days, wallets: rows }
}
