import { z } from 'zod'
import { codeMeaningsSchema } from '../answer-table.ts'
import { type CallOutcome, createOperatorHttpClient, type OperatorRequest } from '../operator-http-client.ts'
import { COMMON_SETTINGS, type ConnectorContext, secretText } from '../settings/protocol.ts'
import { accountOf } from '../tokens/access-tokens.ts'
import { createTokenClient } from '../tokens/token-client.ts'
import { tokenSchema } from './messages.ts'

export const orangeWebSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** The country in the paths: `ci`, or `dev` for Orange's sandbox, whose currency is OUV. */
  country: z.string().regex(/^[a-z]{2,3}$/, 'must be a code like ci'),
  clientId: secretText,
  clientSecret: secretText,
  merchantKey: secretText,
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
  /** Meanings of the codes that Orange has told us; it publishes few for this country. */
  codeMeanings: codeMeaningsSchema.default({}),
})
export type OrangeWebSettings = z.infer<typeof orangeWebSettingsSchema>

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
