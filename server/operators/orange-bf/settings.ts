import { z } from 'zod'
import { codeMeaningsSchema } from '#server/operators/answer-table.ts'
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
  /** Meanings of the codes that Orange has told us; it publishes few for this country. */
  codeMeanings: codeMeaningsSchema.default({}),
})
export type OrangeBfSettings = z.infer<typeof orangeBfSettingsSchema>
