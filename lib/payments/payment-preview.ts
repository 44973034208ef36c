import type { ApprovalEvidence, ApprovalRow } from '#lib/approvals/approvals.ts'
import type { Currency } from '#lib/money/money.ts'
import type { LimitsText } from '#lib/operators/amount-limits.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { toQuery } from '#lib/pages/paths.ts'
import type { PaymentContent } from './payment-fields.ts'
import type { TransactionType } from './transactions/transaction-status.ts'

/** Why a payment would be refused as it is. */
type PaymentObstacle =
  | 'application_disabled'
  | 'service_disabled'
  | 'operator_not_in_service'
  | 'amount_out_of_limits'
  | 'amount_not_above_fees'

/** The cost of a payment that is being written, the approvals it needs and the warnings for its checkers. Amounts are exact decimals. */
export type PaymentPreview = {
  currency: Currency
  limits: LimitsText & { isEnforced: boolean }
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

/** The same, or a person in the book of beneficiaries with the operator there; null: not in the book. */
export type Payee = KnownBeneficiary & { bookOperator: OperatorCode | null }

/** A payment that somebody has drafted and not sent. */
export type PaymentDraft = { externalId: string; originId: string | null; content: PaymentContent; savedAt: string }

/**
 * The address and the keys of the form of a payment. Apart from `paths` and `queries`, which every page loads: lists have no bytes to spare.
 */

/**
 * `payment`: the identity of the form, so that a reload is the same payment. `from`: the transaction that it replaces. `to`: the phone number
 * of a known customer, filled in.
 */
export function newPaymentPath(
  application: string,
  query: { payment?: string; from?: string | undefined; to?: string | undefined } = {},
): string {
  return `/${application}/new${toQuery(query)}`
}
