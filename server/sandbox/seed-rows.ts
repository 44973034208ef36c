import type { TransactionSource, TransactionStatus, TransactionType } from '#lib/transaction-status.ts'

/** Rows as the tables of 0002_transactions.sql hold them; amounts in hundredths as decimal text, instants in ISO 8601. */
export type TransactionSeed = {
  application_id: string
  transaction_id: string
  sequence: number
  final_sequence: number | null
  external_id: string
  type: TransactionType
  status: TransactionStatus
  operator: string
  currency: string
  amount_minor: string
  fee_system_minor: string
  fee_app_minor: string
  held_minor: string
  customer_name: string
  phone_number: string
  webhook_url: string
  pay_token: string
  operator_token: string | null
  message: string | null
  source: TransactionSource
  maker_id: string | null
  checker_id: string | null
  batch_id: string | null
  version: number
  created_at: string
  final_at: string | null
}

export type EventSeed = {
  application_id: string
  transaction_id: string
  version: number
  from_status: TransactionStatus | null
  to_status: TransactionStatus
  event: string
  actor_kind: 'api' | 'person' | 'operator' | 'system'
  actor_id: string | null
  reason: string | null
  at: string
}

export type PostingSeed = {
  application_id: string
  subject_id: string
  kind: 'hold' | 'release' | 'settle' | 'fund'
  operator: string
  currency: string
  collect_minor: string
  deposit_minor: string
  held_minor: string
  fees_minor: string
  clearing_minor: string
  revenue_minor: string
  reason: string | null
  at: string
}

export type ApprovalItemSeed = {
  application_id: string
  transaction_id: string
  policy_version: number
  rule: object
  steps: number[]
  needs_code: boolean
  api_may_decide: boolean
  expires_at: string
}

export type DecisionSeed = {
  application_id: string
  transaction_id: string
  checker_id: string
  maker_id: string | null
  decision: 'validated' | 'rejected'
  step: number
  note: string
  used_code: boolean
  through: 'api' | 'back_office'
  decided_at: string
}

export type WorkSeed = {
  application_id: string
  transaction_id: string
  operator: string
  state: 'submitted' | 'unconfirmed'
  next_at: string
  attempts: number
  queries: number
  submissions: number
  unconfirmed_since: string | null
  last_answer: string | null
}

export type OperatorAttemptSeed = {
  application_id: string
  transaction_id: string
  number: number
  kind: 'submit' | 'query' | 'callback'
  started_at: string
  finished_at: string
  outcome: string
  http_status: number | null
  answer: string | null
}

export type DeliverySeed = {
  application_id: string
  transaction_id: string
  target: string
  state: 'delivered' | 'exhausted'
  attempts: number
  next_at: string
  created_at: string
  finished_at: string
}

export type WebhookAttemptSeed = {
  application_id: string
  transaction_id: string
  number: number
  started_at: string
  duration_ms: number
  outcome: string
  http_status: number | null
  detail: string | null
}

/** Everything that one application's history writes, by table. */
export type SeedRows = {
  transactions: TransactionSeed[]
  transaction_events: EventSeed[]
  ledger_postings: PostingSeed[]
  approval_items: ApprovalItemSeed[]
  approval_decisions: DecisionSeed[]
  operator_work: WorkSeed[]
  operator_attempts: OperatorAttemptSeed[]
  webhook_deliveries: DeliverySeed[]
  webhook_attempts: WebhookAttemptSeed[]
}

/** No rows yet. */
export function emptyRows(): SeedRows {
  return {
    transactions: [],
    transaction_events: [],
    ledger_postings: [],
    approval_items: [],
    approval_decisions: [],
    operator_work: [],
    operator_attempts: [],
    webhook_deliveries: [],
    webhook_attempts: [],
  }
}

/** An instant as the database reads it. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}
