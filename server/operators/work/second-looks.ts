import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { isFinalStatus, type TransactionStatus, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import type { Connectors, QueryOutcome } from '../connector.ts'
import {
  type ContradictionQuery,
  claimContradictionQueries,
  endContradictionQuery,
  forgetEndedHints,
  scheduleSecondLooks,
  storeContradictionAnswer,
  storeContradictions,
  storeUnconfirmedHint,
} from './contradiction-store.ts'
import type { ForcedEnquiries } from './forced-enquiries.ts'

/** Concurrent queries of one call, half of what one application may have at an operator. */
const FAILURES_AT_ONCE = 8
/** People wait for it. */
const LIMIT_MS = 20_000

/** A payment that ended as FAILED, with what its operator needs to find it. */
export type FailedPayment = {
  applicationId: string
  transactionId: string
  operator: OperatorCode
  type: TransactionType
  operatorReference: string | null
  operatorToken: string | null
  amountMinor: bigint
  currency: Currency
  phoneNumber: string
}

/**
 * Queries the operators once more about payments that failed, before people pay them again: 20 s at most, in order. Returns the ids of those
 * that may be paid again: the operator confirmed the failure, does not know the payment, or answers no queries. A success is recorded as a
 * contradiction. Missing ones were not answered, or not reached in time.
 */
export async function queryFailures(
  forcedEnquiries: Pick<ForcedEnquiries, 'pool' | 'logger' | 'connectors' | 'runOne' | 'onOutcome'>,
  payments: readonly FailedPayment[],
  nowMs: () => number = () => performance.now(),
): Promise<ReadonlySet<string>> {
  const endsAtMs = nowMs() + LIMIT_MS
  const confirmed = new Set<string>()
  const waiting = payments.values()
  async function work(): Promise<void> {
    for (const payment of waiting) {
      if (nowMs() >= endsAtMs) return
      if (await isFailedStill(forcedEnquiries, payment)) confirmed.add(payment.transactionId)
    }
  }
  await Promise.all(Array.from({ length: FAILURES_AT_ONCE }, work))
  return confirmed
}

async function isFailedStill(
  forcedEnquiries: Pick<ForcedEnquiries, 'pool' | 'logger' | 'connectors' | 'runOne' | 'onOutcome'>,
  payment: FailedPayment,
): Promise<boolean> {
  const { applicationId, operator, type } = payment
  const connector = forcedEnquiries.connectors.get(operator)
  if (!connector) return false
  // Its refusal is all that it ever says.
  if (connector.hasNoQueries && type === 'COLLECT') return true
  const queried = await forcedEnquiries.runOne(operator, applicationId, () => queryEnded(connector, payment))
  if (!queried.ok) return false
  forcedEnquiries.onOutcome?.(`retry ${queried.value.kind}`)
  await storeEndedAnswer(forcedEnquiries, payment, queried.value)
  return queried.value.kind === 'failed' || queried.value.kind === 'not_found'
}

/** Concurrent queries at one operator, well below what its submissions and queries may have. */
const CONTRADICTIONS_AT_ONCE = 16
/** Queries to one operator per run: failures of a bad hour must not become as many queries within a minute. */
const PER_OPERATOR_MAX = 3_000
/** A run ends before the next one begins. */
const RUN_MS = 45_000
/** An operator that returns no usable answer is queried again after this pause, which doubles each time. */
const PAUSE_MS = 5 * 60_000
/** After this many tries a query ends without an answer. A second look is worth more than an hour: an outage may last as long. */
const TRIES_MAX = { contradiction: 3, hint: 3, hour_look: 5, day_look: 5 } as const
/** Payments that failed together are queried again within this time of each other. */
const SPREAD_MS = 10 * 60_000
const SCHEDULED_AT_ONCE = 2_000

type ContradictionDeps = {
  pool: Pool
  connectors: Connectors
  logger: Logger
  /** Called with the outcome of each query, for the metrics. */
  onOutcome?(outcome: string): void
  perOperatorMax?: number | undefined
  spreadMs?: number
  nowMs?(): number
}

/**
 * Queries the operators about payments that have ended: contradictions and hints that they sent, and every failure an hour and a day after
 * it. Stores their answers; the results stay as they are. Run on a schedule; `isEnding` ends it early. Returns how many queries were made.
 */
export async function queryContradictions(deps: ContradictionDeps, isEnding: () => boolean = () => false): Promise<number> {
  const { pool, connectors, nowMs = () => performance.now(), spreadMs = SPREAD_MS } = deps
  const endsAtMs = nowMs() + RUN_MS
  const mayGoOn = () => !isEnding() && nowMs() < endsAtMs
  await forgetEndedHints(pool)
  let scheduled = SCHEDULED_AT_ONCE
  while (scheduled > 0 && mayGoOn()) scheduled = await scheduleSecondLooks(pool, SCHEDULED_AT_ONCE, spreadMs)
  // One claim for all operators, because most minutes find nothing due.
  const first = mayGoOn() ? await claim(deps, connectors.operators(), 0) : []
  const byOperator = Map.groupBy(first, (query) => query.operator)
  const counts = await Promise.all([...byOperator].map(([operator, due]) => queryOperator(deps, operator, due, mayGoOn)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Claims what is due at these operators, at which `count` queries of this run have been made. */
function claim({ pool, perOperatorMax = PER_OPERATOR_MAX }: ContradictionDeps, operators: readonly OperatorCode[], count: number) {
  return claimContradictionQueries(pool, operators, Math.min(CONTRADICTIONS_AT_ONCE, perOperatorMax - count), PAUSE_MS)
}

/** Each operator separately: one that hangs delays no other. */
async function queryOperator(
  deps: ContradictionDeps,
  operator: OperatorCode,
  first: readonly ContradictionQuery[],
  mayGoOn: () => boolean,
): Promise<number> {
  let count = 0
  for (let due = first; due.length > 0; ) {
    count += due.length
    await Promise.all(
      due.map((query) =>
        queryOne(deps, query).catch((error: unknown) =>
          reportUnexpected('operators: contradiction', error, {
            logger: deps.logger,
            transactionId: query.transactionId,
            message: 'The operator could not be queried about a payment that has ended; it is tried again',
          }),
        ),
      ),
    )
    if (count >= (deps.perOperatorMax ?? PER_OPERATOR_MAX) || !mayGoOn()) break
    due = await claim(deps, [operator], count)
  }
  return count
}

async function queryOne(deps: ContradictionDeps, query: ContradictionQuery): Promise<void> {
  const { pool, connectors, onOutcome, spreadMs = SPREAD_MS } = deps
  const { kind, operator } = query
  const connector = connectors.get(operator)
  if (!connector) return
  // There is no operator to query.
  if (connector.hasNoQueries && query.type === 'COLLECT' && isLook(query)) return endContradictionQuery(pool, query, spreadMs)
  const outcome = await queryEnded(connector, query)
  onOutcome?.(`${kind} ${outcome.kind}`)
  const isUnanswered = outcome.kind === 'unknown' && !isAnotherMovement(outcome)
  const isOpen = isUnanswered || (outcome.kind === 'pending' && kind !== 'contradiction')
  if (isOpen && query.tries < TRIES_MAX[kind]) return
  await storeEndedAnswer(deps, query, outcome)
  // A success that is not quite our payment neither confirms nor denies what a hint says.
  if (kind === 'hint' && (isOpen || isAnotherMovement(outcome))) await storeUnconfirmedHint(pool, answerOf(query, outcome))
  await endContradictionQuery(pool, query, spreadMs)
}

/** Queries the operator about a payment that has ended, with what is stored of it. */
function queryEnded(
  connector: Pick<NonNullable<ReturnType<Connectors['get']>>, 'query'>,
  query: Omit<ContradictionQuery, 'kind' | 'tries'>,
): Promise<QueryOutcome> {
  const { applicationId, transactionId, operator, type, operatorReference, operatorToken, amountMinor, currency, phoneNumber } = query
  return connector.query({
    reference: transactionId,
    applicationId,
    operator,
    type,
    amountMinor,
    currency,
    phoneNumber,
    operatorReference: operatorReference ?? undefined,
    operatorToken: operatorToken ?? undefined,
  })
}

/** Under our reference the operator has executed another amount, or for another number: after a failure, people must look at it. */
function isAnotherMovement(outcome: QueryOutcome): boolean {
  return outcome.kind === 'unknown' && outcome.doubt?.kind === 'mismatch'
}

/**
 * Stores the operator's answer about a payment that has ended: as the next answer if a contradiction is recorded, and as a contradiction if
 * it reports the other result, or after a failure a success that is not quite our payment.
 */
async function storeEndedAnswer(
  { pool, logger }: Pick<ContradictionDeps, 'pool' | 'logger'>,
  query: Pick<ContradictionQuery, 'applicationId' | 'transactionId' | 'operator'> & { kind?: ContradictionQuery['kind'] },
  outcome: QueryOutcome,
): Promise<void> {
  const { applicationId, transactionId, operator, kind } = query
  const isFinal = outcome.kind === 'succeeded' || outcome.kind === 'failed'
  // The first answer to a contradiction is stored whatever it says; of others, what decides something.
  if (kind === 'contradiction' || isFinal) await storeContradictionAnswer(pool, answerOf(query, outcome))
  const isFound = isFinal || isAnotherMovement(outcome)
  const transaction = isFound || kind === 'contradiction' ? await findTransaction(pool, applicationId, transactionId) : undefined
  if (!transaction || confirms(transaction.status, outcome)) return
  const said = isFinal ? outcome.kind : isAnotherMovement(outcome) ? 'succeeded' : undefined
  if (said) {
    const { answer } = outcome.exchange
    const row = { item_index: 0, application_id: applicationId, transaction_id: transactionId, operator, answer }
    await storeContradictions(pool, [{ ...row, source: 'query', said }])
  }
  logger.error({ transactionId, stored: transaction.status, said: outcome.kind }, 'The operator does not confirm the stored result')
}

function answerOf({ applicationId, transactionId }: Pick<ContradictionQuery, 'applicationId' | 'transactionId'>, outcome: QueryOutcome) {
  return { applicationId, transactionId, said: outcome.kind, ...outcome.exchange }
}

function isLook({ kind }: ContradictionQuery): boolean {
  return kind === 'hour_look' || kind === 'day_look'
}

function confirms(status: TransactionStatus, outcome: QueryOutcome): boolean {
  return isFinalStatus(status) && outcome.kind === (status === 'SUCCESS' ? 'succeeded' : 'failed')
}
