import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { collectCredit, computeFees, DEFAULT_FEE_SCHEDULE, type FeeSchedule, smallestCollect } from '#lib/fees.ts'
import { type Currency, formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems } from '#lib/schemas/problems.ts'
import { parseTransactionRequest, type TransactionRequest } from '#lib/schemas/transaction-request.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { feesFor, serviceFor, type TransferService } from '#server/applications/snapshot.ts'
import type { Call } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import { initiationJson } from '#server/http/api/serialise-transaction.ts'
import type { Caller } from '#server/partner-auth/authenticate-caller.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'

/** What collect and deposit share: everything but the direction of the money. */
export async function startTransaction({ runtime, request, caller }: Call, type: TransactionType): Promise<Result<string, Refusal>> {
  const body = await readJsonBody(request, BODY_BYTES_MAX, { kind: 'application', id: caller.application.applicationId })
  if (!body.ok) return body
  const parsed = parseTransactionRequest(body.value)
  if (!parsed.ok) return err(refuse(400, joinProblems(parsed.error)))
  const refusal = checkService({ runtime, caller }, parsed.value, type)
  if (refusal) return err(refusal)
  const outcome = await runtime.intake.submit(toIntakeItem(caller, parsed.value, type, null))
  if (outcome.kind === 'conflict') return err(refuse(400, `${conflictSentence(parsed.value)}`))
  return ok(initiationJson(parsed.value, outcome))
}

/** The transfer service (403), then the limits where an administrator put them in force and the fees (400). */
export function checkService(
  { runtime, caller: { application } }: Pick<Call, 'runtime' | 'caller'>,
  request: TransactionRequest,
  type: TransactionType,
): Refusal | undefined {
  const operator = OPERATORS[request.transferMethod]
  const service = serviceFor(application, operator.code, type)
  if (!service.isEnabled) return refuse(403, `The transfer service ${type} of ${operator.code} is disabled for this application.`)
  // No connector could submit it, so it would never end.
  if (!runtime.connectors.has(operator.code)) return refuse(403, `The transfer service ${type} of ${operator.code} is not in service.`)
  return (service.enforcesLimits ? checkLimits(request, type, service) : undefined) ?? checkFees(application, request, type)
}

function checkLimits(request: TransactionRequest, type: TransactionType, service: TransferService): Refusal | undefined {
  const operator = OPERATORS[request.transferMethod]
  const minimumMinor = service.minimumMinor ?? operator.limits[type].minimumMinor
  const maximumMinor = service.maximumMinor ?? operator.limits[type].maximumMinor
  if (request.amount >= minimumMinor && request.amount <= maximumMinor) return undefined
  return refuse(400, `amount must be from ${formatMinor(minimumMinor)} to ${formatMinor(maximumMinor)} for ${type} with ${operator.code}.`)
}

/**
 * A collect must credit something: fees that are as large as the amount or larger would take it whole, and the rest out of what
 * the application had collected before. A deposit takes its fees beside the amount, which the balance covers or not.
 */
function checkFees(application: Caller['application'], request: TransactionRequest, type: TransactionType): Refusal | undefined {
  if (type !== 'COLLECT') return undefined
  const schedule = feesFor(application, request.transferMethod, type)
  // Never takes the whole of any amount.
  if (schedule === DEFAULT_FEE_SCHEDULE) return undefined
  const { currency } = OPERATORS[request.transferMethod].country
  const fees = computeFees(request.amount, currency, schedule)
  if (collectCredit(request.amount, fees) > 0n) return undefined
  const { feeSystemMinor, feeAppMinor } = fees
  return refuse(
    400,
    `amount must be greater than the fees: a COLLECT of ${formatMinor(request.amount)} with ${request.transferMethod} costs ${formatMinor(feeSystemMinor + feeAppMinor)} (feesSystem ${formatMinor(feeSystemMinor)}, feesApp ${formatMinor(feeAppMinor)}). Send at least ${formatMinor(smallestUnder(schedule, currency))}, or agree on other fees with the service.`,
  )
}

/** A schedule belongs to one operator, and so to one currency: worked out once for each version of it. */
const smallestCollects = new WeakMap<FeeSchedule, bigint>()

function smallestUnder(schedule: FeeSchedule, currency: Currency): bigint {
  const smallest = smallestCollects.get(schedule) ?? smallestCollect(schedule, currency)
  smallestCollects.set(schedule, smallest)
  return smallest
}

/** `batchSumMinor` is the total of the array it came in, null outside one: approval rules weigh both. */
export function toIntakeItem(
  { application, apiUserId }: Caller,
  request: TransactionRequest,
  type: TransactionType,
  batchSumMinor: bigint | null,
): IntakeItem {
  const { currency } = OPERATORS[request.transferMethod].country
  const fees = computeFees(request.amount, currency, feesFor(application, request.transferMethod, type))
  return {
    applicationId: application.applicationId,
    // Ordered by time: neighbours in the index are neighbours in time.
    transactionId: randomUUIDv7(),
    externalId: request.externalId,
    type,
    operator: request.transferMethod,
    customerName: request.customerName,
    phoneNumber: request.phoneNumber,
    amountMinor: request.amount,
    feeSystemMinor: fees.feeSystemMinor,
    feeAppMinor: fees.feeAppMinor,
    webhookUrl: request.webhookUrl,
    payToken: randomUUID(),
    source: 'api',
    makerId: null,
    batchId: null,
    batchSumMinor,
    actor: { kind: 'api', id: apiUserId },
    bands:
      application.policy === null
        ? null
        : bandsFor(application.policy, { type, operator: request.transferMethod, currency, source: 'api' }),
  }
}

/** The sentence for an externalId that another transaction has. */
export function conflictSentence(request: TransactionRequest): string {
  return `externalId must be unique: ${request.externalId} belongs to a transaction with other content.`
}
