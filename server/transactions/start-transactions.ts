import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { computeFees } from '#lib/money/fees.ts'
import type { Currency } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { SimulatedEnding } from '#lib/partner/partner-requests.ts'
import { completeTexts, EMPTY_TEXTS } from '#lib/payments/payment-fields.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { BATCH_LENGTH_MAX, transactionRequestSchema } from '#lib/schemas/api/transaction-request.ts'
import { JsonNumber } from '#lib/text/json.ts'
import { type ApplicationSnapshot, feesFor } from '#server/applications/snapshot.ts'
import { type CommandActor, mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { recordAct } from '#server/audit/run-command.ts'
import { isOverloaded } from '#server/database/batcher.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import {
  type Connected,
  findAmountProblems,
  findExternalIdProblems,
  findOriginProblems,
  findServiceProblems,
  isOriginReplaced,
  type StartProblem,
  type StartRequest,
  webhookUrlOf,
} from './find-start-problems.ts'
import type { Intake, IntakeItem, IntakeOutcome, Refund } from './intake.ts'
import type { UnansweredStarts } from './unanswered-starts.ts'

/** `intake` wakes the loop that submits to operators, after each batch that has work for it. */
export type StartTransactionsDeps = {
  pool: Queryable
  intake: Pick<Intake, 'submit'>
  connectors: Connected
  /** Keeps the webhooks of an array back until it is answered. Absent where nobody waits for the ids: people and files. */
  unansweredStarts?: UnansweredStarts
}

/**
 * The actor and the channel that start transactions: a partner's program through the API, a person on a page or with a file, or a customer at a
 * payment link, for whom the service acts.
 */
type Starter =
  | { source: 'api'; actor: { kind: 'api'; id: string }; refund?: Refund }
  | { source: 'file'; actor: Extract<CommandActor, { kind: 'person' }> }
  /** `originId`: a transaction that ended without a payment, and that the only request replaces. `refund`: the only request is one. */
  | { source: 'person'; actor: Extract<CommandActor, { kind: 'person' }>; originId?: string; refund?: Refund }
  | { source: 'link'; actor: Extract<CommandActor, { kind: 'system' }>; link: PaidLink }

/** The link of the only request, and who created it: that person must not approve the collect. */
type PaidLink = { linkId: string; createdBy: string }

export type StartTransactionsCommand = Starter & {
  application: ApplicationSnapshot
  type: TransactionType
  /** Validated by `lib/schemas/api/transaction-request.ts`. */
  requests: readonly StartRequest[]
  /** Stored with each transaction of a file, so that they can be found and decided together. */
  batchId?: string
  /** The total of the whole batch per currency, if these requests are only a part of it. Default: the total of the requests. */
  batchSumsMinor?: ReadonlyMap<Currency, bigint>
}

export type StartFailure =
  /** The person is not a maker of this application. */
  | { kind: 'not_permitted' }
  | { kind: 'application_disabled' }
  /** Nothing was started. All problems are of the first check that failed: services, amounts, then externalIds. */
  | { kind: 'refused'; problems: StartProblem[] }
  /** The queue is full. With several requests some may have been started; they are not started twice if they are sent again. */
  | { kind: 'overloaded' }

/**
 * The outcome of one request. `existing` is the transaction that an earlier, equal request started. `conflict` only occurs among several
 * requests: another caller took the externalId after the check, and the other requests were started.
 */
export type StartOutcome = IntakeOutcome

/**
 * Starts the transactions of one caller: the only way in, for the API, pages and files. Checks services, limits, fees and externalIds
 * before anything is written, so that a problem of one request starts none of them. Transactions that a person starts always wait
 * for a checker. Returns one outcome per request, in order, after they are committed.
 */
export async function startTransactions(
  deps: StartTransactionsDeps,
  command: StartTransactionsCommand,
): Promise<Result<StartOutcome[], StartFailure>> {
  const { application, actor, type, requests } = command
  if (actor.kind === 'person' && !mayAct(actor, application.applicationId, 'transaction:create')) return err({ kind: 'not_permitted' })
  if (!application.isEnabled) return err({ kind: 'application_disabled' })
  let problems = findServiceProblems(application, deps.connectors, type, requests)
  if (problems.length === 0) problems = findAmountProblems(application, deps.connectors, type, requests)
  // A single request costs no statement here: intake compares its externalId.
  if (problems.length === 0 && requests.length > 1) problems = await findExternalIdProblems(deps.pool, application, command, requests)
  const origin = originOf(command)
  if (problems.length === 0 && origin) problems = await findOriginProblems(deps.pool, application.applicationId, origin)
  if (problems.length > 0) return err({ kind: 'refused', problems })
  const items = toIntakeItems(command)
  const [only] = items
  const submitted = only && items.length === 1 ? await submitOne(deps.intake, only) : await submitArray(deps, items)
  if (submitted === 'overloaded') return err({ kind: 'overloaded' })
  if (submitted === 'origin_replaced') {
    return err({ kind: 'refused', problems: origin ? await findOriginProblems(deps.pool, application.applicationId, origin) : [] })
  }
  if (submitted.length === 1 && submitted[0]?.kind === 'conflict') {
    return err({ kind: 'refused', problems: [{ index: 0, kind: 'external_id_taken' }] })
  }
  return ok(submitted)
}

/** collect and deposit. `submitAll` would cost each of them about 4 µs of CPU and garbage collection more. */
async function submitOne(intake: Pick<Intake, 'submit'>, item: IntakeItem): Promise<StartOutcome[] | 'overloaded' | 'origin_replaced'> {
  try {
    return [await intake.submit(item)]
  } catch (error) {
    if (isOverloaded(error)) return 'overloaded'
    // Another one was quicker after the check.
    if (item.originId !== undefined && isOriginReplaced(error)) return 'origin_replaced'
    throw error
  }
}

function submitArray({ intake, unansweredStarts }: StartTransactionsDeps, items: readonly IntakeItem[]) {
  const submit = () => submitAll(intake, items)
  const ids = items.map(({ transactionId }) => transactionId)
  return unansweredStarts ? unansweredStarts.during(ids, submit) : submit()
}

/**
 * In parts of the size of an API array, because a file may hold more than the queue can. Waits for all requests of a part,
 * so that nothing is in progress when a failure is returned.
 */
async function submitAll(intake: Pick<Intake, 'submit'>, items: readonly IntakeItem[]): Promise<StartOutcome[] | 'overloaded'> {
  const outcomes: StartOutcome[] = []
  for (let start = 0; start < items.length; start += BATCH_LENGTH_MAX) {
    const part = items.slice(start, start + BATCH_LENGTH_MAX)
    for (const one of await Promise.allSettled(part.map((item) => intake.submit(item)))) {
      if (one.status === 'fulfilled') outcomes.push(one.value)
      else if (isOverloaded(one.reason)) return 'overloaded'
      else throw one.reason
    }
  }
  return outcomes
}

function toIntakeItems(command: StartTransactionsCommand): IntakeItem[] {
  const { application, type, source, actor, requests, batchId } = command
  const originId = originOf(command)?.originId
  const refund = command.source === 'api' || command.source === 'person' ? command.refund : undefined
  const link = command.source === 'link' ? command.link : undefined
  const sums = command.batchSumsMinor ?? sumByCurrency(requests)
  return requests.map((request) => {
    const operator = request.transferMethod
    const { currency } = OPERATORS[operator].country
    const fees = computeFees(request.amount, currency, feesFor(application, operator, type))
    return {
      applicationId: application.applicationId,
      // Ordered by time, so that neighbours in the index are neighbours in time.
      transactionId: randomUUIDv7(),
      externalId: request.externalId,
      type,
      operator,
      ...completeTexts(request),
      phoneNumber: request.phoneNumber,
      amountMinor: request.amount,
      feeSystemMinor: fees.feeSystemMinor,
      feeAppMinor: fees.feeAppMinor,
      webhookUrl: webhookUrlOf(application, request),
      payToken: randomUUID(),
      source,
      makerId: link ? link.createdBy : actor.kind === 'person' ? actor.id : null,
      batchId: batchId ?? null,
      batchSumMinor: sums?.get(currency) ?? null,
      actor: { kind: actor.kind, id: actor.id },
      bands: bandsFor(application.policy, { type, operator, currency, source }),
      ...(originId === undefined ? {} : { originId }),
      ...(refund && { refund }),
      ...(link && { linkId: link.linkId }),
    }
  })
}

/** Returns the transaction that the only request of a person replaces, with its own identity. */
function originOf(command: StartTransactionsCommand): { originId: string; externalId: string | undefined } | undefined {
  if (command.source !== 'person' || command.originId === undefined) return undefined
  return { originId: command.originId, externalId: command.requests[0]?.externalId }
}

/** The total of several requests, per currency; undefined for a single one, whose total is its amount. */
function sumByCurrency(requests: readonly StartRequest[]): Map<Currency, bigint> | undefined {
  if (requests.length < 2) return undefined
  const sums = new Map<Currency, bigint>()
  for (const { transferMethod, amount } of requests) {
    const { currency } = OPERATORS[transferMethod].country
    sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  }
  return sums
}

type TestTransaction = {
  application: ApplicationSnapshot
  isSandbox: boolean
  actor: PersonCommandActor
  /** In whose name it is started: the rules for programs apply. */
  apiUserId: string | undefined
  type: TransactionType
  operator: OperatorCode
  ending: SimulatedEnding
  amount: string
  webhookUrl: string
}

type TestFailure = 'not_a_sandbox' | 'not_permitted' | 'no_api_user' | 'invalid' | 'refused' | 'overloaded'

/**
 * Starts a transaction as a program of the application would, with the phone number that tells the simulated operator what to do. It is
 * read by the schema of the API and started by the command of the API, so every check, rule, fee and limit applies. In a sandbox only.
 */
export async function startTestTransaction(
  deps: StartTransactionsDeps & { pool: Pool },
  { application, isSandbox, actor, apiUserId, type, operator, ending, amount, webhookUrl }: TestTransaction,
): Promise<Result<{ transactionId: string }, TestFailure>> {
  const { applicationId } = application
  if (!isSandbox) return err('not_a_sandbox')
  if (!mayAct(actor, applicationId, 'sandbox:use')) return err('not_permitted')
  if (apiUserId === undefined) return err('no_api_user')
  const { dialCode, name: countryName } = OPERATORS[operator].country
  const request = transactionRequestSchema.safeParse({
    transferMethod: operator,
    countryName,
    ...EMPTY_TEXTS,
    customerName: 'Test',
    externalId: randomUUID(),
    phoneNumber: `${dialCode}700000${ending}`,
    amount: new JsonNumber(amount),
    webhookUrl,
  })
  if (!request.success) return err('invalid')
  const started = await startTransactions(deps, {
    application,
    type,
    source: 'api',
    actor: { kind: 'api', id: apiUserId },
    requests: [request.data],
  })
  if (!started.ok) return err(started.error.kind === 'overloaded' ? 'overloaded' : 'refused')
  const [outcome] = started.value
  if (!outcome || outcome.kind === 'conflict') return err('refused')
  const { transactionId } = outcome
  const details = { type, operator, ending }
  await recordAct(deps.pool, { applicationId, actor }, { action: 'sandbox.transaction_started', subject: transactionId, details })
  return ok({ transactionId })
}
