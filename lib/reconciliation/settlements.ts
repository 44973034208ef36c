import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { DayClass } from './days.ts'

/** A signed day of a wallet. Instants are ISO 8601. */
export type SettledDayDto = {
  wallet: string
  operator: string
  account: 'collect' | 'deposit' | 'both'
  currency: string
  day: string
  /** The instants of the operator's day, the end excluded. */
  startsAt: string
  endsAt: string
  version: number
  /** `to_be_signed_again`: an earlier day was reopened; this one is unchanged and will be signed again. */
  state: 'signed' | 'to_be_signed_again'
  signedAt: string
  /** SHA-256 of the certificate, hexadecimal. */
  certificateHash: string
}

/**
 * The day as one application sees it: only its own money. `opening` and `closing` are its balance in the wallet, held money included; opening
 * plus every line is closing. Decimals.
 */
export type SettlementDto = SettledDayDto & {
  opening: string
  closing: string
  transactionCount: number
  transactionsNet: string
  adjustmentCount: number
  adjustmentsNet: string
}

/** A payment that the ledger booked on the day. `net`: what it did to the balance. */
export type SettledTransaction = {
  transactionId: string
  externalId: string
  type: TransactionType
  operatorReference: string | null
  /** The amount, as it moved at the operator. */
  gross: string
  feesSystem: string
  feesApp: string
  net: string
  completedAt: string
  /** When the operator's statement has it; null while no line is matched. */
  operatorTime: string | null
  class: DayClass
  adjustments: readonly AdjustmentKind[]
}

/** Everything else that changed the balance: adjustments of final transactions, pay-ins, moves and corrections. */
export type SettledAdjustment = {
  kind: 'fund' | 'move' | 'correct' | 'withdraw' | AdjustmentKind
  id: string
  transactionId: string | null
  net: string
  at: string
}
