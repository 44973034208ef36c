import { AGE_BUCKETS, type AlertedTransactions, type FinanceOverview, type UnconfirmedMoney } from '#lib/finance/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, type DayRange, daysBetween } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { listBalanceAlarms } from '#server/operators/balances/balance-store.ts'
import { ALARM_AFTER_MS } from '#server/operators/balances/poll-balances.ts'
import { readMoneySums, toMoney } from '#server/reports/totals/money-figures.ts'
import { toCharts } from '#server/reports/totals/totals-parts.ts'
import { selectBalances, selectThresholds } from '../statements/ledger-days-store.ts'
import { selectPeriodSums } from '../totals/totals-store.ts'
import { daysOnly } from '../transaction-search/day-counts-store.ts'
import {
  type AlertedRow,
  countOpenContradictions,
  countSharedReferences,
  selectOpenContradictions,
  selectSharedReferences,
  selectUnconfirmed,
  type UnconfirmedSum,
} from './overview-store.ts'

const MINUTE_MS = 60_000
/** Where an age bucket ends and the next begins. */
const EDGES_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS]
const ALERTED_MAX = 1_000
const ALERTED_SHOWN = 5
const SHARED_REFERENCE_DAYS = 30

/** Returns what finance sees first: today's money by direction beside yesterday's, and everything that needs attention. */
export async function readMoneyToday(pool: Pool, application: BusinessTime, range: DayRange, now: Date): Promise<FinanceOverview> {
  const { applicationId, businessZone } = application
  const today = dayIn(businessZone, now)
  const yesterday = addDays(today, -1)
  const edges = EDGES_MS.map((ageMs) => new Date(now.getTime() - ageMs))
  const [figures, unconfirmed, contradictions, sharedReferences, lowBalances, balanceAlarms] = await Promise.all([
    readFigures(pool, application, { today, yesterday, range }),
    selectUnconfirmed(pool, applicationId, edges),
    readContradictions(pool, applicationId),
    readSharedReferences(pool, applicationId, new Date(now.getTime() - SHARED_REFERENCE_DAYS * 24 * 60 * MINUTE_MS)),
    readLowBalances(pool, applicationId),
    readBalanceAlarms(pool, applicationId, now),
  ])
  const alerts = { contradictions, sharedReferences, lowBalances, balanceAlarms }
  return { today, yesterday, ...figures, unconfirmed: toUnconfirmed(unconfirmed, edges), ...alerts }
}

type FigureDays = { today: string; yesterday: string; range: DayRange }

function readFigures(
  pool: Pool,
  application: BusinessTime,
  { today, yesterday, range }: FigureDays,
): Promise<Pick<FinanceOverview, 'money' | 'charts'>> {
  const query = { from: today, to: today, type: null, operators: [], status: 'SUCCESS' as const }
  return withSnapshot(pool, async (snapshot) => {
    const { sums, sumsBefore } = await readMoneySums(snapshot, application, query, { from: yesterday, to: yesterday })
    const asked = { ...query, ...range }
    const periods = await selectPeriodSums(snapshot, application.applicationId, asked, daysOnly(application.businessZone, asked), 'day', [
      'SUCCESS',
    ])
    return { money: toMoney(sums, sumsBefore, 'SUCCESS'), charts: toCharts(periods, daysBetween(range.from, range.to)) }
  })
}

async function readContradictions(pool: Queryable, applicationId: string): Promise<AlertedTransactions> {
  const [count, newest] = await Promise.all([
    countOpenContradictions(pool, applicationId, ALERTED_MAX + 1),
    selectOpenContradictions(pool, applicationId, ALERTED_SHOWN),
  ])
  return toAlerted(count, newest)
}

async function readSharedReferences(pool: Queryable, applicationId: string, since: Date): Promise<AlertedTransactions> {
  const [count, newest] = await Promise.all([
    countSharedReferences(pool, applicationId, since, ALERTED_MAX + 1),
    selectSharedReferences(pool, applicationId, since, ALERTED_SHOWN),
  ])
  return toAlerted(count, newest)
}

function toAlerted(count: number, newest: readonly AlertedRow[]): AlertedTransactions {
  return {
    count: Math.min(count, ALERTED_MAX),
    isMore: count > ALERTED_MAX,
    newest: newest.map(({ amountMinor, at, ...row }) => ({ ...row, amount: formatMinor(amountMinor), at: at.toISOString() })),
  }
}

/** Balances that operators have reported for longer than payments take, and that nothing explains. */
export async function readBalanceAlarms(pool: Queryable, applicationId: string, now: Date): Promise<FinanceOverview['balanceAlarms']> {
  const alarms = await listBalanceAlarms(pool, applicationId, new Date(now.getTime() - ALARM_AFTER_MS))
  return alarms.map(({ operator, unexplainedMinor, since }) => ({
    operator,
    currency: OPERATORS[operator].country.currency,
    unexplained: formatMinor(unexplainedMinor),
    since: since.toISOString(),
  }))
}

/** Balances below their alert, in the order of the operators. */
async function readLowBalances(pool: Queryable, applicationId: string): Promise<FinanceOverview['lowBalances']> {
  const [balances, thresholds] = await Promise.all([selectBalances(pool, applicationId), selectThresholds(pool, applicationId)])
  const depositOf = new Map(balances.map((balance) => [balance.operator, balance.depositMinor]))
  const thresholdOf = new Map(thresholds.map((row) => [row.operator, row.thresholdMinor]))
  return OPERATOR_CODES.flatMap((operator) => {
    const [depositMinor, thresholdMinor] = [depositOf.get(operator) ?? 0n, thresholdOf.get(operator)]
    if (thresholdMinor === undefined || depositMinor >= thresholdMinor) return []
    const { currency } = OPERATORS[operator].country
    return [{ operator, currency, deposit: formatMinor(depositMinor), threshold: formatMinor(thresholdMinor) }]
  })
}

function toUnconfirmed(sums: readonly UnconfirmedSum[], edges: readonly Date[]): UnconfirmedMoney[] {
  return CURRENCIES.flatMap((currency) => {
    const own = sums.filter((sum) => sum.currency === currency)
    if (own.length === 0) return []
    return [
      {
        currency,
        count: Number(own.reduce((count, sum) => count + sum.count, 0n)),
        amount: formatMinor(own.reduce((amount, sum) => amount + sum.amountMinor, 0n)),
        buckets: AGE_BUCKETS.map((bucket, place) => {
          const sum = own.find((each) => each.bucket === place)
          return {
            bucket,
            count: Number(sum?.count ?? 0n),
            amount: formatMinor(sum?.amountMinor ?? 0n),
            after: edges[place]?.toISOString() ?? null,
            before: edges[place - 1]?.toISOString() ?? null,
          }
        }),
      },
    ]
  })
}
