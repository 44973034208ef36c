import type { OperatorCode } from '#lib/operators/operators.ts'
import type { WebhookOutcome } from '#lib/payments/transactions/transaction-dto.ts'

/**
 * The causes that are reported to people and, those of an application but a person's monthly totals, to its program. Their texts are
 * `mails.cause.<cause>`.
 */
export type NoticeCause =
  | 'approval_waiting'
  | 'change_waiting'
  | 'change_expiring'
  | 'change_confirmed'
  | 'change_refused'
  | 'payment_rejected'
  | 'batch_ended'
  | 'list_not_prepared'
  | 'exception_overdue'
  | 'approval_expiring'
  | 'payment_expired'
  | 'payment_failed'
  | 'balance_low'
  | 'float_short'
  | 'operator_down'
  | 'webhooks_failing'
  | 'key_expiring'
  | 'monthly_totals'
  | 'new_device'
  | 'new_passkey'

/** An event that was sent to an application's program. `outcome` and `httpStatus` are those of the last attempt; null before the first ended. */
export type NoticeEventDto = {
  noticeId: string
  cause: NoticeCause
  operator: OperatorCode | null
  createdAt: string
  url: string
  state: 'due' | 'delivered' | 'exhausted'
  attempts: number
  outcome: WebhookOutcome | null
  httpStatus: number | null
}
