import { formatMinor } from '#lib/money.ts'
import { joinProblems } from '#lib/schemas/problems.ts'
import type { TransactionRequest } from '#lib/schemas/transaction-request.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { OVERLOADED, type Refusal, refuse } from '#server/http/api/errors.ts'
import type { StartProblem } from '#server/transactions/find-start-problems.ts'
import type { StartFailure } from '#server/transactions/start-transactions.ts'

/** The call as sent: one request, or an array in which each sentence names the index of its element. */
type Sent = { type: TransactionType; requests: readonly TransactionRequest[]; isArray: boolean }

const PARTLY_STARTED =
  'The service is overloaded and some elements may have been started. Retry the same array: no element is started twice.'

/** Returns the response to a start that failed: 403 for a service that is off, 400 for amounts and externalIds, 503 for a full queue. */
export function refuseStart(failure: StartFailure, sent: Sent): Refusal {
  switch (failure.kind) {
    case 'not_permitted':
      return refuse(403, 'The caller may not start transactions.')
    case 'application_disabled':
      return refuse(403, 'The application is disabled.')
    case 'overloaded':
      return sent.isArray ? refuse(503, PARTLY_STARTED, OVERLOADED.headers) : OVERLOADED
    case 'refused': {
      const sentences = failure.problems.flatMap((problem) => {
        const request = sent.requests[problem.index]
        return request ? [(sent.isArray ? `[${problem.index}] ` : '') + describeProblem(problem, request, sent.type)] : []
      })
      return refuse(failure.problems.some(isServiceProblem) ? 403 : 400, joinProblems(sentences))
    }
  }
}

function isServiceProblem({ kind }: StartProblem): boolean {
  return kind === 'service_disabled' || kind === 'operator_not_in_service'
}

function describeProblem(problem: StartProblem, request: TransactionRequest, type: TransactionType): string {
  const operator = request.transferMethod
  switch (problem.kind) {
    case 'service_disabled':
      return `The transfer service ${type} of ${operator} is disabled for this application.`
    case 'operator_not_in_service':
      return `The transfer service ${type} of ${operator} is not in service.`
    case 'amount_out_of_limits':
      return `amount must be from ${formatMinor(problem.minimumMinor)} to ${formatMinor(problem.maximumMinor)} for ${type} with ${operator}.`
    case 'amount_not_above_fees': {
      const { feeSystemMinor, feeAppMinor } = problem.fees
      return `amount must be greater than the fees: a ${type} of ${formatMinor(request.amount)} with ${operator} costs ${formatMinor(feeSystemMinor + feeAppMinor)} (feesSystem ${formatMinor(feeSystemMinor)}, feesApp ${formatMinor(feeAppMinor)}). Send at least ${formatMinor(problem.smallestMinor)}, or agree on other fees with the service.`
    }
    case 'external_id_repeated':
      return `externalId must be unique: element [${problem.firstIndex}] has the same.`
    case 'external_id_taken':
      return describeConflict(request)
    case 'origin_not_replaceable':
    case 'origin_replaced':
      throw new Error('Only what a person starts replaces another transaction')
  }
}

/** The sentence for an externalId that belongs to another transaction. */
export function describeConflict(request: TransactionRequest): string {
  return `externalId must be unique: ${request.externalId} belongs to a transaction with other content.`
}
