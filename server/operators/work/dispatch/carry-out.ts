import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { createBoundedCache } from '#server/credentials/password.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { refusalOfCode, refusalOfNumber, refusedForFunds, withoutCode } from '#server/operators/answer-table.ts'
import { listAvailability, storeAvailability } from '#server/operators/availability/availability-store.ts'
import {
  type AvailabilityChange,
  type CircuitRules,
  createSubmissionGate,
  type SubmissionGate,
} from '#server/operators/availability/submission-gate.ts'
import { holdForFloat } from '#server/operators/balances/float-store.ts'
import type {
  CodeRefusal,
  Connectors,
  FinalOutcome,
  GuardedConnector,
  KeepIdentifiers,
  QueryOutcome,
  SubmitOutcome,
} from '#server/operators/connector.ts'
import {
  awaitCode,
  doubtMissingCode,
  releaseNumber,
  storeRefusedCode,
  takeCode,
} from '#server/operators/customer-step/customer-code-store.ts'
import { findPayToken, storeCustomerLink } from '#server/operators/customer-step/customer-link-store.ts'
import { doubtRefusal } from '#server/operators/guard-connector.ts'
import { createMerchantNames } from '#server/operators/merchant-name-store.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Settler } from '#server/transactions/transition.ts'
import { type ClaimedWork, keepIdentifiers } from '../operator-work-store.ts'
import { createAnswerRecorder, settleFinalResult, settleQueriedResult } from '../settle-final-result.ts'
import { POLL_DELAYS_MS, pollDelayMs, writeBeforeMs } from './claim-slots.ts'
import { closedFor, queryWork, submitWork, TOO_LATE } from './submit-and-query.ts'

export type CarryOutOptions = {
  pool: Pool
  settler: Settler
  connectors: Connectors
  logger: Logger
  random?: () => number
  circuitRules?: CircuitRules
  pollDelaysMs?: readonly number[]
  /** Between the two denials of a reference that are required before it is sent again. */
  absenceMs?: number
  /** The same if the operator had accepted the reference before. */
  acceptedAbsenceMs?: number
  /** The least time between two queries of one row, however many callbacks arrive. */
  hintGapMs?: number
  /** Simulated operators refuse for lack of funds by the customer's number: that says nothing about our account there. */
  isSandbox?: boolean
  /** Called for each answer that contradicts a final result, for the metrics. */
  onContradiction?(): void
  /** Called for each answer that the database refused, for the metrics. */
  onUnrecordable?(): void
  /** Called for each call that ended, for metrics and traces. */
  onCall?(work: ClaimedWork, kind: 'submit' | 'query', outcome: (SubmitOutcome | QueryOutcome)['kind'], durationMs: number): void
}

/** The dependencies of carrying work out, for as long as the dispatcher runs. */
export type Context = {
  options: CarryOutOptions
  record: ReturnType<typeof createAnswerRecorder>
  gate: SubmissionGate
  merchantNameOf: ReturnType<typeof createMerchantNames>
  /** Milliseconds from a submission to its first query, a little different each time. */
  firstQueryMs(): number
  /** The transactions that this process submitted lately and an operator accepted, by `keyOf`: a callback about it needs no claim. */
  accepted: ReturnType<typeof createBoundedCache<string, ClaimedWork>>
  /** The results that this process stored lately, by `keyOf`: a signed callback that agrees with one costs no statement. */
  ended: ReturnType<typeof createBoundedCache<string, EndedWork>>
}

type EndedWork = Pick<ClaimedWork, 'operator'> & { outcome: FinalOutcome['kind'] }

/** Of each about half a kilobyte. A process that submits more within seconds has the callbacks of the oldest stored before they are queried. */
const ACCEPTED_MAX = 10_000
/** A callback that comes later than this many results is compared in the database. */
const ENDED_MAX = 10_000

export function keyOf({ applicationId, transactionId }: Pick<ClaimedWork, 'applicationId' | 'transactionId'>): string {
  return `${applicationId} ${transactionId}`
}

export async function createContext(options: CarryOutOptions): Promise<Context> {
  const gate = createSubmissionGate({
    stored: await listAvailability(options.pool),
    rules: options.circuitRules,
    nowMs: () => performance.now(),
    onChange: createPublisher(options),
  })
  const { random = Math.random, pollDelaysMs = POLL_DELAYS_MS } = options
  const record = createAnswerRecorder({
    pool: options.pool,
    random,
    pollDelaysMs,
    onUnrecordable(transactionId, error) {
      options.onUnrecordable?.()
      reportUnexpected('operators: record answer', error, {
        logger: options.logger,
        transactionId,
        message: 'The answer of an operator could not be recorded; it is recorded without its text',
      })
    },
    rules: {
      absenceMs: options.absenceMs ?? 3_000,
      acceptedAbsenceMs: options.acceptedAbsenceMs ?? 60_000,
      hintGapMs: options.hintGapMs ?? 250,
    },
  })
  return {
    options,
    record,
    gate,
    merchantNameOf: createMerchantNames(options.pool, () => performance.now()),
    firstQueryMs: () => pollDelayMs(0, random, pollDelaysMs),
    accepted: createBoundedCache(ACCEPTED_MAX),
    ended: createBoundedCache(ENDED_MAX),
  }
}

/** Makes the call that claimed work is due for, and records or settles its outcome. */
export async function carryOut(context: Context, work: ClaimedWork): Promise<void> {
  if (work.foundState === 'unfunded') return void (await context.options.settler.settle(refusedForFunds(work)))
  if (work.foundState === 'awaiting_code') return endWithoutCode(context, work)
  if (work.result) return settleFinalResult(context.options, { ...work, source: 'submit' }, work.result)
  const connector = context.options.connectors.get(work.operator)
  if (!connector) return
  const kind = work.foundState === 'queued' ? 'submit' : 'query'
  const startedAtMs = performance.now()
  // A process that was stopped for a while must not send what another one may have taken over, and need not query what another one queries.
  if (kind === 'query' && startedAtMs >= work.leaseEndsAtMs) return
  const isTooLate = kind === 'submit' && startedAtMs >= writeBeforeMs(work, connector.terms)
  const fault = kind === 'submit' ? context.gate.faultOf(work.operator, work.type, connector.terms) : undefined
  const refusal = isTooLate ? TOO_LATE : fault === undefined ? undefined : closedFor(fault)
  const called = refusal ?? (await callOperator(context, connector, work, kind))
  const durationMs = performance.now() - startedAtMs
  if (!refusal && called !== 'needs_code') noteCall(context, connector, work, { kind, called, durationMs })
  const outcome = await afterCode(context, connector, work, called)
  if (outcome === 'awaiting') return
  await keepLink(context, work, outcome)
  const isFinal = outcome.kind === 'succeeded' || outcome.kind === 'failed'
  if (!context.options.isSandbox && isOwnShortage(work, outcome)) await holdForFloat(context.options.pool, work.operator)
  if (kind === 'query') context.accepted.delete(keyOf(work))
  if (kind === 'query' && isFinal && (await settleQueriedResult(context.options, work, outcome, durationMs)))
    return context.ended.set(keyOf(work), { operator: work.operator, outcome: outcome.kind })
  const { isCurrent } = await context.record.submit({ work, kind, outcome, durationMs })
  if (isCurrent && (outcome.kind === 'accepted' || outcome.kind === 'pending'))
    context.accepted.set(keyOf(work), withIdentifiers(work, outcome))
  if (!isFinal) return
  // The answer to a submission that was taken over by another process: the query that follows there decides.
  if (kind === 'submit' && !isCurrent) return
  await settleFinalResult(context.options, { ...work, source: kind }, outcome)
}

/** Later queries tell of a shortage that may be over. */
const SHORTAGE_QUERIES_MAX = 4

/** Whether the operator refused a deposit because our own account does not cover it: of a deposit, we are the payer. */
function isOwnShortage(work: ClaimedWork, outcome: SubmitOutcome | QueryOutcome): boolean {
  const isShort = outcome.kind === 'failed' && outcome.reason === FAILURE_MESSAGES.insufficientFunds
  return isShort && work.type === 'DEPOSIT' && work.queries < SHORTAGE_QUERIES_MAX
}

function withIdentifiers(
  work: ClaimedWork,
  found: { operatorReference?: string; operatorReferenceOther?: string; operatorToken?: string },
): ClaimedWork {
  return {
    ...work,
    operatorReference: found.operatorReference ?? work.operatorReference,
    operatorReferenceOther: found.operatorReferenceOther ?? work.operatorReferenceOther,
    operatorToken: found.operatorToken ?? work.operatorToken,
  }
}

/** A customer entered no code in time. If an earlier submission may have reached the operator, queries decide. */
async function endWithoutCode({ options: { pool, settler } }: Context, work: ClaimedWork): Promise<void> {
  const move = withoutCode(work)
  if (work.isRepeated) await doubtMissingCode(pool, work, move)
  else await settler.settle(move)
}

async function callOperator(
  { options, merchantNameOf }: Pick<Context, 'options' | 'merchantNameOf'>,
  connector: GuardedConnector,
  work: ClaimedWork,
  kind: 'submit' | 'query',
): Promise<Called | 'needs_code'> {
  if (kind === 'query') return queryAlongRoute(connector, work)
  const keep: KeepIdentifiers = (identifiers) => keepIdentifiers(options.pool, work, identifiers)
  const { customerStep } = connector
  const merchantName = await merchantNameOf(work.applicationId)
  if (!customerStep || work.type !== 'COLLECT') return submitWork(connector, work, keep, { merchantName })
  if (customerStep === 'link') return submitWork(connector, work, keep, { merchantName, payToken: await findPayToken(options.pool, work) })
  const taken = await takeCode(options.pool, work)
  // Without a code nothing is sent, and what could not be sent with one is refused before the customer is asked.
  const outcome = await submitWork(connector, work, keep, { merchantName, ...taken })
  return taken === undefined && outcome.kind !== 'failed' ? 'needs_code' : outcome
}

type Called = SubmitOutcome | QueryOutcome | CodeRefusal

/** Notes what a call says about the operator, and counts it in the metrics. */
export function noteCall(
  { gate, options }: Context,
  { terms }: GuardedConnector,
  work: ClaimedWork,
  { kind, called, durationMs }: { kind: 'submit' | 'query'; called: Called; durationMs: number },
): void {
  const { operator, type } = work
  // A refusal that is not believed is an answer all the same.
  const isRefusal = called.kind === 'wrong_code' || (called.kind === 'unknown' && called.doubt !== undefined)
  const outcome = isRefusal ? 'failed' : called.kind
  gate.note({ operator, type, kind, outcome, closesDirection: called.kind === 'not_sent' ? called.closesDirection : undefined }, terms)
  options.onCall?.(work, kind, called.kind === 'unknown' ? 'unknown' : outcome, durationMs)
}

/** Waits for a code of the customer where one is missing or was refused, and returns the outcome of everything else. */
async function afterCode(
  { options: { pool } }: Context,
  { customerStep }: GuardedConnector,
  work: ClaimedWork,
  called: Called | 'needs_code',
): Promise<SubmitOutcome | QueryOutcome | 'awaiting'> {
  if (called === 'needs_code') {
    const awaited = await awaitCode(pool, work, undefined)
    // `spent` without a refusal: the row is no longer in this submission.
    return awaited === 'awaiting' || awaited === 'spent' ? 'awaiting' : doubtRefusal(work, refusalOfNumber(awaited))
  }
  const isCodeRefused = called.kind === 'wrong_code' || (called.kind === 'unknown' && called.doubt?.kind === 'wrong_code')
  if (isCodeRefused) await storeRefusedCode(pool, work)
  const outcome = called.kind === 'wrong_code' ? await afterWrongCode(pool, work, called) : called
  if (outcome !== 'awaiting' && typeof customerStep === 'object' && work.foundState === 'queued') await releaseNumber(pool, work)
  return outcome
}

/** Waits for the customer's next code, or returns why there is none. */
async function afterWrongCode(pool: Pool, work: ClaimedWork, called: CodeRefusal): Promise<FinalOutcome | 'awaiting'> {
  const awaited = await awaitCode(pool, work, called.exchange)
  return awaited === 'awaiting' ? awaited : refusalOfCode(called, awaited)
}

/** The customer's link is stored before the answer is recorded. If the process ends in between, a later query returns it again. */
async function keepLink({ options }: Context, work: ClaimedWork, outcome: SubmitOutcome | QueryOutcome): Promise<void> {
  if ((outcome.kind === 'accepted' || outcome.kind === 'pending') && outcome.customerLink !== undefined)
    await storeCustomerLink(options.pool, work, outcome.customerLink)
}

/** An operator's other environment does not know the transfer either way: its denial is not a reason to send it again. */
export async function queryAlongRoute(connector: GuardedConnector, work: ClaimedWork): Promise<QueryOutcome> {
  const outcome = await queryWork(connector, work)
  const isSameRoute = work.route === null || work.route === connector.terms.routes.get(work.type)
  if (outcome.kind !== 'not_found' || isSameRoute) return outcome
  return { kind: 'unknown', detail: `It was submitted through ${work.route}`, exchange: outcome.exchange }
}

/** Stores changes one after the other: of two in a short time, the later one must stay. */
function createPublisher({ pool, logger }: CarryOutOptions): (change: AvailabilityChange) => void {
  let last: Promise<void> = Promise.resolve()
  return (change) => {
    const { operator, type, state, fault } = change
    if (fault === undefined) logger.warn({ operator, type, state }, 'The availability of an operator has changed')
    else
      reportUnexpected('operators: closed direction', new Error(fault), {
        logger,
        operator,
        type,
        message: 'An operator refuses our own credentials: nothing more is sent in this direction until its settings are saved again',
      })
    last = last
      .then(() => storeAvailability(pool, change))
      .catch((error: unknown) =>
        reportUnexpected('operators: availability', error, { logger, message: 'The availability of an operator could not be stored' }),
      )
  }
}
