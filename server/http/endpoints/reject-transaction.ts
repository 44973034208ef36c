import { rejectQuerySchema } from '#lib/schemas/queries.ts'
import { type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { decideTransaction } from './decide-transaction.ts'

/** POST /rejectTransaction: a checker rejects a waiting transaction. The reason becomes its message. */
export const rejectTransaction: PartnerEndpoint = {
  kind: 'partner',
  name: 'rejectTransaction',
  method: 'POST',
  path: `${TRANSACTION_PATH}/rejectTransaction`,
  async answer(call) {
    const query = readQuery(call.request, rejectQuerySchema)
    if (!query.ok) return query
    const { checkerId, transactionId, reason } = query.value
    return decideTransaction(call, { checkerId, transactionId, decision: 'rejected', note: reason })
  },
}
