import type { GuardedConnector, QueryOutcome } from '../connector.ts'
import { type Context, keyOf, noteCall, queryAlongRoute } from './dispatch/carry-out.ts'
import { type CallbackRow, type ClaimedWork, storeForcedEnquiries, takeAttemptNumber } from './operator-work-store.ts'
import { settleFinalResult, settleQueriedResult } from './settle-final-result.ts'

/** An operator gets no answer to its callback before this query is answered, so it is not waited for as long as for others. */
const WAIT_MS = 1_000

type AnsweredQuery = { outcome: QueryOutcome; durationMs: number }

/**
 * Queries the operator about a callback that is not stored yet, and ends the transaction in one statement that stores the callback too.
 * `stored` resolves to false if that did not happen within a second, so that the caller has to store the callback. `ended` resolves when the
 * answer of the query is stored in any case.
 *
 * The row is not claimed: another process may query at the same time, and the second result finds the transaction moved.
 */
export function settleByCallback(
  context: Context,
  connector: GuardedConnector,
  work: ClaimedWork,
  callback: Pick<CallbackRow, 'outcome' | 'answer' | 'is_verified'>,
): { stored: Promise<boolean>; ended: Promise<void> } {
  const startedAtMs = performance.now()
  const answered = queryAlongRoute(connector, work).then((outcome): AnsweredQuery => {
    const durationMs = performance.now() - startedAtMs
    noteCall(context, connector, work, { kind: 'query', called: outcome, durationMs })
    return { outcome, durationMs }
  })
  const stored = answeredInTime(answered).then((query) => (query ? settle(context, work, query, callback) : false))
  // biome-ignore lint/plugin/no-silent-error: The caller of `stored` gets the error.
  const isStored = stored.catch(() => false)
  return { stored, ended: isStored.then(async (isDone) => (isDone ? undefined : storeAlone(context, work, await answered))) }
}

async function answeredInTime(answered: Promise<AnsweredQuery>): Promise<AnsweredQuery | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), WAIT_MS)
  })
  try {
    return await Promise.race([answered, limit])
  } finally {
    clearTimeout(timer)
  }
}

async function settle(
  { options, ended }: Context,
  work: ClaimedWork,
  { outcome, durationMs }: AnsweredQuery,
  { outcome: said, answer: text, is_verified: isVerified }: Pick<CallbackRow, 'outcome' | 'answer' | 'is_verified'>,
): Promise<boolean> {
  if (outcome.kind !== 'succeeded' && outcome.kind !== 'failed') return false
  const callback = { outcome: said, text, isVerified }
  const isMoved = await settleQueriedResult(options, { ...work, number: null }, outcome, durationMs, callback)
  if (isMoved) ended.set(keyOf(work), { operator: work.operator, outcome: outcome.kind })
  return isMoved
}

/** Stores the answer as that of a query that no schedule made: a denial does not count towards sending again. */
async function storeAlone({ options }: Context, work: ClaimedWork, { outcome, durationMs }: AnsweredQuery): Promise<void> {
  const { applicationId, transactionId } = work
  const taken = await takeAttemptNumber(options.pool, applicationId, transactionId)
  if (taken) {
    const { httpStatus, answer } = outcome.exchange
    const query = { applicationId, transactionId, number: taken.number, outcome: outcome.kind, httpStatus, answer }
    await storeForcedEnquiries(options.pool, [{ ...query, durationMs: Math.round(durationMs), needsQuery: false }])
  }
  if (outcome.kind === 'succeeded' || outcome.kind === 'failed') await settleFinalResult(options, { ...work, source: 'query' }, outcome)
}
