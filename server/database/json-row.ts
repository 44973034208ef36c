/**
 * The rows that TypeScript and the functions in `sql/` exchange as JSON. Each row is defined once, as a list of columns with their SQL
 * types; the TypeScript type, the JSON and the record in a statement come from that list. `json-row.test.ts` compares the list with the
 * record that the SQL function declares.
 */
type ColumnTypes = {
  smallint: number
  integer: number
  bigint: bigint
  boolean: boolean
  uuid: string
  text: string
  timestamptz: Date
  json: unknown
  jsonb: unknown
  'text[]': readonly string[]
  'integer[]': readonly number[]
}

type SqlType = keyof ColumnTypes

/** The columns of a row, in order, by name: `{ transaction_id: 'uuid', maker_id: 'uuid | null' }`. */
export type RowColumns = Readonly<Record<string, SqlType | `${SqlType} | null`>>

type ColumnValue<Column> = Column extends SqlType
  ? ColumnTypes[Column]
  : Column extends `${infer Type extends SqlType} | null`
    ? ColumnTypes[Type] | null
    : never

/**
 * The TypeScript type of a row. `Narrower` replaces the types of some columns by narrower ones, where SQL has only `text` or `jsonb`:
 * `RowOf<typeof ITEM, { status: TransactionStatus }>`.
 */
export type RowOf<
  Columns extends RowColumns,
  Narrower extends { [Name in keyof Narrower]: Name extends keyof Columns ? ColumnValue<Columns[Name]> : never } = Record<never, never>,
> = { [Name in keyof Columns]: Name extends keyof Narrower ? Narrower[Name] : ColumnValue<Columns[Name]> }

/** An SQL function that takes a batch: the rows of its parameter `p_items`, and the rows it returns, if any. */
export type BatchFunction = { name: string; item: RowColumns; result: RowColumns | 'void' }

/**
 * Returns the JSON array that `json_to_recordset` reads. A null is left out, which SQL reads as null. A bigint is sent as text, because
 * JSON has no form of its own for it and SQL reads both.
 */
export function encodeRows<Columns extends RowColumns>(columns: Columns, rows: readonly RowOf<Columns>[]): string {
  const bigints = namesOf(columns, (column) => column.startsWith('bigint'))
  const nullables = namesOf(columns, (column) => column.endsWith(' | null'))
  return JSON.stringify(
    rows.map((row) => {
      const copy: Record<string, unknown> = { ...row }
      for (const name of nullables) if (copy[name] === null) copy[name] = undefined
      for (const name of bigints) if (copy[name] !== undefined) copy[name] = String(copy[name])
      return copy
    }),
  )
}

/** Returns the record of these columns, as `json_to_recordset(…) as item (<record>)` declares it. */
export function recordOf(columns: RowColumns): string {
  return Object.entries(columns)
    .map(([name, column]) => `${name} ${column.replace(' | null', '')}`)
    .join(', ')
}

function namesOf(columns: RowColumns, isWanted: (column: string) => boolean): string[] {
  return Object.entries(columns).flatMap(([name, column]) => (isWanted(column) ? [name] : []))
}
