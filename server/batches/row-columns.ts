import type { RowColumns, RowOf } from '#server/database/json-row.ts'

/** The columns that the check of a row stores. */
export const CHECKED_ROW = {
  row_number: 'integer',
  operator: 'text | null',
  phone_number: 'text | null',
  phone_forms: 'text[] | null',
  customer_name: 'text | null',
  amount_minor: 'bigint | null',
  fee_minor: 'bigint | null',
  problems: 'jsonb',
  repairs: 'jsonb',
  notes: 'jsonb',
} as const satisfies RowColumns
export type CheckedRow = RowOf<typeof CHECKED_ROW>

export const NEW_ROW = { ...CHECKED_ROW, cells: 'jsonb', external_id: 'uuid' } as const satisfies RowColumns
export type NewRow = RowOf<typeof NEW_ROW>

export const COMPARED_ROW = { row_number: 'integer', warnings: 'jsonb' } as const satisfies RowColumns
export type ComparedRow = RowOf<typeof COMPARED_ROW>

export const STARTED_ROW = { row_number: 'integer', transaction_id: 'uuid | null', refusal: 'text | null' } as const satisfies RowColumns
export type StartedRow = RowOf<typeof STARTED_ROW>
