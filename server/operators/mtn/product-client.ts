import type { OperatorHttpClient } from '#server/operators/operator-call.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf } from '#server/operators/tokens/access-tokens.ts'
import { createTokenClient, type TokenClient } from '#server/operators/tokens/token-client.ts'
import { tokenSchema } from './messages.ts'
import type { MtnSettings } from './settings.ts'

export type MtnProduct = 'collection' | 'disbursement'

type ProductClientOptions = {
  http: OperatorHttpClient
  context: ConnectorContext
  settings: MtnSettings
  product: MtnProduct
  credentials: { subscriptionKey: string; apiUser: string; apiKey: string }
}

/** Calls of one product with its subscription key and an access token. */
export function createProductClient({ http, context, settings, product, credentials }: ProductClientOptions): TokenClient {
  const { subscriptionKey, apiUser, apiKey } = credentials
  const subscription = { 'ocp-apim-subscription-key': subscriptionKey }
  return createTokenClient({
    http,
    context,
    account: accountOf(product, settings.baseUrl, subscriptionKey, apiUser, apiKey),
    tokenSchema,
    // Without a body: MTN refuses one.
    tokenRequest: {
      method: 'POST',
      path: `/${product}/token/`,
      headers: { ...subscription, authorization: `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}` },
    },
    headersOf: (token, request) => ({
      ...subscription,
      authorization: `Bearer ${token}`,
      'x-target-environment': settings.targetEnvironment,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    }),
  })
}
