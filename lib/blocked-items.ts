import type { CurrencyAmount } from './approvals.ts'

/** What would let blocked items be decided. Names are of people. */
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
