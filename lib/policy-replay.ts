import type { DeciderShortage } from './rule-finding.ts'

/** How many days a replay looks back. */
export const REPLAY_DAYS = 90

/** Items that need the same number of approvals. A batch from a file is one item. */
export type ReplayNeeds = {
  needed: number
  needsCode: boolean
  items: number
  /** Estimated; null if nothing was decided from which it could be estimated. */
  waitMs: number | null
}

/** What one version of the rules would have stopped. */
export type ReplaySide = { version: number; items: number; transactions: number; needs: readonly ReplayNeeds[] }

/** Whose payments would have waited; `name` is null for the application's program. */
export type ReplayMaker = { name: string | null; itemsActive: number; itemsNew: number; waitMs: number | null }

/** What too few of the current checkers could have approved. `maker` is null where the maker makes no difference. */
export type ReplayShortage = DeciderShortage & { maker: string | null; items: number; transactionIds: readonly string[] }

/** How long decided items that needed this many approvals waited. */
export type ObservedWait = { needed: number; count: number; medianMs: number }

/** Two versions of the approval rules over the same past transactions. Instants are ISO 8601. */
export type PolicyReplay = {
  from: string
  to: string
  /** All transactions that were started in these days. */
  transactions: number
  active: ReplaySide
  proposed: ReplaySide
  /** Items that only one of the two versions would have stopped. */
  newlyStopped: number
  noLongerStopped: number
  /** Items that both would have stopped, and that would have needed more or fewer approvals, or a code that they do not need now. */
  stricter: number
  milder: number
  makers: readonly ReplayMaker[]
  shortages: readonly ReplayShortage[]
  observed: readonly ObservedWait[]
}

export type ReplayFailure =
  | 'unknown_version'
  | 'unreadable_rules'
  /** The report was ended, because it took longer than it may. */
  | 'too_slow'
  /** Others are under way in this process. */
  | 'busy'
