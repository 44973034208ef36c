/**
 * The fees an operator should have charged on a day by the agreement of the wallet, and what its statement says it charged, taxes included; for one
 * that bills monthly the fee lines come on another day than their payments. Decimals; `agreed` and `difference` are null without an agreement.
 */
export type FeeDayDto = {
  day: string
  payments: number
  amount: string
  agreed: string | null
  billed: string
  /** Billed less agreed: positive if the operator took too much. */
  difference: string | null
}

/** The days of one wallet with their sum; `wallet` is its id. */
export type WalletFeesDto = { wallet: string; currency: string; days: readonly FeeDayDto[]; total: Omit<FeeDayDto, 'day'> }
