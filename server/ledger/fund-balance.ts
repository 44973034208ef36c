import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { insertFunding } from './ledger-store.ts'

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
