import { systemClock } from '#server/clock.ts'
import type { KeepIdentifiers } from '#server/operators/connector.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import type { AccessTokens } from '#server/operators/tokens/access-tokens.ts'

/** Tokens in memory, for connectors that are tested without a database. */
export function tokensInMemory(): AccessTokens {
  const tokens = new Map<string, string>()
  return {
    async get({ operator, account }, fetch) {
      const name = `${operator} ${account}`
      const token = tokens.get(name) ?? (await fetch())?.token
      if (token !== undefined) tokens.set(name, token)
      return token
    },
    async forget({ operator, account }) {
      tokens.delete(`${operator} ${account}`)
    },
  }
}

/** A connector's context with both directions in service. */
export function aConnectorContext(overrides: Partial<ConnectorContext> = {}): ConnectorContext {
  return {
    operator: 'MOMOCM',
    terms: {
      routes: new Map([
        ['COLLECT', 'test'],
        ['DEPOSIT', 'test'],
      ]),
      callsMax: 64,
      submissionsPerSecondMax: undefined,
      submitTimeoutMs: 5_000,
    },
    callbackUrl: undefined,
    publicUrl: 'https://pay.example.com',
    submitTimeoutMs: 5_000,
    queryTimeoutMs: 5_000,
    connectionsMax: 16,
    transport: {},
    tokens: tokensInMemory(),
    clock: systemClock,
    ...overrides,
  }
}

/** Stores nothing: for protocols that keep nothing before the call that moves money. */
export const keepNothing: KeepIdentifiers = async () => true
