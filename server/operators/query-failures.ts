import type { OperatorCode } from '#lib/operators.ts'
import type { Currency } from '#lib/money.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { ForcedQueries } from './forced-queries.ts'
import { queryEnded, storeEndedAnswer } from './query-contradictions.ts'

/** Concurrent queries of one call, half of what one application may have at an operator. */
const AT_ONCE = 8
/** People wait for it. */
const LIMIT_MS = 20_000

/** A payment that ended as FAILED, with what its operator needs to find it. */
export type FailedPayment = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  type: TransactionType
  operatorReference: string | null
  operatorToken: string | null
  amountMinor: bigint
  currency: Currency
  phoneNumber: string
}

/**
 * Queries the operators once more about payments that failed, before people pay them again: 20 s at most, in order. Returns the ids of those
 * that may be paid again: the operator confirmed the failure, does not know the payment, or answers no queries. A success is recorded as a
 * contradiction. Missing ones were not answered, or not reached in time.
 */
export async function queryFailures(
  forcedQueries: Pick<ForcedQueries, 'pool' | 'logger' | 'connectors' | 'runOne' | 'onOutcome'>,
  payments: readonly FailedPayment[],
  nowMs: () => number = () => performance.now(),
): Promise<ReadonlySet<string>> {
  const endsAtMs = nowMs() + LIMIT_MS
  const confirmed = new Set<string>()
  const waiting = payments.values()
  async function work(): Promise<void> {
    for (const payment of waiting) {
      if (nowMs() >= endsAtMs) return
      if (await isFailedStill(forcedQueries, payment)) confirmed.add(payment.transactionId)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return confirmed
}

async function isFailedStill(
  forcedQueries: Pick<ForcedQueries, 'pool' | 'logger' | 'connectors' | 'runOne' | 'onOutcome'>,
  payment: FailedPayment,
): Promise<boolean> {
  const { applicationId, operator, type } = payment
  const connector = forcedQueries.connectors.get(operator)
  if (!connector) return false
  // Its refusal is all that it ever says.
  if (connector.hasNoQueries && type === 'COLLECT') return true
  const queried = await forcedQueries.runOne(operator, applicationId, () => queryEnded(connector, payment))
  if (!queried.ok) return false
  forcedQueries.onOutcome?.(`retry ${queried.value.kind}`)
  await storeEndedAnswer(forcedQueries, payment, queried.value)
  return queried.value.kind === 'failed' || queried.value.kind === 'not_found'
}
