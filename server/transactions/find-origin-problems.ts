import type { TransitionEvent } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { StartProblem } from './find-start-problems.ts'
import { findEnd, findReplacement } from './transaction-queries.ts'

/**
 * The ends of a transaction that can be replaced: nobody has sent it to an operator. What an operator reported as failed is not
 * replaced here, because operators correct themselves.
 */
const REPLACEABLE_ENDS: readonly TransitionEvent[] = ['rejected', 'recalled', 'expired']

/**
 * Returns why the origin of a person's transaction cannot be replaced: a list of one problem, or none. The same request again finds its
 * own transaction, which intake compares.
 */
export async function findOriginProblems(
  queryable: Queryable,
  applicationId: string,
  { originId, externalId }: { originId: string; externalId: string | undefined },
): Promise<StartProblem[]> {
  const [end, replacement] = await Promise.all([
    findEnd(queryable, applicationId, originId),
    findReplacement(queryable, applicationId, originId),
  ])
  if (replacement) {
    return externalId === replacement.externalId ? [] : [{ index: 0, kind: 'origin_replaced', transactionId: replacement.transactionId }]
  }
  return end !== undefined && REPLACEABLE_ENDS.includes(end) ? [] : [{ index: 0, kind: 'origin_not_replaceable' }]
}

/** Whether the database refused a transaction because its origin was replaced already. */
export function isOriginReplaced(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'transaction_origins_origin'
}
