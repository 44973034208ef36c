import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Permission } from '#lib/people/permissions.ts'

/** How long a proposal can be confirmed. */
export const CHANGE_LIFETIME_DAYS = 7

/** The kinds of changes that need a second administrator. */
export const CHANGE_KINDS = [
  'person.invite',
  'person.roles',
  'person.second_factor_reset',
  'service.set',
  'fees.set',
  'application.set',
  'time_zone.set',
  'address.allow',
  'address.deny',
  'policy.activate',
  'key.create',
  'key.rotate',
  'api_user.create',
  'api_user.reset',
  'api_user.unblock',
  'webhook_secret.rotate',
  'operator.set',
] as const
export type ChangeKindName = (typeof CHANGE_KINDS)[number]

const PEOPLE = { propose: 'people:change', confirm: 'people:change' } as const
const TERMS = { propose: 'access:change', confirm: 'access:change' } as const
const ACCESS = { propose: 'access:propose', confirm: 'access:change' } as const
const RULES = { propose: 'policy:change', confirm: 'policy:change' } as const
const OPERATORS = { propose: 'operator:configure', confirm: 'operator:configure' } as const
/** The permissions to propose and to confirm each kind of change. */
export const CHANGE_PERMISSIONS: Readonly<Record<ChangeKindName, Readonly<{ propose: Permission; confirm: Permission }>>> = {
  'person.invite': PEOPLE,
  'person.roles': PEOPLE,
  'person.second_factor_reset': PEOPLE,
  'service.set': TERMS,
  'fees.set': TERMS,
  'application.set': TERMS,
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
  'operator.set': OPERATORS,
}

export type ChangeState = 'open' | 'confirmed' | 'refused' | 'withdrawn' | 'expired'

/** One side of a difference: what is, or what would be. Amounts are hundredths as decimal strings. */
export type ChangeFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** A proposed change as pages show it. */
export type ProposedChangeDto = {
  changeId: string
  kind: ChangeKindName
  subject: string
  before: ChangeFacts
  after: ChangeFacts
  state: ChangeState
  proposedBy: { personId: string; name: string }
  proposedAt: string
  expiresAt: string
  decidedBy: { personId: string; name: string } | null
  decidedAt: string | null
  reason: string
  /** A confirmed change that makes a secret: `yours` can be collected now by the viewer, `others` by its proposer. Null for all others. */
  collection: 'yours' | 'others' | 'collected' | 'expired' | null
  /** Whether the viewer may confirm or refuse it; otherwise the reason why not. */
  mayDecide: true | 'own_proposal' | 'about_you' | 'not_permitted' | 'decided'
}

/** A secret that is shown once. */
export type CollectedSecret = { name: 'apiKey' | 'password' | 'webhookSecret'; value: string }

/** Whether a text names a kind of change. */
export function isChangeKind(text: string): text is ChangeKindName {
  const names: readonly string[] = CHANGE_KINDS
  return names.includes(text)
}

/** How long a funding can be confirmed. */
export const FUNDING_LIFETIME_DAYS = 7

/** Money that enters the deposit balance, moves there from the collect balance, or a correction of either. */
export const FUNDING_KINDS = ['pay_in', 'move', 'correction'] as const
export type FundingKind = (typeof FUNDING_KINDS)[number]

export const FUNDING_ACCOUNTS = ['collect', 'deposit'] as const
export type FundingAccount = (typeof FUNDING_ACCOUNTS)[number]

/** The file that proves a funding: it is stored elsewhere, its digest here. */
type FundingAttachment = { name: string; sha256: string }

/** A balance before and after a funding, as decimals. */
type Step = { account: FundingAccount; before: string; after: string }

/** A funding as pages show it. */
export type FundingDto = {
  fundingId: string
  kind: FundingKind
  operator: OperatorCode
  currency: Currency
  account: FundingAccount
  /** A decimal; below zero only for a correction that takes money away. */
  amount: string
  reference: string
  note: string
  attachment: FundingAttachment | null
  state: ChangeState
  proposedBy: { personId: string; name: string }
  proposedAt: string
  expiresAt: string
  decidedBy: { personId: string; name: string } | null
  decidedAt: string | null
  reason: string
  /** The balances that it changed; while it waits, those that it would change now. Empty if nothing came of it. */
  steps: Step[]
  /** Whether the balances cover it now. */
  isCovered: boolean
  /** Whether the viewer may confirm or refuse it; otherwise the reason why not. */
  mayDecide: true | 'own_proposal' | 'not_permitted' | 'decided'
}

/** Two references with the same key are one: spaces, punctuation and letter case make no difference. Empty if nothing else is left. */
export function referenceKey(reference: string): string {
  return reference
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
