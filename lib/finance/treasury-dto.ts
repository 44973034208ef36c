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
/** `by`: null where the service found the operator's line. `mayUndo`: nothing was posted with it. */
type TransitMarkDto = { step: TransitStep; day: string; reference: string; by: string | null; mayUndo: boolean }

/** Where money on its way comes from or goes to. The number of a bank account is whole for the people who carry transfers out, else its end. */
export type TransitPlace =
  | { kind: 'balance'; operator: OperatorCode; account: WithdrawalAccount; application: string }
  | { kind: 'wallet'; wallet: string }
  | { kind: 'bank'; bank: string; holder: string; number: string }

/** A confirmed withdrawal or own transfer. It is on its way until it has arrived or returned. */
export type TransitDto = {
  ledger: string
  changeId: string
  from: TransitPlace
  to: TransitPlace
  currency: Currency
  amount: string
  reference: string
  confirmedAt: string
  hasEnded: boolean
  marks: readonly TransitMarkDto[]
}

/** How an end of an own transfer is written in its proposal: the id of a wallet, or `bank:` and that of a bank account. */
export const bankPlace = (bankAccountId: string) => `bank:${bankAccountId}`

/** The content of a page about bank accounts and withdrawals. */
export type TreasuryDto = {
  accounts: readonly BankAccountDto[]
  minimums: readonly { currency: Currency; minimum: string }[]
  schedules: readonly ScheduleDto[]
  transit: readonly TransitDto[]
}
