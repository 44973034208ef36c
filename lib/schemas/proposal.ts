import { z } from 'zod'
import { AMOUNT_MINOR_MAX } from '#lib/money/money.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { ROLES } from '#lib/people/permissions.ts'
import { isCleanText } from '#lib/text/clean-text.ts'

/** Fields of the content of proposed changes, which server/changes/kinds puts together. */
export const someRoles = z
  .array(z.enum(ROLES))
  .min(1)
  .refine((roles) => new Set(roles).size === roles.length)
/** Hundredths as a decimal string: JSON cannot hold a bigint. */
export const minor = z
  .string()
  .regex(/^\d{1,13}$/)
  .refine((text) => BigInt(text) <= AMOUNT_MINOR_MAX)
export const direction = { operator: z.enum(OPERATOR_CODES), type: z.enum(TRANSACTION_TYPES) }
/** Text that PostgreSQL can store. */
export const text = (lengthMax: number) => z.string().trim().max(lengthMax).refine(isCleanText)

/** The content of a change of roles or membership. */
export const rolesChangeSchema = z.strictObject({
  personId: z.uuid(),
  roles: someRoles,
  isActive: z.boolean(),
})
/** Fields of the settings to change, as their protocol names them: null removes one. Null instead of them: the settings are removed. */
export const operatorSettingsChangeSchema = z.strictObject({
  operator: z.enum(OPERATOR_CODES),
  protocol: text(60).min(1),
  changes: z.record(z.string().max(60), z.json()).nullable(),
})
