import type { Currency } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems } from '#lib/schemas/problems.ts'
import { parseBatch, type TransactionRequest } from '#lib/schemas/transaction-request.ts'
import { type Call, type PartnerEndpoint, TRANSACTION_PATH } from '#server/http/api/endpoint.ts'
import { errorBody, OVERLOADED, type Refusal, refuse } from '#server/http/api/errors.ts'
import { isOverloaded } from '#server/http/api/overload.ts'
import { BATCH_BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'
import { initiationJson } from '#server/http/api/serialise-transaction.ts'
import type { IntakeOutcome } from '#server/transactions/intake.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { findByExternalIds } from '#server/transactions/transaction-queries.ts'
import { checkService, conflictSentence, toIntakeItem } from './start-transaction.ts'

/** POST /depositMultiple: starts up to a thousand deposits. */
export const depositMultiple: PartnerEndpoint = {
  kind: 'partner',
  name: 'depositMultiple',
  method: 'POST',
  path: `${TRANSACTION_PATH}/depositMultiple`,
  answer: startDeposits,
}

async function startDeposits(call: Call): Promise<Result<string, Refusal>> {
  const { runtime, request, caller } = call
  const body = await readJsonBody(request, BATCH_BODY_BYTES_MAX, { kind: 'application', id: caller.application.applicationId })
  if (!body.ok) return body
  const parsed = parseBatch(body.value)
  if (!parsed.ok) return err(refuse(400, joinProblems(parsed.error)))
  const requests = parsed.value
  const refusal = checkServices(call, requests) ?? (await findConflicts(call, requests))
  if (refusal) return err(refusal)
  const sums = sumByCurrency(requests)
  const settled = await Promise.allSettled(
    requests.map((element) =>
      runtime.intake.submit(toIntakeItem(caller, element, 'DEPOSIT', sums.get(OPERATORS[element.transferMethod].country.currency) ?? null)),
    ),
  )
  const outcomes: IntakeOutcome[] = []
  for (const one of settled) {
    if (one.status === 'fulfilled') outcomes.push(one.value)
    else if (isOverloaded(one.reason)) return err(refuse(503, PARTLY_STARTED, OVERLOADED.headers))
    else throw one.reason
  }
  return ok(toJson(call, requests, outcomes))
}

const PARTLY_STARTED = 'Too much is waiting at this moment. Send the same array again: what has been started is not started twice.'

/** A disabled service refuses the array before a limit does: 403 comes before 400. */
function checkServices(call: Call, requests: readonly TransactionRequest[]): Refusal | undefined {
  const refusals = requests.flatMap((element, index) => {
    const refusal = checkService(call, element, 'DEPOSIT')
    return refusal ? [{ ...refusal, message: `[${index}] ${refusal.message}` }] : []
  })
  const status = refusals.some((refusal) => refusal.status === 403) ? 403 : 400
  const messages = refusals.filter((refusal) => refusal.status === status).map((refusal) => refusal.message)
  return messages.length === 0 ? undefined : refuse(status, joinProblems(messages))
}

/**
 * Nothing may start when one element's externalId belongs to another content, so identities are looked up before intake.
 * Between this look and the intake of a row another request can still take its externalId; intake then reports that row
 * alone as a conflict, when its neighbours are already committed.
 */
async function findConflicts({ runtime, caller }: Call, requests: readonly TransactionRequest[]): Promise<Refusal | undefined> {
  const externalIds = requests.map((element) => element.externalId)
  const known = await findByExternalIds(runtime.pool, caller.application.applicationId, externalIds)
  const byExternalId = new Map(known.map((transaction) => [transaction.externalId, transaction]))
  const problems = requests.flatMap((element, index) => {
    const stored = byExternalId.get(element.externalId)
    return stored && !hasSameContent(stored, element) ? [`[${index}] ${conflictSentence(element)}`] : []
  })
  return problems.length === 0 ? undefined : refuse(400, joinProblems(problems))
}

function hasSameContent(stored: Transaction, element: TransactionRequest): boolean {
  return (
    stored.type === 'DEPOSIT' &&
    stored.operator === element.transferMethod &&
    stored.customerName === element.customerName &&
    stored.phoneNumber === element.phoneNumber &&
    stored.amountMinor === element.amount &&
    stored.webhookUrl === element.webhookUrl
  )
}

/** Amounts of different currencies are never added together. */
function sumByCurrency(requests: readonly TransactionRequest[]): Map<Currency, bigint> {
  const sums = new Map<Currency, bigint>()
  for (const { transferMethod, amount } of requests) {
    const { currency } = OPERATORS[transferMethod].country
    sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  }
  return sums
}

/**
 * In request order. The element that lost the race described above is an error in its place: the others are committed, and a 400 for the
 * whole array would hide their transactionIds.
 */
function toJson({ runtime, request }: Call, requests: readonly TransactionRequest[], outcomes: readonly IntakeOutcome[]): string {
  const elements = requests.map((element, index) => {
    const outcome = outcomes[index]
    if (!outcome) throw new Error('Intake gave fewer outcomes than it got items')
    return outcome.kind === 'conflict'
      ? errorBody(refuse(400, `[${index}] ${conflictSentence(element)}`), request.path, runtime.clock)
      : initiationJson(element, outcome)
  })
  return `[${elements.join(',')}]`
}
