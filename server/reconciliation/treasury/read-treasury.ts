import type { TransitDto, TreasuryDto } from '#lib/finance/treasury-dto.ts'
import { nextDueAt } from '#lib/finance/withdrawal-schedule.ts'
import { groupBankNumber, maskBankNumber } from '#lib/money/bank-number.ts'
import { formatMinor } from '#lib/money/money.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listBankAccounts, listMinimums, listRuns, listSchedules } from './bank-store.ts'
import { listTransit, type TransitRow } from './transit-store.ts'

const RUNS_SHOWN = 3
const ENDED_SHOWN = 20

/**
 * The bank accounts of an application, its schedules, and its withdrawals that are on their way. `carriesOut`: the viewer carries out the transfers of
 * the installation, and sees those of every application with the whole number of the account.
 */
export async function readTreasury(
  queryable: Queryable,
  { applicationId, carriesOut, now }: { applicationId: string; carriesOut: boolean; now: Date },
): Promise<TreasuryDto> {
  const [accounts, minimums, schedules, runs, transit] = await Promise.all([
    listBankAccounts(queryable, applicationId),
    listMinimums(queryable, applicationId),
    listSchedules(queryable, applicationId),
    listRuns(queryable, applicationId, RUNS_SHOWN),
    listTransit(queryable, carriesOut ? null : applicationId, ENDED_SHOWN),
  ])
  return {
    accounts: accounts.map(({ bankAccountId, holder, bank, currency, number }) => ({
      ...{ bankAccountId, holder, bank, currency },
      maskedNumber: maskBankNumber(number),
    })),
    minimums: minimums.map(({ currency, minimumMinor }) => ({ currency, minimum: formatMinor(minimumMinor) })),
    schedules: schedules.map(({ applicationId: _, keepMinor, proposedBy: __, proposerName, setAt, timeZone, ...schedule }) => ({
      ...schedule,
      keep: formatMinor(keepMinor),
      proposedBy: proposerName,
      nextDueAt: nextDueAt(schedule, timeZone, now > setAt ? now : setAt).toISOString(),
      runs: runs
        .filter(({ operator, account, dueAt }) => operator === schedule.operator && account === schedule.account && dueAt >= setAt)
        .map(({ dueAt, outcome, reason, amountMinor }) => ({
          ...{ dueAt: dueAt.toISOString(), outcome, reason },
          amount: amountMinor === null ? null : formatMinor(amountMinor),
        })),
    })),
    transit: transit.map((row) => toDto(row, carriesOut)),
  }
}

function toDto({ ledgerId, number, amountMinor, confirmedAt, marks, ...row }: TransitRow, carriesOut: boolean): TransitDto {
  return {
    ...row,
    ledger: ledgerId,
    number: carriesOut ? groupBankNumber(number) : maskBankNumber(number),
    amount: formatMinor(amountMinor),
    confirmedAt: confirmedAt.toISOString(),
    marks: marks.map(({ step, day, reference, by }) => ({ step, day, reference, by })),
  }
}
