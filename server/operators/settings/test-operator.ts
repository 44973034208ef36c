import { formatMinor } from '#lib/money/money.ts'
import type { OperatorTestProblem, OperatorTestResult, SettingsTrial } from '#lib/operators/operator-outcomes.ts'
import { AMOUNT_SETTINGS_NAME } from '#lib/operators/operator-settings.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { createRateLimit } from '#server/rate-limit.ts'
import type { AccountOutcome, BalanceOutcome, Connector, Connectors } from '../connector.ts'
import { createConnectors } from '../create-connectors.ts'
import { type AccessTokens, createAccessTokens } from '../tokens/access-tokens.ts'
import { countOpenWork, readAllSettings } from './operator-settings-store.ts'
import { readProposedSettings, type SettingsChange, type SettingsFailure } from './set-operator.ts'

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
type TrialCommand = { applicationId: string; change: SettingsChange; actor: PersonCommandActor }

/** Tests of operators by administrators of applications; one per process. */
export type OperatorTests = {
  run(pool: Pool, command: TestCommand): Promise<Result<OperatorTestResult, TestFailure>>
  /** Tests settings that somebody proposes. Only in the application that runs the installation. */
  tryOut(pool: Pool, command: TrialCommand): Promise<Result<SettingsTrial, TestFailure | SettingsFailure | 'not_the_installation'>>
}

/** Of one application at one operator: three at once, then one every half minute. */
const OF_APPLICATION = { burst: 3, perSecond: 1 / 30 }
/** Of proposed settings: two people test each of them, and correct them in between. */
const OF_TRIALS = { burst: 6, perSecond: 1 / 30 }
/** Of all applications at one operator, which counts our calls. */
const OF_OPERATOR = { burst: 10, perSecond: 1 / 5 }

type TestsDeps = Pick<TestDeps, 'clock' | 'logger'> & { connectors: Connectors; nowMs(): number }

/**
 * A test signs in to an operator and reads the balance, which moves no money: with the settings in force, or with proposed ones. It says whether that
 * worked, and nothing of the answer: the account belongs to the installation.
 */
export function createOperatorTests({ connectors, clock, logger, nowMs }: TestsDeps): OperatorTests {
  const applications = createRateLimit({ ...OF_APPLICATION, nowMs })
  const operators = createRateLimit({ ...OF_OPERATOR, nowMs })
  const trials = createRateLimit({ ...OF_TRIALS, nowMs })

  async function read(connector: Pick<Connector, 'balance'>): Promise<OperatorTestResult> {
    const startedMs = nowMs()
    const problem = problemOf(await connector.balance())
    return { problem, durationMs: Math.round(nowMs() - startedMs) }
  }

  return {
    async run(pool, { applicationId, operator, actor }) {
      if (!mayAct(actor, applicationId, 'operator:test')) return err('not_permitted')
      const connector = connectors.get(operator)
      if (!connector) return err('not_set')
      const ofApplication = applications.take(`${applicationId} ${operator}`)
      const retryAfterMs = ofApplication.retryAfterMs ?? operators.take(operator).retryAfterMs
      if (retryAfterMs !== undefined) return err({ code: 'throttled', retryAfterMs })
      const result = await read(connector)
      await recordAct(pool, { applicationId, actor }, { action: 'operator.tested', subject: operator, details: { ...result } })
      return ok(result)
    },

    async tryOut(pool, { applicationId, change, actor }) {
      const { operator, protocol } = change
      if (!mayAct(actor, applicationId, 'operator:configure')) return err('not_permitted')
      if (!(await runsInstallation(pool, applicationId))) return err('not_the_installation')
      const document = await readProposedSettings(pool, change)
      if (!document.ok) return document
      // A removal, and amounts, which say nothing about how the operator is reached.
      if (!document.value || protocol === AMOUNT_SETTINGS_NAME) return ok({ test: null, openCount: await countOpenWork(pool, operator) })
      const { retryAfterMs } = trials.take(operator)
      if (retryAfterMs !== undefined) return err({ code: 'throttled', retryAfterMs })
      const settings = [{ operator, protocol, document: document.value }]
      const proposed = createConnectors({ settings, callbackBaseUrl: undefined, tokens: passingTokens(), clock, logger, connectionsMax: 1 })
      try {
        const connector = proposed.get(operator)
        if (!connector) return err('not_set')
        const result = await read(connector)
        const details = { ...result, protocol, baseUrl: String(document.value['baseUrl'] ?? '') }
        await recordAct(pool, { applicationId, actor }, { action: 'operator.settings_tested', subject: operator, details })
        return ok({ test: result, openCount: await countOpenWork(pool, operator) })
      } finally {
        await proposed.close()
      }
    },
  }
}

/**
 * Tokens that are used once and stored nowhere: one that a proposed address issued, for credentials that are also in force, must never be sent with
 * payments.
 */
function passingTokens(): AccessTokens {
  return { get: async (_, fetch) => (await fetch())?.token, forget: async () => undefined }
}

function problemOf(outcome: BalanceOutcome): OperatorTestProblem | null {
  if (outcome.kind === 'balance') return null
  const { httpStatus } = outcome.exchange
  // A protocol with access tokens reports why it got none in its sentence.
  const status = httpStatus ?? (Number(/^No access token: HTTP (\d{3})/.exec(outcome.detail)?.[1] ?? 0) || null)
  if (status === null) return 'no_answer'
  return status === 401 || status === 403 ? 'credentials_refused' : 'unusable_answer'
}
