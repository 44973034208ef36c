import { createColumnHelper, metaHelper, type RowData, tableFeatures } from '@tanstack/react-table'
import type { MessageKey } from '#lib/i18n/translate.ts'

export type DataColumnMeta = {
  /** The heading of the column, also in the column chooser. */
  label: MessageKey
  /** Figures are aligned to the right. */
  align?: 'start' | 'end'
  /** The position of the cell in the narrow layout of two lines: `lead` above left, `lead-second` below left, `end` likewise on the right. */
  narrow?: 'lead' | 'lead-second' | 'end' | 'end-second' | 'hidden'
  /** The server's name for sorting by the column; absent: not sortable. */
  sortKey?: string
  /** The width in pixels. If every shown column has one, they share the table in these proportions, regardless of what the rows contain. */
  width?: number
  /** Extra classes of head and cell. */
  className?: string
}

/**
 * Our tables use none of the library's features, which cost 4 KB: the server sorts, filters and pages, column settings and selection are in the
 * browser's own state.
 */
export const dataTableFeatures = tableFeatures({ columnMeta: metaHelper<DataColumnMeta>() })

export type DataTableFeatures = typeof dataTableFeatures

/** Returns a typed column helper for one kind of row. Call it at module scope, so that columns keep their identity. */
export function dataColumns<Row extends RowData>() {
  return createColumnHelper<DataTableFeatures, Row>()
}
