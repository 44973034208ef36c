import { z } from 'zod'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { COMMON_SETTINGS, secretText } from '#server/operators/settings/protocol.ts'

/** The meaning of a code: a failure, an unknown outcome, or that Moov does not know the reference. */
const MEANINGS = [
  'insufficientFunds',
  'invalidNumber',
  'cancelledByCustomer',
  'operatorTimeout',
  'notRegistered',
  'other',
  'unknown',
  'notFound',
] as const

export const moovSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** `production` or `test`: what was submitted to one is unknown on the other. */
  environment: z.enum(['production', 'test']),
  username: secretText,
  password: secretText,
  /** Encrypts the credentials of every call. */
  key: z.string().regex(/^[\x21-\x7e]{32}$/, 'must have 32 characters'),
  /** One client leaves out its last slash. */
  namespace: z.url().max(200).optional(),
  /** The text shown to customers when they are asked to confirm. */
  pushMessage: z.string().min(1).max(100).optional(),
  /** The number of our own account, for its balance. */
  accountMsisdn: z
    .string()
    .regex(/^\d{8,15}$/, 'must be digits with the dial code')
    .optional(),
  /** Sends numbers of Benin without the 01 that they received in 2024. */
  dropsNewPrefix: z.boolean().optional(),
  /** Answers repeat our reference in `transid` and `referenceid`, as was agreed with Moov: one that does not is not believed. */
  echoesReference: z.boolean().optional(),
  /** Meanings of codes as they were agreed with Moov, before our own table. */
  codeMeanings: z.record(z.string().regex(/^-?\d{1,4}$/, 'must be a code'), z.enum(MEANINGS)).optional(),
  /** The directions of the contract; both if left out. */
  directions: z.array(z.enum(TRANSACTION_TYPES)).min(1).optional(),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
})
export type MoovSettings = z.infer<typeof moovSettingsSchema>
