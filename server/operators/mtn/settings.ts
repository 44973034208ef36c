import { z } from 'zod'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

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
