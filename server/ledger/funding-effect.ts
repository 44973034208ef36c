import type { FundedBalances } from './funding-queries.ts'

/** The posting of a funding: its kind, the balance that changes and by how much, below zero only for a correction. */
export type FundingPosting = { kind: 'fund' | 'move' | 'correct'; account: 'collect' | 'deposit'; amountMinor: bigint }

/** Returns these balances as a funding would leave them; a move takes the amount from the collect balance. */
export function balancesAfter(
  { collectMinor, depositMinor }: FundedBalances,
  { kind, account, amountMinor }: FundingPosting,
): FundedBalances {
  if (kind === 'move') return { collectMinor: collectMinor - amountMinor, depositMinor: depositMinor + amountMinor }
  if (account === 'collect') return { collectMinor: collectMinor + amountMinor, depositMinor }
  return { collectMinor, depositMinor: depositMinor + amountMinor }
}

/** Whether these balances cover a funding: none would fall below zero. One that is below zero already may be corrected upwards in steps. */
export function covers(before: FundedBalances, posting: FundingPosting): boolean {
  const after = balancesAfter(before, posting)
  return !falls(before.collectMinor, after.collectMinor) && !falls(before.depositMinor, after.depositMinor)
}

function falls(beforeMinor: bigint, afterMinor: bigint): boolean {
  return afterMinor < 0n && afterMinor < beforeMinor
}
