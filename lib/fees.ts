import { type Currency, roundHalfUp } from './money.ts'

/** Rates in millionths of the amount (10000 is 1 %), fixed parts in hundredths of the currency's unit. */
export type FeeSchedule = {
  systemRatePpm: number
  systemFixedMinor: bigint
  appRatePpm: number
  appFixedMinor: bigint
}

/** 1 % for the service and 0.5 % for the application's owner (DESIGN 5, Fees). */
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

function oneFee(amountMinor: bigint, currency: Currency, ratePpm: number, fixedMinor: bigint): bigint {
  return roundHalfUp(amountMinor * BigInt(ratePpm) + fixedMinor * 1_000_000n, 1_000_000n, currency)
}
