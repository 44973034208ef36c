import type { Currency } from './money.ts'
import type { OperatorCode } from './operators.ts'
import type { ChangeState } from './proposed-change.ts'

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
