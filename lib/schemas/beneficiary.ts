import { z } from 'zod'
import { GROUP_NAME_MAX } from '#lib/beneficiaries/beneficiaries.ts'
import { parseAmountMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { isCleanText } from '#lib/text/clean-text.ts'

const text = (lengthMax: number) => z.string().trim().max(lengthMax).refine(isCleanText)
const minute = z.int().min(0).max(1439)
const groupName = text(GROUP_NAME_MAX).min(1)

/** The address of the book. */
export const beneficiaryListSchema = z.object({
  q: z.string().trim().max(200).refine(isCleanText).optional().catch(undefined),
  group: z.string().max(GROUP_NAME_MAX).refine(isCleanText).optional().catch(undefined),
  show: z.enum(['present', 'archived']).catch('present').default('present'),
  page: z.coerce.number().int().min(0).max(100_000).catch(0),
})
export type BeneficiaryListFilter = z.output<typeof beneficiaryListSchema>

/** Group and amount of a person; the amount is a plain decimal. */
export const beneficiaryPlaceSchema = z.object({
  beneficiaryId: z.uuid(),
  groupName: groupName.nullable(),
  amount: z
    .string()
    .max(20)
    .transform((typed, context) => {
      const amountMinor = parseAmountMinor(typed)
      if (amountMinor !== undefined && amountMinor > 0n) return amountMinor
      context.addIssue({ code: 'custom', message: 'beneficiaries.amountWrong' })
      return z.NEVER
    })
    .nullable(),
})

/** The address of a file of beneficiaries. `expects`: the digest of the preview that is proposed; without it the file is only looked through. */
export const beneficiaryImportSchema = z.object({
  fileName: text(200).min(1),
  operator: z.enum(OPERATOR_CODES).optional(),
  expects: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})

/** The page of the people of one file. */
export const importedPeopleSchema = z.object({ page: z.coerce.number().int().min(0).max(100).catch(0) })

export const beneficiaryArchiveSchema = z.object({ beneficiaryId: z.uuid(), isArchived: z.boolean() })

/** The time at which a list is prepared automatically. */
export const paymentScheduleSchema = z.object({
  source: z.union([z.strictObject({ batchId: z.uuid() }), z.strictObject({ groupName })]),
  name: text(200).min(1),
  purpose: text(PAYMENT_TEXTS.purpose.lengthMax).min(1).nullable(),
  time: z.discriminatedUnion('every', [
    z.strictObject({ every: z.literal('once'), weekday: z.null(), monthDay: z.null(), day: z.iso.date(), minute }),
    z.strictObject({ every: z.literal('week'), weekday: z.int().min(1).max(7), monthDay: z.null(), day: z.null(), minute }),
    z.strictObject({ every: z.literal('month'), weekday: z.null(), monthDay: z.int().min(1).max(28), day: z.null(), minute }),
  ]),
})
export const endScheduleSchema = z.object({ scheduleId: z.uuid() })

/** A list to prepare: an earlier one again, or a group of the book. */
export const prepareListSchema = z.object({
  source: z.union([z.strictObject({ batchId: z.uuid() }), z.strictObject({ groupName })]),
  name: text(200).min(1).nullable(),
  purpose: text(PAYMENT_TEXTS.purpose.lengthMax).min(1).nullable(),
})
