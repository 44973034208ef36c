import { z } from 'zod'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { type CallOutcome, createOperatorHttpClient, type OperatorRequest } from '../operator-http-client.ts'
import { COMMON_SETTINGS, type ConnectorContext, secretText } from '../settings/protocol.ts'
import { accountOf } from '../tokens/access-tokens.ts'
import { createTokenClient } from '../tokens/token-client.ts'
import { tokenSchema } from './messages.ts'

export const orangeCmSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** `production` or `sandbox`: what was submitted to one is unknown on the other. */
  environment: z.enum(['production', 'sandbox']),
  /** Of the application on Orange's gateway. */
  consumerKey: secretText,
  consumerSecret: secretText,
  /** Of the merchant. */
  apiUser: secretText,
  apiPassword: secretText,
  /** The merchant's own number, nine digits, and its PIN. */
  channelMsisdn: z.string().regex(/^\d{9}$/, 'must have nine digits'),
  pin: secretText,
  /** The directions of the contract; both if left out. */
  directions: z.array(z.enum(TRANSACTION_TYPES)).min(1).optional(),
  /** The header that the gateway reads the token from. */
  bearerHeader: z.enum(['Authorization', 'WSO2-Authorization']).optional(),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
})
export type OrangeCmSettings = z.infer<typeof orangeCmSettingsSchema>

const API = '/omcoreapis/1.0.2'

export type OrangeCmClient = {
  /** A call with an access token, which is fetched once and renewed before it ends. `path` begins after the version. */
  call(request: Pick<OperatorRequest, 'method' | 'path' | 'timeoutMs' | 'writeBeforeMs'> & { body?: object }): Promise<CallOutcome>
  close(): Promise<void>
}

export function createOrangeCmClient(context: ConnectorContext, settings: OrangeCmSettings): OrangeCmClient {
  const http = createOperatorHttpClient(settings.baseUrl, context.connectionsMax, context.transport)
  const { baseUrl, consumerKey, consumerSecret, apiUser, apiPassword } = settings
  const authToken = base64(`${apiUser}:${apiPassword}`)
  const bearerHeader = (settings.bearerHeader ?? 'Authorization').toLowerCase()
  const tokens = createTokenClient({
    http,
    context,
    account: accountOf('orange-cm', baseUrl, consumerKey, consumerSecret),
    tokenSchema,
    tokenRequest: {
      method: 'POST',
      path: '/token',
      headers: {
        authorization: `Basic ${base64(`${consumerKey}:${consumerSecret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    },
    headersOf: (token) => ({ [bearerHeader]: `Bearer ${token}` }),
  })
  return {
    call({ path, body, ...rest }) {
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const headers = { 'x-auth-token': authToken, ...(body !== undefined && { 'content-type': 'application/json' }) }
      return tokens.call({ ...rest, ...text, path: `${API}${path}`, headers })
    },
    close: () => http.close(),
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
