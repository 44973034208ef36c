import { type CallOutcome, createOperatorHttpClient, type OperatorRequest } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { accountOf } from '#server/operators/tokens/access-tokens.ts'
import { createTokenClient, notSent } from '#server/operators/tokens/token-client.ts'
import { KEY_REVOKED, PIN_REFUSALS } from './answers.ts'
import { encryptPin } from './encrypt-pin.ts'
import { keySchema, problemSchema, tokenSchema } from './messages.ts'
import type { SonatelSettings } from './settings.ts'

const KEY_AGE_MS_MAX = 600_000

type PostOptions = Pick<OperatorRequest, 'writeBeforeMs'> & { headers?: Record<string, string> }

export type SonatelClient = {
  get(path: string): Promise<CallOutcome>
  post(path: string, body: object, options: PostOptions): Promise<CallOutcome>
  /** The same with our PIN, encrypted. */
  postWithPin(path: string, bodyOf: (encryptedPinCode: string) => object, options: PostOptions): Promise<CallOutcome>
  /** Signs in, and says why if that is not possible. */
  signIn(): Promise<CallOutcome | 'signed_in'>
  close(): Promise<void>
}

/** Calls with an access token, which is fetched once and renewed before it ends. */
export function createSonatelClient(context: ConnectorContext, settings: SonatelSettings): SonatelClient {
  const { baseUrl, clientId, clientSecret } = settings
  const http = createOperatorHttpClient(baseUrl, context.connectionsMax, context.transport)
  const { call, signIn } = createTokenClient({
    http,
    context,
    account: accountOf('orange-sonatel', baseUrl, clientId, clientSecret),
    tokenSchema,
    tokenRequest: {
      method: 'POST',
      path: settings.tokenPath,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }).toString(),
    },
    // The gateway also wants a content type of requests without a body: 415 without one.
    headersOf: (token) => ({ accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${token}` }),
    // With a code it is an answer from behind the gateway, and may be about the PIN: the same call again would be the next wrong try.
    isTokenRefused: (outcome) => outcome.kind === 'answered' && outcome.httpStatus === 401 && !readAnswer(outcome, problemSchema),
  })
  const get: SonatelClient['get'] = (path) => call({ method: 'GET', path, headers: {}, timeoutMs: context.queryTimeoutMs })
  const post: SonatelClient['post'] = (path, body, { headers = {}, writeBeforeMs }) =>
    call({
      method: 'POST',
      path,
      headers,
      writeBeforeMs,
      body: JSON.stringify(body),
      timeoutMs: context.submitTimeoutMs,
    })
  return {
    get,
    post,
    postWithPin: createPinCall(get, post, settings.pin),
    signIn,
    close: () => http.close(),
  }
}

/** Makes no call after Sonatel refused the PIN: three wrong ones block our account, and balances are read again and again. */
function createPinCall(get: SonatelClient['get'], post: SonatelClient['post'], pin: string | undefined): SonatelClient['postWithPin'] {
  let isPinRefused = false
  let known: { key: string; readAtMs: number } | undefined
  let reading: Promise<string | undefined> | undefined

  async function readKey(): Promise<string | undefined> {
    const outcome = await get('/api/account/v1/publicKeys')
    const key = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, keySchema)?.key : undefined
    known = key === undefined ? undefined : { key, readAtMs: performance.now() }
    return key
  }

  async function publicKey(): Promise<string | undefined> {
    if (known && performance.now() - known.readAtMs < KEY_AGE_MS_MAX) return known.key
    reading ??= readKey().finally(() => {
      reading = undefined
    })
    return reading
  }

  return async (path, bodyOf, options) => {
    if (pin === undefined) return notSent('There is no PIN')
    const key = isPinRefused ? undefined : await publicKey()
    // Asked again: another call may have been refused meanwhile.
    if (isPinRefused) return notSent('The PIN was refused; set it again')
    const encryptedPinCode = key === undefined ? undefined : encryptPin(key, pin)
    if (encryptedPinCode === undefined) return notSent('The public key of Sonatel cannot be read')
    const outcome = await post(path, bodyOf(encryptedPinCode), options)
    const code = readAnswer(outcome, problemSchema)?.code ?? ''
    if (PIN_REFUSALS.has(code)) isPinRefused = true
    if (code === KEY_REVOKED) known = undefined
    return outcome
  }
}
