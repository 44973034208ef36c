import type { OperatorCode } from '#lib/operators/operators.ts'
import { DAY_MS } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import type { BalanceOutcome, Connectors } from '#server/operators/connector.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { deletePollsBefore, insertPoll, storeBalance } from './balance-store.ts'
import { listFloatWaits, readFloatMark, storeFloat } from './float-store.ts'

type PollDeps = { pool: Pool; connectors: Connectors; logger: Logger }

/** Reads the balance of every operator that reports one, and stores it next to the ledger's figure. An unusable answer changes nothing. */
export async function pollBalances(deps: PollDeps): Promise<void> {
  await Promise.all(deps.connectors.operators().map((operator) => pollOrReport(deps, operator)))
}

function pollOrReport(deps: PollDeps, operator: OperatorCode): Promise<void> {
  return pollOne(deps, operator).catch((error: unknown) =>
    reportUnexpected('operators: balance', error, { logger: deps.logger, operator, message: 'A balance could not be stored' }),
  )
}

async function pollOne({ pool, connectors }: PollDeps, operator: OperatorCode): Promise<void> {
  const connector = connectors.get(operator)
  if (!connector) return
  // Before the question: what is sent meanwhile may be in the answer already or not, and counts as not.
  const mark = await readFloatMark(pool, operator)
  const outcome = await connector.balance()
  if (outcome.kind !== 'balance') return
  const { collectMinor, depositMinor } = outcome
  // Of an operator without such a call there is nothing to compare.
  if (collectMinor === null && depositMinor === null) return
  const reportedMinor = totalOf(outcome)
  await storeBalance(pool, { operator, collectMinor, depositMinor, reportedMinor })
  await insertPoll(pool, operator, reportedMinor)
  const floorMinor = connector.terms.floatFloorMinor
  if (depositMinor !== null && floorMinor !== undefined) await storeFloat(pool, { operator, reportedMinor: depositMinor, floorMinor, mark })
}

/** Asks the operators whose deposits wait for float: a top-up is noticed sooner than by the next poll of all. */
export async function pollWaiting(deps: PollDeps): Promise<void> {
  for (const { operator } of await listFloatWaits(deps.pool)) await pollOrReport(deps, operator)
}

/** Payments take their time at an operator: only a difference that nothing has explained for longer is an alarm. */
export const ALARM_AFTER_MS = 30 * 60_000

/** How long every balance is kept that an operator reported. */
const POLLS_KEPT_DAYS = 90

/** Removes the balances that are older than the pages look back. */
export async function forgetPolls(pool: Pool, now: Date): Promise<void> {
  await deletePollsBefore(pool, new Date(now.getTime() - POLLS_KEPT_DAYS * DAY_MS))
}

/** Undefined parts cannot be compared: half of a balance differs from the ledger in any case. */
function totalOf({ collectMinor, depositMinor, isOneAccount }: Extract<BalanceOutcome, { kind: 'balance' }>): bigint | null {
  if (isOneAccount) return collectMinor ?? depositMinor
  return collectMinor === null || depositMinor === null ? null : collectMinor + depositMinor
}
