import type { CallOutcome, OperatorHttpClient, OperatorRequest } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf, type IssuedToken } from '#server/operators/tokens/access-tokens.ts'
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

export type ProductClient = { call(request: OperatorRequest): Promise<CallOutcome> }

/** Calls of one product with its subscription key and an access token, which is fetched once and renewed before it ends. */
export function createProductClient({ http, context, settings, product, credentials }: ProductClientOptions): ProductClient {
  const { subscriptionKey, apiUser, apiKey } = credentials
  const subscription = { 'ocp-apim-subscription-key': subscriptionKey }
  const account = accountOf(product, settings.baseUrl, subscriptionKey, apiUser, apiKey)
  const key = { operator: context.operator, account }
  let refusal: CallOutcome | undefined

  async function fetchToken(): Promise<IssuedToken | undefined> {
    // Without a body: MTN refuses one.
    const outcome = await http.call({
      method: 'POST',
      path: `/${product}/token/`,
      headers: { ...subscription, authorization: `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}` },
      timeoutMs: context.queryTimeoutMs,
    })
    const issued = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, tokenSchema) : undefined
    refusal = issued ? undefined : outcome
    return issued && { token: issued.access_token, expiresInMs: issued.expires_in * 1_000 }
  }

  async function attempt(request: OperatorRequest): Promise<{ outcome: CallOutcome; token: string | undefined }> {
    const token = await context.tokens.get(key, fetchToken)
    if (token === undefined) return { outcome: withoutToken(refusal), token }
    const headers = {
      ...subscription,
      authorization: `Bearer ${token}`,
      'x-target-environment': settings.targetEnvironment,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    }
    return { outcome: await http.call({ ...request, headers }), token }
  }

  return {
    async call(request) {
      const { outcome, token } = await attempt(request)
      if (outcome.kind !== 'answered' || outcome.httpStatus !== 401 || token === undefined) return outcome
      // It ended before its time. Nothing behind the gateway has seen the request, and the reference is the same.
      await context.tokens.forget(key, token)
      return (await attempt(request)).outcome
    },
  }
}

/** The call itself was not made: not one byte of it was written. */
function withoutToken(refusal: CallOutcome | undefined): CallOutcome {
  const why = refusal?.kind === 'answered' ? `HTTP ${refusal.httpStatus} ${refusal.body.slice(0, 200)}`.trim() : refusal?.detail
  return { kind: 'lost', detail: `No access token: ${why ?? 'another process is fetching it'}`, httpStatus: null, wasWritten: false }
}
