import { collectCredit, computeFees, type FeeSchedule } from './fees.ts'
import { OPERATORS, type OperatorCode } from './operators.ts'
import type { TransactionType } from './transaction-status.ts'

/** The settings of an application that two administrators change. */
export type SettingsTerms = {
  name: string
  requiresSecondFactor: boolean
  copiesWebhookStatus: boolean
  allowsCombinedRoles: boolean
  countries: readonly string[]
  defaultWebhookUrl: string | null
}

/** One transfer service with its limits and fees, as pages receive it. Amounts are hundredths as text. */
export type ServiceTerms = {
  operator: OperatorCode
  type: TransactionType
  /** Whether the application works in its country; otherwise it cannot be switched on. */
  isInCountries: boolean
  isEnabled: boolean
  enforcesLimits: boolean
  minimumMinor: string | null
  maximumMinor: string | null
  systemRatePpm: number
  systemFixedMinor: string
  appRatePpm: number
  appFixedMinor: string
}

/** What a transaction of this amount does to the balance, in hundredths; null for a collect of which nothing would be left. */
export function feeEffect(
  { operator, type, ...terms }: Pick<ServiceTerms, 'operator' | 'type' | keyof FeeSchedule>,
  amountMinor: bigint,
): { feesMinor: bigint; balanceMinor: bigint } | null {
  const schedule = { ...terms, systemFixedMinor: BigInt(terms.systemFixedMinor), appFixedMinor: BigInt(terms.appFixedMinor) }
  const fees = computeFees(amountMinor, OPERATORS[operator].country.currency, schedule)
  const feesMinor = fees.feeSystemMinor + fees.feeAppMinor
  if (type === 'DEPOSIT') return { feesMinor, balanceMinor: amountMinor + feesMinor }
  const credit = collectCredit(amountMinor, fees)
  return credit > 0n ? { feesMinor, balanceMinor: credit } : null
}
