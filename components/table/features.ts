import {
  columnOrderingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  metaHelper,
  type RowData,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table'
import type { MessageKey } from '#lib/i18n/translate.ts'

export type DataColumnMeta = {
  /** The head of the column, and its name in the column chooser. */
  label: MessageKey
  /** Figures are aligned to the right. */
  align?: 'start' | 'end'
  /** The position of the cell in the narrow layout of two lines: `lead` above left, `lead-second` below left, `end` likewise on the right. */
  narrow?: 'lead' | 'lead-second' | 'end' | 'end-second' | 'hidden'
  /** The name under which the server sorts by it; absent: not sortable. */
  sortKey?: string
  /** Extra classes of head and cell: a width. */
  className?: string
}

/** What our tables can do. The server sorts, filters and cuts pages; the table keeps the columns and the selection. */
export const dataTableFeatures = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  columnMeta: metaHelper<DataColumnMeta>(),
})

export type DataTableFeatures = typeof dataTableFeatures

/** Makes typed columns for one kind of row; call it at module scope, so that columns keep their identity. */
export function dataColumns<Row extends RowData>() {
  return createColumnHelper<DataTableFeatures, Row>()
}
