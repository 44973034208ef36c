import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { ScheduleTime } from './withdrawal-schedule.ts'

export type WithdrawalAccount = 'collect' | 'deposit'

/** A bank account that two people added; of its number only the end. */
export type BankAccountDto = { bankAccountId: string; holder: string; bank: string; currency: Currency; maskedNumber: string }

/** A bank account in one line. */
export function bankAccountText({ bank, holder, maskedNumber }: Pick<BankAccountDto, 'bank' | 'holder' | 'maskedNumber'>): string {
  return `${bank} · ${holder} · ${maskedNumber}`
}

export type RunOutcome = 'proposed' | 'below_minimum' | 'missed' | 'waiting' | 'refused'
/** One time of a schedule. `reason`: of a refusal, as a proposal is refused. Amounts are decimals. */
export type ScheduleRunDto = { dueAt: string; outcome: RunOutcome; reason: string | null; amount: string | null }
export type ScheduleDto = ScheduleTime & {
  operator: OperatorCode
  account: WithdrawalAccount
  bankAccountId: string
  keep: string
  proposedBy: string
  nextDueAt: string
  /** The last times, newest first. */
  runs: readonly ScheduleRunDto[]
}

export const TRANSIT_STEPS = ['left', 'arrived', 'returned'] as const
export type TransitStep = (typeof TRANSIT_STEPS)[number]
/** `by`: null where the service found the operator's line. */
type TransitMarkDto = { step: TransitStep; day: string; reference: string; by: string | null }

/** A confirmed withdrawal. It is on its way until it has arrived or returned. */
export type TransitDto = {
  ledger: string
  application: string
  changeId: string
  operator: OperatorCode
  account: WithdrawalAccount
  currency: Currency
  amount: string
  reference: string
  confirmedAt: string
  bank: string
  holder: string
  /** The whole number for the people who carry transfers out, else its end. */
  number: string
  marks: readonly TransitMarkDto[]
}

/** What a page about bank accounts and withdrawals shows. */
export type TreasuryDto = {
  accounts: readonly BankAccountDto[]
  minimums: readonly { currency: Currency; minimum: string }[]
  schedules: readonly ScheduleDto[]
  transit: readonly TransitDto[]
}
