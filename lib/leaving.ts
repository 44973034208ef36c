import type { Currency } from './money.ts'
import type { Role } from './permissions.ts'
import type { ChangeKindName } from './proposed-change.ts'

/** What would wait for a person who leaves, or loses roles, and for nobody else. Amounts are decimal strings. */
export type LeftBehind = {
  /** Transactions and batches that too few others can decide. */
  items: LeftItem[]
  itemCount: number
  /** Changes that the person proposed: without them nobody can confirm them. */
  proposals: LeftChange[]
  /** Changes that nobody else can confirm. */
  onlyTheyConfirm: LeftChange[]
  /** Payments and batches that the person has begun and not sent. */
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
