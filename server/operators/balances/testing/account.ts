import assert from 'node:assert/strict'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { createLogger } from '#server/logger.ts'
import type { Connector, Connectors } from '#server/operators/connector.ts'
import { connectorsWith, type OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { pollBalances } from '../poll-balances.ts'

export const EXCHANGE = { httpStatus: 200, answer: '{}' }
/** The operator refuses a deposit because our own account does not cover it. */
export const SHORT = { kind: 'failed', reason: FAILURE_MESSAGES.insufficientFunds, operatorCode: '60019', exchange: EXCHANGE } as const

/** An operator with an account: it pays what the account covers, and notes the order of what it was asked for. */
export class Account {
  readonly asked: string[] = []
  refusals = 0
  minor: bigint
  readonly connectors: Connectors
  readonly #harness: OperatorHarness

  constructor(harness: OperatorHarness, minor: bigint, overrides: Partial<Connector> = {}, floatFloorMinor = 0n) {
    this.#harness = harness
    this.minor = minor
    const terms = { ...(harness.connectors.get('OMCM')?.terms ?? assert.fail()), floatFloorMinor }
    const submit: Connector['submit'] = async ({ reference, amountMinor }) => {
      this.asked.push(reference)
      if (amountMinor > this.minor) {
        this.refusals++
        return SHORT
      }
      this.minor -= amountMinor
      return { kind: 'succeeded', exchange: EXCHANGE }
    }
    const balance: Connector['balance'] = async () => ({
      kind: 'balance',
      collectMinor: null,
      depositMinor: this.minor,
      isOneAccount: true,
      currency: 'XAF',
      exchange: EXCHANGE,
    })
    this.connectors = connectorsWith(harness, { terms, submit, balance, ...overrides })
  }

  report(poll = pollBalances): Promise<void> {
    return poll({ pool: this.#harness.database.pool, connectors: this.connectors, logger: createLogger('silent') })
  }
}
