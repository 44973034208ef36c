import type { Locale } from '#lib/i18n/locale.ts'
import type { LimitsText } from '#lib/operators/amount-limits.ts'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { type Currency, roundHalfUp } from './money.ts'

/** Rates in millionths of the amount (10000 is 1 %), fixed parts in hundredths of the currency's unit. */
export type FeeSchedule = {
  systemRatePpm: number
  systemFixedMinor: bigint
  appRatePpm: number
  appFixedMinor: bigint
}

/** 1 % for the service and 0.5 % for the application's owner. */
export const DEFAULT_FEE_SCHEDULE: FeeSchedule = {
  systemRatePpm: 10_000,
  systemFixedMinor: 0n,
  appRatePpm: 5_000,
  appFixedMinor: 0n,
}

export type Fees = { feeSystemMinor: bigint; feeAppMinor: bigint }

/** The fees of one transaction, each rounded half up to the currency's own decimals. */
export function computeFees(amountMinor: bigint, currency: Currency, schedule: FeeSchedule = DEFAULT_FEE_SCHEDULE): Fees {
  return {
    feeSystemMinor: oneFee(amountMinor, currency, schedule.systemRatePpm, schedule.systemFixedMinor),
    feeAppMinor: oneFee(amountMinor, currency, schedule.appRatePpm, schedule.appFixedMinor),
  }
}

/** Returns the credit of a collect in hundredths: the amount less both fees. Zero or less if the fees exceed it. */
export function collectCredit(amountMinor: bigint, fees: Fees): bigint {
  return amountMinor - fees.feeSystemMinor - fees.feeAppMinor
}

/**
 * The amount in hundredths from which on every collect credits something under this schedule; exact unless the rates take more
 * than 99.9 %, where it is a little more than needed. The rates together must be less than the whole amount.
 */
export function smallestCollect(schedule: FeeSchedule, currency: Currency): bigint {
  const leftPpm = BigInt(1_000_000 - schedule.systemRatePpm - schedule.appRatePpm)
  // Rounding adds less than one unit of the currency to each fee, so above this every amount credits something.
  const enoughMinor = ((schedule.systemFixedMinor + schedule.appFixedMinor + 200n) * 1_000_000n) / leftPpm + 1n
  // The search below takes one step per amount within the rounding error, which is millions if almost nothing is credited.
  if (leftPpm < 1_000n) return enoughMinor
  let amountMinor = enoughMinor
  while (amountMinor > 0n) {
    const creditMinor = collectCredit(amountMinor, computeFees(amountMinor, currency, schedule))
    if (creditMinor <= 0n) return amountMinor + 1n
    // Fees do not rise as the amount falls: an amount below the credit calculated next credits something too.
    amountMinor -= creditMinor
  }
  return 1n
}

/**
 * The deposit that refunds this amount where the customer bears its fees: the largest one that the amount covers with its fees, in whole units
 * of the currency's everyday use if the amount is. Zero if the fees take everything. Hundredths in and out.
 */
export function refundAfterFees(amountMinor: bigint, currency: Currency, schedule: FeeSchedule): bigint {
  const unitMinor = amountMinor % 100n === 0n ? 100n : 1n
  const covers = (units: bigint): boolean => {
    const { feeSystemMinor, feeAppMinor } = computeFees(units * unitMinor, currency, schedule)
    return units * unitMinor + feeSystemMinor + feeAppMinor <= amountMinor
  }
  // Amount and fees rise together, so halving finds the last amount that is covered.
  let least = 0n
  let most = amountMinor / unitMinor
  while (least < most) {
    const middle = (least + most + 1n) / 2n
    if (covers(middle)) least = middle
    else most = middle - 1n
  }
  return least * unitMinor
}

function oneFee(amountMinor: bigint, currency: Currency, ratePpm: number, fixedMinor: bigint): bigint {
  return roundHalfUp(amountMinor * BigInt(ratePpm) + fixedMinor * 1_000_000n, 1_000_000n, currency)
}

/** The settings of an application that two administrators change. */
export type SettingsTerms = {
  name: string
  requiresSecondFactor: boolean
  copiesWebhookStatus: boolean
  allowsCombinedRoles: boolean
  countries: readonly string[]
  defaultWebhookUrl: string | null
  /** How long deposits wait for float before they end as FAILED. */
  floatWaitHours: number
  /** How long people can undo a validation, in seconds; 0: not at all. */
  undoSeconds: number
  /** Accounts that may be checked at operators within 24 hours; 0: none. */
  accountChecksMax: number
  allowsPaymentLinks: boolean
  refundFeesFrom: RefundFeesFrom
}

/** Who can pay the fees of a refund: the application beside the amount, or the customer, who receives less. */
export const REFUND_FEES_FROM = ['application', 'customer'] as const
export type RefundFeesFrom = (typeof REFUND_FEES_FROM)[number]

export const FLOAT_WAIT_HOURS_MAX = 168

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
  /** The limits that count, with the operator's settings; binding if other amounts are refused. */
  effective: LimitsText & { areBinding: boolean }
  /** The limits without the application's own. */
  ofOperator: LimitsText
  systemRatePpm: number
  systemFixedMinor: string
  appRatePpm: number
  appFixedMinor: string
}

/** The effect of a transaction of this amount on the balance, in hundredths; null for a collect whose fees take all of it. */
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

/** Reads a percentage as a person types it, `0.5` or `0,5`, as millionths; undefined for anything else or above 100. */
export function parsePercent(typed: string): number | undefined {
  const match = /^(\d{1,3})(?:[.,](\d{1,4}))?$/.exec(typed.trim().replace(/\s*%$/, ''))
  if (!match) return undefined
  const ppm = Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'))
  return ppm <= 1_000_000 ? ppm : undefined
}

/** Writes millionths as a percentage without its sign, with as many decimals as needed: `0.5`, `0,5`. */
export function writePercent(ppm: number, locale: Locale): string {
  const text = String(ppm / 10_000)
  return locale === 'fr' ? text.replace('.', ',') : text
}

/** The fact of a proposed change about the fees of one direction: its name, and its value, the rate in millionths and the fixed part in hundredths. */
const FEE_FACT = 'fee '

/** The name of the fact about the fees of a direction. */
export function feeFactName(operator: OperatorCode, type: TransactionType): string {
  return `${FEE_FACT}${operator} ${type}`
}

/** The value of such a fact. */
export function feeFact(ratePpm: number, fixedMinor: string): string {
  return `${ratePpm} ${fixedMinor}`
}

/** Reads the name of a fact; undefined if it is about something else. */
export function readFeeFactName(name: string): { operator: OperatorCode; type: TransactionType } | undefined {
  if (!name.startsWith(FEE_FACT)) return undefined
  const [operator = '', type] = name.slice(FEE_FACT.length).split(' ')
  return isOperatorCode(operator) && (type === 'COLLECT' || type === 'DEPOSIT') ? { operator, type } : undefined
}

/** Reads the value of such a fact. */
export function readFeeFact(value: string): { ratePpm: number; fixedMinor: bigint } {
  const [ratePpm, fixedMinor = '0'] = value.split(' ')
  return { ratePpm: Number(ratePpm), fixedMinor: BigInt(fixedMinor) }
}
