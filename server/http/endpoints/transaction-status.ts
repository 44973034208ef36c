import { err, ok } from '#lib/result.ts'
import { statusQuerySchema } from '#lib/schemas/queries.ts'
import { type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { refuse } from '#server/http/api/errors.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { recordJson } from '#server/http/api/serialise-transaction.ts'
import { findTransaction } from '#server/transactions/transaction-queries.ts'

/** One message for a transaction that does not exist and for one of another application. */
export const NO_TRANSACTION = refuse(404, 'There is no transaction with this id.')

/** POST /transaction-status: returns the stored status. */
export const transactionStatus: PartnerEndpoint = {
  kind: 'partner',
  name: 'transaction-status',
  method: 'POST',
  path: `${TRANSACTION_PATH}/transaction-status`,
  async answer({ runtime, request, caller }) {
    const query = readQuery(request, statusQuerySchema)
    if (!query.ok) return query
    const transaction = await findTransaction(runtime.pool, caller.application.applicationId, query.value.id)
    return transaction ? ok(recordJson(transaction)) : err(NO_TRANSACTION)
  },
}
