import { z } from 'zod'
import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { parseAmountMinor, parseTypedAmount } from '#lib/money/money.ts'
import { COUNTRIES, COUNTRY_NAMES, isCountryName, isOperatorCode, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { AttachmentType } from '#lib/payments/attachments.ts'
import { mapTexts, PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { cleanPhone } from '#lib/payments/phone-number.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { FILE_QUERY } from '#lib/uploads.ts'

/** Keys of lib/i18n, so that a form shows them as they are. */
const WORDS = {
  required: 'form.field.required',
  phone: 'payment.wrong.phone',
  dialCode: 'payment.wrong.dialCode',
  amount: 'payment.wrong.amount',
  decimals: 'payment.wrong.decimals',
  operator: 'payment.wrong.operator',
  text: 'payment.wrong.text',
} as const satisfies Record<string, MessageKey>

const phoneNumber = z.string().regex(/^\d{10,15}$/, WORDS.phone)
const texts = mapTexts((_, { isRequired, lengthMax }) => {
  const text = z
    .string()
    .trim()
    .refine((typed) => typed !== '' || !isRequired, WORDS.required)
    .refine((typed) => [...typed].length <= lengthMax && isCleanText(typed), WORDS.text)
  return isRequired ? text : text.default('')
})

/** The rules between the fields: an operator of the country, a number of the country, and no hundredths where the operator has none. */
function checkTogether(
  value: { country: string; operator: string; phoneNumber: string; amount: bigint },
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void {
  const wrong = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
  const operator = isOperatorCode(value.operator) ? OPERATORS[value.operator] : undefined
  if (operator && operator.country.name !== value.country) wrong('operator', WORDS.operator)
  if (isCountryName(value.country) && !value.phoneNumber.startsWith(COUNTRIES[value.country].dialCode)) wrong('phoneNumber', WORDS.dialCode)
  if (operator?.decimals === 0 && value.amount % 100n !== 0n) wrong('amount', WORDS.decimals)
}

const UUID = z.uuidv4().toLowerCase()

/** A text that `read` turns into hundredths. */
function amountField(read: (text: string) => bigint | undefined) {
  return z.string().transform((text, context) => {
    const amountMinor = read(text)
    if (amountMinor !== undefined) return amountMinor
    context.issues.push({ code: 'custom', input: text, message: text.trim() === '' ? WORDS.required : WORDS.amount })
    return z.NEVER
  })
}

const plainAmount = amountField((text) => (/^\d+(\.\d+)?$/.test(text) ? parseAmountMinor(text) : undefined))

/** The form as sent. The amount is a plain decimal; the result has it in hundredths. */
export const sentPaymentSchema = z
  .strictObject({
    externalId: UUID,
    originId: z.uuid().nullable(),
    type: z.enum(TRANSACTION_TYPES),
    country: z.enum(COUNTRY_NAMES),
    operator: z.enum(OPERATOR_CODES),
    phoneNumber,
    ...texts,
    amount: plainAmount,
    /** The digest of the file that the maker sees beside the form. */
    attachmentSha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable()
      .default(null),
  })
  .superRefine(checkTogether)
export type SentPayment = z.output<typeof sentPaymentSchema>

function formSchema(locale: Locale) {
  const choice = <Values extends readonly [string, ...string[]]>(values: Values) => z.enum(values, { error: WORDS.required })
  return z
    .object({
      type: choice(TRANSACTION_TYPES),
      country: choice(COUNTRY_NAMES),
      operator: choice(OPERATOR_CODES),
      phoneNumber: z
        .string()
        .transform(cleanPhone)
        .refine((text) => text !== '', { error: WORDS.required, abort: true })
        .pipe(phoneNumber),
      ...texts,
      amount: amountField((text) => parseAmountMinor(parseTypedAmount(text, locale) ?? '')),
    })
    .superRefine(checkTogether)
}

/** The form as typed, checked in the browser, by language. */
export const PAYMENT_FORM_SCHEMAS: Readonly<Record<Locale, ReturnType<typeof formSchema>>> = { en: formSchema('en'), fr: formSchema('fr') }

const typed = (lengthMax: number) => z.string().max(lengthMax).refine(isCleanText)

/** A draft stores the text as it was typed, valid or not. */
export const paymentContentSchema = z.strictObject({
  type: typed(20),
  country: typed(40),
  operator: typed(20),
  phoneNumber: typed(40),
  // A draft may be older than an optional text.
  ...mapTexts((_, { isRequired, lengthMax }) => (isRequired ? typed(lengthMax * 2) : typed(lengthMax * 2).default(''))),
  amount: typed(40),
})

export const savedDraftSchema = z.strictObject({ externalId: UUID, originId: z.uuid().nullable(), content: paymentContentSchema })

/** A file that a maker begins to attach to a payment. */
export const attachmentQuerySchema = z.strictObject({ payment: UUID, ...FILE_QUERY })

/** The answer when it is attached. */
export const attachmentSchema = z.object({
  fileName: z.string(),
  mediaType: z.enum(['application/pdf', 'image/png', 'image/jpeg', 'image/webp'] satisfies AttachmentType[]),
  bytes: z.number(),
  sha256: z.string(),
  isKept: z.boolean(),
})

/** The form of an attachment's address: to be shown, or to be saved. */
export const attachmentViewSchema = z.strictObject({ save: z.literal('1').optional() })

/** A draft, or the attachment of a payment, to be removed. */
export const removedDraftSchema = z.strictObject({ externalId: UUID })

/** The address of the form: its identity, the transaction that it replaces, and the number of the customer to begin with. */
export const paymentAddressSchema = z.object({
  payment: UUID.optional(),
  from: z.uuid().optional(),
  to: z
    .string()
    .regex(/^\d{10,15}$/)
    .optional(),
})

/** The form while somebody types. Only type and operator are required. */
export const paymentPreviewSchema = z.strictObject({
  type: z.enum(TRANSACTION_TYPES),
  operator: z.enum(OPERATOR_CODES),
  phoneNumber: z
    .string()
    .regex(/^\d{10,15}$/)
    .optional(),
  customerName: typed(PAYMENT_TEXTS.customerName.lengthMax * 2).optional(),
  amount: plainAmount.optional(),
  from: z.uuid().optional(),
})

/** An account to check: a whole number of the operator's country. */
export const accountCheckSchema = z
  .strictObject({ operator: z.enum(OPERATOR_CODES), phoneNumber: z.string().regex(/^\d{10,15}$/) })
  .refine(({ operator, phoneNumber }) => phoneNumber.startsWith(OPERATORS[operator].country.dialCode))

/** Who was paid before, while somebody types a name or a number. */
export const beneficiaryQuerySchema = z.strictObject({ q: typed(200), type: z.enum(TRANSACTION_TYPES) })

/** A refund as a person sends it, with the reason that its checkers read. The amount is a plain decimal; the result has it in hundredths. */
export const sentRefundSchema = z.strictObject({
  transactionId: z.uuid(),
  externalId: UUID,
  amount: plainAmount,
  reason: z
    .string()
    .trim()
    .refine((typed) => typed !== '', WORDS.required)
    .refine((typed) => [...typed].length <= PAYMENT_TEXTS.purpose.lengthMax && isCleanText(typed), WORDS.text),
})
