import type { Currency } from '#lib/money/money.ts'
import type { CountryName, OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus } from './transactions/transaction-status.ts'

/** `paid`: it has taken as many payments as it accepts. The SQL function `payment_link_state` names the same. */
export const PAYMENT_LINK_STATES = ['open', 'paid', 'expired', 'closed'] as const
export type PaymentLinkState = (typeof PAYMENT_LINK_STATES)[number]

/** The largest number of payments that a link can be limited to. */
export const LINK_PAYMENTS_MAX = 1_000

export const PAYMENT_LINK_PAGE_SIZE = 25

/** Why a link accepts no payment now; the SQL function `payment_link_obstacle` returns these. */
export type LinkObstacle = 'not_found' | 'paid' | 'closed' | 'expired' | 'not_allowed' | 'in_progress' | 'in_doubt'

/** A link as lists show it. Amounts are decimals; `amount` is null where the customer enters it. */
export type PaymentLinkItem = {
  linkId: string
  purpose: string
  country: CountryName
  currency: Currency
  amount: string | null
  minimum: string | null
  maximum: string | null
  /** Null: any number. */
  paymentsMax: number | null
  state: PaymentLinkState
  lastDay: string | null
  openCount: number
  /** Payments that succeeded, or were booked as paid afterwards. */
  paidCount: number
  /** Payments that failed although the operator says otherwise. */
  doubtCount: number
  collected: string
  createdBy: string
  createdAt: string
}

/** A link on its own page. */
export type PaymentLinkDto = PaymentLinkItem & {
  token: string
  operators: readonly OperatorCode[]
  closedBy: string | null
  closedAt: string | null
}

/** A payment of a link. `isLate`: it failed and was booked as paid; `isDoubted`: the operator contradicts the failure. */
export type LinkPayment = {
  transactionId: string
  customerName: string
  phoneNumber: string
  operator: OperatorCode
  amount: string
  status: TransactionStatus
  isLate: boolean
  isDoubted: boolean
  createdAt: string
}

/** How often a link was paid beyond what it accepts: a failed payment that turned out to be paid, and the one after it. */
export function countExcess({
  paymentsMax,
  paidCount,
  doubtCount,
}: Pick<PaymentLinkItem, 'paymentsMax' | 'paidCount' | 'doubtCount'>): number {
  return paymentsMax === null ? 0 : Math.max(0, paidCount + doubtCount - paymentsMax)
}

/** The address of a link's page, below ours. */
export function paymentLinkPath(token: string): string {
  return `/pay/link/${token}`
}
