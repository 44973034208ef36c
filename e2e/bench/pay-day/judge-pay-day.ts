import { judge, type Verdict } from '#e2e/crash/judge.ts'
import type { Receiver } from '#e2e/crash/receiver.ts'
import type { Pool } from '#server/database/pool.ts'
import { compareBooks, readBooks } from '#server/operators/testing/compare-books.ts'
import { fundWallet, lowestBalance, type SimulatorPlace } from '#server/operators/testing/simulated-wallets.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { findGreatestOvertaking } from './order.ts'
import { OPERATOR, PORTIONS } from './plan.ts'
import type { Shortage } from './shortage.ts'

type Evidence = {
  pool: Pool
  /** `folder`: of the simulator's books. */
  wallet: SimulatorPlace & { folder: string }
  deposits: number
  receiver: Receiver
  shortages: readonly Shortage[]
  /** Since when the account is short. */
  sinceMs: number
}
/** `repeats`: the attempts to tell the result that the service recorded as not delivered. */
type Row = { transactionId: string; applicationId: string; status: string; acceptedAtUs: bigint; repeats: number }

/** The calls of the lane that one process has in progress at a time. Those may arrive in any order. */
const LANE_WIDTH = 64

/** Checks every guarantee once all deposits have ended, against the simulator's books, which know nothing of ours. */
export async function judgePayDay({ pool, wallet, deposits, receiver, shortages, sinceMs }: Evidence): Promise<Verdict[]> {
  const { rows } = await pool.query<Row>(
    `select transaction_id as "transactionId", application_id as "applicationId", status,
            (extract(epoch from created_at) * 1000000)::bigint as "acceptedAtUs",
            (select count(*) from webhook_attempts a where a.transaction_id = t.transaction_id and a.outcome <> 'delivered')::integer as repeats
       from transactions t`,
  )
  const books = await readBooks(wallet.url)
  const arrivals = [...books.keys()]
  const overtaking = findGreatestOvertaking(rows, arrivals)
  const difference = await compareBooks(pool, books).then(
    () => [],
    (error: unknown) => [String(error)],
  )
  const left = await fundWallet(wallet, { operator: OPERATOR, amount: 0 })
  const lowest = lowestBalance(wallet.folder, OPERATOR, sinceMs)
  return [
    judge(
      `${deposits} deposits are SUCCESS, and none FAILED`,
      rows,
      ({ transactionId, status }) => (status === 'SUCCESS' ? undefined : `${transactionId} is ${status}`),
      rows.length === deposits ? [] : [`${rows.length} are stored`],
    ),
    judge('each was executed once at the operator, and sent once', arrivals, () => undefined, difference),
    judge(
      `fewer than ${LANE_WIDTH} deposits that its application had sent before were overtaken by any`,
      arrivals,
      () => undefined,
      overtaking && overtaking.count < LANE_WIDTH ? [] : [`${overtaking?.transactionId} overtook ${overtaking?.count}`],
    ),
    judge('the account paid all that it held and never more', [left, lowest], (balance) =>
      balance === 0 ? undefined : `it held ${balance}`,
    ),
    judge(
      'before each top-up people were shown that deposits wait, and exactly what was missing',
      shortages,
      ({ missing }) => (missing > 0 ? undefined : `${missing} were missing`),
      shortages.length === PORTIONS - 1 ? [] : [`that was seen ${shortages.length} times`],
    ),
    judge(
      'the partner was told each result once, and again only after an answer that came too late',
      rows,
      ({ transactionId, status, repeats }) => {
        const told = receiver.arrivals.get(transactionId) ?? []
        const isRight = told.length > 0 && told.length <= 1 + repeats && told.every((one) => one.status === status)
        return isRight ? undefined : `${transactionId} was told ${told.length} times after ${repeats} late answers`
      },
    ),
    judge(
      'balances, counters, roll-ups, sequences, events and audit chains equal a recount',
      rows,
      () => undefined,
      await verifyDatabase(pool),
    ),
  ]
}
