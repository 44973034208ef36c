import { type ChangeKindName, isChangeKind } from '#lib/approvals/proposed-change.ts'
import { pivotOfMonth } from '#lib/finance/pivot-address.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { paths } from './paths.ts'

/** The groups of what waits for one person, in the order in which they are shown. The texts are `waiting.group.<group>`. */
export const WAITING_GROUPS = [
  'approvals',
  'batches',
  'fundings',
  'changes',
  'changesElsewhere',
  'secrets',
  'transfers',
  'days',
  'exceptions',
  'returned',
  'deliveries',
  'monthlyTotals',
] as const
export type WaitingGroup = (typeof WAITING_GROUPS)[number]

/** The items of the navigation that show a count. */
export type WaitingPage =
  | 'approvals'
  | 'newPayment'
  | 'batches'
  | 'beneficiaries'
  | 'close'
  | 'people'
  | 'rules'
  | 'terms'
  | 'funding'
  | 'operators'
  | 'totals'
  | 'installation'
  | 'keys'
  | 'webhooks'

/** How much waits for one person: in all, and by the page on which they act on it. `isMore`: a group was counted to its limit only. */
export type WaitingCounts = { count: number; isMore: boolean; pages: Partial<Record<WaitingPage, number>> }

/** One thing on which a person can act now. What a group does not have is null. */
export type WaitingItem = {
  group: WaitingGroup
  /** The transaction, batch, change (of a transfer: the one that two people confirmed), exception, day of a wallet, receiver of webhooks, or month of saved totals. */
  id: string
  /** Since when it waits. */
  at: string
  /** When it can no longer be decided, or should be closed. */
  expiresAt: string | null
  /** The kind of a change, the class of an exception, the event that returned a payment, the query of saved totals. */
  kind: string | null
  /** The customer, the person whom a change is about, the name of a batch or of saved totals, or the receiver of webhooks. */
  name: string | null
  /** The person who made it. */
  by: string | null
  operator: OperatorCode | null
  /** A decimal string. */
  amount: string | null
  currency: Currency | null
  /** The rows of a batch, or the undelivered webhooks of a receiver. */
  count: number | null
  /** The wallet and the day that a change or a signature is about; the first day of the month of saved totals. */
  wallet: string | null
  day: string | null
}

/** Everything that waits for one person: the oldest items of each group, and how many there are in all. */
export type WaitingDto = WaitingCounts & { groups: { group: WaitingGroup; count: number; items: WaitingItem[] }[] }

/** The first part of the name of a kind of change. */
type ChangeSubject = ChangeKindName extends infer Kind ? (Kind extends `${infer Subject}.${string}` ? Subject : never) : never

/** The page on which each kind of change is decided. */
const CHANGE_PAGES: Readonly<Record<ChangeSubject, WaitingPage>> = {
  person: 'people',
  service: 'terms',
  fees: 'terms',
  application: 'terms',
  customer_page: 'terms',
  time_zone: 'terms',
  policy: 'rules',
  key: 'keys',
  api_user: 'keys',
  address: 'keys',
  webhook_secret: 'webhooks',
  event_receiver: 'webhooks',
  beneficiary: 'beneficiaries',
  operator: 'operators',
  funding: 'funding',
  bank_account: 'funding',
  withdrawal: 'funding',
  adjustment: 'funding',
  reversal: 'funding',
  wallet: 'close',
  statement: 'close',
  journal: 'close',
  matching: 'close',
  day: 'close',
}

function pageOfChange(kind: ChangeKindName): WaitingPage {
  // The type says that the part before the point is one of them.
  return CHANGE_PAGES[kind.slice(0, kind.indexOf('.')) as ChangeSubject]
}

/** The page on which a person acts on an item. */
export function pageOfWaiting(group: WaitingGroup, kind: string | null): WaitingPage {
  switch (group) {
    case 'approvals':
    case 'batches':
      return 'approvals'
    case 'days':
    case 'exceptions':
      return 'close'
    case 'deliveries':
      return 'webhooks'
    case 'monthlyTotals':
      return 'totals'
    case 'transfers':
      return kind === 'wallet.plan' ? 'close' : 'funding'
    case 'returned':
      return kind === null ? 'batches' : 'newPayment'
    case 'changesElsewhere':
      return 'installation'
    case 'fundings':
    case 'changes':
    case 'secrets':
      return kind !== null && isChangeKind(kind) ? pageOfChange(kind) : 'terms'
  }
}

/** The address at which a person acts on an item. */
export function addressOfWaiting(application: string, { group, id, kind, wallet, day }: WaitingItem): string {
  switch (group) {
    case 'approvals':
      return paths.transaction(application, id)
    case 'batches':
      return paths.batchApproval(application, id)
    case 'exceptions':
      return paths.exception(application, id)
    case 'days':
      return wallet !== null && day !== null ? paths.closeDay(application, wallet, day) : paths.close(application)
    case 'returned':
      return kind === null ? paths.batch(application, id) : newPaymentPath(application, { from: id })
    case 'deliveries':
      return paths.webhooks(application)
    case 'monthlyTotals':
      return paths.pivot(application, pivotOfMonth(kind ?? '', (day ?? '').slice(0, 7)))
    case 'changesElsewhere':
      return paths.changesElsewhere(application)
    case 'transfers':
      return kind === 'wallet.plan' ? paths.wallets(application) : paths.funding(application)
    case 'fundings':
    case 'changes':
    case 'secrets':
      return addressOfChange(application, kind, wallet, day)
  }
}

/** The address of the page on which a change is decided and its proposer finds it. `wallet`, `day`: that it is about, if it is. */
export function addressOfChange(application: string, kind: string | null, wallet: string | null, day: string | null): string {
  switch (pageOfWaiting('changes', kind)) {
    case 'people':
      return paths.people(application)
    case 'rules':
      return paths.rules(application)
    case 'keys':
      return paths.keys(application)
    case 'webhooks':
      return paths.webhookSigning(application)
    case 'beneficiaries':
      return paths.beneficiaries(application)
    case 'operators':
      return paths.operators(application)
    case 'funding':
      return paths.funding(application)
    case 'close':
      if (wallet !== null && day !== null) return paths.closeDay(application, wallet, day)
      if (kind === 'journal.accounts') return paths.journal(application)
      if (kind === 'statement.columns') return paths.statements(application)
      return wallet === null || kind === 'wallet.plan' ? paths.wallets(application) : paths.wallet(application, wallet)
    default:
      return paths.terms(application)
  }
}

/** The address of a list with everything of a group; null where the page of each item is the only place. */
export function addressOfGroup(application: string, group: WaitingGroup): string | null {
  switch (group) {
    case 'approvals':
    case 'batches':
      return paths.approvals(application)
    case 'fundings':
    case 'transfers':
      return paths.funding(application)
    case 'days':
      return paths.close(application)
    case 'exceptions':
      return paths.exceptions(application)
    case 'deliveries':
      return paths.webhooks(application)
    case 'changesElsewhere':
      return paths.changesElsewhere(application)
    case 'monthlyTotals':
      return paths.pivot(application)
    case 'changes':
    case 'secrets':
    case 'returned':
      return null
  }
}
