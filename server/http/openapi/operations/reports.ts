import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { emptyQuerySchema, pageQuerySchema, phonePageQuerySchema, rangeQuerySchema, statusPageQuerySchema } from '#lib/schemas/queries.ts'
import { TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { ANY_CALLER, anyRequest } from '../error-causes.ts'
import { DEPOSIT_REQUEST, examplePage } from '../examples.ts'
import { QUERY_CAUSES, RANGE_CAUSE, TOO_MANY_PARAMETERS } from '../input-causes.ts'
import { type Json, type Operation, ref } from '../operation.ts'

const NUMBER: Json = { type: 'number', description: 'A single JSON decimal number, exact to the last digit' }
const EVERY = [...ANY_CALLER, ...anyRequest('GET')]
const PAGING = { page: 0, size: 20 }

const LIST_NOTE =
  'Page 0 is the newest. New transactions move older ones to later pages, so a program that reads all pages can meet the same transaction twice: compare their ids.'

const SUM_NOTE =
  'The sum of the amounts, without fees, as one JSON number. An application with operators in several countries gets the sum over all currencies, ' +
  'because the response is one number: the balances and the lists tell currencies apart.'

function pageAnswer(which: 'both' | 'deposit'): Operation['answer'] {
  return {
    schema: ref('TransactionPage'),
    description: 'The page.',
    examples: {
      page: { summary: 'A page', value: examplePage(which) },
      empty: { summary: 'No transaction', value: { content: [], totalElements: 0, totalPages: 0, size: 20, number: 0 } },
    },
  }
}

const BALANCES: Json = OPERATOR_CODES.map((serviceType) => ({
  serviceType,
  balanceCollect: serviceType === 'MOMOCM' ? 4925 : 0,
  balanceDeposit: serviceType === 'SNWAVE' ? 987312 : 0,
}))

export const LIST_OPERATIONS: Operation[] = [
  {
    path: `${TRANSACTION_PATH}/getByApplicationProduct`,
    method: 'get',
    id: 'getByApplicationProduct',
    tag: 'Lists',
    summary: 'List all transactions, newest first',
    description: `Returns one page of all transactions of the application. ${LIST_NOTE}`,
    query: { schema: pageQuerySchema, examples: PAGING },
    answer: pageAnswer('both'),
    causes: [...QUERY_CAUSES, ...EVERY],
  },
  {
    path: `${TRANSACTION_PATH}/getByApplicationProductAndPhoneReceiver`,
    method: 'get',
    id: 'getByApplicationProductAndPhoneReceiver',
    tag: 'Lists',
    summary: 'List the transactions of one phone number, newest first',
    description: `Returns one page of the transactions with this phone number, collects and deposits alike. ${LIST_NOTE}`,
    query: { schema: phonePageQuerySchema, examples: { phoneNumber: DEPOSIT_REQUEST.phoneNumber, ...PAGING } },
    answer: pageAnswer('deposit'),
    causes: [...QUERY_CAUSES, ...EVERY],
  },
  {
    path: `${TRANSACTION_PATH}/getByApplicationProductAndStatus`,
    method: 'get',
    id: 'getByApplicationProductAndStatus',
    tag: 'Lists',
    summary: 'List the transactions in one status, newest first',
    description: `Returns one page of the transactions in this status. ${LIST_NOTE}`,
    query: { schema: statusPageQuerySchema, examples: { transactionStatus: 'SUCCESS', ...PAGING } },
    answer: pageAnswer('both'),
    causes: [...QUERY_CAUSES, ...EVERY],
  },
]

export const TOTAL_OPERATIONS: Operation[] = [
  {
    path: `${TRANSACTION_PATH}/getTotalAmountByApplicationProductAndDateRange`,
    method: 'get',
    id: 'getTotalAmountByApplicationProductAndDateRange',
    tag: 'Totals and balances',
    summary: 'Return the total of a range of UTC days, both ends included',
    description: `Counts the transactions in this status that were created in the range of UTC days. ${SUM_NOTE}`,
    query: { schema: rangeQuerySchema, examples: { startDate: '2026-03-01', endDate: '2026-03-31', status: 'SUCCESS' } },
    answer: { schema: NUMBER, description: 'The total.', examples: { total: { summary: 'A total', value: 17500 } } },
    causes: [...QUERY_CAUSES, RANGE_CAUSE, ...EVERY],
  },
  {
    path: `${TRANSACTION_PATH}/getTotalAmountByApplicationProduct`,
    method: 'get',
    id: 'getTotalAmountByApplicationProduct',
    tag: 'Totals and balances',
    summary: 'Return the total of all transactions',
    description: `Counts all transactions of the application, regardless of their status. ${SUM_NOTE}`,
    query: { schema: emptyQuerySchema, examples: {} },
    answer: { schema: NUMBER, description: 'The total.', examples: { total: { summary: 'A total', value: 1284150.5 } } },
    causes: [TOO_MANY_PARAMETERS, ...EVERY],
  },
  {
    path: `${TRANSACTION_PATH}/getByApplicationProductBalances`,
    method: 'get',
    id: 'getByApplicationProductBalances',
    tag: 'Totals and balances',
    summary: 'List the balances, one record per operator',
    description:
      'Returns one record for each operator, with zero where nothing happened. Collects credit balanceCollect; deposits draw on balanceDeposit.',
    query: { schema: emptyQuerySchema, examples: {} },
    answer: {
      schema: { type: 'array', items: ref('Balance') },
      description: 'The balances.',
      examples: { balances: { summary: 'Balances', value: BALANCES } },
    },
    causes: [TOO_MANY_PARAMETERS, ...EVERY],
  },
]
