/** The four states of the specification. SUCCESS and FAILED are final: nothing leads out of them. */
export const TRANSACTION_STATUSES = ['PENDING', 'PENDING_APPROVAL', 'SUCCESS', 'FAILED'] as const
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

export const TRANSACTION_TYPES = ['COLLECT', 'DEPOSIT'] as const
export type TransactionType = (typeof TRANSACTION_TYPES)[number]

export const TRANSACTION_SOURCES = ['api', 'person', 'file', 'link'] as const
export type TransactionSource = (typeof TRANSACTION_SOURCES)[number]

/** The sources that an approval rule can name. What a customer starts on a payment link is weighed like what a program starts. */
export const RULE_SOURCES = ['api', 'person', 'file'] as const satisfies readonly TransactionSource[]
export type RuleSource = (typeof RULE_SOURCES)[number]

/** The source under which rules weigh a transaction. */
export function ruleSourceOf(source: TransactionSource): RuleSource {
  return source === 'link' ? 'api' : source
}

/** The states in which a transaction can begin: PENDING_APPROVAL if an approval rule applies to it. The event is `created` for both. */
export const CREATION_STATUSES = ['PENDING', 'PENDING_APPROVAL'] as const satisfies readonly TransactionStatus[]

/** One named edge of the state graph. */
type TransitionEdge = { from: TransactionStatus; to: TransactionStatus }

/** Every way in which a stored transaction can move, by the event that moves it. */
export const TRANSITIONS = {
  approved: { from: 'PENDING_APPROVAL', to: 'PENDING' },
  rejected: { from: 'PENDING_APPROVAL', to: 'FAILED' },
  recalled: { from: 'PENDING_APPROVAL', to: 'FAILED' },
  expired: { from: 'PENDING_APPROVAL', to: 'FAILED' },
  succeeded: { from: 'PENDING', to: 'SUCCESS' },
  failed: { from: 'PENDING', to: 'FAILED' },
  /** Of a batch that people stopped, before the operator received it. */
  stopped: { from: 'PENDING', to: 'FAILED' },
  refused_for_funds: { from: 'PENDING', to: 'FAILED' },
} as const satisfies Record<string, TransitionEdge>

export type TransitionEvent = keyof typeof TRANSITIONS

/** Every event of a transaction, as it is stored. */
export type EventName = 'created' | TransitionEvent

/** True for SUCCESS and FAILED. */
export function isFinalStatus(status: TransactionStatus): status is 'SUCCESS' | 'FAILED' {
  return status === 'SUCCESS' || status === 'FAILED'
}

/** Messages of FAILED transactions that the specification names (Errors, last table). */
export const FAILURE_MESSAGES = {
  insufficientFunds: 'Solde insuffisant',
  invalidNumber: 'Numéro invalide',
  cancelledByCustomer: 'Transaction annulée par le client',
  operatorTimeout: 'Timeout opérateur',
  notRegistered: 'Compte non inscrit',
} as const

/** Why a transaction failed, as a filter: by the operator's known messages; `other` is any other message, or none. */
export const FAILURE_REASONS = [
  'insufficientFunds',
  'invalidNumber',
  'cancelledByCustomer',
  'operatorTimeout',
  'notRegistered',
  'other',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** How a transaction failed, as a filter: at the operator, or without having been sent. */
export const FAILED_ENDS = ['failed', 'rejected', 'recalled', 'expired', 'stopped'] as const

/** The message of a transaction whose batch was stopped before the operator received it. */
export const STOPPED_MESSAGE = "Arrêtée avant l'envoi à l'opérateur"

/** The message of a deposit that waited for float longer than its application allows. */
export const FLOAT_MESSAGE = "Non envoyée : compte de l'opérateur non approvisionné à temps"

/** The message of a refund whose collect was corrected in the books before the operator received it. */
export const REFUND_MESSAGE = "Non envoyé : l'encaissement à rembourser a été corrigé"

/** The message of a transaction that the program that had started it cancelled. */
export const CANCELLED_MESSAGE = "Annulée par l'application avant l'envoi à l'opérateur"

/** The message of a transaction that was submitted, whose batch was stopped, and that the operator denied after that. */
export const DENIED_AFTER_STOP_MESSAGE = "Lot arrêté : inconnue de l'opérateur"

/** The message of a webhook for a successful transaction. */
export const SUCCESS_MESSAGE = 'Transaction réussie'

const REPLACEABLE_ENDS = ['rejected', 'recalled', 'expired', 'stopped', 'refused_for_funds', 'failed'] as const
/** An end without a payment. */
export type ReplaceableEnd = (typeof REPLACEABLE_ENDS)[number]

/**
 * Whether a person's transaction that ended with this event may be edited and sent again. If an operator had it, the operator has to confirm the
 * failure first, because operators correct themselves. What a partner's program started is never replaced: the program has been told.
 */
export function isReplaceableEnd(event: EventName): event is ReplaceableEnd {
  return REPLACEABLE_ENDS.some((end) => end === event)
}

/** The state of a final transaction's webhook: due, delivered, or exhausted after four attempts. */
export const WEBHOOK_STATES = ['delivered', 'due', 'exhausted'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]
