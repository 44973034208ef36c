import { OPERATORS } from '#lib/operators.ts'
import {
  type CallOutcome,
  createOperatorHttpClient,
  type OperatorHttpClient,
  type OperatorRequest,
} from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf } from '#server/operators/tokens/access-tokens.ts'
import { createTokenClient, type TokenClient } from '#server/operators/tokens/token-client.ts'
import { keySchema, problemSchema, tokenSchema } from './messages.ts'
import type { AirtelSettings } from './settings.ts'

/** Airtel says until when a key is valid, in no documented form. */
const KEY_AGE_MS_MAX = 600_000

export type AirtelClient = {
  /** A call with an access token, which is fetched once and renewed before it ends. */
  call(request: OperatorRequest): Promise<CallOutcome>
  /** The key that PINs and signatures are encrypted with; undefined if it cannot be read. */
  encryptionKey(): Promise<string | undefined>
  /** Airtel could not decrypt with it: the next call reads another one. */
  forgetKey(): void
  close(): Promise<void>
}

export function createAirtelClient(context: ConnectorContext, settings: AirtelSettings): AirtelClient {
  const http = createOperatorHttpClient(settings.baseUrl, context.connectionsMax, context.transport)
  const { call } = createAirtelTokens(http, context, settings)
  let known: { key: string; readAtMs: number } | undefined
  let reading: Promise<string | undefined> | undefined

  async function readKey(): Promise<string | undefined> {
    const outcome = await call({ method: 'GET', path: '/v1/rsa/encryption-keys', headers: {}, timeoutMs: context.queryTimeoutMs })
    const key = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, keySchema)?.data.key : undefined
    known = key === undefined ? undefined : { key, readAtMs: performance.now() }
    return key
  }

  return {
    call,
    async encryptionKey() {
      if (known && performance.now() - known.readAtMs < KEY_AGE_MS_MAX) return known.key
      reading ??= readKey().finally(() => {
        reading = undefined
      })
      return reading
    },
    forgetKey() {
      known = undefined
    },
    close: () => http.close(),
  }
}

function createAirtelTokens(http: OperatorHttpClient, context: ConnectorContext, settings: AirtelSettings): TokenClient {
  const { baseUrl, clientId, clientSecret } = settings
  const { country } = OPERATORS[context.operator]
  const common = { accept: '*/*', 'content-type': 'application/json', 'x-country': country.code, 'x-currency': country.currency }
  return createTokenClient({
    http,
    context,
    account: accountOf('airtel', baseUrl, clientId, clientSecret),
    tokenSchema,
    tokenRequest: {
      method: 'POST',
      path: '/auth/oauth2/token',
      headers: { accept: '*/*', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }),
    },
    headersOf: (token) => ({ ...common, authorization: `Bearer ${token}` }),
    isTokenRefused,
  })
}

/** Some gateways of Airtel answer 403 to a token that has ended, which also means that something is not allowed. */
function isTokenRefused(outcome: CallOutcome): boolean {
  if (outcome.kind !== 'answered') return false
  return outcome.httpStatus === 401 || (outcome.httpStatus === 403 && readAnswer(outcome, problemSchema)?.error === 'invalid_token')
}
