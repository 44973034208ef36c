import { PAYMENT_TEXT_NAMES, PAYMENT_TEXTS, type PaymentTextColumn, type PaymentTextName } from '#lib/payments/payment-fields.ts'

// The texts of a payment as columns of `transactions` and `batch_rows`. Lists are built once, because intake and files use them for each row.

const COLUMNS = PAYMENT_TEXT_NAMES.map((name) => ({ name, column: PAYMENT_TEXTS[name].column as PaymentTextColumn }))

/** Their types, for rows that are exchanged as JSON (`database/json-row.ts`). */
export const TEXT_COLUMNS = typesOf('text')
/** The same where a row of a file may lack them. */
export const NULLABLE_TEXT_COLUMNS = typesOf('text | null')

function typesOf<Type extends string>(type: Type): Record<PaymentTextColumn, Type> {
  // Every column is one of the list.
  return Object.fromEntries(COLUMNS.map(({ column }) => [column, type])) as Record<PaymentTextColumn, Type>
}

/** Returns the texts of a payment by column. */
export function toTextColumns<Text extends string | null>(payment: Record<PaymentTextName, Text>): Record<PaymentTextColumn, Text> {
  const row: Partial<Record<PaymentTextColumn, Text>> = {}
  for (const { name, column } of COLUMNS) row[column] = payment[name]
  // Every column was assigned.
  return row as Record<PaymentTextColumn, Text>
}

/** Returns the columns of a table or record for a statement, each with the same words after it: `t.customer_name`. */
export function listTextColumns(alias: string, after = ''): string {
  return COLUMNS.map(({ column }) => `${alias}.${column}${after}`).join(', ')
}

/** Returns the columns with the names of the fields: `t.customer_name as "customerName"`. */
export function selectTexts(alias: string): string {
  return COLUMNS.map(({ name, column }) => `${alias}.${column} as "${name}"`).join(', ')
}
