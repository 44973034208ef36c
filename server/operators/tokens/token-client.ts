import type { z } from 'zod'
import { type CallOutcome, exchangeOf, type OperatorHttpClient, type OperatorRequest, readAnswer } from '../operator-http-client.ts'
import type { ConnectorContext } from '../settings/protocol.ts'
import type { IssuedToken } from './access-tokens.ts'

const REASON_LENGTH_MAX = 200

type TokenClientOptions = {
  http: OperatorHttpClient
  context: Pick<ConnectorContext, 'operator' | 'queryTimeoutMs' | 'tokens'>
  /** Names the account by its credentials (`accountOf`). */
  account: string
  /** Asks the operator for a token. */
  tokenRequest: Omit<OperatorRequest, 'timeoutMs' | 'writeBeforeMs'>
  tokenSchema: z.ZodType<{ access_token: string; expires_in: number }>
  /** The headers of every call; those of the request win. */
  headersOf(token: string, request: OperatorRequest): Record<string, string>
  /** Says whether the operator's gateway refused the token, so that nothing behind it has seen the request. Default: HTTP 401. */
  isTokenRefused?(outcome: CallOutcome): boolean
}

export type TokenClient = {
  /** A call with an access token, which is fetched once, renewed before it ends, and replaced once if the gateway refuses it. */
  call(request: OperatorRequest): Promise<CallOutcome>
  /** Signs in, and says why if that is not possible. */
  signIn(): Promise<CallOutcome | 'signed_in'>
}

/** Calls to an operator whose gateway wants an OAuth access token. A call without a token is never written. */
export function createTokenClient(options: TokenClientOptions): TokenClient {
  const { http, context, tokenRequest, tokenSchema, headersOf, isTokenRefused = isUnauthorised } = options
  const key = { operator: context.operator, account: options.account }
  let refusal: CallOutcome | undefined

  async function fetchToken(): Promise<IssuedToken | undefined> {
    const outcome = await http.call({ ...tokenRequest, timeoutMs: context.queryTimeoutMs })
    const issued = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, tokenSchema) : undefined
    refusal = issued ? undefined : outcome
    return issued && { token: issued.access_token, expiresInMs: Math.max(issued.expires_in, 1) * 1_000 }
  }

  async function attempt(request: OperatorRequest): Promise<{ outcome: CallOutcome; token: string | undefined }> {
    const token = await context.tokens.get(key, fetchToken)
    if (token === undefined) return { outcome: withoutToken(refusal), token }
    return { outcome: await http.call({ ...request, headers: { ...headersOf(token, request), ...request.headers } }), token }
  }

  return {
    async call(request) {
      const { outcome, token } = await attempt(request)
      if (token === undefined || !isTokenRefused(outcome)) return outcome
      // It ended before its time. Nothing behind the gateway has seen the request, so the same one may be written again.
      await context.tokens.forget(key, token)
      return (await attempt(request)).outcome
    },
    async signIn() {
      const token = await context.tokens.get(key, fetchToken)
      return token === undefined ? withoutToken(refusal) : 'signed_in'
    },
  }
}

/** A call that was not made: not one byte of it was written. */
export function notSent(detail: string): CallOutcome {
  return { kind: 'lost', detail, httpStatus: null, wasWritten: false }
}

function isUnauthorised(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.httpStatus === 401
}

function withoutToken(refusal: CallOutcome | undefined): CallOutcome {
  const { httpStatus, answer } = refusal ? exchangeOf(refusal) : { httpStatus: null, answer: 'another process is fetching it' }
  return notSent(`No access token: ${httpStatus === null ? '' : `HTTP ${httpStatus} `}${answer.slice(0, REASON_LENGTH_MAX)}`.trim())
}
