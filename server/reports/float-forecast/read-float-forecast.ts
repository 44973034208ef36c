import { COVERED_HOURS, type FloatForecastDto, forecastFloat, HISTORY_MS } from '#lib/finance/float-forecast.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type FloatRow, type FlowRow, selectFloats, selectFlows } from './forecast-store.ts'

/** The operators at which one account holds collects and deposits. */
const SHARED = WALLETS.filter(({ account }) => account === 'both').map(({ operator }) => operator)
const STEP_HOURS = 2
const DAY_HOURS = 24

/**
 * How long the money for deposits lasts at each operator where there is any or where deposits were paid, all applications together: the account belongs
 * to the installation. The soonest to run out comes first.
 */
export async function readFloatForecast(queryable: Queryable, now: Date): Promise<FloatForecastDto[]> {
  const since = new Date(now.getTime() - HISTORY_MS)
  const [floats, flows] = await Promise.all([selectFloats(queryable, SHARED, now), selectFlows(queryable, since, now)])
  return OPERATOR_CODES.flatMap((operator) => {
    const float = floats.find((row) => row.operator === operator)
    const own = flows.filter((row) => row.operator === operator)
    return float && (float.ledgerMinor !== 0n || own.some(({ outMinor }) => outMinor > 0n)) ? [toDto(float, own, now)] : []
  }).toSorted((left, right) => (left.lastsUntil ?? '~').localeCompare(right.lastsUntil ?? '~'))
}

function toDto(
  { operator, reportedMinor, ledgerMinor, heldMinor, waitingMinor }: FloatRow,
  flows: readonly FlowRow[],
  now: Date,
): FloatForecastDto {
  const balanceMinor = reportedMinor ?? ledgerMinor
  const { hours, lastsUntil, topUpMinor } = forecastFloat(
    {
      balanceMinor,
      committedMinor: heldMinor + waitingMinor,
      isShared: SHARED.includes(operator),
      flows,
      // The first hour of any operator: an hour without payments is part of the history.
      since: flows[0]?.firstHour ?? now,
    },
    now,
  )
  const outOf = (from: number, count: number) => hours.slice(from, from + count).reduce((sum, { usualOutMinor }) => sum + usualOutMinor, 0n)
  return {
    operator,
    currency: OPERATORS[operator].country.currency,
    balance: formatMinor(balanceMinor),
    isReported: reportedMinor !== null,
    held: formatMinor(heldMinor),
    waiting: formatMinor(waitingMinor),
    usualDay: formatMinor(whole(outOf(0, DAY_HOURS))),
    lastsUntil: lastsUntil?.toISOString() ?? null,
    topUp: formatMinor(topUpMinor),
    steps: Array.from({ length: COVERED_HOURS / STEP_HOURS }, (_, step) => {
      const first = hours[step * STEP_HOURS]
      const last = hours[(step + 1) * STEP_HOURS - 1]
      if (!first || !last) throw new Error('A forecast has an hour for each of its two days')
      return {
        at: first.at.toISOString(),
        usualOut: formatMinor(whole(outOf(step * STEP_HOURS, STEP_HOURS))),
        balance: formatMinor(whole(last.minor)),
      }
    }),
  }
}

/** An estimate has no decimals. */
function whole(minor: bigint): bigint {
  return minor - (minor % 100n)
}
