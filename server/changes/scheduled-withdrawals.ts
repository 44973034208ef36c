import { randomUUID } from 'node:crypto'
import { AMOUNT_MINOR_MAX } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { dayIn } from '#lib/time/format-time.ts'
import type { Clock } from '#lib/time/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readFundedBalances } from '#server/ledger/ledger-store.ts'
import {
  findMinimum,
  findSchedule,
  isWithdrawalWaiting,
  listSchedules,
  type Run,
  type Schedule,
} from '#server/reconciliation/treasury/bank-store.ts'
import { findDueTime, recordRun } from '#server/reconciliation/treasury/schedule-runs.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { stillHolds } from './decide-change.ts'
import { KINDS } from './kinds.ts'
import { storeProposal } from './propose-change.ts'

type Ended = Pick<Run, 'outcome' | 'reason' | 'amountMinor' | 'changeId'>

/** Task: proposes the withdrawals whose time has come. One that fails keeps no other from being proposed; the next minute repeats it. */
export async function proposeScheduledWithdrawals({ pool, clock }: { pool: Pool; clock: Clock }, isEnding: () => boolean): Promise<void> {
  for (const schedule of await listSchedules(pool, null)) {
    if (isEnding()) return
    await runSchedule(pool, schedule, clock.now()).catch((error: unknown) =>
      reportUnexpected('withdrawals: schedule', error, {
        message: 'A scheduled withdrawal could not be proposed; the task of the next minute repeats it',
      }),
    )
  }
}

/**
 * Proposes the withdrawal of one schedule if it is due, in the transaction that records the run: both are stored or neither is, and the lock of the
 * application and the key of the run let it happen once. It is in the name of the person who proposed the schedule, so another person confirms it, and it
 * needs that person to be still allowed to propose.
 */
async function runSchedule(pool: Pool, listed: Schedule, now: Date): Promise<void> {
  await withTransaction<void, never>(pool, async (trx) => {
    await lockApplication(trx, listed.applicationId)
    // Read again under the lock, under which schedules are set and removed.
    const schedule = await findSchedule(trx, listed)
    const dueAt = schedule && (await findDueTime(trx, schedule, now))
    if (schedule && dueAt) await recordRun(trx, schedule, { dueAt, ...(await propose(trx, schedule, dueAt)) })
    return { ok: true, value: undefined }
  })
}

const ended = (outcome: Ended['outcome'], reason: string | null = null): Ended => ({ outcome, reason, amountMinor: null, changeId: null })

async function propose(trx: TrxClient, schedule: Schedule, dueAt: Date): Promise<Ended> {
  const { applicationId, operator, account, bankAccountId, proposedBy, keepMinor, timeZone } = schedule
  if (!(await stillHolds(trx, applicationId, proposedBy, 'funding:propose'))) return ended('refused', 'proposer_gone')
  // Two of them would both be of the whole balance.
  if (await isWithdrawalWaiting(trx, schedule)) return ended('waiting')
  const balances = await readFundedBalances(trx, applicationId, operator)
  const balanceMinor = (account === 'collect' ? balances?.collectMinor : balances?.depositMinor) ?? 0n
  const amountMinor = withdrawable(balanceMinor - keepMinor)
  const minimumMinor = await findMinimum(trx, applicationId, OPERATORS[operator].country.currency)
  if (amountMinor <= 0n || (minimumMinor !== null && amountMinor < minimumMinor)) return ended('below_minimum')
  const kind = 'funding.withdrawal'
  const reference = `AUTO ${operator} ${account} ${dayIn(timeZone, dueAt)}`
  const content = { operator, account, bankAccountId, amountMinor: String(amountMinor), reference, note: '', document: null }
  const bound = KINDS[kind].bind(content)
  if (!bound.ok) throw new Error(`The content of the withdrawal ${reference} cannot be read`)
  const changeId = randomUUID()
  const stored = await storeProposal(trx, { applicationId, kind, changeId, proposedBy, actor: SYSTEM_ACTOR }, bound.value)
  if (stored.ok) return { outcome: 'proposed', reason: null, amountMinor, changeId }
  return ended('refused', typeof stored.error === 'string' ? stored.error : stored.error.reason)
}

/** Whole units, because banks transfer no fractions of a franc, and at most the largest amount of one change. */
function withdrawable(aboveMinor: bigint): bigint {
  const amountMinor = aboveMinor > AMOUNT_MINOR_MAX ? AMOUNT_MINOR_MAX : aboveMinor
  return amountMinor - (amountMinor % 100n)
}
