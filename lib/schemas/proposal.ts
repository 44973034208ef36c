import { z } from 'zod'
import { FUNDING_ACCOUNTS, FUNDING_KINDS, referenceKey } from '#lib/approvals/proposed-change.ts'
import { AMOUNT_MINOR_MAX, parseAmountMinor } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transaction-status.ts'
import { ROLES } from '#lib/people/permissions.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { isShownWebhookUrl } from '#lib/text/web-address.ts'

const personId = z.uuid()
const someRoles = z
  .array(z.enum(ROLES))
  .min(1)
  .refine((roles) => new Set(roles).size === roles.length)
/** Hundredths as a decimal string: JSON cannot hold a bigint. */
const minor = z
  .string()
  .regex(/^\d{1,13}$/)
  .refine((text) => BigInt(text) <= AMOUNT_MINOR_MAX)
const direction = { operator: z.enum(OPERATOR_CODES), type: z.enum(TRANSACTION_TYPES) }
/** Text that PostgreSQL can store. */
const text = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax)
    .refine((value) => !value.includes('\0') && value.isWellFormed())

/** The content of a proposed change, by kind. Forms, actions and the stored rows are read with the same schemas. */
export const rolesChangeSchema = z.strictObject({
  personId,
  roles: someRoles,
  isActive: z.boolean(),
})
export const invitationSchema = z.strictObject({
  email: z
    .string()
    .trim()
    .toLowerCase()
    .max(320)
    .regex(/^[^\s@\0]+@[^\s@\0]+$/)
    .refine((value) => value.isWellFormed()),
  name: text(200).min(1),
  roles: someRoles,
})
export const secondFactorResetSchema = z.strictObject({ personId })
export const serviceChangeSchema = z.strictObject({
  ...direction,
  isEnabled: z.boolean(),
  enforcesLimits: z.boolean(),
  minimumMinor: minor.nullable(),
  maximumMinor: minor.nullable(),
})
export const feesChangeSchema = z.strictObject({ ...direction, appRatePpm: z.int().min(0).max(999_999), appFixedMinor: minor })
export const applicationChangeSchema = z.strictObject({
  name: text(200).min(1),
  requiresSecondFactor: z.boolean(),
  copiesWebhookStatus: z.boolean(),
  allowsCombinedRoles: z.boolean(),
  countries: z
    .array(z.enum(COUNTRY_NAMES))
    .min(1)
    .refine((countries) => new Set(countries).size === countries.length),
  defaultWebhookUrl: z.string().refine(isShownWebhookUrl).nullable(),
})
export const timeZoneChangeSchema = z.strictObject({ timeZone: text(60).min(1) })
export const addressAllowanceSchema = z.strictObject({ network: text(60).min(1), note: text(200) })
export const addressRemovalSchema = z.strictObject({ network: text(60).min(1) })
export const policyActivationSchema = z.strictObject({ version: z.int().min(1) })
/** For how long the old secret works beside the new one, from when the new one is collected: at most thirty days. */
const overlapHours = z.int().min(0).max(720)
export const keyCreationSchema = z.strictObject({ name: text(200).min(1) })
export const keyRotationSchema = z.strictObject({ apiKeyId: z.uuid(), overlapHours })
export const apiUserCreationSchema = z.strictObject({
  username: text(320)
    .min(3)
    .refine((value) => !/\s/.test(value)),
})
export const apiUserChangeSchema = z.strictObject({ apiUserId: z.uuid() })
export const webhookSecretRotationSchema = z.strictObject({ overlapHours })
/** Fields of the settings to change, as their protocol names them: null removes one. Null instead of them: the settings are removed. */
export const operatorSettingsChangeSchema = z.strictObject({
  operator: z.enum(OPERATOR_CODES),
  protocol: text(60).min(1),
  changes: z.record(z.string().max(60), z.json()).nullable(),
})

const fundingText = (lengthMax: number) => z.string().trim().max(lengthMax).refine(isCleanText)

/** Hundredths; a minus takes money away. */
const amount = z
  .string()
  .max(20)
  .transform((typed, context) => {
    const amountMinor = parseAmountMinor(typed.replace(/^-/, ''))
    if (amountMinor !== undefined) return typed.startsWith('-') ? -amountMinor : amountMinor
    context.addIssue({ code: 'custom', message: 'funding.amountWrong' })
    return z.NEVER
  })

/** A funding that somebody proposes. Out: the amount in hundredths. */
export const fundingSchema = z
  .strictObject({
    kind: z.enum(FUNDING_KINDS),
    operator: z.enum(OPERATOR_CODES),
    /** The balance that a correction is about; the deposit balance for all others. */
    account: z.enum(FUNDING_ACCOUNTS),
    amount,
    reference: fundingText(100).refine((reference) => referenceKey(reference) !== ''),
    note: fundingText(500),
    attachment: z.strictObject({ name: fundingText(200).min(1), sha256: z.string().regex(/^[0-9a-f]{64}$/) }).nullable(),
  })
  .refine(({ kind, account }) => kind === 'correction' || account === 'deposit')
  .refine(({ kind, amount: amountMinor }) => kind === 'correction' || amountMinor > 0n)
  .refine(({ kind, attachment }) => kind === 'move' || attachment !== null)
export type FundingInput = z.input<typeof fundingSchema>
export type Funding = z.output<typeof fundingSchema>
