import type { ApprovalEvidence, ApprovalRow } from './approvals.ts'
import type { DisturbedDirection } from './availability.ts'
import type { Currency } from './money.ts'
import type { OperatorCode } from './operators.ts'
import type { TransactionType } from './transaction-status.ts'

/** Why a payment would be refused as it is. */
type PaymentObstacle =
  | 'application_disabled'
  | 'service_disabled'
  | 'operator_not_in_service'
  | 'amount_out_of_limits'
  | 'amount_not_above_fees'

/** What a payment that is being written would cost and require, and what its checkers would notice. Amounts are exact decimals. */
export type PaymentPreview = {
  currency: Currency
  limits: { minimum: string; maximum: string; isEnforced: boolean }
  /** `smallest`: the amount from which on a collect is more than its fees. */
  obstacle: { kind: PaymentObstacle; smallest: string | null } | null
  /** `net`: what a deposit takes from the balance, what a collect adds to it. Null without an amount. */
  fees: { system: string; app: string; net: string } | null
  /** Null without an amount or a phone number. */
  approval: (Pick<ApprovalRow, 'reasons' | 'ruleName' | 'steps' | 'needsCode'> & { checkers: readonly string[] }) | null
  /** Of deposits: the free balance of the operator, now, after this payment, and after everything that waits too. */
  balance: ApprovalEvidence['balance']
  /** Null without a phone number. */
  evidence: ApprovalEvidence | null
}

/** With whether the operator works in this direction now; null: as usual. */
export type ShownPaymentPreview = PaymentPreview & { disturbed: DisturbedDirection | null }

/** Somebody who was paid or collected from before, with the latest success. */
export type KnownBeneficiary = {
  customerName: string
  phoneNumber: string
  last: { type: TransactionType; amount: string; currency: Currency; operator: OperatorCode; at: string } | null
}

/** What was typed into the form of a payment, also if it is not complete. The amount is a plain decimal wherever it could be read. */
export type PaymentContent = {
  type: string
  country: string
  operator: string
  phoneNumber: string
  customerName: string
  amount: string
}

/** A payment that somebody has begun and not sent. */
export type PaymentDraft = { externalId: string; originId: string | null; content: PaymentContent; savedAt: string }
