import { formatMinor } from '#lib/money/money.ts'
import type { OperatorTestProblem, OperatorTestResult } from '#lib/operators/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { createRateLimit } from '#server/rate-limit.ts'
import type { AccountOutcome, BalanceOutcome, Connectors } from '../connector.ts'
import { createConnectors } from '../create-connectors.ts'
import { createAccessTokens } from '../tokens/access-tokens.ts'
import { readAllSettings } from './operator-settings-store.ts'

type TestDeps = { pool: Pool; clock: Clock; logger: Logger }
type OperatorTest = { isWorking: boolean; steps: { step: string; outcome: string }[] }

/**
 * Signs in to an operator with the settings in the database and reads the balance; with a phone number, also checks that account where
 * the protocol can. Moves no money.
 */
export async function testOperator(
  { pool, clock, logger }: TestDeps,
  operator: OperatorCode,
  phoneNumber: string | undefined,
): Promise<Result<OperatorTest, 'not_set'>> {
  const settings = await readAllSettings(pool, (error) => {
    throw error
  })
  const tokens = createAccessTokens(pool)
  const connectors = createConnectors({ settings, callbackBaseUrl: undefined, tokens, clock, logger })
  try {
    const connector = connectors.get(operator)
    if (!connector) return err('not_set')
    const balance = await connector.balance()
    const steps = [
      { step: 'directions', outcome: [...connector.terms.routes.keys()].join(' ') },
      { step: 'balance', outcome: balanceSentence(balance) },
    ]
    const account = phoneNumber === undefined ? undefined : await connector.checkAccount?.(phoneNumber)
    if (phoneNumber !== undefined)
      steps.push({ step: 'account', outcome: account ? accountSentence(account) : 'the protocol has no such call' })
    return ok({ isWorking: balance.kind === 'balance' && account?.kind !== 'unknown', steps })
  } finally {
    await connectors.close()
  }
}

function balanceSentence(balance: BalanceOutcome): string {
  if (balance.kind === 'unknown') return problemSentence(balance)
  const { collectMinor, depositMinor, currency } = balance
  const figure = (minor: bigint | null) => (minor === null ? 'not reported' : `${formatMinor(minor)} ${currency}`)
  return `collect ${figure(collectMinor)}, deposit ${figure(depositMinor)}`
}

function accountSentence(account: AccountOutcome): string {
  return account.kind === 'unknown' ? problemSentence(account) : account.kind
}

function problemSentence({ detail, exchange }: { detail: string; exchange: { answer: string } }): string {
  return exchange.answer === detail || exchange.answer === '' ? detail : `${detail} (${exchange.answer.slice(0, 200)})`
}

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
      await recordAct(pool, { applicationId, actor }, { action: 'operator.tested', subject: operator, details: { ...result } })
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
