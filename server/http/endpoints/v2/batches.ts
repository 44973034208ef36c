import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatMinor } from '#lib/money/money.ts'
import { err, ok, type Result } from '#lib/result.ts'
import {
  type Batch,
  type BatchList,
  type BatchPage,
  type BatchRow,
  batchListQuerySchema,
  batchQuerySchema,
  isRowRefusal,
  parseBatchRequest,
  type RowRefusal,
} from '#lib/schemas/api/batch-request.ts'
import { jsonNumber } from '#lib/schemas/api/settlement-responses.ts'
import { joinProblems } from '#lib/schemas/fields.ts'
import { type StartBatchFailure, startBatch } from '#server/batches/start-batch.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Call, PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { BATCH_BODY_BYTES_MAX, BATCH_VALUES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { type ApiResponse, jsonResponse } from '#server/http/request/api-request.ts'
import { type CancelBatchFailure, cancelBatch } from '#server/operators/batch-run/cancel-batch.ts'
import {
  findPartnerBatch,
  listBatchesBefore,
  listRowsAfter,
  type PartnerBatch,
  type PartnerBatchRow,
} from '#server/reports/partner-lists/batches-for-partner-store.ts'
import { BAD_CURSOR } from '../transactions.ts'
import { REPLAYED_HEADER, readIdempotencyKey } from './keyed-payments.ts'

export const BATCHES_PATH = '/api/v2/batches'
export const BATCH_PATH = `${BATCHES_PATH}/{batchId}`
export const CANCEL_BATCH_PATH = `${BATCH_PATH}/cancel`

export const NO_BATCH = refuse(404, 'batch_not_found', 'The application has no batch with this batchId that a program made.')

const LIMIT_DEFAULT = 100

/** POST /api/v2/batches: accepts up to ten thousand deposits, once for each Idempotency-Key. */
const createBatch: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'createBatch',
  scope: 'payments:write',
  method: 'POST',
  path: BATCHES_PATH,
  answer: create,
}

/** GET /api/v2/batches: the batches that programs made, newest first. */
export const batches: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'listBatches',
  scope: 'payments:read',
  method: 'GET',
  path: BATCHES_PATH,
  besides: createBatch,
  answer: list,
}

/** GET /api/v2/batches/{batchId}: how far a batch is, and a part of its rows. */
const batch: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'getBatch',
  scope: 'payments:read',
  method: 'GET',
  path: BATCH_PATH,
  answer: read,
}

/** POST /api/v2/batches/{batchId}/cancel: ends the rows of which nothing was sent to an operator. */
const cancel: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'cancelBatch',
  scope: 'payments:write',
  method: 'POST',
  path: CANCEL_BATCH_PATH,
  answer: cancelRows,
}

const ONE_BATCH = /^\/api\/v2\/batches\/([\w-]{1,40})(\/cancel)?$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The endpoint of one batch or of its cancellation, whatever its id. */
export function batchEndpointAt(path: string): PartnerEndpoint | undefined {
  const found = ONE_BATCH.exec(path)
  if (!found) return undefined
  return found[2] === undefined ? batch : cancel
}

function batchIdOf({ request }: Call): Result<string, Refusal> {
  const [, named = ''] = ONE_BATCH.exec(request.path) ?? []
  return UUID.test(named) ? ok(named.toLowerCase()) : err(NO_BATCH)
}

async function create(call: Call): Promise<Result<ApiResponse, Refusal>> {
  const { runtime, request, caller } = call
  const { application, apiUserId } = caller
  const key = readIdempotencyKey(request.header('idempotency-key'))
  if (!key.ok) return key
  const owner = { kind: 'application', id: application.applicationId } as const
  const body = await readJsonBody(request, BATCH_BODY_BYTES_MAX, owner, BATCH_VALUES_MAX)
  if (!body.ok) return body
  const parsed = await inTurns(parseBatchRequest(body.value))
  if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
  const { name = key.value, webhookUrl, deposits } = parsed.value
  const started = await startBatch(
    { pool: runtime.pool, wakeSubmitter: () => runtime.batchSubmitter.wake() },
    { application, apiUserId, key: key.value, name, webhookUrl, deposits },
  )
  if (!started.ok) return err(refuseBatch(started.error))
  const response = jsonResponse(JSON.stringify(await readStored(runtime.pool, { ...application, batchId: started.value.batchId })))
  return ok(started.value.isRepeated ? { ...response, headers: { [REPLAYED_HEADER]: 'true' } } : response)
}

/** Ten thousand deposits take a fifth of a second: other requests are answered between the steps. */
async function inTurns<Value>(steps: Generator<undefined, Value>): Promise<Value> {
  let step = steps.next()
  while (!step.done) {
    await nextTurn()
    step = steps.next()
  }
  return step.value
}

/** Returns the response to a batch that was not accepted. */
export function refuseBatch(failure: StartBatchFailure): Refusal {
  switch (failure) {
    case 'key_reused':
      return refuse(422, 'idempotency_key_reused', 'Idempotency-Key belongs to a batch with other content. Nothing was started.')
    case 'webhook_url_missing':
      return refuse(400, 'webhook_url_missing', 'webhookUrl is required: the application has no default address for results.')
  }
}

async function list({ runtime, request, caller }: Call): Promise<Result<string, Refusal>> {
  const query = readQuery(request, batchListQuerySchema)
  if (!query.ok) return query
  const { limit = LIMIT_DEFAULT, cursor } = query.value
  const before = cursor === undefined ? null : placeOf(cursor)
  if (before === undefined || (before !== null && !UUID.test(before))) return err(BAD_CURSOR)
  const found = await listBatchesBefore(runtime.reportPool, caller.application.applicationId, before, limit + 1)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const body: BatchList = { batches: page.map(toListed), nextCursor: last && found.length > limit ? cursorOf(last.batchId) : null }
  return ok(JSON.stringify(body))
}

async function read(call: Call): Promise<Result<string, Refusal>> {
  const { runtime, request, caller } = call
  const query = readQuery(request, batchQuerySchema)
  if (!query.ok) return query
  const batchId = batchIdOf(call)
  if (!batchId.ok) return batchId
  const { limit = LIMIT_DEFAULT, cursor } = query.value
  const after = cursor === undefined ? '0' : placeOf(cursor)
  if (after === undefined || !/^\d{1,5}$/.test(after)) return err(BAD_CURSOR)
  const place = { applicationId: caller.application.applicationId, batchId: batchId.value }
  // A replica may not have a batch that was accepted just now. Programs read often while they wait: their reads never take the connections of payments.
  const reported = await readStored(runtime.reportPool, place)
  const stored = reported ?? (await readStored(runtime.pool, place))
  if (!stored) return err(NO_BATCH)
  const found = await listRowsAfter(reported ? runtime.reportPool : runtime.pool, place, Number(after), limit + 1)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const nextCursor = last && found.length > limit ? cursorOf(String(last.rowNumber)) : null
  const body: BatchPage = { ...stored, deposits: page.map(toBatchRow), nextCursor }
  return ok(JSON.stringify(body))
}

async function cancelRows(call: Call): Promise<Result<string, Refusal>> {
  const { runtime, caller } = call
  const batchId = batchIdOf(call)
  if (!batchId.ok) return batchId
  const { application, apiUserId } = caller
  const cancelled = await cancelBatch(runtime, { applicationId: application.applicationId, batchId: batchId.value, apiUserId })
  if (!cancelled.ok) return err(refuseBatchCancellation(cancelled.error))
  return ok(JSON.stringify(await readStored(runtime.pool, { ...application, batchId: batchId.value })))
}

/** Returns the response to a cancellation that changed nothing. */
export function refuseBatchCancellation(failure: CancelBatchFailure): Refusal {
  switch (failure) {
    case 'not_found':
      return NO_BATCH
    case 'starting':
      return refuse(400, 'batch_starting', 'The deposits of the batch are still being started. Repeat the cancellation in a few seconds.')
  }
}

async function readStored(queryable: Queryable, place: { applicationId: string; batchId: string }): Promise<Batch | undefined> {
  const found = await findPartnerBatch(queryable, place.applicationId, place.batchId)
  if (!found) return undefined
  const { counts, ...facts } = found
  return { ...toListed(facts), counts }
}

function toListed({ createdAt, ...facts }: PartnerBatch) {
  return { ...facts, createdAt: createdAt.toISOString() }
}

const REFUSAL_TEXTS: Record<RowRefusal, string> = {
  service_disabled: 'The transfer service DEPOSIT of the operator is disabled for this application.',
  operator_not_in_service: 'The transfer service DEPOSIT of the operator is not in service.',
  amount_out_of_limits: 'amount is outside the limits of the operator, or not one of its multiples.',
  external_id_taken: 'externalId belongs to another transaction of the application.',
}

function toBatchRow({ rowNumber, refusal, operator, amountMinor, message, ...row }: PartnerBatchRow): BatchRow {
  if (refusal !== null && !isRowRefusal(refusal)) throw new Error(`A row of a batch was refused for ${refusal}`)
  const { externalId, status, transactionId, phoneNumber } = row
  return {
    index: rowNumber - 1,
    externalId,
    status,
    transactionId,
    code: refusal,
    message: refusal === null ? message : REFUSAL_TEXTS[refusal],
    transferMethod: operator,
    phoneNumber,
    amount: jsonNumber(formatMinor(amountMinor)),
  }
}

/** Encoded, because programs should not build on what is inside. */
function cursorOf(place: string): string {
  return Buffer.from(`b1.${place}`).toString('base64url')
}

function placeOf(cursor: string): string | undefined {
  return /^b1\.([\w-]{1,40})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
}
