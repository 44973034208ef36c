import { AMOUNT_MINOR_MAX, formatMinor } from '#lib/money/money.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { OPERATORS, type OperatorCode } from './operators.ts'

/** The amounts that are possible, in hundredths: both ends included, and only multiples, if there is one. */
export type AmountLimits = { minimumMinor: bigint; maximumMinor: bigint; multipleMinor: bigint | null }

/** The limits in an operator's settings for one direction. Null: none. */
export type OperatorLimitSettings = { [Name in keyof AmountLimits]: bigint | null }

/** The limits of an application's transfer service. They bind where the application enforces them. */
type ServiceLimits = { enforcesLimits: boolean; minimumMinor: bigint | null; maximumMinor: bigint | null }

/** `areBinding`: other amounts are refused. Otherwise the limits are advice: the operator may refuse other amounts. */
export type EffectiveLimits = { limits: AmountLimits; areBinding: boolean }

/**
 * Returns the limits of one operator and direction for an application. An operator's settings bind every application, and the strictest of
 * both counts. Without them the operator's public table is advice, which the application may replace with its own limits and enforce.
 */
export function effectiveLimits(
  { operator, type }: { operator: OperatorCode; type: TransactionType },
  service: ServiceLimits,
  settings: OperatorLimitSettings | undefined,
): EffectiveLimits {
  if (!settings) {
    const table = OPERATORS[operator].limits[type]
    const minimumMinor = service.minimumMinor ?? table.minimumMinor
    const maximumMinor = service.maximumMinor ?? table.maximumMinor
    return { limits: { minimumMinor, maximumMinor, multipleMinor: null }, areBinding: service.enforcesLimits }
  }
  const own = service.enforcesLimits ? service : undefined
  const limits = {
    minimumMinor: larger(settings.minimumMinor ?? 1n, own?.minimumMinor ?? 1n),
    maximumMinor: smaller(settings.maximumMinor ?? AMOUNT_MINOR_MAX, own?.maximumMinor ?? AMOUNT_MINOR_MAX),
    multipleMinor: settings.multipleMinor,
  }
  return { limits: toMultiples(limits), areBinding: true }
}

/** The same amounts, with ends that are multiples themselves: a person who is told the smallest amount can send it. */
function toMultiples(limits: AmountLimits): AmountLimits {
  const { minimumMinor, maximumMinor, multipleMinor } = limits
  if (multipleMinor === null) return limits
  return {
    minimumMinor: ((minimumMinor + multipleMinor - 1n) / multipleMinor) * multipleMinor,
    maximumMinor: (maximumMinor / multipleMinor) * multipleMinor,
    multipleMinor,
  }
}

export function isWithin(amountMinor: bigint, { minimumMinor, maximumMinor, multipleMinor }: AmountLimits): boolean {
  if (amountMinor < minimumMinor || amountMinor > maximumMinor) return false
  return multipleMinor === null || amountMinor % multipleMinor === 0n
}

/** Limits as exact decimals, for pages. `multiple`: null if there is none. */
export type LimitsText = { minimum: string; maximum: string; multiple: string | null }

export function limitsText({ minimumMinor, maximumMinor, multipleMinor }: AmountLimits): LimitsText {
  return {
    minimum: formatMinor(minimumMinor),
    maximum: formatMinor(maximumMinor),
    multiple: multipleMinor === null ? null : formatMinor(multipleMinor),
  }
}

/** Whether the settings of an operator leave no amount at all. */
export function areContradictory({ minimumMinor, maximumMinor, multipleMinor }: OperatorLimitSettings): boolean {
  const ends = { minimumMinor: minimumMinor ?? 1n, maximumMinor: maximumMinor ?? AMOUNT_MINOR_MAX, multipleMinor }
  const { minimumMinor: first, maximumMinor: last } = toMultiples(ends)
  return first > last
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
