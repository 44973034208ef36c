import { type CallOutcome, createOperatorHttpClient, type OperatorRequest } from '#server/operators/operator-call.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf } from '#server/operators/tokens/access-tokens.ts'
import { createTokenClient } from '#server/operators/tokens/token-client.ts'
import { tokenSchema } from './messages.ts'
import type { OrangeCmSettings } from './settings.ts'

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
