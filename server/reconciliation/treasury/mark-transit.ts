import { referenceKey } from '#lib/approvals/proposed-change.ts'
import type { TransitStep } from '#lib/finance/treasury-dto.ts'
import { err, type Result } from '#lib/result.ts'
import { addDays, type UtcDay, utcDayOf } from '#lib/time/time.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { appendAuditEntries } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { deleteMark, findReturn, findTransit, insertLineMarks, insertMark } from './transit-store.ts'

type Step = { applicationId: string; actor: PersonCommandActor; ledgerId: string; changeId: string; step: TransitStep }

export type MarkFailure =
  | 'not_permitted'
  /** There is no such confirmed withdrawal, or the application does not run the installation. */
  | 'not_found'
  /** The day is before the confirmation, or has not begun anywhere. */
  | 'wrong_day'
  /** The step is marked already, or the money has arrived or returned. */
  | 'already_marked'
  /** No confirmed correction of this balance and amount has this reference. */
  | 'no_correction'

/**
 * Says that a withdrawal has left the operator, has arrived at the bank, or has come back: on which day, and how that side names it. It moves no
 * money. What came back is in the balance only after a correction of two people, whose reference this needs.
 */
export function markTransit(
  pool: Pool,
  { day, reference, now, ...step }: Step & { day: UtcDay; reference: string; now: Date },
): Promise<Result<void, MarkFailure>> {
  return runCommand<void, MarkFailure>(pool, step, 'reconciliation:work', async (trx) => {
    const { applicationId, ledgerId, changeId, actor } = step
    const row = (await runsInstallation(trx, applicationId)) ? await findTransit(trx, ledgerId, changeId) : undefined
    if (!row) return err('not_found')
    // A bank may value it on the day before; its day may have begun in a zone ahead of UTC.
    if (day < addDays(utcDayOf(row.confirmedAt), -1) || day > addDays(utcDayOf(now), 1)) return err('wrong_day')
    const named = step.step === 'returned' ? await findReturn(trx, row, referenceKey(reference)) : reference
    if (named === undefined) return err('no_correction')
    const mark = { applicationId, ledgerId, changeId, step: step.step, day, reference: named, personId: actor.id }
    if (!(await insertMark(trx, mark))) return err('already_marked')
    return recorded(trx, step, { step: step.step, day, reference: named })
  })
}

/** Takes a mark back that was a mistake. Both acts stay in the audit record. */
export function undoMark(pool: Pool, step: Step): Promise<Result<void, 'not_permitted' | 'not_found'>> {
  return runCommand<void, 'not_found'>(pool, step, 'reconciliation:work', async (trx) => {
    if (!(await runsInstallation(trx, step.applicationId)) || !(await deleteMark(trx, step))) return err('not_found')
    return recorded(trx, step, { step: step.step, undone: true })
  })
}

/** In both chains: that of the money, and that of the people. */
async function recorded(trx: TrxClient, { applicationId, actor, ledgerId, changeId }: Step, details: Record<string, string | boolean>) {
  const act = { actor, action: 'withdrawal.marked', subject: changeId, details: { ...details, ledger: ledgerId } } as const
  await appendAuditEntries(
    trx,
    [...new Set([ledgerId, applicationId])].map((each) => ({ ...act, applicationId: each })),
  )
  return done(null)
}

/** A transfer that an operator prints later than this is found by people. */
const LINE_DAYS_MAX = 10

/** Task: finds the operators' lines of withdrawals. */
export async function pairWithdrawals(pool: Pool): Promise<number> {
  return insertLineMarks(pool, LINE_DAYS_MAX)
}
