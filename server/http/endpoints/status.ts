import { err, ok } from '#lib/result.ts'
import { statusQuerySchema, synchroniseQuerySchema } from '#lib/schemas/queries.ts'
import { type SynchroniseFailure, synchroniseTransaction } from '#server/operators/work/synchronise-transaction.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { queryEndpoint } from '../api/endpoint.ts'
import { OVERLOADED, type Refusal, refuse } from '../api/errors.ts'
import { recordJson } from '../api/serialise-transaction.ts'

/** One message for a transaction that does not exist and for one of another application. */
export const NO_TRANSACTION = refuse(404, 'transaction_not_found', 'There is no transaction with this id.')

/** POST /transaction-status: returns the stored status. */
export const transactionStatus = queryEndpoint(
  'POST',
  'transaction-status',
  'payments:read',
  statusQuerySchema,
  async ({ id }, { runtime, caller }) => {
    const transaction = await findTransaction(runtime.pool, caller.application.applicationId, id)
    return transaction ? ok(recordJson(transaction)) : err(NO_TRANSACTION)
  },
)

/** The value of Retry-After. */
const OPERATOR_UNAVAILABLE = refuse(
  500,
  'operator_unavailable',
  'The operator is not responding. The stored status is unchanged; retry in a few seconds.',
  {
    'retry-after': '5',
  },
)

/** POST /chekTransactionStatus: queries the operator now and stores the result. */
export const chekTransactionStatus = queryEndpoint(
  'POST',
  'chekTransactionStatus',
  'payments:read',
  synchroniseQuerySchema,
  async ({ transactionId }, { runtime, caller }) => {
    const result = await synchroniseTransaction(runtime.forcedEnquiries, {
      applicationId: caller.application.applicationId,
      transactionId,
      actor: { kind: 'api', id: caller.apiUserId },
    })
    return result.ok ? ok(recordJson(result.value)) : err(refuseSynchronisation(result.error))
  },
)

/** Returns the response to a query that the operator did not answer, or that was not sent. */
export function refuseSynchronisation(failure: SynchroniseFailure): Refusal {
  if (typeof failure === 'object') {
    const seconds = Math.max(1, Math.ceil(failure.retryAfterMs / 1_000))
    return refuse(
      429,
      'too_many_queries',
      `Too many operator queries for this application. Try again in ${seconds} s, or use transaction-status.`,
      {
        'retry-after': String(seconds),
      },
    )
  }
  switch (failure) {
    case 'not_found':
      return NO_TRANSACTION
    case 'operator_unavailable':
      return OPERATOR_UNAVAILABLE
    case 'busy':
      return OVERLOADED
  }
}
