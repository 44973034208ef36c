import { z } from 'zod'
import { CANCELLED_MESSAGE, SUCCESS_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { type Batch, type BatchRow, batchListQuerySchema, batchQuerySchema, parseBatchRequest } from '#lib/schemas/api/batch-request.ts'
import { finishSteps } from '#lib/schemas/api/transaction-request.ts'
import { idField } from '#lib/schemas/fields.ts'
import {
  BATCH_PATH,
  BATCHES_PATH,
  CANCEL_BATCH_PATH,
  NO_BATCH,
  refuseBatch,
  refuseBatchCancellation,
} from '#server/http/endpoints/v2/batches.ts'
import { refuse } from '../../api/errors.ts'
import { BAD_CURSOR } from '../../endpoints/transactions.ts'
import { ANY_BODY, ANY_LIMITED_CALLER, anyRequest, BATCH_BODY, badInput, cause } from '../error-causes.ts'
import { BATCH_ID, DEPOSIT_ID, DEPOSIT_REQUEST, SECOND_DEPOSIT_REQUEST } from '../examples.ts'
import { QUERY_CAUSES, readExample } from '../input-causes.ts'
import { type Json, type Operation, ref } from '../operation.ts'

const KEY = '9d0e4f6b-3c52-4a87-b1f0-5e7a2c8d9f13'
const { webhookUrl } = DEPOSIT_REQUEST

function rowOf({ webhookUrl: _, ...row }: typeof DEPOSIT_REQUEST): { [name: string]: Json } {
  return row
}
const DEPOSITS = [DEPOSIT_REQUEST, SECOND_DEPOSIT_REQUEST].map(rowOf)
const BODY = { name: 'Salaries, March', webhookUrl, deposits: DEPOSITS }

const NO_COUNTS = { QUEUED: 0, REFUSED: 0, PENDING_APPROVAL: 0, PENDING: 0, SUCCESS: 0, FAILED: 0 }
const FACTS = {
  batchId: BATCH_ID,
  idempotencyKey: KEY,
  name: BODY.name,
  webhookUrl,
  depositCount: DEPOSITS.length,
  createdAt: '2026-11-05T09:31:40.118Z',
}

function exampleBatch(counts: Partial<Batch['counts']>): Batch {
  return { ...FACTS, counts: { ...NO_COUNTS, ...counts } }
}

const { externalId, transferMethod, phoneNumber, amount } = DEPOSIT_REQUEST
const PAID: BatchRow = {
  ...{ index: 0, externalId, status: 'SUCCESS', transactionId: DEPOSIT_ID, code: null, message: SUCCESS_MESSAGE },
  ...{ transferMethod, phoneNumber, amount },
}
const REFUSED: BatchRow = {
  ...{ index: 1, externalId: SECOND_DEPOSIT_REQUEST.externalId, status: 'REFUSED', transactionId: null, code: 'external_id_taken' },
  message: 'externalId belongs to another transaction of the application.',
  ...{ transferMethod, phoneNumber: SECOND_DEPOSIT_REQUEST.phoneNumber, amount: SECOND_DEPOSIT_REQUEST.amount },
}

/** Refuses a batch with these changes. */
function wrongBatch(change: Record<string, unknown>) {
  const parsed = finishSteps(parseBatchRequest(readExample(JSON.stringify({ ...BODY, ...change }))))
  return badInput(parsed.ok ? [] : parsed.error)
}

const UNKNOWN_BATCH = cause(
  'unknown_batch',
  NO_BATCH,
  'No program of the application made a batch with this id',
  'Use the batchId of the response that accepted it. Batches from files are only in the back office.',
)
const WRONG_CURSOR = cause('bad_cursor', BAD_CURSOR, 'The cursor is not one that a response had', 'Begin again without a cursor.')
const SEGMENTS = {
  schema: z.object({ batchId: idField('batchId').meta({ description: 'The batchId of the response that accepted the batch' }) }),
  examples: { batchId: BATCH_ID },
}

export const BATCH_OPERATIONS: Operation[] = [
  {
    path: BATCHES_PATH,
    method: 'post',
    id: 'createBatch',
    tag: 'Batches',
    summary: 'Send up to 10,000 deposits, once for each Idempotency-Key',
    description:
      'Accepts a batch of deposits and returns at once; the deposits are started in the background, in their order. Each of them has an externalId of ' +
      'its own and sends its result as a webhook to webhookUrl.\n\n' +
      'The form of all deposits is checked first: if one is wrong, the response is 400, its message names the index of each wrong deposit, and ' +
      'nothing is started. A deposit that cannot be started later, for example because the transfer service is disabled, is REFUSED with a code, and the ' +
      'others are started all the same.\n\n' +
      'Repeat the request with the same Idempotency-Key and the same content after a timeout: the batch that exists is returned with the header ' +
      'Idempotency-Replayed. The same key with other content is 422. Even under another key no deposit is paid twice, because its externalId is taken.\n\n' +
      'The approval rules of the application apply as to every deposit of a program, and limits on the total of a batch count all of its deposits. ' +
      'Checkers find the batch in the back office, where they decide about it as one item and can pause it.',
    idempotencyKey: KEY,
    body: { schema: ref('BatchRequest'), description: 'The deposits: at most 10,000, in at most 5 MB.', example: BODY },
    answer: {
      schema: ref('Batch'),
      description: 'The batch was accepted, or had been accepted with the same key and content before.',
      examples: {
        accepted: { summary: 'Accepted', value: exampleBatch({ QUEUED: 2 }) },
        repeated: { summary: 'Repeated later', value: exampleBatch({ SUCCESS: 1, REFUSED: 1 }) },
      },
    },
    causes: [
      cause(
        'idempotency_key_missing',
        refuse(400, 'idempotency_key_missing', 'The header Idempotency-Key is required: a UUID version 4.'),
        'The header Idempotency-Key is missing',
        'Send a new UUID version 4 for each batch.',
      ),
      cause(
        'idempotency_key_reused',
        refuseBatch('key_reused'),
        'Idempotency-Key belongs to another batch of yours, with other content',
        'To repeat a batch after a timeout, send exactly the same content. For another batch, use a new key.',
      ),
      cause(
        'deposit_invalid',
        wrongBatch({ deposits: [DEPOSITS[0], { ...DEPOSITS[1], amount: 0 }] }),
        'A field of a deposit is missing or wrong',
        'Correct the deposits whose index the message names, from 0, and send all of them with the same key.',
      ),
      cause(
        'deposit_repeated',
        wrongBatch({ deposits: [DEPOSITS[0], DEPOSITS[0]] }),
        'Two deposits of the batch have one externalId',
        'Use a new externalId for each deposit.',
      ),
      cause('deposits_missing', wrongBatch({ deposits: [] }), 'There is no deposit, or more than 10,000', 'Send several batches.'),
      cause(
        'webhook_url_missing',
        refuseBatch('webhook_url_missing'),
        'Neither the request nor the application has an address for results',
        'Send webhookUrl, or have an administrator set the default one.',
      ),
      ...ANY_BODY,
      BATCH_BODY,
      ...ANY_LIMITED_CALLER,
      ...anyRequest('POST'),
    ],
  },
  {
    path: BATCHES_PATH,
    method: 'get',
    id: 'listBatches',
    tag: 'Batches',
    summary: 'List all batches with a cursor',
    description:
      'Returns the batches that programs of the application made, newest first. Pass nextCursor of one response as cursor of the next request until it is null.',
    query: { schema: batchListQuerySchema, examples: { limit: 100 } },
    answer: {
      schema: ref('BatchList'),
      description: 'The batches.',
      examples: { page: { summary: 'The last page', value: { batches: [FACTS], nextCursor: null } } },
    },
    causes: [...QUERY_CAUSES, WRONG_CURSOR, ...ANY_LIMITED_CALLER, ...anyRequest('GET')],
  },
  {
    path: BATCH_PATH,
    method: 'get',
    id: 'getBatch',
    tag: 'Batches',
    summary: 'Read how far a batch is, and its deposits with a cursor',
    description:
      'Returns how many deposits of a batch are in each status, and a part of the deposits in the order of the request. Pass nextCursor of one response ' +
      'as cursor of the next request until it is null. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0.',
    segments: SEGMENTS,
    query: { schema: batchQuerySchema, examples: { limit: 100 } },
    answer: {
      schema: ref('BatchPage'),
      description: 'The batch.',
      examples: {
        finished: {
          summary: 'Finished, with one deposit refused',
          value: { ...exampleBatch({ SUCCESS: 1, REFUSED: 1 }), deposits: [PAID, REFUSED], nextCursor: null },
        },
      },
    },
    causes: [...QUERY_CAUSES, WRONG_CURSOR, UNKNOWN_BATCH, ...ANY_LIMITED_CALLER, ...anyRequest('GET')],
  },
  {
    path: CANCEL_BATCH_PATH,
    method: 'post',
    id: 'cancelBatch',
    tag: 'Batches',
    summary: 'Cancel the deposits of a batch that were not sent yet',
    description:
      `Ends every deposit of a batch that waits for a checker, or that no operator has received. Each becomes FAILED with the message "${CANCELLED_MESSAGE}", the ` +
      'amount on hold is released, and its webhook is sent. Deposits that may have reached an operator go on: their results decide.\n\n' +
      'Repeat the request after a timeout: it ends what is left, and returns the batch.',
    segments: SEGMENTS,
    answer: {
      schema: ref('Batch'),
      description: 'The batch after the cancellation.',
      examples: { cancelled: { summary: 'One deposit was cancelled', value: exampleBatch({ SUCCESS: 1, FAILED: 1 }) } },
    },
    causes: [
      UNKNOWN_BATCH,
      cause(
        'batch_starting',
        refuseBatchCancellation('starting'),
        'The deposits of the batch are still being started',
        'Repeat the cancellation once QUEUED is 0.',
      ),
      ...ANY_LIMITED_CALLER,
      ...anyRequest('POST'),
    ],
  },
]
