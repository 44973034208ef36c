import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { type FundedBalances, insertFunding, readFundedBalances } from './ledger-store.ts'

export type Funding = {
  applicationId: string
  operator: OperatorCode
  /** Hundredths of the operator's currency, positive. */
  amountMinor: bigint
  /** Identifies this funding: the same id a second time posts nothing. */
  fundingId: string
  actorId: string | null
  reason: string
}

/**
 * Adds money to a deposit balance, against operator clearing, in the caller's transaction.
 * The caller writes the audit entry, in the same transaction.
 */
export async function fundBalance(trx: TrxClient, funding: Funding): Promise<Result<{ isNew: boolean }, 'unknown_application'>> {
  if (funding.amountMinor <= 0n) throw new Error('A funding is positive')
  if (!(await lockCounters(trx, funding.applicationId))) return err('unknown_application')
  const currency = OPERATORS[funding.operator].country.currency
  return ok({ isNew: await insertFunding(trx, { ...funding, currency, kind: 'fund', account: 'deposit' }) })
}

type PostFunding = FundingPosting & {
  applicationId: string
  operator: OperatorCode
  /** Identifies this funding: it is posted once. */
  fundingId: string
  actorId: string
  reason: string
}

type PostFailure =
  | 'unknown_application'
  /** A balance would fall below zero. */
  | 'balance_too_low'
  | 'already_posted'

/**
 * Posts a funding that two people agreed on, in the caller's transaction. The lock of the application's money is held from here to the end of
 * that transaction. The caller writes the audit entry.
 */
export async function postFunding(trx: TrxClient, funding: PostFunding): Promise<Result<void, PostFailure>> {
  const { applicationId, operator, kind, amountMinor } = funding
  if (amountMinor <= 0n && kind !== 'correct') throw new Error('Only a correction takes money away')
  if (!(await lockCounters(trx, applicationId))) return err('unknown_application')
  // A statement of its own after the lock: only a new snapshot sees what the previous holder committed.
  const before = await readFundedBalances(trx, applicationId, operator)
  if (!before) return err('unknown_application')
  if (!covers(before, funding)) return err('balance_too_low')
  const { currency } = OPERATORS[operator].country
  return (await insertFunding(trx, { ...funding, currency })) ? ok(undefined) : err('already_posted')
}

/** The posting of a funding: its kind, the balance that changes and by how much, below zero only for a correction. */
export type FundingPosting = { kind: 'fund' | 'move' | 'correct' | 'withdraw'; account: 'collect' | 'deposit'; amountMinor: bigint }

/** Returns these balances as a funding would leave them; a move takes the amount from the collect balance, a withdrawal from its own. */
export function balancesAfter(
  { collectMinor, depositMinor }: FundedBalances,
  { kind, account, amountMinor }: FundingPosting,
): FundedBalances {
  if (kind === 'move') return { collectMinor: collectMinor - amountMinor, depositMinor: depositMinor + amountMinor }
  const changeMinor = kind === 'withdraw' ? -amountMinor : amountMinor
  if (account === 'collect') return { collectMinor: collectMinor + changeMinor, depositMinor }
  return { collectMinor, depositMinor: depositMinor + changeMinor }
}

/** Whether these balances cover a funding: none would fall below zero. One that is below zero already may be corrected upwards in steps. */
export function covers(before: FundedBalances, posting: FundingPosting): boolean {
  const after = balancesAfter(before, posting)
  return !falls(before.collectMinor, after.collectMinor) && !falls(before.depositMinor, after.depositMinor)
}

function falls(beforeMinor: bigint, afterMinor: bigint): boolean {
  return afterMinor < 0n && afterMinor < beforeMinor
}
