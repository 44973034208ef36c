import { z } from 'zod'
import { parseAmountMinor } from '#lib/money/money.ts'
import { COUNTRIES, COUNTRY_NAMES, isCountryName, isOperatorCode, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { mapApiTexts, mapTexts, type PAYMENT_TEXTS, type PaymentTextName } from '#lib/payments/payment-fields.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isJsonObject, JsonNumber, type JsonValue } from '#lib/text/json.ts'
import { isWebhookUrl, WEBHOOK_URL_LENGTH_MAX } from '#lib/text/web-address.ts'
import { hasNul, isAtMost, mustBe, parseFields, wordField } from '../fields.ts'

/** The largest number of elements of depositMultiple. */
export const BATCH_LENGTH_MAX = 1_000

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const PHONE_NUMBER = /^\d{10,15}$/

const MUST_BE = {
  externalId: 'a UUID version 4',
  phoneNumber: 'in international format without +: digits only, 10 to 15 of them, starting with the dial code of the country',
  amount: 'a number greater than zero, with at most two decimals and at most 9999999999.99',
  webhookUrl: `an absolute http or https address of at most ${WEBHOOK_URL_LENGTH_MAX} characters`,
} as const

function textField(name: string, rule: string, isRight: (text: string) => boolean) {
  const error = mustBe(name, rule)
  return z.string({ error }).refine((text) => isRight(text) && !hasNul(text), { error })
}

function paymentText(name: PaymentTextName, { isRequired, lengthMax, description }: (typeof PAYMENT_TEXTS)[PaymentTextName]) {
  const minLength = isRequired ? 1 : 0
  const field = textField(
    name,
    `a text of ${isRequired ? '1 to' : 'at most'} ${lengthMax} characters`,
    (text) => isAtMost(text, lengthMax) && (!isRequired || text.trim() !== ''),
  ).meta({ minLength, maxLength: lengthMax, description })
  return isRequired ? field : field.default('')
}

/** Hundredths from the source text of a JSON number; a quoted text is not a number. */
const amountField = z.unknown().transform((value, context) => {
  const amountMinor = value instanceof JsonNumber ? parseAmountMinor(value.text) : undefined
  if (amountMinor !== undefined) return amountMinor
  context.issues.push({ code: 'custom', input: value, message: mustBe('amount', MUST_BE.amount)({ input: value }) })
  return z.NEVER
})

const transferMethod = wordField('transferMethod', OPERATOR_CODES).meta({
  description: 'The operator code. It names one operator in one country',
})

const phoneNumber = textField('phoneNumber', MUST_BE.phoneNumber, (text) => PHONE_NUMBER.test(text)).meta({
  pattern: PHONE_NUMBER.source,
  description: 'In international format without +. It starts with the dial code of the country',
})

export const requestFields = {
  transferMethod,
  ...mapApiTexts(paymentText),
  externalId: textField('externalId', MUST_BE.externalId, (text) => UUID_V4.test(text))
    .toLowerCase()
    .meta({
      format: 'uuid',
      description:
        'Your identifier of the transaction, a UUID version 4. Use a new one for each transaction and the same one to repeat a request. Stored and returned in lower case',
    }),
  phoneNumber,
  amount: amountField.meta({
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 9_999_999_999.99,
    description: 'A JSON number, not a text, with at most two decimals, in the currency of the country',
  }),
  webhookUrl: textField('webhookUrl', MUST_BE.webhookUrl, isWebhookUrl).meta({
    format: 'uri',
    maxLength: WEBHOOK_URL_LENGTH_MAX,
    description: 'An absolute http or https address, which receives the result as a webhook',
  }),
  countryName: wordField('countryName', COUNTRY_NAMES).meta({ description: 'The country of transferMethod, in capitals' }),
}

/** The same in version 2, which has texts that the specification does not know. */
export const laterRequestFields = { ...requestFields, ...mapTexts(paymentText) }

/** The rules between fields, also where single fields are wrong. */
export function checkMismatch(value: Parameters<typeof findMismatch>[0], context: z.RefinementCtx): void {
  const problem = findMismatch(value)
  if (problem) context.addIssue({ code: 'custom', path: [problem.field], message: problem.message })
}

export const WHEN_OBJECT = { when: ({ value }: { value: unknown }) => isJsonObject(value) }

/**
 * Body of collect and deposit, and each element of depositMultiple. Reads
 * what lib/text/json.ts parsed. Unknown fields are dropped. Out: the same names, with `amount` as a bigint in hundredths.
 */
export const transactionRequestSchema = z
  .object(requestFields, { error: 'The body must be a JSON object.' })
  .superRefine(checkMismatch, WHEN_OBJECT)
  .meta({ id: 'TransactionRequest', description: 'A collect or a deposit. Unknown fields are ignored' })

/** The same in version 2, where the header Idempotency-Key is the externalId. */
export const keyedRequestSchema = z
  .object(
    {
      ...laterRequestFields,
      externalId: requestFields.externalId.optional().meta({
        format: 'uuid',
        description: 'May be absent: Idempotency-Key is the externalId. If it is there, it has to be the same',
      }),
    },
    { error: 'The body must be a JSON object.' },
  )
  .superRefine(checkMismatch, WHEN_OBJECT)
  .meta({ id: 'PaymentRequest', description: 'A collect or a deposit, without its externalId. Unknown fields are ignored' })

/** With or without the quotes of a structured field. */
const IDEMPOTENCY_KEY = /^(?:"([0-9a-f-]{36})"|([0-9a-f-]{36}))$/i

/** Returns the externalId that the header Idempotency-Key names; undefined if it is no UUID version 4. */
export function parseIdempotencyKey(header: string): string | undefined {
  const [, quoted, plain] = IDEMPOTENCY_KEY.exec(header.trim()) ?? []
  const key = quoted ?? plain
  return key !== undefined && UUID_V4.test(key) ? key.toLowerCase() : undefined
}

/**
 * Body of a refund. Unknown fields are dropped. Out: `amount` as a bigint in hundredths; undefined asks for what is left of the collect, and
 * without `webhookUrl` the result goes to that of the collect.
 */
export const refundRequestSchema = z
  .object(
    {
      externalId: transactionRequestSchema.shape.externalId,
      amount: amountField.optional().meta({
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 9_999_999_999.99,
        description: 'How much of the collect to refund. If it is absent, all that is left of it',
      }),
      webhookUrl: transactionRequestSchema.shape.webhookUrl.optional().meta({
        format: 'uri',
        maxLength: WEBHOOK_URL_LENGTH_MAX,
        description: 'An absolute http or https address, which receives the result as a webhook. If it is absent, that of the collect',
      }),
    },
    { error: 'The body must be a JSON object.' },
  )
  .meta({ id: 'RefundRequest', description: 'A refund of a collect. Unknown fields are ignored' })

/** Reads the body of a refund. Errors: one sentence per wrong field. */
export function parseRefundRequest(body: JsonValue): Result<z.output<typeof refundRequestSchema>, string[]> {
  return isJsonObject(body) ? parseFields(refundRequestSchema, body) : err(['The body must be a JSON object.'])
}

export type TransactionRequest = z.output<typeof transactionRequestSchema>
export type KeyedRequest = z.output<typeof keyedRequestSchema> & { externalId: string }

/** Body of an account check of version 2. Unknown fields are dropped. */
export const accountCheckRequestSchema = z
  .object({ transferMethod, phoneNumber }, { error: 'The body must be a JSON object.' })
  .superRefine(
    (value, context) => {
      const problem = findMismatch({ ...value, countryName: undefined })
      if (problem) context.addIssue({ code: 'custom', path: [problem.field], message: problem.message })
    },
    { when: (payload) => isJsonObject(payload.value) },
  )
  .meta({ id: 'AccountCheckRequest', description: 'The account to check. Unknown fields are ignored' })

type Mismatch = { field: 'countryName' | 'phoneNumber'; message: string }

/** The rules between fields. Also runs if single fields are invalid, so that all problems are reported together. */
function findMismatch(value: { transferMethod: unknown; countryName: unknown; phoneNumber: unknown }): Mismatch | undefined {
  const expected = isOperatorCode(value.transferMethod) ? OPERATORS[value.transferMethod].country : undefined
  const named = isCountryName(value.countryName) ? COUNTRIES[value.countryName] : undefined
  if (expected && named && expected.name !== named.name) {
    return { field: 'countryName', message: `countryName must be ${expected.name} for transferMethod ${String(value.transferMethod)}.` }
  }
  const country = expected ?? named
  const { phoneNumber } = value
  if (country === undefined || typeof phoneNumber !== 'string' || phoneNumber.startsWith(country.dialCode)) return undefined
  return { field: 'phoneNumber', message: `phoneNumber must start with ${country.dialCode}, the dial code of ${country.name}, without +.` }
}

/** Reads the body of collect or deposit. Errors: one sentence per wrong field. */
export function parseTransactionRequest(body: JsonValue): Result<TransactionRequest, string[]> {
  return isJsonObject(body) ? parseFields(transactionRequestSchema, body) : err(['The body must be a JSON object.'])
}

/** Reads the body of a payment of version 2. Errors: one sentence per wrong field. */
export function parseKeyedRequest(body: JsonValue, externalId: string): Result<KeyedRequest, string[]> {
  if (!isJsonObject(body)) return err(['The body must be a JSON object.'])
  const parsed = parseFields(keyedRequestSchema, body)
  if (!parsed.ok) return parsed
  const named = parsed.value.externalId ?? externalId
  return named === externalId
    ? ok({ ...parsed.value, externalId })
    : err(['externalId must be the same as the header Idempotency-Key, or absent.'])
}

/**
 * Reads the body of depositMultiple. Each sentence begins with the index of its element, from 0. The same
 * externalId twice, regardless of its letter case, is a problem of the later element.
 */
export function parseBatch(body: JsonValue): Result<TransactionRequest[], string[]> {
  if (!Array.isArray(body)) return err(['The body must be a JSON array of transaction requests.'])
  if (body.length < 1 || body.length > BATCH_LENGTH_MAX) return err([`The array must have 1 to ${BATCH_LENGTH_MAX} elements.`])
  return finishSteps(parseElements(body, parseTransactionRequest))
}

/** Elements that are read in a few milliseconds. */
const STEP_ELEMENTS = 250

/** Reads each element of an array of requests, as `parseBatch` does, in steps: between two of them a server goes on with other work. */
export function* parseElements<Request extends { externalId: string }>(
  elements: readonly JsonValue[],
  parseElement: (element: JsonValue) => Result<Request, string[]>,
): Generator<undefined, Result<Request[], string[]>> {
  const requests: Request[] = []
  const problems: string[] = []
  const firstIndexes = new Map<string, number>()
  for (const [index, element] of elements.entries()) {
    if (index % STEP_ELEMENTS === STEP_ELEMENTS - 1) yield
    const parsed = isJsonObject(element) ? parseElement(element) : err(['The element must be a JSON object.'])
    if (!parsed.ok) {
      problems.push(...parsed.error.map((sentence) => `[${index}] ${sentence}`))
      continue
    }
    const { externalId } = parsed.value
    const first = firstIndexes.get(externalId)
    if (first === undefined) firstIndexes.set(externalId, index)
    else problems.push(`[${index}] externalId must be unique: element [${first}] has the same value.`)
    requests.push(parsed.value)
  }
  return problems.length === 0 ? ok(requests) : err(problems)
}

/** Takes all steps at once. */
export function finishSteps<Value>(steps: Generator<undefined, Value>): Value {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
