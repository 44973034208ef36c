import { type CallOutcome, createOperatorHttpClient, exchangeOf, type OperatorRequest } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf, type IssuedToken } from '#server/operators/tokens/access-tokens.ts'
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
  const key = { operator: context.operator, account: accountOf('orange-web', baseUrl, clientId, clientSecret) }
  let refusal: CallOutcome | undefined

  async function fetchToken(): Promise<IssuedToken | undefined> {
    const outcome = await http.call({
      method: 'POST',
      path: '/oauth/v3/token',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      timeoutMs: context.queryTimeoutMs,
    })
    const issued = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, tokenSchema) : undefined
    refusal = issued ? undefined : outcome
    return issued && { token: issued.access_token, expiresInMs: issued.expires_in * 1_000 }
  }

  async function attempt(request: OperatorRequest): Promise<{ outcome: CallOutcome; token: string | undefined }> {
    const token = await context.tokens.get(key, fetchToken)
    if (token === undefined) return { outcome: withoutToken(refusal), token }
    return { outcome: await http.call({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }), token }
  }

  return {
    async post(name, body, limits) {
      const path = `/orange-money-webpay/${country}/v1/${name}`
      const headers = { 'content-type': 'application/json', accept: 'application/json' }
      const request = { method: 'POST' as const, path, headers, body: JSON.stringify(body), ...limits }
      const { outcome, token } = await attempt(request)
      if (outcome.kind !== 'answered' || outcome.httpStatus !== 401 || token === undefined) return outcome
      // It ended before its time. Nothing behind the gateway has seen the request.
      await context.tokens.forget(key, token)
      return (await attempt(request)).outcome
    },
    async signIn() {
      const token = await context.tokens.get(key, fetchToken)
      return token === undefined ? withoutToken(refusal) : 'signed_in'
    },
    close: () => http.close(),
  }
}

/** The call itself was not made: not one byte of it was written. */
function withoutToken(refusal: CallOutcome | undefined): CallOutcome {
  const { httpStatus, answer } = refusal ? exchangeOf(refusal) : { httpStatus: null, answer: 'another process is fetching it' }
  const detail = `No access token: ${httpStatus === null ? '' : `HTTP ${httpStatus} `}${answer.slice(0, 200)}`.trim()
  return { kind: 'lost', detail, httpStatus: null, wasWritten: false }
}
