import { z } from 'zod'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

export const orangeBfSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** Appended to the address. */
  path: z
    .string()
    .regex(/^\/[\w/-]*$/, 'must begin with /')
    .default('/payment'),
  merchantMsisdn: z.string().regex(/^\d{8}$/, 'must have 8 digits'),
  apiUsername: secretText,
  apiPassword: secretText,
})
export type OrangeBfSettings = z.infer<typeof orangeBfSettingsSchema>
