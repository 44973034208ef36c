import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { OPERATORS } from '#lib/operators/operators.ts'
import {
  type CallOutcome,
  createOperatorHttpClient,
  type OperatorHttpClient,
  type OperatorRequest,
  readAnswer,
} from '../operator-http-client.ts'
import { COMMON_SETTINGS, type ConnectorContext, secretText } from '../settings/protocol.ts'
import { accountOf } from '../tokens/access-tokens.ts'
import { createTokenClient, type TokenClient } from '../tokens/token-client.ts'
import { keySchema, problemSchema, tokenSchema } from './messages.ts'

/** Airtel asks for at least a minute, because a status enquiry before it may not find a transaction that exists. */
const ENQUIRY_DELAY_MS = 60_000
const ENQUIRY_DELAY_MS_MAX = 600_000

const fieldsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** `production` or `uat`: what was submitted to one is unknown on the other. */
  environment: z.enum(['production', 'uat']),
  clientId: secretText,
  clientSecret: secretText,
  /** Of the disbursement account; deposits are not in service without it. */
  pin: secretText.optional(),
  /** Of disbursements and balances. Only version 2 has a balance for each direction. */
  apiVersion: z.enum(['v1', 'v2']).optional(),
  /** Message signing, as it is switched on in Airtel's portal: payments v2, disbursements v3. */
  signsMessages: z.boolean().optional(),
  /** How the PIN and the keys of signatures are encrypted. */
  rsaPadding: z.enum(['pkcs1', 'oaep-sha256']).optional(),
  /** The private key of callback authentication; without it callbacks are hints. */
  callbackKey: secretText.optional(),
  /** From a submission to its first status enquiry, and to the next submission of the same id; at least a minute in production. */
  enquiryDelayMs: z.int().min(0).max(ENQUIRY_DELAY_MS_MAX).default(ENQUIRY_DELAY_MS),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
})

export const airtelSettingsSchema = fieldsSchema.refine(
  ({ environment, enquiryDelayMs }) => environment !== 'production' || enquiryDelayMs >= ENQUIRY_DELAY_MS,
  // A submission that Airtel is still working on is unknown to an earlier enquiry, and would be sent again.
  { path: ['enquiryDelayMs'], error: 'must be at least 60000 in production' },
)
export type AirtelSettings = z.infer<typeof airtelSettingsSchema>

/** Airtel says until when a key is valid, in no documented form. */
const KEY_AGE_MS_MAX = 600_000

export type AirtelClient = {
  /** A call with an access token, which is fetched once and renewed before it ends. */
  call(request: OperatorRequest): Promise<CallOutcome>
  /** The key that PINs and signatures are encrypted with; undefined if it cannot be read. */
  encryptionKey(): Promise<string | undefined>
  /** Airtel could not decrypt with it: the next call reads another one. */
  forgetKey(): void
  close(): Promise<void>
}

export function createAirtelClient(context: ConnectorContext, settings: AirtelSettings): AirtelClient {
  const http = createOperatorHttpClient(settings.baseUrl, context.connectionsMax, context.transport)
  const { call } = createAirtelTokens(http, context, settings)
  let known: { key: string; readAtMs: number } | undefined
  let reading: Promise<string | undefined> | undefined

  async function readKey(): Promise<string | undefined> {
    const outcome = await call({ method: 'GET', path: '/v1/rsa/encryption-keys', headers: {}, timeoutMs: context.queryTimeoutMs })
    const key = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, keySchema)?.data.key : undefined
    known = key === undefined ? undefined : { key, readAtMs: performance.now() }
    return key
  }

  return {
    call,
    async encryptionKey() {
      if (known && performance.now() - known.readAtMs < KEY_AGE_MS_MAX) return known.key
      reading ??= readKey().finally(() => {
        reading = undefined
      })
      return reading
    },
    forgetKey() {
      known = undefined
    },
    close: () => http.close(),
  }
}

function createAirtelTokens(http: OperatorHttpClient, context: ConnectorContext, settings: AirtelSettings): TokenClient {
  const { baseUrl, clientId, clientSecret } = settings
  const { country } = OPERATORS[context.operator]
  const common = { accept: '*/*', 'content-type': 'application/json', 'x-country': country.code, 'x-currency': country.currency }
  return createTokenClient({
    http,
    context,
    account: accountOf('airtel', baseUrl, clientId, clientSecret),
    tokenSchema,
    tokenRequest: {
      method: 'POST',
      path: '/auth/oauth2/token',
      headers: { accept: '*/*', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }),
    },
    headersOf: (token) => ({ ...common, authorization: `Bearer ${token}` }),
    isTokenRefused,
  })
}

/** Some gateways of Airtel answer 403 to a token that has ended, which also means that something is not allowed. */
function isTokenRefused(outcome: CallOutcome): boolean {
  if (outcome.kind !== 'answered') return false
  return outcome.httpStatus === 401 || (outcome.httpStatus === 403 && readAnswer(outcome, problemSchema)?.error === 'invalid_token')
}

type RsaPadding = 'pkcs1' | 'oaep-sha256'

/** Encrypts text for Airtel's public key, base64 of a DER SubjectPublicKeyInfo. Undefined if the key cannot be read or is too short. */
export function encryptForAirtel(publicKey: string, padding: RsaPadding, text: string): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const how =
      padding === 'pkcs1' ? { padding: constants.RSA_PKCS1_PADDING } : { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    return publicEncrypt({ key, ...how }, Buffer.from(text)).toString('base64')
  } catch {
    // The key came from outside: one that does not work counts as none.
    return undefined
  }
}

/** The headers of a signed message: the body encrypted with a key that was made for it, and that key encrypted for Airtel. */
export function signatureHeaders(publicKey: string, padding: RsaPadding, body: string): Record<string, string> | undefined {
  const [key, iv] = [randomBytes(32), randomBytes(16)]
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const signature = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]).toString('base64')
  const sealedKey = encryptForAirtel(publicKey, padding, `${key.toString('base64')}:${iv.toString('base64')}`)
  return sealedKey === undefined ? undefined : { 'x-signature': signature, 'x-key': sealedKey }
}
