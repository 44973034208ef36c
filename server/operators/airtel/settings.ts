import { z } from 'zod'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

/** Airtel asks for at least a minute, because a status query before it may not find a transaction that exists. */
const ENQUIRY_DELAY_MS = 60_000
const ENQUIRY_DELAY_MS_MAX = 600_000

export const airtelSettingsSchema = z.strictObject({
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
  /** From a submission to its first status query, and to the next submission of the same id. */
  enquiryDelayMs: z.int().min(0).max(ENQUIRY_DELAY_MS_MAX).default(ENQUIRY_DELAY_MS),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
})
export type AirtelSettings = z.infer<typeof airtelSettingsSchema>
