import { z } from 'zod'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

const EXPIRY_GRACE_S = 300
const EXPIRY_GRACE_S_MAX = 86_400

export const waveSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** Of one wallet: `wave_sn_prod_…`. */
  apiKey: secretText,
  /** The directions for which the key has the APIs; both unless stated. */
  directions: z
    .array(z.enum(TRANSACTION_TYPES))
    .min(1)
    .default([...TRANSACTION_TYPES]),
  /** How long after its end a checkout that nobody seems to have paid is queried, for a payment that was started at the last moment. */
  expiryGraceS: z.int().min(0).max(EXPIRY_GRACE_S_MAX).default(EXPIRY_GRACE_S),
  /** Of the webhook: what signs it, or what it carries as Authorization. Without one, callbacks are refused and polling finds the results. */
  signingSecret: secretText.optional(),
  sharedSecret: secretText.optional(),
})
export type WaveSettings = z.infer<typeof waveSettingsSchema>
