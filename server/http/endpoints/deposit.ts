import { type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { startTransaction } from './start-transaction.ts'

/** POST /deposit: sends money to a beneficiary's mobile money account. */
export const deposit: PartnerEndpoint = {
  kind: 'partner',
  name: 'deposit',
  method: 'POST',
  path: `${TRANSACTION_PATH}/deposit`,
  answer: (call) => startTransaction(call, 'DEPOSIT'),
}
