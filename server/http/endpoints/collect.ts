import { type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { startTransaction } from './start-transaction.ts'

/** POST /collect: debits a customer's mobile money account. */
export const collect: PartnerEndpoint = {
  kind: 'partner',
  name: 'collect',
  method: 'POST',
  path: `${TRANSACTION_PATH}/collect`,
  answer: (call) => startTransaction(call, 'COLLECT'),
}
