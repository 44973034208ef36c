/** Rows of the tables that record what was exchanged with operators, receivers and checkers; instants in ISO 8601. */
type Key = { application_id: string; transaction_id: string }

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

/** The state that these attempts leave the open work of a transaction in. */
type WorkRow = Key & {
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

/** The state that these attempts leave a delivery in. */
type DeliveryRow = Key & { state: 'delivered' | 'exhausted'; attempts: number; next_at: string; finished_at: string }

export type ExternalRows = {
  approval_decisions: DecisionRow[]
  operator_attempts: OperatorAttemptRow[]
  webhook_attempts: WebhookAttemptRow[]
  operator_work: WorkRow[]
  webhook_deliveries: DeliveryRow[]
}

/** An instant as the database reads it. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}
