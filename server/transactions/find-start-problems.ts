import { collectCredit, computeFees, DEFAULT_FEE_SCHEDULE, type FeeSchedule, type Fees, smallestCollect } from '#lib/money/fees.ts'
import type { Currency } from '#lib/money/money.ts'
import {
  type AmountLimits,
  type EffectiveLimits,
  effectiveLimits,
  isWithin,
  type OperatorLimitSettings,
} from '#lib/operators/amount-limits.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { completeTexts } from '#lib/payments/payment-fields.ts'
import { isReplaceableEnd, type TransactionSource, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { TransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import { type ApplicationSnapshot, feesFor, serviceFor } from '#server/applications/snapshot.ts'
import type { Queryable } from '#server/database/pool.ts'
import { toTextColumns } from './payment-text-columns.ts'
import { findEndedPayment, findReplacement, selectConflicts } from './transaction-store.ts'

/** Why one request cannot be started; `index` is its position, from 0. */
export type StartProblem = { index: number } & (
  | { kind: 'service_disabled' }
  /** No connector could submit it, so it would never end. */
  | { kind: 'operator_not_in_service' }
  | ({ kind: 'amount_out_of_limits' } & AmountLimits)
  /** A collect that would credit nothing. `smallestMinor` is the smallest amount that does. */
  | { kind: 'amount_not_above_fees'; fees: Fees; smallestMinor: bigint }
  | { kind: 'external_id_repeated'; firstIndex: number }
  /** A stored transaction with other content has this externalId. */
  | { kind: 'external_id_taken' }
  /** The transaction to be replaced was not rejected, recalled or expired, or is not in this application. */
  | { kind: 'origin_not_replaceable' }
  /** A batch that repeats failed rows has it already. */
  | { kind: 'origin_in_batch' }
  /** Its operator contradicts the failure, or has not confirmed it: it may have been paid. */
  | { kind: 'origin_unconfirmed' }
  /** `transactionId` replaced it already. */
  | { kind: 'origin_replaced'; transactionId: string }
)

/** The operators and directions that transactions can be submitted to, and the amounts that their settings allow. */
export type Connected = {
  has(operator: OperatorCode, type: TransactionType): boolean
  limitsOf(operator: OperatorCode, type: TransactionType): OperatorLimitSettings | undefined
}

/** Returns the requests whose transfer service is switched off, for the application or in this process. */
export function findServiceProblems(
  application: ApplicationSnapshot,
  connectors: Connected,
  type: TransactionType,
  requests: readonly StartRequest[],
): StartProblem[] {
  const problems: StartProblem[] = []
  requests.forEach(({ transferMethod }, index) => {
    if (!serviceFor(application, transferMethod, type).isEnabled) problems.push({ index, kind: 'service_disabled' })
    else if (!connectors.has(transferMethod, type)) problems.push({ index, kind: 'operator_not_in_service' })
  })
  return problems
}

/** Returns the requests whose amount is outside the limits, if they bind, or is not above the fees. */
export function findAmountProblems(
  application: ApplicationSnapshot,
  connectors: Connected,
  type: TransactionType,
  requests: readonly StartRequest[],
): StartProblem[] {
  const problems: StartProblem[] = []
  requests.forEach((request, index) => {
    const problem = checkLimits(application, connectors, type, request, index) ?? checkFees(application, type, request, index)
    if (problem) problems.push(problem)
  })
  return problems
}

function checkLimits(
  application: ApplicationSnapshot,
  connectors: Connected,
  type: TransactionType,
  { transferMethod, amount }: StartRequest,
  index: number,
): StartProblem | undefined {
  const { limits, areBinding } = limitsFor(application, connectors, transferMethod, type)
  return areBinding && !isWithin(amount, limits) ? { index, kind: 'amount_out_of_limits', ...limits } : undefined
}

/** The limits of one operator and direction: of every start, of the check of a file, and as they are shown to partners and makers. */
export function limitsFor(
  application: ApplicationSnapshot,
  connectors: Connected,
  operator: OperatorCode,
  type: TransactionType,
): EffectiveLimits {
  return effectiveLimits({ operator, type }, serviceFor(application, operator, type), connectors.limitsOf(operator, type))
}

/**
 * A collect must credit something: fees of the whole amount or more would be taken out of what the application collected before. The
 * fees of a deposit are added to its amount, and the balance covers both or neither.
 */
function checkFees(
  application: ApplicationSnapshot,
  type: TransactionType,
  { transferMethod, amount }: StartRequest,
  index: number,
): StartProblem | undefined {
  if (type !== 'COLLECT') return undefined
  const schedule = feesFor(application, transferMethod, type)
  // Never takes the whole of any amount.
  if (schedule === DEFAULT_FEE_SCHEDULE) return undefined
  const { currency } = OPERATORS[transferMethod].country
  const fees = computeFees(amount, currency, schedule)
  if (collectCredit(amount, fees) > 0n) return undefined
  return { index, kind: 'amount_not_above_fees', fees, smallestMinor: smallestUnder(schedule, currency) }
}

/** A schedule belongs to one operator, and so to one currency. The amount is computed once per version of it. */
const smallestCollects = new WeakMap<FeeSchedule, bigint>()

function smallestUnder(schedule: FeeSchedule, currency: Currency): bigint {
  const smallest = smallestCollects.get(schedule) ?? smallestCollect(schedule, currency)
  smallestCollects.set(schedule, smallest)
  return smallest
}

/** The properties shared by the requests of one call. */
type StartKind = { type: TransactionType; source: TransactionSource }

/** Returns the requests whose externalId an earlier one of them has; if there are none, those whose externalId is stored with other content. */
export async function findExternalIdProblems(
  pool: Queryable,
  application: ApplicationSnapshot,
  kind: StartKind,
  requests: readonly StartRequest[],
): Promise<StartProblem[]> {
  const repeated = findRepeated(requests)
  return repeated.length > 0 ? repeated : findTaken(pool, application, kind, requests)
}

function findRepeated(requests: readonly StartRequest[]): StartProblem[] {
  const problems: StartProblem[] = []
  const firstIndexes = new Map<string, number>()
  for (const [index, { externalId }] of requests.entries()) {
    const firstIndex = firstIndexes.get(externalId)
    if (firstIndex === undefined) firstIndexes.set(externalId, index)
    else problems.push({ index, kind: 'external_id_repeated', firstIndex })
  }
  return problems
}

/** Between this check and intake another caller can still take an externalId; intake then reports that request alone as a conflict. */
async function findTaken(
  pool: Queryable,
  application: ApplicationSnapshot,
  { type, source }: StartKind,
  requests: readonly StartRequest[],
): Promise<StartProblem[]> {
  const compared = requests.map((request, index) => ({
    item_index: index,
    external_id: request.externalId,
    type,
    operator: request.transferMethod,
    ...toTextColumns(completeTexts(request)),
    phone_number: request.phoneNumber,
    amount_minor: request.amount,
    webhook_url: webhookUrlOf(application, request),
    source,
  }))
  const taken = await selectConflicts(pool, application.applicationId, compared)
  return taken.map((index) => ({ index, kind: 'external_id_taken' }))
}

/** The address that is stored with a transaction: the application's default one if the request names none. */
export function webhookUrlOf({ defaultWebhookUrl }: ApplicationSnapshot, { webhookUrl }: StartRequest): string | null {
  return webhookUrl ?? defaultWebhookUrl
}

/**
 * Returns why the origin of a person's transaction cannot be replaced: a list of one problem, or none. The same request again finds its
 * own transaction, which intake compares.
 */
export async function findOriginProblems(
  queryable: Queryable,
  applicationId: string,
  { originId, externalId }: { originId: string; externalId: string | undefined },
): Promise<StartProblem[]> {
  const [ended, replacement] = await Promise.all([
    findEndedPayment(queryable, applicationId, originId),
    findReplacement(queryable, applicationId, originId),
  ])
  if (replacement) {
    return externalId === replacement.externalId ? [] : [{ index: 0, kind: 'origin_replaced', transactionId: replacement.transactionId }]
  }
  if (!ended || !isReplaceableEnd(ended.event)) return [{ index: 0, kind: 'origin_not_replaceable' }]
  if (ended.isRepeated) return [{ index: 0, kind: 'origin_in_batch' }]
  return ended.wasSent && ended.isDoubted ? [{ index: 0, kind: 'origin_unconfirmed' }] : []
}

/** Whether the database refused a transaction because its origin was replaced already. */
export function isOriginReplaced(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'transaction_origins_origin'
}

/**
 * The request that is started. The webhook's address is null for a payment that a person starts: its result goes to the application's
 * default address, if there is one.
 */
export type StartRequest = Omit<TransactionRequest, 'webhookUrl'> & { webhookUrl: string | null }
