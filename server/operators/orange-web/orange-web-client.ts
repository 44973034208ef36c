import { type CallOutcome, createOperatorHttpClient, type OperatorRequest } from '#server/operators/operator-call.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf } from '#server/operators/tokens/access-tokens.ts'
import { createTokenClient } from '#server/operators/tokens/token-client.ts'
import { tokenSchema } from './messages.ts'
import type { OrangeWebSettings } from './settings.ts'

export type OrangeWebClient = {
  /** A call with an access token, which is fetched once and renewed before it ends. `name` is the last part of the path. */
  post(name: string, body: object, limits: Pick<OperatorRequest, 'timeoutMs' | 'writeBeforeMs'>): Promise<CallOutcome>
  /** Signs in, and says why if that is not possible. */
  signIn(): Promise<CallOutcome | 'signed_in'>
  close(): Promise<void>
}

export function createOrangeWebClient(context: ConnectorContext, settings: OrangeWebSettings): OrangeWebClient {
  const { baseUrl, country, clientId, clientSecret } = settings
  const http = createOperatorHttpClient(baseUrl, context.connectionsMax, context.transport)
  const tokens = createTokenClient({
    http,
    context,
    account: accountOf('orange-web', baseUrl, clientId, clientSecret),
    tokenSchema,
    tokenRequest: {
      method: 'POST',
      path: '/oauth/v3/token',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    },
    headersOf: (token) => ({ 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` }),
  })
  return {
    post: (name, body, limits) =>
      tokens.call({
        method: 'POST',
        path: `/orange-money-webpay/${country}/v1/${name}`,
        headers: {},
        body: JSON.stringify(body),
        ...limits,
      }),
    signIn: tokens.signIn,
    close: () => http.close(),
  }
}
