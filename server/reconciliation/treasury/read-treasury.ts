import type { TransitDto, TransitPlace, TreasuryDto } from '#lib/finance/treasury-dto.ts'
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
    listTransit(queryable, { kind: 'funding.withdrawal', ledgerId: carriesOut ? null : applicationId, endedMax: ENDED_SHOWN }),
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

/** The own transfers of the installation, for the people who carry them out. */
export async function readTransfers(queryable: Queryable, applicationId: string): Promise<TransitDto[]> {
  const rows = await listTransit(queryable, { kind: 'wallet.plan', ledgerId: applicationId, endedMax: ENDED_SHOWN })
  return rows.map((row) => toDto(row, true))
}

function toDto(row: TransitRow, carriesOut: boolean): TransitDto {
  const {
    ledgerId,
    changeId,
    operator,
    account,
    application,
    fromPlace,
    toPlace,
    currency,
    amountMinor,
    reference,
    confirmedAt,
    hasEnded,
    marks,
  } = row
  const bank: TransitPlace = {
    kind: 'bank',
    bank: row.bank ?? '',
    holder: row.holder ?? '',
    number: (carriesOut ? groupBankNumber : maskBankNumber)(row.number ?? ''),
  }
  const place = (text: string | null): TransitPlace => (text === null || text.startsWith('bank:') ? bank : { kind: 'wallet', wallet: text })
  return {
    ...{ ledger: ledgerId, changeId, currency, reference, hasEnded },
    from: row.kind === 'funding.withdrawal' ? { kind: 'balance', operator, account, application } : place(fromPlace),
    to: place(toPlace),
    amount: formatMinor(amountMinor),
    confirmedAt: confirmedAt.toISOString(),
    marks: marks.map(({ step, day, reference: named, by, isPosted }) => ({ step, day, reference: named, by, mayUndo: !isPosted })),
  }
}
