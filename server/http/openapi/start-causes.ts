import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { parseBatch, parseTransactionRequest, type TransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import type { Refusal } from '#server/http/api/errors.ts'
import type { StartProblem } from '#server/transactions/find-start-problems.ts'
import { refuseStart } from '../endpoints/payments.ts'
import { badInput, cause, type ErrorCause } from './error-causes.ts'
import { COLLECT_REQUEST, DEPOSIT_REQUEST, SECOND_DEPOSIT_REQUEST } from './examples.ts'
import { REPEATED_FIELD, readExample } from './input-causes.ts'

// Why a collect, a deposit or a batch is refused for its content. The messages come from the schemas and commands that refuse.

type Change = Record<string, unknown>

/** Refuses the body of a collect with these changes. */
function wrongRequest(change: Change): Refusal {
  const parsed = parseTransactionRequest(readExample(JSON.stringify({ ...COLLECT_REQUEST, ...change })))
  return badInput(parsed.ok ? [] : parsed.error)
}

/** Refuses a batch whose second element has these changes. */
function wrongBatch(elements: unknown): Refusal {
  const parsed = parseBatch(readExample(JSON.stringify(elements)))
  return badInput(parsed.ok ? [] : parsed.error)
}

/** Refuses a start as the command does, for one request or for an array of them. */
function refusedStart(type: TransactionType, problem: StartProblem, isArray = false): Refusal {
  const parsed = parseTransactionRequest(readExample(JSON.stringify(type === 'COLLECT' ? COLLECT_REQUEST : DEPOSIT_REQUEST)))
  if (!parsed.ok) throw new Error('The request of an example is refused')
  const requests: TransactionRequest[] = [parsed.value]
  return refuseStart({ kind: 'refused', problems: [problem] }, { type, requests, isArray })
}

const NEW_EXTERNAL_ID =
  'To repeat a payment after a timeout, send exactly the same content. For another payment, use a new externalId. Do not retry with changed content.'

const FIELD_CAUSES: readonly ErrorCause[] = [
  cause(
    'field_missing',
    wrongRequest({ phoneNumber: undefined, webhookUrl: undefined }),
    'A required field is missing',
    'Send all seven fields. The message has one sentence for each wrong field.',
  ),
  cause(
    'amount_invalid',
    wrongRequest({ amount: -5 }),
    'amount is zero, negative, a text, or has more than two decimals',
    'Send a JSON number greater than zero.',
  ),
  cause(
    'phone_invalid',
    wrongRequest({ phoneNumber: '+237677209341' }),
    'phoneNumber has a +, spaces, or the wrong length',
    'Send 10 to 15 digits that start with the dial code.',
  ),
  cause(
    'phone_of_other_country',
    wrongRequest({ phoneNumber: '221771234567' }),
    'phoneNumber does not start with the dial code of the country',
    'Check the number and the operator: each operator code belongs to one country.',
  ),
  cause(
    'external_id_invalid',
    wrongRequest({ externalId: '1001' }),
    'externalId is not a UUID version 4',
    'Let your UUID library make a version 4.',
  ),
  cause(
    'transfer_method_invalid',
    wrongRequest({ transferMethod: 'ORANGE' }),
    'transferMethod is not an operator code',
    'Use one of the codes exactly as written.',
  ),
  cause(
    'country_mismatch',
    wrongRequest({ countryName: 'SENEGAL' }),
    'countryName is not the country of transferMethod',
    'Send the country of the operator code, in capitals.',
  ),
  cause(
    'name_invalid',
    wrongRequest({ customerName: ' ' }),
    'customerName is blank or has more than 200 characters',
    'Send the full name.',
  ),
  cause(
    'webhook_url_invalid',
    wrongRequest({ webhookUrl: 'partner.example/hooks' }),
    'webhookUrl is not an absolute http or https address',
    'Send the whole address, with https://.',
  ),
]

function serviceCauses(type: TransactionType, isArray: boolean): ErrorCause[] {
  return [
    cause(
      'service_disabled',
      refusedStart(type, { index: 0, kind: 'service_disabled' }, isArray),
      'The transfer service is disabled for the application',
      'Ask an administrator to enable it, or use another operator.',
    ),
    cause(
      'service_not_available',
      refusedStart(type, { index: 0, kind: 'operator_not_in_service' }, isArray),
      'The service is not connected to this operator in this direction',
      'Use another operator.',
    ),
  ]
}

const LIMITS = { index: 0, kind: 'amount_out_of_limits', minimumMinor: 100_00n, maximumMinor: 2_000_00n, multipleMinor: 5_00n } as const

/** Why collect and deposit refuse their content. */
export function startCauses(type: TransactionType): ErrorCause[] {
  const fees = {
    index: 0,
    kind: 'amount_not_above_fees',
    fees: { feeSystemMinor: 4_000_00n, feeAppMinor: 1_000_00n },
    smallestMinor: 5_001_00n,
  } as const
  return [
    ...FIELD_CAUSES,
    REPEATED_FIELD,
    cause(
      'external_id_taken',
      refusedStart(type, { index: 0, kind: 'external_id_taken' }),
      'externalId belongs to another transaction of yours, with other content',
      NEW_EXTERNAL_ID,
    ),
    cause(
      'amount_out_of_limits',
      refusedStart(type, LIMITS),
      'amount is outside the limits of the operator or of the application, or not a multiple of what the operator takes',
      'Send an amount within the limits that the message names.',
    ),
    ...(type === 'COLLECT'
      ? [
          cause(
            'amount_not_above_fees',
            refusedStart(type, fees),
            'The fees would take the whole amount of a collect',
            'Send at least the amount that the message names.',
          ),
        ]
      : []),
    ...serviceCauses(type, false),
  ]
}

const OVERLOADED_BATCH = refuseStart({ kind: 'overloaded' }, { type: 'DEPOSIT', requests: [], isArray: true })

/** Why depositMultiple refuses its content. */
export function batchCauses(): ErrorCause[] {
  const second = (change: Change) => [DEPOSIT_REQUEST, { ...SECOND_DEPOSIT_REQUEST, ...change }]
  const repeated = second({ externalId: DEPOSIT_REQUEST.externalId })
  return [
    cause('not_an_array', wrongBatch({}), 'The body is not an array', 'Send an array, also for one deposit.'),
    cause('array_length', wrongBatch([]), 'The array is empty or has more than 1,000 elements', 'Send 1 to 1,000 deposits in a request.'),
    cause(
      'element_invalid',
      wrongBatch(second({ amount: '8000' })),
      'An element is wrong for one of the reasons of deposit',
      'Correct the element whose index, from 0, the message names. Nothing was started.',
    ),
    cause('external_id_repeated', wrongBatch(repeated), 'Two elements have the same externalId', 'Use a new externalId for each deposit.'),
    cause(
      'external_id_taken',
      refusedStart('DEPOSIT', { index: 0, kind: 'external_id_taken' }, true),
      'externalId belongs to another transaction of yours, with other content',
      NEW_EXTERNAL_ID,
    ),
    cause(
      'amount_out_of_limits',
      refusedStart('DEPOSIT', LIMITS, true),
      'amount is outside the limits of the operator or of the application, or not a multiple of what the operator takes',
      'Send an amount within the limits that the message names.',
    ),
    ...serviceCauses('DEPOSIT', true),
    cause(
      'overloaded',
      OVERLOADED_BATCH,
      'The service has more requests than it can take; some elements may have been started',
      'Retry the same array after the seconds in Retry-After. Deposits that were started are returned and not started twice.',
    ),
  ]
}
