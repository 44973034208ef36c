import { err, ok } from '#lib/result.ts'
import { synchroniseQuerySchema } from '#lib/schemas/queries.ts'
import { type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { OVERLOADED, type Refusal, refuse } from '#server/http/api/errors.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { recordJson } from '#server/http/api/serialise-transaction.ts'
import { type SynchroniseFailure, synchroniseTransaction } from '#server/operators/synchronise-transaction.ts'
import { NO_TRANSACTION } from './transaction-status.ts'

/** The value of Retry-After. */
const OPERATOR_UNAVAILABLE = refuse(500, 'The operator is not responding. The stored status is unchanged; retry in a few seconds.', {
  'retry-after': '5',
})

/** POST /chekTransactionStatus: queries the operator now and stores the result. */
export const chekTransactionStatus: PartnerEndpoint = {
  kind: 'partner',
  name: 'chekTransactionStatus',
  method: 'POST',
  path: `${TRANSACTION_PATH}/chekTransactionStatus`,
  async answer({ runtime, request, caller }) {
    const query = readQuery(request, synchroniseQuerySchema)
    if (!query.ok) return query
    const result = await synchroniseTransaction(runtime.forcedQueries, {
      applicationId: caller.application.applicationId,
      transactionId: query.value.transactionId,
      actor: { kind: 'api', id: caller.apiUserId },
    })
    return result.ok ? ok(recordJson(result.value)) : err(refuseSynchronisation(result.error))
  },
}

/** Returns the response to a query that the operator did not answer, or that was not sent. */
export function refuseSynchronisation(failure: SynchroniseFailure): Refusal {
  if (typeof failure === 'object') {
    const seconds = Math.max(1, Math.ceil(failure.retryAfterMs / 1_000))
    return refuse(429, `Too many operator queries for this application. Try again in ${seconds} s, or use transaction-status.`, {
      'retry-after': String(seconds),
    })
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
