import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { parseIdempotencyKey, parseKeyedRequest, type TransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import { joinProblems } from '#lib/schemas/fields.ts'
import type { Call, PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import { keyedInitiationJson } from '#server/http/api/serialise-transaction.ts'
import { type ApiResponse, jsonResponse } from '#server/http/request/api-request.ts'
import type { StartFailure } from '#server/transactions/start-transactions.ts'
import { refuseStart, startOne } from '../payments.ts'

export const COLLECTS_PATH = '/api/v2/collects'
export const DEPOSITS_PATH = '/api/v2/deposits'

/** Tells a program that its request was carried out before, and that this answer is about the same transaction. */
export const REPLAYED_HEADER = 'idempotency-replayed'

/** POST /api/v2/collects: debits a customer's mobile money account, once for each Idempotency-Key. */
export const collects = keyedPayment('collects', COLLECTS_PATH, 'COLLECT')

/** POST /api/v2/deposits: sends money to a beneficiary's mobile money account, once for each Idempotency-Key. */
export const deposits = keyedPayment('deposits', DEPOSITS_PATH, 'DEPOSIT')

function keyedPayment(name: string, path: string, type: TransactionType): PartnerEndpoint {
  return { kind: 'partner', isLimited: true, name, scope: 'payments:write', method: 'POST', path, answer: (call) => start(call, type) }
}

async function start(call: Call, type: TransactionType): Promise<Result<ApiResponse, Refusal>> {
  const { request, caller } = call
  const key = readIdempotencyKey(request.header('idempotency-key'))
  if (!key.ok) return key
  const body = await readJsonBody(request, BODY_BYTES_MAX, { kind: 'application', id: caller.application.applicationId })
  if (!body.ok) return body
  const parsed = parseKeyedRequest(body.value, key.value)
  if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
  const started = await startOne(call, type, parsed.value)
  if (!started.ok) return err(refuseKeyedStart(started.error, type, parsed.value))
  const response = jsonResponse(keyedInitiationJson(parsed.value, started.value))
  return ok(started.value.kind === 'existing' ? { ...response, headers: { [REPLAYED_HEADER]: 'true' } } : response)
}

/** Returns the externalId that the header names, or the refusal of a header that is missing or names none. */
export function readIdempotencyKey(header: string | undefined): Result<string, Refusal> {
  if (header === undefined) return err(refuse(400, 'idempotency_key_missing', 'The header Idempotency-Key is required: a UUID version 4.'))
  const key = parseIdempotencyKey(header)
  return key === undefined
    ? err(refuse(400, 'idempotency_key_invalid', 'The header Idempotency-Key must be one UUID version 4, with or without quotes.'))
    : ok(key)
}

/** As in version 1, but for a key that names another payment. */
export function refuseKeyedStart(failure: StartFailure, type: TransactionType, request: TransactionRequest): Refusal {
  const isReused = failure.kind === 'refused' && failure.problems.some(({ kind }) => kind === 'external_id_taken')
  if (!isReused) return refuseStart(failure, { type, requests: [request], isArray: false })
  return refuse(422, 'idempotency_key_reused', 'Idempotency-Key belongs to a transaction with other content. Nothing was started.')
}
