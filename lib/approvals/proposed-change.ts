import type { Permission } from '#lib/people/permissions.ts'

/** How long a proposal can be confirmed, and how long the secret of a confirmed one can be collected. */
export const CHANGE_LIFETIME_DAYS = 7

const PEOPLE = { propose: 'people:change', confirm: 'people:change' } as const
const DEPUTY = { propose: 'deputy:propose', confirm: 'people:change' } as const
const TERMS = { propose: 'access:change', confirm: 'access:change' } as const
const ACCESS = { propose: 'access:propose', confirm: 'access:change' } as const
const RULES = { propose: 'policy:change', confirm: 'policy:change' } as const
const OPERATORS = { propose: 'operator:configure', confirm: 'operator:configure' } as const
const ADJUSTMENT = { propose: 'adjustment:propose', confirm: 'adjustment:decide' } as const
const REVERSAL = { propose: 'reversal:decide', confirm: 'reversal:decide' } as const
const WALLETS = { propose: 'wallet:change', confirm: 'wallet:change' } as const
const ACCOUNTING = { propose: 'accounting:change', confirm: 'accounting:change' } as const
const REOPENING = { propose: 'day:reopen', confirm: 'day:reopen' } as const
const BENEFICIARIES = { propose: 'beneficiary:change', confirm: 'beneficiary:confirm' } as const
const FUNDING = { propose: 'funding:propose', confirm: 'funding:decide' } as const

/** The kinds of changes that two people make, each with the permissions to propose and to confirm it. */
export const CHANGE_PERMISSIONS = {
  'person.invite': PEOPLE,
  'person.roles': PEOPLE,
  'person.second_factor_reset': PEOPLE,
  /** Who decides about payments in the place of an absent checker. */
  'person.deputy': DEPUTY,
  'service.set': TERMS,
  'fees.set': TERMS,
  'application.set': TERMS,
  /** The content of the page of customers. */
  'customer_page.set': TERMS,
  'time_zone.set': TERMS,
  'address.allow': ACCESS,
  'address.deny': ACCESS,
  'policy.activate': RULES,
  'key.create': ACCESS,
  'key.rotate': ACCESS,
  'api_user.create': ACCESS,
  'api_user.reset': ACCESS,
  'api_user.unblock': ACCESS,
  'webhook_secret.rotate': ACCESS,
  /** Where events are sent as webhooks. */
  'event_receiver.set': ACCESS,
  /** A person in the book of beneficiaries, with name, operator and number. */
  'beneficiary.add': BENEFICIARIES,
  /** Another name, operator or number of a person in the book. */
  'beneficiary.set': BENEFICIARIES,
  /** People of a file: new ones, and other names, numbers, groups and amounts. */
  'beneficiary.import': BENEFICIARIES,
  'operator.set': OPERATORS,
  'wallet.set': WALLETS,
  /** By which rules lines of a wallet are matched. */
  'matching.rules': WALLETS,
  /** The roles of the columns of a statement that no format recognises. */
  'statement.columns': WALLETS,
  /** The accounts of the journal. */
  'journal.accounts': ACCOUNTING,
  /** A signed day of a wallet is opened again. */
  'day.reopen': REOPENING,
  /** Money that arrived at the operator enters the deposit balance. */
  'funding.pay_in': FUNDING,
  /** Collected money moves to the deposit balance. */
  'funding.move': FUNDING,
  /** The collect or the deposit balance rises or falls. */
  'funding.correction': FUNDING,
  /** Money of the collect or the deposit balance leaves for a bank account of the application. */
  'funding.withdrawal': FUNDING,
  /** The bank accounts of the application. */
  'bank_account.add': FUNDING,
  'bank_account.remove': FUNDING,
  /** The smallest withdrawal in a currency. */
  'withdrawal.minimum': FUNDING,
  /** When everything above an amount is proposed for withdrawal. */
  'withdrawal.schedule': FUNDING,
  /** A success is undone in the books: amount and fees return. */
  'adjustment.reverse': ADJUSTMENT,
  /** A success that came after the failure is booked. */
  'adjustment.late': ADJUSTMENT,
  /** A balance rises or falls at the expense of the service. */
  'adjustment.concede': ADJUSTMENT,
  /** The application's fees become part of its collect balance. */
  'adjustment.fees_out': ADJUSTMENT,
  /** The operator takes an executed payment back. */
  'reversal.ask': REVERSAL,
  /** The outcome of a reversal whose answer was lost. */
  'reversal.end': REVERSAL,
  /** A payment that nobody knows enters suspense, and leaves it. */
  'wallet.unmatched': ADJUSTMENT,
  'wallet.release': ADJUSTMENT,
  /** A transfer to or from another own account. */
  'wallet.transfer': ADJUSTMENT,
  /** A transfer between own accounts, before it happens: the lines of both sides are posted when they arrive. */
  'wallet.plan': ADJUSTMENT,
  /** Money that the installation loses or keeps. */
  'wallet.loss': ADJUSTMENT,
} as const satisfies Readonly<Record<string, Readonly<{ propose: Permission; confirm: Permission }>>>
export type ChangeKindName = keyof typeof CHANGE_PERMISSIONS

/** Whether a text names a kind of change. */
export function isChangeKind(text: string): text is ChangeKindName {
  return Object.hasOwn(CHANGE_PERMISSIONS, text)
}

/** The kinds that move money. */
export const FUNDING_KINDS = [
  'funding.pay_in',
  'funding.move',
  'funding.correction',
  'funding.withdrawal',
] as const satisfies readonly ChangeKindName[]

/** The kinds about where and when money may be withdrawn. */
export const TREASURY_KINDS = [
  'bank_account.add',
  'bank_account.remove',
  'withdrawal.minimum',
  'withdrawal.schedule',
] as const satisfies readonly ChangeKindName[]

/** The kinds about the book of beneficiaries. */
export const BENEFICIARY_CHANGES = ['beneficiary.add', 'beneficiary.set', 'beneficiary.import'] as const satisfies readonly ChangeKindName[]

/** The kinds that adjust books whose transactions are final. */
export const ADJUSTMENT_CHANGES = [
  'adjustment.reverse',
  'adjustment.late',
  'adjustment.concede',
  'adjustment.fees_out',
] as const satisfies readonly ChangeKindName[]

/** The kinds about payments that operators take back. */
export const REVERSAL_CHANGES = ['reversal.ask', 'reversal.end'] as const satisfies readonly ChangeKindName[]

/** The kinds that post in the wallet book. */
export const BOOK_CHANGES = [
  'wallet.unmatched',
  'wallet.release',
  'wallet.transfer',
  'wallet.loss',
] as const satisfies readonly ChangeKindName[]

export type ChangeState = 'open' | 'confirmed' | 'refused' | 'withdrawn' | 'expired'

/** One side of a difference: what is, or what would be. Amounts are hundredths as decimal strings. */
export type ChangeFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** A proposed change as pages show it. */
export type ProposedChangeDto = {
  /** The application that would change. */
  application: { applicationId: string; name: string }
  /** It waits for an administrator of the application that runs the installation: nobody else in its own may decide it. */
  isDecidedElsewhere: boolean
  changeId: string
  /** The same for changes that one person proposed together. */
  batchId: string | null
  kind: ChangeKindName
  subject: string
  before: ChangeFacts
  after: ChangeFacts
  /** Why it cannot be confirmed now, although it waits: a refusal of its kind. */
  obstacle: string | null
  state: ChangeState
  proposedBy: { personId: string; name: string }
  proposedAt: string
  expiresAt: string
  decidedBy: { personId: string; name: string } | null
  decidedAt: string | null
  reason: string
  /** A confirmed change that makes a secret: `yours` can be collected now by the viewer, `others` by its proposer. Null for all others. */
  collection: 'yours' | 'others' | 'collected' | 'expired' | null
  /** Whether the viewer may confirm or refuse it; otherwise the reason why not. `alone`: it is their own, and in this sandbox they may confirm it. */
  mayDecide: true | 'alone' | 'own_proposal' | 'about_you' | 'not_permitted' | 'decided'
}

/** Changes that one person proposed together and that wait, as the second person confirms them. `lines`: what each would do. */
export type ProposedBatch = { batchId: string; title: string; lines: readonly string[] }

/** A secret that is shown once. */
export type CollectedSecret = { name: 'apiKey' | 'password' | 'webhookSecret'; value: string }

/** Two references with the same key are one: spaces, punctuation and letter case make no difference. Empty if nothing else is left. */
export function referenceKey(reference: string): string {
  return reference
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
