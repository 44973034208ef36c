/**
 * The fields that somebody enters for a payment, in a request, in the form or in a file. This is their one definition: schemas, the form,
 * the columns of a file, stored columns, the digest that checkers sign, lists, details and exports are derived from it when their module is
 * loaded. Each field has one name in our own code; the names of the specification are used only at the API.
 */

/** A text that is entered with a payment, stored, shown and signed as it was entered. An absent optional text is the empty text. */
type TextField = {
  /** Its column in `transactions` and `batch_rows`. */
  column: string
  /** Its name in records and exports of stored transactions, where that differs from the name in requests. */
  recordName: string
  isRequired: boolean
  /** The first version of the API that has it. Version 1 is that of the specification: none of its answers names another text. */
  apiVersion: 1 | 2
  /** Characters, not UTF-16 units. */
  lengthMax: number
  /** Width in an exported workbook, in characters. */
  width: number
  /** Its sentences in the API reference, as a field of a request and of a record. */
  description: string
  recordDescription: string
}

const TEXTS = {
  customerName: {
    column: 'customer_name',
    recordName: 'receiverName',
    isRequired: true,
    apiVersion: 1,
    lengthMax: 200,
    width: 28,
    description: 'The full name of the customer or beneficiary, in any script',
    recordDescription: 'The name of the customer or beneficiary',
  },
  purpose: {
    column: 'purpose',
    recordName: 'purpose',
    isRequired: false,
    apiVersion: 2,
    lengthMax: 140,
    width: 28,
    description: 'The reason of the payment, or the number of an invoice',
    recordDescription: 'The reason of the payment, or the number of an invoice',
  },
} as const satisfies Record<string, TextField>

export type PaymentTextName = keyof typeof TEXTS
export type PaymentTextColumn = (typeof TEXTS)[PaymentTextName]['column']
export type PaymentTexts = Record<PaymentTextName, string>

export const PAYMENT_TEXTS: Readonly<Record<PaymentTextName, TextField>> = TEXTS

/** In the order in which they are shown. */
export const PAYMENT_TEXT_NAMES = Object.keys(TEXTS) as PaymentTextName[]

/** The texts of version 1 of the API. Version 2 has all. */
type ApiTextName = { [Name in PaymentTextName]: (typeof TEXTS)[Name]['apiVersion'] extends 1 ? Name : never }[PaymentTextName]
export const API_TEXT_NAMES = PAYMENT_TEXT_NAMES.filter((name): name is ApiTextName => TEXTS[name].apiVersion === 1)

export type ApiTexts = Pick<PaymentTexts, ApiTextName>

/** The texts of a payment from any source: a program that uses version 1 of the API enters those of that version, everybody else all. */
export type EnteredTexts = ApiTexts & Partial<PaymentTexts>

/** Without the customer's name, which lists show with the phone number and as the link to the payment. */
export const OTHER_TEXT_NAMES: readonly PaymentTextName[] = PAYMENT_TEXT_NAMES.filter((name) => name !== 'customerName')

/** Builds an object with one value per text. */
export function mapTexts<Value>(make: (name: PaymentTextName, field: TextField) => Value): Record<PaymentTextName, Value> {
  // The keys are exactly the names.
  return Object.fromEntries(PAYMENT_TEXT_NAMES.map((name) => [name, make(name, PAYMENT_TEXTS[name])])) as Record<PaymentTextName, Value>
}

/** The same with the texts of version 1 of the API alone. */
export function mapApiTexts<Value>(make: (name: ApiTextName, field: TextField) => Value): Record<ApiTextName, Value> {
  // The keys are exactly the names.
  return Object.fromEntries(API_TEXT_NAMES.map((name) => [name, make(name, PAYMENT_TEXTS[name])])) as Record<ApiTextName, Value>
}

/** No text entered. */
export const EMPTY_TEXTS: PaymentTexts = mapTexts(() => '')

/** Copies the texts of a payment from any source; those that its source does not have are empty. */
export function completeTexts(entered: EnteredTexts): PaymentTexts {
  return mapTexts((name) => entered[name] ?? '')
}

/** Copies the texts of a payment, which may have any other fields. */
export function pickTexts<Text extends string | null>(payment: Record<PaymentTextName, Text>): Record<PaymentTextName, Text> {
  const picked: Partial<Record<PaymentTextName, Text>> = {}
  for (const name of PAYMENT_TEXT_NAMES) picked[name] = payment[name]
  // Every name was assigned.
  return picked as Record<PaymentTextName, Text>
}

/** The fields of the form, in the order in which they are shown. */
const PAYMENT_FIELDS = ['type', 'country', 'operator', 'phoneNumber', ...PAYMENT_TEXT_NAMES, 'amount'] as const
type PaymentField = (typeof PAYMENT_FIELDS)[number]

/** The content of the payment form, complete or not. The amount is a plain decimal wherever it could be read. */
export type PaymentContent = Record<PaymentField, string>

export const EMPTY_PAYMENT: PaymentContent = {
  type: 'DEPOSIT',
  country: '',
  operator: '',
  phoneNumber: '',
  amount: '',
  ...EMPTY_TEXTS,
}
