import { z } from 'zod'
import { BATCH_ROWS_MAX } from '#lib/batches/batch-fields.ts'
import { TRANSACTION_STATUSES } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { isJsonObject, type JsonValue } from '#lib/text/json.ts'
import { mustBe, PAGE_SIZE_MAX, parseFields, wholeNumberField } from '../fields.ts'
import {
  checkMismatch,
  laterRequestFields,
  parseElements,
  requestFields,
  transactionRequestSchema,
  WHEN_OBJECT,
} from './transaction-request.ts'

// Batches of deposits in version 2 of the API: the request that makes one, and the responses about it.

const { webhookUrl: _, ...depositFields } = laterRequestFields

/** A row of a batch: a deposit without an address, because its batch has one for all. */
export const batchDepositSchema = z
  .object(depositFields, { error: 'The element must be a JSON object.' })
  .superRefine(checkMismatch, WHEN_OBJECT)
  .meta({ id: 'BatchDeposit', description: 'A deposit of a batch. Unknown fields are ignored' })
export type BatchDeposit = z.output<typeof batchDepositSchema>

const NAME_LENGTH_MAX = 200
const MUST_BE_ROWS = `an array of 1 to ${BATCH_ROWS_MAX} deposits`

/** Body of a new batch. `deposits` is read element after element, so that each sentence has an index. */
export const batchRequestSchema = z
  .object(
    {
      name: z
        .string({ error: mustBe('name', `a text of 1 to ${NAME_LENGTH_MAX} characters`) })
        .trim()
        .min(1, { error: mustBe('name', `a text of 1 to ${NAME_LENGTH_MAX} characters`) })
        .max(NAME_LENGTH_MAX, { error: mustBe('name', `a text of 1 to ${NAME_LENGTH_MAX} characters`) })
        .refine(isCleanText, { error: mustBe('name', 'a text without control characters') })
        .optional()
        .meta({ description: 'Its name for people in the back office. If it is absent, its Idempotency-Key' }),
      webhookUrl: transactionRequestSchema.shape.webhookUrl.optional().meta({
        format: 'uri',
        maxLength: 2_048,
        description:
          'An absolute http or https address, which receives the result of each deposit as a webhook. If it is absent, that of the application',
      }),
      deposits: z
        .array(batchDepositSchema, { error: mustBe('deposits', MUST_BE_ROWS) })
        .min(1, { error: mustBe('deposits', MUST_BE_ROWS) })
        .max(BATCH_ROWS_MAX, { error: mustBe('deposits', MUST_BE_ROWS) })
        .meta({ description: `1 to ${BATCH_ROWS_MAX} deposits, each with an externalId of its own` }),
    },
    { error: 'The body must be a JSON object.' },
  )
  .meta({ id: 'BatchRequest', description: 'A batch of deposits. Unknown fields are ignored' })
export type BatchRequest = z.output<typeof batchRequestSchema>

const envelopeSchema = batchRequestSchema.extend({
  deposits: z
    .custom<JsonValue[]>((value) => Array.isArray(value), { error: mustBe('deposits', MUST_BE_ROWS) })
    .refine(({ length }) => length > 0 && length <= BATCH_ROWS_MAX, { error: mustBe('deposits', MUST_BE_ROWS) }),
})

/** Reads the body of a new batch, in steps. Errors: one sentence per wrong field; those of a deposit begin with its index, from 0. */
export function* parseBatchRequest(body: JsonValue): Generator<undefined, Result<BatchRequest, string[]>> {
  if (!isJsonObject(body)) return err(['The body must be a JSON object.'])
  const envelope = parseFields(envelopeSchema, body)
  if (!envelope.ok) return envelope
  const deposits = yield* parseElements(envelope.value.deposits, (element) => parseFields(batchDepositSchema, element))
  return deposits.ok ? ok({ ...envelope.value, deposits: deposits.value }) : deposits
}

const cursor = z
  .string()
  .max(100, { error: mustBe('cursor', 'the nextCursor of an earlier response') })
  .optional()

export const batchListQuerySchema = z.object({
  limit: wholeNumberField('limit', 1, PAGE_SIZE_MAX).optional().meta({ description: 'How many batches at most; 100 if left out' }),
  cursor: cursor.meta({ description: 'nextCursor of the response before; the newest batches if left out' }),
})

export const batchQuerySchema = z.object({
  limit: wholeNumberField('limit', 1, PAGE_SIZE_MAX).optional().meta({ description: 'How many deposits at most; 100 if left out' }),
  cursor: cursor.meta({ description: 'nextCursor of the response before; the first deposits if left out' }),
})

/** Where a row of a batch is: before it is a transaction, refused, or the status of its transaction. */
const BATCH_ROW_STATUSES = ['QUEUED', 'REFUSED', ...TRANSACTION_STATUSES] as const
export type BatchRowStatus = (typeof BATCH_ROW_STATUSES)[number]

/** Why a row started no transaction although its batch was accepted: codes of errors. */
const ROW_REFUSALS = ['service_disabled', 'operator_not_in_service', 'amount_out_of_limits', 'external_id_taken'] as const
export type RowRefusal = (typeof ROW_REFUSALS)[number]

export function isRowRefusal(text: string): text is RowRefusal {
  return ROW_REFUSALS.some((code) => code === text)
}

const batchFields = {
  batchId: z.uuid().meta({ description: 'Identifies the batch in later calls and in the back office' }),
  idempotencyKey: z.uuid().meta({ description: 'The Idempotency-Key that made it' }),
  name: z.string().meta({ description: 'Its name for people in the back office' }),
  webhookUrl: z.string().meta({ description: 'Receives the result of each deposit' }),
  depositCount: z.int().meta({ description: 'How many deposits it has' }),
  createdAt: z.iso.datetime().meta({ description: 'When it was accepted, ISO 8601 in UTC' }),
}

export const listedBatchSchema = z.strictObject(batchFields).meta({ id: 'ListedBatch', description: 'A batch, without its deposits' })

export const batchListSchema = z
  .strictObject({
    batches: z.array(listedBatchSchema).meta({ description: 'The batches, newest first' }),
    nextCursor: z.string().nullable().meta({ description: 'The cursor of the next page; null on the last one' }),
  })
  .meta({ id: 'BatchList', description: 'A part of the list of all batches that programs made' })
export type BatchList = z.output<typeof batchListSchema>

const STATUS_TEXTS: Record<BatchRowStatus, string> = {
  QUEUED: 'not started yet',
  REFUSED: 'not started: the row has the code of the reason',
  PENDING_APPROVAL: 'waiting for checkers',
  PENDING: 'started, without a result',
  SUCCESS: 'paid',
  FAILED: 'not paid',
}
const counts = z
  .strictObject(
    Object.fromEntries(
      BATCH_ROW_STATUSES.map((status) => [status, z.int().meta({ description: `How many are ${STATUS_TEXTS[status]}` })]),
    ) as Record<BatchRowStatus, z.ZodInt>,
  )
  .meta({ description: 'How many deposits are in each status. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0' })

export const batchSchema = z
  .strictObject({ ...batchFields, counts })
  .meta({ id: 'Batch', description: 'A batch of deposits, and how far it is' })
export type Batch = z.output<typeof batchSchema>

export const batchRowSchema = z
  .strictObject({
    index: z.int().meta({ description: 'Its place in the request, from 0' }),
    externalId: z.uuid().meta({ description: 'Your own id of it' }),
    status: z.enum(BATCH_ROW_STATUSES).meta({ description: 'Where it is. REFUSED, SUCCESS and FAILED are final' }),
    transactionId: z.uuid().nullable().meta({ description: 'Identifies its transaction in other calls; null while it has none' }),
    code: z
      .string()
      .refine(isRowRefusal)
      .nullable()
      .meta({ pattern: '^[a-z_]+$', description: 'Why it was refused, for programs; null for all others. New codes may be added' }),
    message: z.string().nullable().meta({ description: 'Why it was refused or failed, or that it succeeded, for people; null before' }),
    transferMethod: requestFields.transferMethod,
    phoneNumber: z.string().meta({ description: 'The phone number as you sent it' }),
    amount: z.number().meta({ description: 'The amount, without fees' }),
  })
  .meta({ id: 'BatchRow', description: 'A deposit of a batch, and what became of it' })
export type BatchRow = z.output<typeof batchRowSchema>

export const batchPageSchema = batchSchema
  .extend({
    deposits: z.array(batchRowSchema).meta({ description: 'A part of its deposits, in the order of the request' }),
    nextCursor: z.string().nullable().meta({ description: 'The cursor of the next deposits; null behind the last one' }),
  })
  .meta({ id: 'BatchPage', description: 'A batch with a part of its deposits' })
export type BatchPage = z.output<typeof batchPageSchema>
