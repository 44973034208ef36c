import { z } from 'zod'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

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
