import { err, ok } from '#lib/result.ts'
import { synchroniseQuerySchema } from '#lib/schemas/queries.ts'
import { synchroniseTransaction } from '../../operators/synchronise-transaction.ts'
import { type PartnerEndpoint, TRANSACTION_PATH } from '../endpoint.ts'
import { refuse } from '../errors.ts'
import { readQuery } from '../read-query.ts'
import { recordJson } from '../serialise-transaction.ts'
import { NO_TRANSACTION } from './transaction-status.ts'

/** Clients wait "a few seconds" before they try again (spec, Errors). */
const OPERATOR_UNAVAILABLE = refuse(
  500,
  'The operator gives no answer at this moment. The stored status is unchanged; try again in a few seconds.',
  { 'retry-after': '5' },
)

/** POST /chekTransactionStatus (spec, Rules 4): asks the operator now and stores what it says. */
export const chekTransactionStatus: PartnerEndpoint = {
  kind: 'partner',
  name: 'chekTransactionStatus',
  method: 'POST',
  path: `${TRANSACTION_PATH}/chekTransactionStatus`,
  async answer({ runtime, request, caller }) {
    const query = readQuery(request, synchroniseQuerySchema)
    if (!query.ok) return query
    const result = await synchroniseTransaction(runtime, caller.application.applicationId, query.value.transactionId)
    if (result.ok) return ok(recordJson(result.value))
    return err(result.error === 'not_found' ? NO_TRANSACTION : OPERATOR_UNAVAILABLE)
  },
}
