import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { balancesAfter, covers, type FundingPosting } from './funding-effect.ts'
import { type FundedBalances, readFundedBalances } from './funding-queries.ts'
import { insertFunding } from './ledger-store.ts'

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
 * Posts a funding that two people agreed on, in the caller's transaction, and returns both balances before and after. The lock of the
 * application's money is held from here to the end of that transaction. The caller writes the audit entry.
 */
export async function postFunding(
  trx: TrxClient,
  funding: PostFunding,
): Promise<Result<{ before: FundedBalances; after: FundedBalances }, PostFailure>> {
  const { applicationId, operator, kind, amountMinor } = funding
  if (amountMinor <= 0n && kind !== 'correct') throw new Error('Only a correction takes money away')
  if (!(await lockCounters(trx, applicationId))) return err('unknown_application')
  // A statement of its own after the lock: only a new snapshot sees what the previous holder committed.
  const before = await readFundedBalances(trx, applicationId, operator)
  if (!before) return err('unknown_application')
  if (!covers(before, funding)) return err('balance_too_low')
  const { currency } = OPERATORS[operator].country
  if (!(await insertFunding(trx, { ...funding, currency }))) return err('already_posted')
  return ok({ before, after: balancesAfter(before, funding) })
}
