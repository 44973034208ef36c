import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import { z } from 'zod'
import { type CallOutcome, createOperatorHttpClient, type OperatorRequest, readAnswer } from '../operator-http-client.ts'
import { COMMON_SETTINGS, type ConnectorContext, secretText } from '../settings/protocol.ts'
import { accountOf } from '../tokens/access-tokens.ts'
import { createTokenClient, notSent } from '../tokens/token-client.ts'
import { KEY_REVOKED, keySchema, PIN_REFUSALS, problemSchema, tokenSchema } from './messages.ts'

/** A page of Orange is open for half an hour, and for a day at most. */
const QR_VALIDITY_S = 1_800
const QR_VALIDITY_S_MAX = 86_400

export const sonatelSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** `production` or `sandbox`: what was submitted to one is unknown on the other. */
  environment: z.enum(['production', 'sandbox']),
  clientId: secretText,
  clientSecret: secretText,
  /** Older portals have `/oauth/token`. */
  tokenPath: z.enum(['/oauth/v1/token', '/oauth/token']).default('/oauth/v1/token'),
  /** Of the account that receives collects. */
  merchantCode: z.string().regex(/^\d{4,8}$/, 'must have 4 to 8 digits'),
  /** How the customer pays: with a code that the customer dials for, or in an app of Orange by a link or QR code. */
  collectBy: z.enum(['code', 'qr']).default('code'),
  /** The sequence that the customer dials for a code. */
  dial: z
    .string()
    .regex(/^[*#][\d*#]{1,30}#$/, 'must be a USSD string')
    .default('#144#391#'),
  /** How many digits a customer's code has, as the customers of this account see it; Sonatel publishes no length. */
  codeLength: z.int().min(4).max(8).optional(),
  /** Codes of a refused customer's code, after which the customer may enter another one. Sonatel publishes none. */
  wrongCodes: z.array(z.string().regex(/^\d{1,6}$/, 'must be digits')).default([]),
  /** The app that the link opens. */
  app: z.enum(['OM', 'MAXIT']).default('OM'),
  qrValidityS: z.int().min(60).max(QR_VALIDITY_S_MAX).default(QR_VALIDITY_S),
  /** Of the account that pays deposits, without the dial code. Deposits and balances need both. */
  channelMsisdn: z
    .string()
    .regex(/^\d{9}$/, 'must have 9 digits')
    .optional(),
  pin: secretText.optional(),
  /**
   * A transfer that two searches did not find is sent again. Only if it was agreed with Sonatel that a search shows everything that was
   * taken: nothing else prevents a first submission that arrives late from being carried out too.
   */
  believesEmptySearches: z.boolean().optional(),
  /** The secret that signs callbacks, as the portal shows it for their address. Without it they are hints. */
  signingSecret: secretText.optional(),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
})
export type SonatelSettings = z.infer<typeof sonatelSettingsSchema>

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

/** Encrypts a PIN for a key of Sonatel's, base64 of a DER SubjectPublicKeyInfo. Undefined if the key cannot be read. */
function encryptPin(publicKey: string, pin: string): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(pin)).toString('base64')
  } catch {
    // The key came from outside: one that does not work counts as none.
    return undefined
  }
}
