import { BATCH_LENGTH_MAX } from '#lib/schemas/api/transaction-request.ts'
import { TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { ANY_BODY, ANY_CALLER, anyRequest, BATCH_BODY, QUEUE_FULL, SMALL_BODY } from '../error-causes.ts'
import {
  COLLECT_REQUEST,
  DEPOSIT_REQUEST,
  INITIATED_COLLECT,
  INITIATED_DEPOSIT,
  INITIATED_DEPOSITS,
  SECOND_DEPOSIT_REQUEST,
  WAITING_DEPOSIT,
} from '../examples.ts'
import { type Operation, ref } from '../operation.ts'
import { batchCauses, startCauses } from '../start-causes.ts'

const FLOW =
  'The response says that the transaction was accepted, not that money moved. The result arrives later as a webhook at webhookUrl; ' +
  'you can also poll transaction-status.\n\n' +
  'Repeat the request with the same externalId and the same content after a timeout: the transaction that exists is returned, with its current status, ' +
  'and nothing is started twice.'

const BATCH_DESCRIPTION =
  'All elements are checked before anything starts: if one of them is invalid, or its externalId belongs to a transaction with other ' +
  'content, the response is 400, its message names the index and the field, and nothing is started. Otherwise the response is 200 with one ' +
  'element for each element of the request, in the same order.\n\n' +
  'If another request uses the externalId with other content after the check and before the start, the element at that index is an Error ' +
  'with status 400 and that deposit is not started; all others are. A 503 response can mean that some deposits were started: retry the ' +
  'same array. Deposits that were started are returned and not started twice.'

const EVERY_START = [...ANY_BODY, SMALL_BODY, ...ANY_CALLER, QUEUE_FULL, ...anyRequest('POST')]

export const PAYMENT_OPERATIONS: Operation[] = [
  {
    path: `${TRANSACTION_PATH}/collect`,
    method: 'post',
    id: 'collect',
    tag: 'Payments',
    summary: 'Debit a customer and credit the application',
    description: `Asks the customer to confirm a payment on the phone, and credits the collect balance with the amount less both fees when it succeeds.\n\n${FLOW}`,
    body: { schema: ref('TransactionRequest'), description: 'The payment.', example: COLLECT_REQUEST },
    answer: {
      schema: ref('InitiationResponse'),
      description: 'The transaction was started, or had been started with the same externalId and content before.',
      examples: { started: { summary: 'Started', value: INITIATED_COLLECT } },
    },
    causes: [...startCauses('COLLECT'), ...EVERY_START],
  },
  {
    path: `${TRANSACTION_PATH}/deposit`,
    method: 'post',
    id: 'deposit',
    tag: 'Payments',
    summary: 'Send money to a beneficiary',
    description:
      'Reserves the amount and both fees on the deposit balance and sends the amount to the beneficiary. If the balance does not cover them, the ' +
      `deposit is accepted and ends as FAILED with the message Solde insuffisant.\n\n${FLOW}\n\n` +
      'An approval rule of the application can make a deposit wait for checkers: the status is then PENDING_APPROVAL.',
    body: { schema: ref('TransactionRequest'), description: 'The payment.', example: DEPOSIT_REQUEST },
    answer: {
      schema: ref('InitiationResponse'),
      description: 'The transaction was started, or had been started with the same externalId and content before.',
      examples: {
        started: { summary: 'Started', value: INITIATED_DEPOSIT },
        waiting: { summary: 'Waiting for approval', value: WAITING_DEPOSIT },
      },
    },
    causes: [...startCauses('DEPOSIT'), ...EVERY_START],
  },
  {
    path: `${TRANSACTION_PATH}/depositMultiple`,
    method: 'post',
    id: 'depositMultiple',
    tag: 'Payments',
    summary: 'Start several deposits',
    description: `Starts 1 to ${BATCH_LENGTH_MAX} deposits in one request. ${BATCH_DESCRIPTION}`,
    body: {
      schema: { type: 'array', items: ref('TransactionRequest'), minItems: 1, maxItems: BATCH_LENGTH_MAX },
      description: 'The deposits, each with an externalId of its own.',
      example: [DEPOSIT_REQUEST, SECOND_DEPOSIT_REQUEST],
    },
    answer: {
      schema: { type: 'array', items: { oneOf: [ref('InitiationResponse'), ref('Error')] } },
      description: 'One element for each element of the request, in the same order.',
      examples: { started: { summary: 'Both started', value: INITIATED_DEPOSITS } },
    },
    causes: [...batchCauses(), ...ANY_BODY, BATCH_BODY, ...ANY_CALLER, ...anyRequest('POST')],
  },
]
