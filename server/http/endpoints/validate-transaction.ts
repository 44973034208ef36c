import { validateQuerySchema } from '#lib/schemas/queries.ts'
import { type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { decideTransaction } from './decide-transaction.ts'

/** POST /validateTransaction: a checker approves a waiting transaction. */
export const validateTransaction: PartnerEndpoint = {
  kind: 'partner',
  name: 'validateTransaction',
  method: 'POST',
  path: `${TRANSACTION_PATH}/validateTransaction`,
  async answer(call) {
    const query = readQuery(call.request, validateQuerySchema)
    if (!query.ok) return query
    const { checkerId, transactionId, payeeNote } = query.value
    return decideTransaction(call, { checkerId, transactionId, decision: 'validated', note: payeeNote })
  },
}
