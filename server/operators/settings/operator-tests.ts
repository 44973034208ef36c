import type { OperatorTestProblem, OperatorTestResult } from '#lib/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { BalanceOutcome, Connectors } from '#server/operators/connector.ts'
import { createRateLimit } from '#server/rate-limit.ts'

type TestFailure =
  | 'not_permitted'
  /** This process has no settings of the operator that fit. */
  | 'not_set'
  | { code: 'throttled'; retryAfterMs: number }

type TestCommand = { applicationId: string; operator: OperatorCode; actor: PersonCommandActor }

/** Tests of operators by administrators of applications; one per process. */
export type OperatorTests = { run(pool: Pool, command: TestCommand): Promise<Result<OperatorTestResult, TestFailure>> }

/** Of one application at one operator: three at once, then one every half minute. */
const OF_APPLICATION = { burst: 3, perSecond: 1 / 30 }
/** Of all applications at one operator, which counts our calls. */
const OF_OPERATOR = { burst: 10, perSecond: 1 / 5 }

/**
 * A test signs in to an operator with the settings in force and reads the balance, which moves no money. It says whether that worked, and
 * nothing of the answer: the account belongs to the installation.
 */
export function createOperatorTests({ connectors, nowMs }: { connectors: Connectors; nowMs(): number }): OperatorTests {
  const applications = createRateLimit({ ...OF_APPLICATION, nowMs })
  const operators = createRateLimit({ ...OF_OPERATOR, nowMs })
  return {
    async run(pool, { applicationId, operator, actor }) {
      if (!mayAct(actor, applicationId, 'operator:test')) return err('not_permitted')
      const connector = connectors.get(operator)
      if (!connector) return err('not_set')
      const retryAfterMs = applications.take(`${applicationId} ${operator}`) ?? operators.take(operator)
      if (retryAfterMs !== undefined) return err({ code: 'throttled', retryAfterMs })
      const startedMs = nowMs()
      const problem = problemOf(await connector.balance())
      const result = { problem, durationMs: Math.round(nowMs() - startedMs) }
      await withTransaction(pool, async (trx) => {
        await appendAudit(trx, { applicationId, actor, action: 'operator.tested', subject: operator, details: { ...result } })
        return ok(undefined)
      })
      return ok(result)
    },
  }
}

function problemOf(outcome: BalanceOutcome): OperatorTestProblem | null {
  if (outcome.kind === 'balance') return null
  const { httpStatus } = outcome.exchange
  // A protocol with access tokens reports why it got none in its sentence.
  const status = httpStatus ?? (Number(/^No access token: HTTP (\d{3})/.exec(outcome.detail)?.[1] ?? 0) || null)
  if (status === null) return 'no_answer'
  return status === 401 || status === 403 ? 'credentials_refused' : 'unusable_answer'
}
