import { formatMinor } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import type { AccountOutcome, BalanceOutcome } from '#server/operators/connector.ts'
import { createConnectors } from '#server/operators/create-connectors.ts'
import { createAccessTokens } from '#server/operators/tokens/access-tokens.ts'
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
