import type { ColumnType, Generated } from 'kysely'
import type { ApprovalBand } from '#lib/approval-policy.ts'
import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionSource, TransactionStatus, TransactionType } from '#lib/transaction-status.ts'

/**
 * The tables that reads with changing conditions are composed over. Names and types are those of the migrations; a test
 * compares both. Statements that never change are plain SQL in their stores.
 */
export type Database = {
  application_counters: {
    application_id: string
    transaction_count: bigint
    pending_count: bigint
    pending_approval_count: bigint
    success_count: bigint
    failed_count: bigint
    change_number: bigint
  }
  transactions: {
    application_id: string
    transaction_id: string
    sequence: bigint
    final_sequence: bigint | null
    external_id: string
    type: TransactionType
    status: TransactionStatus
    operator: OperatorCode
    currency: Currency
    amount_minor: bigint
    fee_system_minor: bigint
    fee_app_minor: bigint
    held_minor: bigint
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
    created_at: Date
    final_at: Date | null
  }
  transaction_events: {
    application_id: string
    transaction_id: string
    version: number
    from_status: TransactionStatus | null
    to_status: TransactionStatus
    event: string
    actor_kind: 'api' | 'person' | 'operator' | 'system'
    actor_id: string | null
    reason: string | null
    at: Date
  }
  transaction_days: {
    application_id: string
    /** Written and read as YYYY-MM-DD. */
    day: ColumnType<string, string, never>
    operator: OperatorCode
    type: TransactionType
    status: TransactionStatus
    transaction_count: bigint
    amount_minor: bigint
  }
  ledger_balances: {
    application_id: string
    operator: OperatorCode
    currency: Currency
    collect_minor: bigint
    deposit_minor: bigint
    held_minor: bigint
    fees_minor: bigint
    clearing_minor: bigint
    revenue_minor: bigint
  }
  ledger_postings: {
    application_id: string
    subject_id: string
    kind: 'hold' | 'release' | 'settle' | 'fund' | 'correct'
    operator: OperatorCode
    currency: Currency
    collect_minor: bigint
    deposit_minor: bigint
    held_minor: bigint
    fees_minor: bigint
    clearing_minor: bigint
    revenue_minor: bigint
    actor_id: string | null
    reason: string | null
    at: Date
  }
  approval_items: {
    application_id: string
    transaction_id: string
    policy_version: number
    rule: ApprovalBand['rule']
    steps: number[]
    needs_code: boolean
    api_may_decide: boolean
    expires_at: Date
  }
  approval_decisions: {
    application_id: string
    transaction_id: string
    checker_id: string
    maker_id: string | null
    decision: 'validated' | 'rejected'
    step: number
    note: string
    used_code: boolean
    through: 'api' | 'back_office'
    decided_at: Date
  }
  people: {
    person_id: string
    email: string
    name: string
    is_blocked: Generated<boolean>
  }
  memberships: {
    application_id: string
    person_id: string
    roles: string[]
    is_active: Generated<boolean>
  }
}
