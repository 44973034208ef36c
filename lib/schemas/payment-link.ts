import { z } from 'zod'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { AMOUNT_MINOR_MAX, parseAmountMinor } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { LINK_PAYMENTS_MAX, PAYMENT_LINK_STATES } from '#lib/payments/payment-links.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { isUtcDay } from '#lib/time/time.ts'

/** Keys of lib/i18n, so that the form shows them as they are. */
const WORDS = {
  required: 'form.field.required',
  purpose: 'payment.wrong.text',
  operators: 'links.wrong.operators',
  amount: 'payment.wrong.amount',
  decimals: 'payment.wrong.decimals',
  limits: 'links.wrong.limits',
  paymentsMax: 'links.wrong.paymentsMax',
  lastDay: 'links.wrong.lastDay',
} as const satisfies Record<string, MessageKey>

/** A plain decimal, as `parseTypedAmount` writes it; hundredths. Empty and null: none. */
const amount = z
  .string()
  .nullable()
  .transform((text, context) => {
    if (text === null) return null
    const amountMinor = /^\d+(\.\d+)?$/.test(text) ? parseAmountMinor(text) : undefined
    if (amountMinor !== undefined && amountMinor <= AMOUNT_MINOR_MAX) return amountMinor
    context.issues.push({ code: 'custom', input: text, message: text.trim() === '' ? WORDS.required : WORDS.amount })
    return z.NEVER
  })

/** A link as a maker creates it: with an amount, or with both limits of what the customer enters. */
export const newPaymentLinkSchema = z
  .strictObject({
    /** Made by the form, so that a form that is sent twice creates one link. */
    linkId: z.uuidv4().toLowerCase(),
    purpose: z
      .string()
      .trim()
      .refine((typed) => typed !== '', WORDS.required)
      .refine((typed) => [...typed].length <= PAYMENT_TEXTS.purpose.lengthMax && isCleanText(typed), WORDS.purpose),
    country: z.enum(COUNTRY_NAMES),
    operators: z
      .array(z.enum(OPERATOR_CODES))
      .min(1, WORDS.operators)
      .max(OPERATOR_CODES.length)
      .transform((codes) => OPERATOR_CODES.filter((code) => codes.includes(code))),
    amount,
    minimum: amount,
    maximum: amount,
    paymentsMax: z.number().int(WORDS.paymentsMax).min(1, WORDS.paymentsMax).max(LINK_PAYMENTS_MAX, WORDS.paymentsMax).nullable(),
    lastDay: z
      .string()
      .refine((text) => isUtcDay(text) && text < '2200', WORDS.lastDay)
      .nullable(),
  })
  .superRefine(({ country, operators, amount, minimum, maximum }, context) => {
    const wrong = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (operators.some((code) => OPERATORS[code].country.name !== country)) wrong('operators', WORDS.operators)
    if (amount === null && minimum === null) wrong('amount', WORDS.required)
    if (amount === null && minimum !== null && (maximum === null || maximum < minimum)) wrong('maximum', WORDS.limits)
    if (amount !== null && (minimum !== null || maximum !== null)) wrong('amount', WORDS.amount)
    const isWhole = operators.some((code) => OPERATORS[code].decimals === 0)
    for (const [field, value] of Object.entries({ amount, minimum, maximum }))
      if (isWhole && value !== null && value % 100n !== 0n) wrong(field, WORDS.decimals)
  })
export type NewPaymentLink = z.output<typeof newPaymentLinkSchema>

export const paymentLinkIdSchema = z.strictObject({ linkId: z.uuid() })

/** The address of the list of links. */
export const paymentLinkListSchema = z.object({
  q: z.string().trim().max(200).optional().catch(undefined),
  state: z.enum(PAYMENT_LINK_STATES).optional().catch(undefined),
  page: z.coerce.number().int().min(0).max(100_000).catch(0),
})
export type PaymentLinkFilter = z.output<typeof paymentLinkListSchema>

export const paymentLinkPageSchema = z.object({ page: z.coerce.number().int().min(0).max(100_000).catch(0) })

/** The form of a customer, as it was typed. Longer texts are none that the form can send. */
export const linkPaymentFormSchema = z.object({
  /** Made when the form was rendered: sent twice, it starts one payment. */
  attempt: z.uuidv4().toLowerCase(),
  operator: z.string().max(20).default(''),
  phoneNumber: z.string().max(40).default(''),
  customerName: z.string().max(400).default(''),
  amount: z.string().max(40).default(''),
})
export type LinkPaymentForm = z.output<typeof linkPaymentFormSchema>
