import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { parseKeyedRequest } from '#lib/schemas/api/transaction-request.ts'
import { COLLECTS_PATH, DEPOSITS_PATH, readIdempotencyKey, refuseKeyedStart } from '#server/http/endpoints/v2/keyed-payments.ts'
import { ANY_BODY, ANY_LIMITED_CALLER, anyRequest, badInput, cause, type ErrorCause, QUEUE_FULL, SMALL_BODY } from '../error-causes.ts'
import { COLLECT_REQUEST, DEPOSIT_REQUEST, INITIATED_COLLECT, INITIATED_DEPOSIT, PURPOSE, WAITING_DEPOSIT } from '../examples.ts'
import { readExample } from '../input-causes.ts'
import { type Json, type Operation, ref } from '../operation.ts'
import { startCauses } from '../start-causes.ts'

const FLOW =
  'The response says that the transaction was accepted, not that money moved. The result arrives later as a webhook at webhookUrl; ' +
  'you can also read it from the list of transactions, with Idempotency-Key as externalId.\n\n' +
  'Repeat the request with the same Idempotency-Key and the same content after a timeout: the transaction that exists is returned, with its ' +
  'current status and the header Idempotency-Replayed, and nothing is started twice. The same key with other content is 422. A request that was ' +
  'refused started nothing: correct it and send it with the same key.'

function bodyOf({ externalId: _, ...body }: typeof COLLECT_REQUEST): Json {
  return { ...body, purpose: PURPOSE }
}

function refusedKey(header: string | undefined) {
  const key = readIdempotencyKey(header)
  if (key.ok) throw new Error('An example of a wrong key is right')
  return key.error
}

function longPurpose() {
  const { purpose } = PAYMENT_TEXTS
  const parsed = parseKeyedRequest(
    readExample(JSON.stringify({ ...COLLECT_REQUEST, purpose: 'x'.repeat(purpose.lengthMax + 1) })),
    COLLECT_REQUEST.externalId,
  )
  return badInput(parsed.ok ? [] : parsed.error)
}

function otherExternalId() {
  const parsed = parseKeyedRequest(readExample(JSON.stringify(DEPOSIT_REQUEST)), COLLECT_REQUEST.externalId)
  return badInput(parsed.ok ? [] : parsed.error)
}

function reusedKey() {
  const parsed = parseKeyedRequest(readExample(JSON.stringify(COLLECT_REQUEST)), COLLECT_REQUEST.externalId)
  if (!parsed.ok) throw new Error('The request of an example is refused')
  return refuseKeyedStart({ kind: 'refused', problems: [{ index: 0, kind: 'external_id_taken' }] }, 'COLLECT', parsed.value)
}

const KEY_CAUSES: readonly ErrorCause[] = [
  cause(
    'idempotency_key_missing',
    refusedKey(undefined),
    'The header Idempotency-Key is missing',
    'Send a new UUID version 4 for each payment.',
  ),
  cause(
    'idempotency_key_invalid',
    refusedKey('1001'),
    'Idempotency-Key is not a UUID version 4, or is there twice',
    'Let your UUID library make a version 4, and send the header once.',
  ),
  cause(
    'external_id_differs',
    otherExternalId(),
    'The body has an externalId that is not the Idempotency-Key',
    'Leave externalId out of the body, or send the same in both places.',
  ),
  cause('purpose_invalid', longPurpose(), 'purpose has more than 140 characters', 'Send at most 140 characters, or leave it out.'),
  cause(
    'idempotency_key_reused',
    reusedKey(),
    'Idempotency-Key belongs to another transaction of yours, with other content',
    'To repeat a payment after a timeout, send exactly the same content. For another payment, use a new key.',
  ),
]

/** Those of version 1, but for the externalId, which is the key here. */
function causesOf(type: TransactionType): ErrorCause[] {
  return [
    ...KEY_CAUSES,
    ...startCauses(type).filter(({ id }) => !id.startsWith('external_id_')),
    ...ANY_BODY,
    SMALL_BODY,
    ...ANY_LIMITED_CALLER,
    QUEUE_FULL,
    ...anyRequest('POST'),
  ]
}

const ACCEPTED = 'The transaction was started, or had been started with the same key and content before.'

export const KEYED_PAYMENT_OPERATIONS: Operation[] = [
  {
    path: COLLECTS_PATH,
    method: 'post',
    id: 'createCollect',
    tag: 'Payments with a key',
    summary: 'Start a collect, once for each Idempotency-Key',
    description: `Asks the customer to confirm a payment on the phone, and credits the collect balance with the amount less both fees when it succeeds.\n\n${FLOW}`,
    idempotencyKey: COLLECT_REQUEST.externalId,
    body: { schema: ref('PaymentRequest'), description: 'The payment.', example: bodyOf(COLLECT_REQUEST) },
    answer: {
      schema: ref('InitiationResponse'),
      description: ACCEPTED,
      examples: { started: { summary: 'Started', value: { ...INITIATED_COLLECT, purpose: PURPOSE } } },
    },
    causes: causesOf('COLLECT'),
  },
  {
    path: DEPOSITS_PATH,
    method: 'post',
    id: 'createDeposit',
    tag: 'Payments with a key',
    summary: 'Start a deposit, once for each Idempotency-Key',
    description:
      'Reserves the amount and both fees on the deposit balance and sends the amount to the beneficiary. If the balance does not cover them, the ' +
      `deposit is accepted and ends as FAILED with the message Solde insuffisant.\n\n${FLOW}\n\n` +
      'An approval rule of the application can make a deposit wait for checkers: the status is then PENDING_APPROVAL.',
    idempotencyKey: DEPOSIT_REQUEST.externalId,
    body: { schema: ref('PaymentRequest'), description: 'The payment.', example: bodyOf(DEPOSIT_REQUEST) },
    answer: {
      schema: ref('InitiationResponse'),
      description: ACCEPTED,
      examples: {
        started: { summary: 'Started', value: { ...INITIATED_DEPOSIT, purpose: PURPOSE } },
        waiting: { summary: 'Waiting for approval', value: { ...WAITING_DEPOSIT, purpose: PURPOSE } },
      },
    },
    causes: causesOf('DEPOSIT'),
  },
]
