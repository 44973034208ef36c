import { OPERATORS } from '#lib/operators/operators.ts'
import { SUCCESS_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import type { ListedTransaction } from '#lib/schemas/api/transaction-responses.ts'
import { cursorQuerySchema } from '#lib/schemas/queries.ts'
import { BAD_CURSOR, TRANSACTIONS_PATH } from '../../endpoints/transactions.ts'
import { ANY_LIMITED_CALLER, anyRequest, cause } from '../error-causes.ts'
import { COLLECT_ID, COLLECT_REQUEST, PURPOSE } from '../examples.ts'
import { QUERY_CAUSES } from '../input-causes.ts'
import { type Operation, ref } from '../operation.ts'

const { country } = OPERATORS[COLLECT_REQUEST.transferMethod]

/** The collect of the examples as a response of version 2. */
const LISTED: ListedTransaction = {
  transactionId: COLLECT_ID,
  externalId: COLLECT_REQUEST.externalId,
  transactionType: 'COLLECT',
  status: 'SUCCESS',
  message: SUCCESS_MESSAGE,
  transferMethod: COLLECT_REQUEST.transferMethod,
  countryName: country.name,
  currency: country.currency,
  amount: 5000,
  feesSystem: 50,
  feesApp: 25,
  phoneNumber: COLLECT_REQUEST.phoneNumber,
  customerName: COLLECT_REQUEST.customerName,
  purpose: PURPOSE,
  operatorReference: '7421983041',
  refundOf: null,
  refundedAmount: 0,
  createdAt: '2026-11-05T09:29:58.002Z',
  completedAt: '2026-11-05T09:30:02.114Z',
}
const CURSOR = 'djEuNDEyMw'

export const TRANSACTION_OPERATIONS: Operation[] = [
  {
    path: TRANSACTIONS_PATH,
    method: 'get',
    id: 'listTransactions',
    tag: 'Transactions',
    summary: 'List all transactions with a cursor, or find one by its externalId',
    description:
      'Returns the transactions of the application, newest first. Pass nextCursor of one response as cursor of the next request until it is null: ' +
      'each transaction is returned exactly once, also while new ones are started.\n\n' +
      'With externalId the list has that transaction, or is empty. Use it after a timeout to learn whether a request was accepted.',
    query: { schema: cursorQuerySchema, examples: { limit: 100 } },
    answer: {
      schema: ref('TransactionList'),
      description: 'The transactions.',
      examples: {
        page: { summary: 'A page, and more behind it', value: { transactions: [LISTED], nextCursor: CURSOR } },
        none: { summary: 'No transaction', value: { transactions: [], nextCursor: null } },
      },
    },
    causes: [
      ...QUERY_CAUSES,
      cause('bad_cursor', BAD_CURSOR, 'The cursor is not one that a response had', 'Begin again without a cursor.'),
      ...ANY_LIMITED_CALLER,
      ...anyRequest('GET'),
    ],
  },
]
