import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems } from '#lib/schemas/problems.ts'
import { parseBatch, type TransactionRequest } from '#lib/schemas/transaction-request.ts'
import { type Call, type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { errorBody, type Refusal, refuse } from '#server/http/api/errors.ts'
import { BATCH_BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import { initiationJson } from '#server/http/api/serialise-transaction.ts'
import { type StartOutcome, startTransactions } from '#server/transactions/start-transactions.ts'
import { describeConflict, refuseStart } from './refuse-start.ts'

/** POST /depositMultiple: starts up to a thousand deposits. */
export const depositMultiple: PartnerEndpoint = {
  kind: 'partner',
  name: 'depositMultiple',
  method: 'POST',
  path: `${TRANSACTION_PATH}/depositMultiple`,
  answer: startDeposits,
}

async function startDeposits(call: Call): Promise<Result<string, Refusal>> {
  const { application, apiUserId } = call.caller
  const body = await readJsonBody(call.request, BATCH_BODY_BYTES_MAX, { kind: 'application', id: application.applicationId })
  if (!body.ok) return body
  const parsed = parseBatch(body.value)
  if (!parsed.ok) return err(refuse(400, joinProblems(parsed.error)))
  const requests = parsed.value
  const started = await startTransactions(call.runtime, {
    application,
    type: 'DEPOSIT',
    source: 'api',
    actor: { kind: 'api', id: apiUserId },
    requests,
  })
  return started.ok
    ? ok(toJson(call, requests, started.value))
    : err(refuseStart(started.error, { type: 'DEPOSIT', requests, isArray: true }))
}

/**
 * In the order of the requests. An element whose externalId another caller took after the check is an error object in its place: the
 * others are committed, and a 400 for the whole array would hide their transactionIds.
 */
function toJson({ runtime, request }: Call, requests: readonly TransactionRequest[], outcomes: readonly StartOutcome[]): string {
  const elements = requests.map((element, index) => {
    const outcome = outcomes[index]
    if (!outcome) throw new Error('startTransactions returned fewer outcomes than it received requests')
    return outcome.kind === 'conflict'
      ? errorBody(refuse(400, `[${index}] ${describeConflict(element)}`), request.path, runtime.clock)
      : initiationJson(element, outcome)
  })
  return `[${elements.join(',')}]`
}
