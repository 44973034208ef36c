import { z } from 'zod'
import { codeMeaningsSchema } from '#server/operators/answer-table.ts'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

export const orangeWebSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** The country in the paths: `ci`, or `dev` for Orange's sandbox, whose currency is OUV. */
  country: z.string().regex(/^[a-z]{2,3}$/, 'must be a code like ci'),
  clientId: secretText,
  clientSecret: secretText,
  merchantKey: secretText,
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
  /** Meanings of the codes that Orange has told us; it publishes few for this country. */
  codeMeanings: codeMeaningsSchema.default({}),
})
export type OrangeWebSettings = z.infer<typeof orangeWebSettingsSchema>
