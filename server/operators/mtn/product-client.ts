import { z } from 'zod'
import type { OperatorHttpClient } from '../operator-http-client.ts'
import { COMMON_SETTINGS, type ConnectorContext, secretText } from '../settings/protocol.ts'
import { accountOf } from '../tokens/access-tokens.ts'
import { createTokenClient, type TokenClient } from '../tokens/token-client.ts'
import { tokenSchema } from './messages.ts'

/** One API user of MTN's partner portal with the subscription of one product. */
const productSchema = z.strictObject({ subscriptionKey: secretText, apiUser: z.uuid(), apiKey: secretText })

const fieldsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** `mtncameroon`, `mtnbenin`, `mtnuganda`, or `sandbox`. */
  targetEnvironment: z.string().regex(/^[a-z]{3,30}$/, 'must be a name like mtncameroon'),
  /** Only for MTN's sandbox, which takes nothing but EUR. */
  sandboxCurrency: z.literal('EUR').optional(),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
  /** For collects; without it they are not in service. */
  collection: productSchema.optional(),
  /** For deposits; without it they are not in service. */
  disbursement: productSchema.optional(),
})

export const mtnSettingsSchema = fieldsSchema.refine(
  ({ collection, disbursement }) => collection !== undefined || disbursement !== undefined,
  'needs collection, disbursement, or both',
)
export type MtnSettings = z.infer<typeof mtnSettingsSchema>

export type MtnProduct = 'collection' | 'disbursement'

type ProductClientOptions = {
  http: OperatorHttpClient
  context: ConnectorContext
  settings: MtnSettings
  product: MtnProduct
  credentials: { subscriptionKey: string; apiUser: string; apiKey: string }
}

/** Calls of one product with its subscription key and an access token. */
export function createProductClient({ http, context, settings, product, credentials }: ProductClientOptions): TokenClient {
  const { subscriptionKey, apiUser, apiKey } = credentials
  const subscription = { 'ocp-apim-subscription-key': subscriptionKey }
  return createTokenClient({
    http,
    context,
    account: accountOf(product, settings.baseUrl, subscriptionKey, apiUser, apiKey),
    tokenSchema,
    // Without a body: MTN refuses one.
    tokenRequest: {
      method: 'POST',
      path: `/${product}/token/`,
      headers: { ...subscription, authorization: `Basic ${Buffer.from(`${apiUser}:${apiKey}`).toString('base64')}` },
    },
    headersOf: (token, request) => ({
      ...subscription,
      authorization: `Bearer ${token}`,
      'x-target-environment': settings.targetEnvironment,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    }),
  })
}
