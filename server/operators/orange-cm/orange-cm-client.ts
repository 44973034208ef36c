import { type CallOutcome, createOperatorHttpClient, exchangeOf, type OperatorRequest } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf, type IssuedToken } from '#server/operators/tokens/access-tokens.ts'
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
  const key = { operator: context.operator, account: accountOf('orange-cm', baseUrl, consumerKey, consumerSecret) }
  const authToken = base64(`${apiUser}:${apiPassword}`)
  const bearerHeader = (settings.bearerHeader ?? 'Authorization').toLowerCase()
  let refusal: CallOutcome | undefined

  async function fetchToken(): Promise<IssuedToken | undefined> {
    const outcome = await http.call({
      method: 'POST',
      path: '/token',
      headers: {
        authorization: `Basic ${base64(`${consumerKey}:${consumerSecret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      timeoutMs: context.queryTimeoutMs,
    })
    const issued = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, tokenSchema) : undefined
    refusal = issued ? undefined : outcome
    return issued && { token: issued.access_token, expiresInMs: Math.max(issued.expires_in, 1) * 1_000 }
  }

  async function attempt(request: OperatorRequest): Promise<{ outcome: CallOutcome; token: string | undefined }> {
    const token = await context.tokens.get(key, fetchToken)
    if (token === undefined) return { outcome: withoutToken(refusal), token }
    return { outcome: await http.call({ ...request, headers: { ...request.headers, [bearerHeader]: `Bearer ${token}` } }), token }
  }

  return {
    async call({ path, body, ...rest }) {
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const headers = { 'x-auth-token': authToken, ...(body !== undefined && { 'content-type': 'application/json' }) }
      const request = { ...rest, path: API + path, headers, ...text }
      const { outcome, token } = await attempt(request)
      if (outcome.kind !== 'answered' || outcome.httpStatus !== 401 || token === undefined) return outcome
      // It ended before its time. Nothing behind the gateway has seen the request, and the payToken is the same.
      await context.tokens.forget(key, token)
      return (await attempt(request)).outcome
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

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
