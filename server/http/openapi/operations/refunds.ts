import { OPERATORS } from '#lib/operators/operators.ts'
import { parseRefundRequest } from '#lib/schemas/api/transaction-request.ts'
import type { ListedTransaction } from '#lib/schemas/api/transaction-responses.ts'
import { synchroniseQuerySchema } from '#lib/schemas/queries.ts'
import { REFUNDS_PATH, refuseRefund } from '#server/http/endpoints/v2/refunds.ts'
import type { RefundFailure } from '#server/transactions/refunds.ts'
import {
  ANY_BODY,
  ANY_LIMITED_CALLER,
  anyRequest,
  badInput,
  cause,
  type ErrorCause,
  QUEUE_FULL,
  SMALL_BODY,
  UNKNOWN_TRANSACTION,
} from '../error-causes.ts'
import { COLLECT_ID, COLLECT_REQUEST, REFUND_ID, REFUND_REQUEST } from '../examples.ts'
import { readExample } from '../input-causes.ts'
import { type Operation, ref } from '../operation.ts'

const { country } = OPERATORS[COLLECT_REQUEST.transferMethod]

const REFUND: ListedTransaction = {
  transactionId: REFUND_ID,
  externalId: REFUND_REQUEST.externalId,
  transactionType: 'DEPOSIT',
  status: 'PENDING',
  message: null,
  transferMethod: COLLECT_REQUEST.transferMethod,
  countryName: country.name,
  currency: country.currency,
  amount: REFUND_REQUEST.amount,
  feesSystem: 20,
  feesApp: 10,
  phoneNumber: COLLECT_REQUEST.phoneNumber,
  customerName: COLLECT_REQUEST.customerName,
  purpose: '',
  operatorReference: null,
  refundOf: COLLECT_ID,
  refundedAmount: 0,
  createdAt: '2026-11-05T10:12:41.310Z',
  completedAt: null,
}

function wrongRefund(change: Record<string, unknown>) {
  const parsed = parseRefundRequest(readExample(JSON.stringify({ ...REFUND_REQUEST, ...change })))
  return badInput(parsed.ok ? [] : parsed.error)
}

const refused = (failure: RefundFailure) => refuseRefund(failure, REFUND_REQUEST.externalId)

const CAUSES: readonly ErrorCause[] = [
  cause(
    'external_id_invalid',
    wrongRefund({ externalId: '1001' }),
    'externalId is not a UUID version 4',
    'Let your UUID library make a version 4.',
  ),
  cause(
    'amount_invalid',
    wrongRefund({ amount: -5 }),
    'amount is zero, negative, a text, or has more than two decimals',
    'Send a JSON number greater than zero, or leave amount out.',
  ),
  cause(
    'webhook_url_invalid',
    wrongRefund({ webhookUrl: 'partner.example/hooks' }),
    'webhookUrl is not an absolute http or https address',
    'Send the whole address, with https://, or leave it out.',
  ),
  cause(
    'webhook_url_missing',
    refused({ kind: 'webhook_url_missing' }),
    'A person started the collect, and neither it nor the application has an address',
    'Send webhookUrl.',
  ),
  cause(
    'external_id_taken',
    refused({ kind: 'external_id_taken' }),
    'externalId belongs to another transaction of yours, with other content',
    'To repeat a refund after a timeout, send exactly the same content. For another refund, use a new externalId.',
  ),
  cause(
    'not_a_collect',
    refused({ kind: 'not_a_collect' }),
    'The transaction is a deposit',
    'Collect the amount from the beneficiary, or ask your contact at the service.',
  ),
  cause(
    'not_successful',
    refused({ kind: 'not_successful' }),
    'The collect is not SUCCESS',
    'Wait for its result. Cancel a collect that was not sent yet.',
  ),
  cause(
    'nothing_left',
    refused({ kind: 'nothing_left' }),
    'The refunds of the collect have its whole amount',
    'List its refunds. The amount of one that ends as FAILED can be refunded again.',
  ),
  cause(
    'more_than_is_left',
    refused({ kind: 'more_than_is_left', leftMinor: 3_000_00n }),
    'amount is more than what is left of the collect',
    'Send at most the amount that the message names, or leave amount out.',
  ),
  cause(
    'not_above_fees',
    refused({ kind: 'not_above_fees' }),
    'The customer pays the fees of refunds, and they take the whole amount',
    'Refund a larger amount.',
  ),
  cause(
    'contradicted',
    refused({ kind: 'contradicted' }),
    'The operator reports another result of the collect than before',
    'Wait until your contact at the service has clarified it with the operator.',
  ),
  cause(
    'adjusted',
    refused({ kind: 'adjusted' }),
    'Two people corrected the collect in the books, or one proposed to',
    'Ask your contact at the service.',
  ),
  cause(
    'earlier_unconfirmed',
    refused({ kind: 'earlier_unconfirmed' }),
    'An earlier refund failed, and the operator does not confirm that now',
    'Retry the same request in a few minutes.',
  ),
  cause(
    'amount_out_of_limits',
    refuseLimits(),
    'amount is outside the limits for deposits, or not a multiple of what the operator takes',
    'Send an amount within the limits that the message names.',
  ),
  cause(
    'service_disabled',
    refuseService(),
    'The application may not send deposits to the operator',
    'Ask an administrator to enable the transfer service.',
  ),
]

function refuseLimits() {
  return startRefused({ index: 0, kind: 'amount_out_of_limits', minimumMinor: 100_00n, maximumMinor: 1_000_00n, multipleMinor: 5_00n })
}

function refuseService() {
  return startRefused({ index: 0, kind: 'service_disabled' })
}

function startRefused(problem: Extract<RefundFailure, { kind: 'start_refused' }>['problem']) {
  const { transferMethod, countryName, customerName, externalId, phoneNumber, webhookUrl } = COLLECT_REQUEST
  const request = { transferMethod, countryName, customerName, externalId, phoneNumber, webhookUrl, amount: 2_000_00n }
  return refused({ kind: 'start_refused', problem, request })
}

const SEGMENTS = { schema: synchroniseQuerySchema, examples: { transactionId: COLLECT_ID } }

export const REFUND_OPERATIONS: Operation[] = [
  {
    path: REFUNDS_PATH,
    method: 'post',
    id: 'refundCollect',
    tag: 'Transactions',
    summary: 'Refund a collect, whole or in parts',
    description:
      'Sends money of a collect back to the customer who paid it: a deposit to the same number at the same operator. Leave amount out to refund what is ' +
      'left. A collect can be refunded in several parts; the refunds that did not end as FAILED never exceed its amount.\n\n' +
      'A refund is taken from the deposit balance of the operator, costs the fees of a deposit, and waits for checkers where a rule of the ' +
      'application says so. The application pays these fees, unless its administrators chose that the customer does: the customer then receives ' +
      'amount less the fees. The fees of the collect are not returned.\n\n' +
      'Repeat the request with the same externalId and the same content after a timeout: the refund that exists is returned, and nothing is sent twice. ' +
      'The result arrives as a webhook, as for any deposit.',
    segments: SEGMENTS,
    body: { schema: ref('RefundRequest'), description: 'The refund.', example: { ...REFUND_REQUEST } },
    answer: {
      schema: ref('Transaction'),
      description: 'The refund was started, or had been started with the same externalId and content before.',
      examples: {
        started: { summary: 'Started', value: REFUND },
        waiting: { summary: 'Waiting for approval', value: { ...REFUND, status: 'PENDING_APPROVAL' } },
      },
    },
    causes: [...CAUSES, UNKNOWN_TRANSACTION, ...ANY_BODY, SMALL_BODY, ...ANY_LIMITED_CALLER, QUEUE_FULL, ...anyRequest('GET or POST')],
  },
  {
    path: REFUNDS_PATH,
    method: 'get',
    id: 'listRefunds',
    tag: 'Transactions',
    summary: 'List the refunds of a collect',
    description: 'Returns all refunds of a collect, the oldest first, and how much of it can still be refunded.',
    segments: SEGMENTS,
    answer: {
      schema: ref('RefundList'),
      description: 'The refunds of the collect.',
      examples: {
        refunds: { summary: 'One refund', value: { refunds: [REFUND], refundedAmount: REFUND.amount, remainingAmount: 3000 } },
        none: { summary: 'No refund', value: { refunds: [], refundedAmount: 0, remainingAmount: 5000 } },
      },
    },
    causes: [UNKNOWN_TRANSACTION, ...ANY_LIMITED_CALLER, ...anyRequest('GET or POST')],
  },
]
