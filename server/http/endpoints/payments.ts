import { formatMinor } from '#lib/money/money.ts'
import type { AmountLimits } from '#lib/operators/amount-limits.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { ErrorCode } from '#lib/schemas/api/error-codes.ts'
import { parseBatch, parseTransactionRequest, type TransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import { joinProblems } from '#lib/schemas/fields.ts'
import type { StartProblem, StartRequest } from '#server/transactions/find-start-problems.ts'
import { type StartFailure, type StartOutcome, startTransactions } from '#server/transactions/start-transactions.ts'
import { type Call, partnerEndpoint } from '../api/endpoint.ts'
import { errorBody, OVERLOADED, type Refusal, refuse } from '../api/errors.ts'
import { BATCH_BODY_BYTES_MAX, BODY_BYTES_MAX, readJsonBody } from '../api/read-json-body.ts'
import { initiationJson } from '../api/serialise-transaction.ts'

/** POST /collect: debits a customer's mobile money account. */
export const collect = partnerEndpoint('POST', 'collect', 'payments:write', (call) => startTransaction(call, 'COLLECT'))

/** POST /deposit: sends money to a beneficiary's mobile money account. */
export const deposit = partnerEndpoint('POST', 'deposit', 'payments:write', (call) => startTransaction(call, 'DEPOSIT'))

/** POST /depositMultiple: starts up to a thousand deposits. */
export const depositMultiple = partnerEndpoint('POST', 'depositMultiple', 'payments:write', startDeposits)

async function startDeposits(call: Call): Promise<Result<string, Refusal>> {
  const { application, apiUserId } = call.caller
  const body = await readJsonBody(call.request, BATCH_BODY_BYTES_MAX, { kind: 'application', id: application.applicationId })
  if (!body.ok) return body
  const parsed = parseBatch(body.value)
  if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
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
      ? errorBody(refuse(400, 'external_id_taken', `[${index}] ${describeConflict(element)}`), request.path, runtime.clock)
      : initiationJson(element, outcome)
  })
  return `[${elements.join(',')}]`
}

/** Reads one request, starts it and formats the response, for collect and deposit. */
async function startTransaction({ runtime, request, caller }: Call, type: TransactionType): Promise<Result<string, Refusal>> {
  const body = await readJsonBody(request, BODY_BYTES_MAX, { kind: 'application', id: caller.application.applicationId })
  if (!body.ok) return body
  const parsed = parseTransactionRequest(body.value)
  if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
  const started = await startOne({ runtime, caller }, type, parsed.value)
  return started.ok
    ? ok(initiationJson(parsed.value, started.value))
    : err(refuseStart(started.error, { type, requests: [parsed.value], isArray: false }))
}

/** Starts one transaction for a program. */
export async function startOne(
  { runtime, caller: { application, apiUserId } }: Pick<Call, 'runtime' | 'caller'>,
  type: TransactionType,
  request: TransactionRequest,
): Promise<Result<Exclude<StartOutcome, { kind: 'conflict' }>, StartFailure>> {
  const actor = { kind: 'api', id: apiUserId } as const
  const started = await startTransactions(runtime, { application, type, source: 'api', actor, requests: [request] })
  if (!started.ok) return started
  const [outcome] = started.value
  if (!outcome || outcome.kind === 'conflict') throw new Error('A single request was started without a transaction')
  return ok(outcome)
}

/** The call as sent: one request, or an array in which each sentence names the index of its element. */
type Sent = { type: TransactionType; requests: readonly StartRequest[]; isArray: boolean }

const PARTLY_STARTED =
  'The service is overloaded and some elements may have been started. Retry the same array: no element is started twice.'

/** Returns the response to a start that failed: 403 for a service that is off, 400 for amounts and externalIds, 503 for a full queue. */
export function refuseStart(failure: StartFailure, sent: Sent): Refusal {
  switch (failure.kind) {
    case 'not_permitted':
      return refuse(403, 'not_permitted', 'The caller may not start transactions.')
    case 'application_disabled':
      return refuse(403, 'application_disabled', 'The application is disabled.')
    case 'overloaded':
      return sent.isArray ? refuse(503, 'overloaded', PARTLY_STARTED, OVERLOADED.headers) : OVERLOADED
    case 'refused': {
      const sentences = failure.problems.flatMap((problem) => {
        const request = sent.requests[problem.index]
        return request ? [(sent.isArray ? `[${problem.index}] ` : '') + describeProblem(problem, request, sent.type)] : []
      })
      const [problem] = failure.problems
      if (!problem) throw new Error('A start was refused without a problem')
      // All problems are of one check, so the first one names the cause of all.
      return refuse(isServiceProblem(problem) ? 403 : 400, codeOf(problem), joinProblems(sentences))
    }
  }
}

function isServiceProblem({ kind }: StartProblem): boolean {
  return kind === 'service_disabled' || kind === 'operator_not_in_service'
}

function codeOf({ kind }: StartProblem): ErrorCode {
  switch (kind) {
    case 'origin_not_replaceable':
    case 'origin_in_batch':
    case 'origin_unconfirmed':
    case 'origin_replaced':
      throw new Error('Only what a person starts replaces another transaction')
    default:
      return kind
  }
}

/** The sentence for a request that was not started. */
export function describeProblem(problem: StartProblem, request: StartRequest, type: TransactionType): string {
  const operator = request.transferMethod
  switch (problem.kind) {
    case 'service_disabled':
      return `The transfer service ${type} of ${operator} is disabled for this application.`
    case 'operator_not_in_service':
      return `The transfer service ${type} of ${operator} is not in service.`
    case 'amount_out_of_limits':
      return `amount must be from ${formatMinor(problem.minimumMinor)} to ${formatMinor(problem.maximumMinor)}${multiplesClause(problem)} for ${type} with ${operator}.`
    case 'amount_not_above_fees': {
      const { feeSystemMinor, feeAppMinor } = problem.fees
      return `amount must be greater than the fees: a ${type} of ${formatMinor(request.amount)} with ${operator} costs ${formatMinor(feeSystemMinor + feeAppMinor)} (feesSystem ${formatMinor(feeSystemMinor)}, feesApp ${formatMinor(feeAppMinor)}). Send at least ${formatMinor(problem.smallestMinor)}, or agree on other fees with the service.`
    }
    case 'external_id_repeated':
      return `externalId must be unique: element [${problem.firstIndex}] has the same.`
    case 'external_id_taken':
      return describeConflict(request)
    case 'origin_not_replaceable':
    case 'origin_in_batch':
    case 'origin_unconfirmed':
    case 'origin_replaced':
      throw new Error('Only what a person starts replaces another transaction')
  }
}

function multiplesClause({ multipleMinor }: AmountLimits): string {
  return multipleMinor === null ? '' : ` and a multiple of ${formatMinor(multipleMinor)}`
}

/** The sentence for an externalId that belongs to another transaction. */
function describeConflict(request: StartRequest): string {
  return `externalId must be unique: ${request.externalId} belongs to a transaction with other content.`
}
