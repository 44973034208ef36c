import type { Currency } from '#lib/money/money.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { CurrencyAmount } from './approvals.ts'
import type { ChangeKindName } from './proposed-change.ts'

/** Ways to unblock items. Names are of people. */
export type Unblock =
  /** The number of people who have to receive the checker role. */
  | { kind: 'add_checkers'; count: number }
  /** These could approve with a second factor. */
  | { kind: 'enrol'; names: readonly string[] }
  /** These are checkers whose membership has ended or who are blocked. */
  | { kind: 'restore'; names: readonly string[] }
  /** Its maker can take it back and send it again under other rules. */
  | { kind: 'recall'; name: string }
  /** These can reject it, although they cannot complete the approvals. */
  | { kind: 'reject'; names: readonly string[] }

/** Waiting items that no present person can complete, alike in what would unblock them. A batch from a file is one item. */
export type BlockedGroup = {
  /** Null: the application's program. */
  maker: string | null
  batch: { batchId: string; name: string | null } | null
  count: number
  sums: readonly CurrencyAmount[]
  oldestAt: string
  /** When the first of them expires, which ends it as FAILED. */
  expiresAt: string
  /** Approvals that are missing, and how many people could give one. */
  missing: number
  available: number
  needsCode: boolean
  /** The oldest of them. */
  transactionIds: readonly string[]
  unblock: readonly Unblock[]
}

export type BlockedItems = { count: number; oldestAt: string | null; groups: readonly BlockedGroup[] }

/** Items that nobody else could decide if a person leaves or loses roles. Amounts are decimal strings. */
export type LeftBehind = {
  /** Transactions and batches that too few others can decide. */
  items: LeftItem[]
  itemCount: number
  /** Changes that the person proposed: without them nobody can confirm them. */
  proposals: LeftChange[]
  /** Changes that nobody else can confirm. */
  onlyTheyConfirm: LeftChange[]
  /** Payments and batches that the person has drafted and not sent. */
  draftCount: number
  batchDraftCount: number
}

export type LeftItem = {
  kind: 'transaction' | 'batch'
  id: string
  /** The customer of a transaction, or the name of a batch. */
  name: string
  amount: string
  currency: Currency
  rowCount: number
  createdAt: string
  expiresAt: string
  /** How many approvals it needs, and how many other people could approve it. */
  needed: number
  others: number
}

export type LeftChange = { changeId: string; kind: ChangeKindName; subject: string; expiresAt: string }

/** Whether anything would wait that somebody should know of before. Drafts are only shown: nothing waits for them. */
export function isAnythingLeft({ itemCount, proposals, onlyTheyConfirm }: LeftBehind): boolean {
  return itemCount > 0 || proposals.length > 0 || onlyTheyConfirm.length > 0
}

/** The roles that a member would lose: all of them with the membership. */
export function lostRoles(
  before: { roles: readonly Role[]; isActive: boolean },
  after: { roles: readonly Role[]; isActive: boolean },
): Role[] {
  const present = before.isActive ? before.roles : []
  return present.filter((role) => !after.isActive || !after.roles.includes(role))
}
