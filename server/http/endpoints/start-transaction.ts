import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems } from '#lib/schemas/problems.ts'
import { parseTransactionRequest } from '#lib/schemas/transaction-request.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Call } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import { initiationJson } from '#server/http/api/serialise-transaction.ts'
import { startTransactions } from '#server/transactions/start-transactions.ts'
import { refuseStart } from './refuse-start.ts'

/** Reads one request, starts it and formats the response, for collect and deposit. */
export async function startTransaction({ runtime, request, caller }: Call, type: TransactionType): Promise<Result<string, Refusal>> {
  const { application, apiUserId } = caller
  const body = await readJsonBody(request, BODY_BYTES_MAX, { kind: 'application', id: application.applicationId })
  if (!body.ok) return body
  const parsed = parseTransactionRequest(body.value)
  if (!parsed.ok) return err(refuse(400, joinProblems(parsed.error)))
  const requests = [parsed.value]
  const started = await startTransactions(runtime, { application, type, source: 'api', actor: { kind: 'api', id: apiUserId }, requests })
  if (!started.ok) return err(refuseStart(started.error, { type, requests, isArray: false }))
  const [outcome] = started.value
  if (!outcome || outcome.kind === 'conflict') throw new Error('A single request was started without a transaction')
  return ok(initiationJson(parsed.value, outcome))
}
