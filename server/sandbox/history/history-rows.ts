import type { OperatorCode } from '#lib/operators/operators.ts'
import type {
  TransactionSource,
  TransactionStatus,
  TransactionType,
  TransitionEvent,
} from '#lib/payments/transactions/transaction-status.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import type { Actor } from '#server/transactions/transition.ts'

/** Rows of the tables that hold a history; instants in ISO 8601, amounts in hundredths. */
type Key = { application_id: string; transaction_id: string }

/** A transaction when it is started. */
export type TransactionRow = Key & {
  sequence: number
  external_id: string
  type: TransactionType
  status: TransactionStatus
  operator: OperatorCode
  currency: string
  amount_minor: bigint
  fee_system_minor: bigint
  fee_app_minor: bigint
  held_minor: bigint
  customer_name: string
  purpose: string
  phone_number: string
  webhook_url: string | null
  pay_token: string
  source: TransactionSource
  maker_id: string | null
  api_user_id: string | null
  batch_id: string | null
  version: number
  needed_approval: boolean
  created_at: string
}

/** The columns of a transaction that change later. */
export type MovedRow = Key & {
  status: TransactionStatus
  version: number
  held_minor: bigint
  message: string | null
  checker_id: string | null
  operator_reference: string | null
  operator_reference_other: string | null
  final_at: string | null
}

type EventRow = Key & {
  version: number
  from_status: TransactionStatus
  to_status: TransactionStatus
  event: TransitionEvent
  actor_kind: Actor['kind']
  actor_id: string | null
  reason: string | null
  at: string
  final_sequence: number | null
}

type ApprovalRow = Key & {
  policy_version: number
  rule: ApprovalBand['rule']
  steps: readonly number[]
  needs_code: boolean
  api_may_decide: boolean
  expires_at: string
}

export type PostingRow = {
  application_id: string
  subject_id: string
  kind: 'hold' | 'release' | 'settle' | 'fund'
  operator: OperatorCode
  currency: string
  type: TransactionType
  amount_minor: bigint
  fee_system_minor: bigint
  fee_app_minor: bigint
  reason: string | null
  at: string
}

type DecisionRow = Key & {
  checker_id: string
  maker_id: string | null
  decision: 'validated' | 'rejected'
  step: number
  note: string
  used_code: boolean
  through: 'api' | 'back_office'
  api_user_id: string | null
  decided_at: string
  /** Of a row of a file. */
  batch_id: string | null
}

type OperatorAttemptRow = Key & {
  number: number
  kind: 'submit' | 'query'
  started_at: string
  finished_at: string
  outcome: string
  http_status: number | null
  answer: string
}

type WorkRow = Key & {
  operator: OperatorCode
  type: TransactionType
  state: 'submitted' | 'unconfirmed'
  next_at: string
  attempts: number
  queries: number
  submissions: number
  accepted_at: string | null
  unconfirmed_since: string | null
  last_answer: string
  operator_reference: string | null
  operator_token: string | null
}

export type WebhookAttemptRow = Key & {
  number: number
  started_at: string
  duration_ms: number
  outcome: string
  http_status: number | null
  detail: string | null
}

export type DeliveryRow = Key & {
  target: string
  state: 'delivered' | 'exhausted'
  attempts: number
  next_at: string
  created_at: string
  finished_at: string
  first_started_at: string | null
  first_duration_ms: number | null
}

/** The rows of a history by table. `postings` are those of ledger_postings before their amounts are spread over the accounts. */
export type HistoryRows = {
  transaction_events: EventRow[]
  approval_items: ApprovalRow[]
  approval_decisions: DecisionRow[]
  operator_attempts: OperatorAttemptRow[]
  operator_work: WorkRow[]
  webhook_deliveries: DeliveryRow[]
  webhook_attempts: WebhookAttemptRow[]
  postings: PostingRow[]
}

/** An instant as the database reads it. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}
