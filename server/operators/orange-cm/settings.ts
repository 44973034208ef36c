import { z } from 'zod'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

export const orangeCmSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** `production` or `sandbox`: what was submitted to one is unknown on the other. */
  environment: z.enum(['production', 'sandbox']),
  /** Of the application on Orange's gateway. */
  consumerKey: secretText,
  consumerSecret: secretText,
  /** Of the merchant. */
  apiUser: secretText,
  apiPassword: secretText,
  /** The merchant's own number, nine digits, and its PIN. */
  channelMsisdn: z.string().regex(/^\d{9}$/, 'must have nine digits'),
  pin: secretText,
  /** The directions of the contract; both if left out. */
  directions: z.array(z.enum(TRANSACTION_TYPES)).min(1).optional(),
  /** The header that the gateway reads the token from. */
  bearerHeader: z.enum(['Authorization', 'WSO2-Authorization']).optional(),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
})
export type OrangeCmSettings = z.infer<typeof orangeCmSettingsSchema>
