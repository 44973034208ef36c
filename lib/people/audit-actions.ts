/**
 * Everything that an audit entry can say was done. Each has a sentence in lib/i18n under `audit.did.`; an action that is not in this list
 * does not compile where entries are written.
 */
export const AUDIT_ACTIONS = [
  'wallet.changed',
  'statement.uploaded',
  'statement.imported',
  'statement.withdrawn',
  'statement.columns_mapped',
  'statement.rows_exported',
  'fees.exported',
  'difference.exported',
  'settlement.exported',
  'line.matched',
  'line.match_undone',
  'exception.taken',
  'exception.handed_over',
  'exception.noted',
  'exception.closed',
  'exceptions.examined',
  'day.prepared',
  'day.signed',
  'day.reopened',
  'certificate_key.rotated',
  'certificates.exported',
  'wallet.posted',
  'journal.accounts_changed',
  'journal.exported',
  'matching.rules_changed',
  'bank_account.added',
  'bank_account.removed',
  'withdrawal.minimum_set',
  'withdrawal.schedule_set',
  'withdrawal.marked',
  'transfer.planned',
  'person.invited',
  'person.invitation_renewed',
  'person.invitation_withdrawn',
  'person.invitation_declined',
  'person.joined',
  'person.activated',
  'person.activation_failed',
  'person.added',
  'person.membership_changed',
  'person.suspended',
  'deputy.named',
  'deputy.ended',
  'person.blocked',
  'person.unblocked',
  'person.signed_in',
  'person.sign_in_failed',
  'person.signed_out',
  'person.signed_out_everywhere',
  'person.session_ended',
  'person.sessions_ended',
  'person.password_changed',
  'person.password_reset',
  'person.second_factor_enabled',
  'person.second_factor_disabled',
  'person.second_factor_reset',
  'person.second_factor_failed',
  'person.recovery_code_used',
  'person.recovery_codes_renewed',
  'person.preferences_changed',
  'change.proposed',
  'change.confirmed',
  'change.collected',
  'change.refused',
  'change.withdrawn',
  'policy.proposed',
  'policy.activated',
  'application.created',
  'application.changed',
  'application.customer_page_changed',
  'application.time_zone_requested',
  'application.time_zone_set',
  'service.set',
  'fees.set',
  'address.allowed',
  'address.denied',
  'api_key.created',
  'api_key.revoked',
  'api_user.created',
  'api_user.blocked',
  'api_user.unblocked',
  'api_user.password_reset',
  'api_user.sign_in_failed',
  'api_user.tokens_ended',
  'webhook_secret.rotated',
  'event_receiver.set',
  'webhook.resend_requested',
  'webhook.recovery_requested',
  'webhook.recovery_stopped',
  'webhook.test_sent',
  'sandbox.transaction_started',
  'installation.restored',
  'installation.backup_noted',
  'installation.restore_test_noted',
  'operator.set',
  'operator.removed',
  'operator.tested',
  'operator.settings_tested',
  'operator.returned',
  'operator.reopened',
  'operator.float_released',
  'account.checked',
  'balance.funded',
  'ledger.adjusted',
  'balance_threshold.set',
  'balance_threshold.removed',
  'transaction.validated',
  'transaction.rejected',
  'transaction.recalled',
  'transaction.cancelled',
  'transaction.synchronised',
  'approvals.code_used',
  'approvals.intended',
  'approvals.undone',
  'approvals.not_carried_out',
  'payment_link.created',
  'payment_link.closed',
  'batch.created',
  'batch.columns_assigned',
  'batch.repair_accepted',
  'batch.repair_undone',
  'batch.row_edited',
  'batch.rows_excluded',
  'batch.rows_included',
  'batch.discarded',
  'batch.submitted',
  'batch.started',
  'batch.validated',
  'batch.rejected',
  'batch.recalled',
  'batch.paused',
  'batch.planned',
  'batch.released',
  'batch.resumed',
  'batch.stopped',
  'batch.retried',
  'batch.exported',
  'export.started',
  'export.finished',
  'export.downloaded',
  'balances.exported',
  'totals.exported',
  'statement.exported',
  'audit.exported',
  'view.shared',
  'view.changed',
  'view.unshared',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Whether a text names an action of this release. The record may hold actions of earlier ones. */
export function isAuditAction(text: string): text is AuditAction {
  const names: readonly string[] = AUDIT_ACTIONS
  return names.includes(text)
}

/** A value in the details of an entry. */
export type AuditValue = string | number | boolean | null | readonly AuditValue[] | { readonly [key: string]: AuditValue }

/** An entry of the audit record as pages show it. */
export type AuditEntryDto = {
  sequence: string
  at: string
  actor: { kind: 'api' | 'person' | 'operator' | 'system'; id: string | null; name: string | null }
  action: string
  subject: string
  /** The name of the person that the subject is, or that a change is about. */
  subjectName: string | null
  address: string | null
  details: { readonly [key: string]: AuditValue }
  /** Names of people whose ids are in the details. */
  names: Readonly<Record<string, string>>
}

/** The findings of one part of the check. Digests are hexadecimal. */
export type AuditCheck =
  | { isUnbroken: true; checkedUntil: string; isWhole: boolean; startedAt: string | null; headHash: string }
  | { isUnbroken: false; brokenAt: string; problem: 'entry_missing' | 'wrong_predecessor' | 'content_changed' }
